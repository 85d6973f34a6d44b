"""Shapes: stored messages as they stand in answers, each with where it comes from."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from echo_archive.conversion import PRECISIONS
from echo_archive.keys import message_id
from echo_archive.parameters import rows_in
from echo_archive.spans import Clock, clock_of, instant_text

LONGEST_TEXT = 4_000
_ASSUMED = "assumed:"
Row = dict[str, Any]
Shape = TypeVar("Shape")

_MESSAGES = """
select message.id, message.hash, conversation.name, source.name || ':' || conversation.key,
  source.name, person.name, coalesce(person.is_me, 0), message.instant, message.zone,
  message.precision, message.body, message.system, message.event, message.reply,
  message.reply_quote, message.edited, message.deleted, message.forwarded_from,
  message.conversation, message.person
from message join conversation on conversation.id = message.conversation
join source on source.id = conversation.source left join person on person.id = message.person
where message.id in ({marks})
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """One message: its coordinates as answers carry them, and what it says.

    Attributes:
        coordinates: The fields that stand on every row that comes from a message.
        said: The other fields but for the body and what hangs on the message.
    """

    row_id: int
    conversation: int
    person: int | None
    body: str
    reply: bytes | None
    coordinates: Row
    said: Row


def stored_messages(
    database: sqlite3.Connection, row_ids: Sequence[int], clock: Clock
) -> dict[int, Stored]:
    """The messages with these row ids; those that are gone are left out."""
    return {row[0]: _stored(row, clock) for row in rows_in(database, _MESSAGES, row_ids)}


def full_rows(database: sqlite3.Connection, messages: Sequence[Stored]) -> list[Row]:
    """Whole messages as transcripts show them, in the order given."""
    row_ids = [message.row_id for message in messages]
    attachments = attachments_of(database, row_ids)
    links, reactions = _links(database, row_ids), _reactions(database, row_ids)
    answered = _answered(database, [message.reply for message in messages if message.reply])
    return [
        {
            **message.coordinates,
            **cut(message.body),
            **message.said,
            "reply_to": answered.get(message.reply) if message.reply else None,
            "attachments": attachments[message.row_id],
            "links": links[message.row_id],
            "reactions": reactions[message.row_id],
        }
        for message in messages
    ]


def cut(body: str, name: str = "text") -> Row:
    """A body that fits an answer; `truncated` says when it was cut."""
    if len(body) <= LONGEST_TEXT:
        return {name: body}
    return {name: body[:LONGEST_TEXT], "truncated": True}


def attachments_of(database: sqlite3.Connection, row_ids: Sequence[int]) -> dict[int, list[Row]]:
    """What came with each message, in order."""

    def shape(
        kind: str, name: str | None, path: str | None, media_type: str | None, size: int | None,
        missing: int,
    ) -> Row:  # fmt: skip
        return {
            "kind": kind,
            "name": name,
            "path": path,
            "media_type": media_type,
            "size": size,
            "available": not missing,
        }

    query = (
        "select message, kind, name, path, media_type, size, missing from attachment"
        " where message in ({marks}) order by message, position"
    )
    return _by_message(database, query, row_ids, shape)


def _stored(row: Sequence[Any], clock: Clock) -> Stored:
    (row_id, key, conversation, conversation_id, source, sender, is_me, instant, assumed,
     precision, body, system, event, reply, quote, edited, deleted, forwarded, number,
     person) = row  # fmt: skip
    if assumed:
        clock = clock_of(assumed.removeprefix(_ASSUMED))
    coordinates = {
        "message_id": message_id(key),
        "hash": key.hex(),
        "conversation": conversation,
        "conversation_id": conversation_id,
        "source": source,
        "sender": sender,
        "is_me": bool(is_me),
        "timestamp": instant_text(instant),
        "local_time": clock.shows(instant),
        "zone": clock.name,
    }
    said = {
        "precision": PRECISIONS[precision],
        "system": bool(system),
        "event": event,
        "edited": bool(edited),
        "deleted": bool(deleted),
        "forwarded_from": forwarded,
        "reply_quote": quote,
    }
    return Stored(row_id, number, person, body, reply, coordinates, said)


def _links(database: sqlite3.Connection, row_ids: Sequence[int]) -> dict[int, list[str]]:
    query = (
        "select message, url.url from link join url on url.id = link.url"
        " where message in ({marks}) order by message, position"
    )
    return _by_message(database, query, row_ids, str)


def _reactions(database: sqlite3.Connection, row_ids: Sequence[int]) -> dict[int, list[Row]]:
    def shape(emoji: str, actor: str | None, count: int) -> Row:
        return {"emoji": emoji, "actor": actor, "count": count}

    query = (
        "select message, emoji, person.name, count from reaction"
        " left join person on person.id = reaction.person"
        " where message in ({marks}) order by message, position"
    )
    return _by_message(database, query, row_ids, shape)


def _by_message(
    database: sqlite3.Connection, query: str, row_ids: Sequence[int], shape: Callable[..., Shape]
) -> dict[int, list[Shape]]:
    """Of each message the rows of a query that begins with it, shaped from their other columns."""
    found: dict[int, list[Shape]] = defaultdict(list)
    for message, *columns in rows_in(database, query, row_ids):
        found[message].append(shape(*columns))
    return found


def _answered(database: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, str]:
    """The ids of messages that were answered, where the archive holds them."""
    rows = rows_in(database, "select hash from message where hash in ({marks})", keys)
    return {key: message_id(key) for (key,) in rows}
