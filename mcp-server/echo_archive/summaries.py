"""Summaries: a conversation as answers describe it."""

from __future__ import annotations

import sqlite3
from typing import Any

from echo_archive.spans import Clock, instant_text

MOST_PARTICIPANTS, MOST_NAMES = 30, 30
Page = tuple[int, int]

_CONVERSATIONS = """
select conversation.id, source.name || ':' || conversation.key, conversation.name, source.name,
  conversation.kind, messages, first.instant, last.instant, images, videos, files, links,
  conversation.last_id
from conversation join source on source.id = conversation.source
left join message first on first.id = first_id left join message last on last.id = last_id
where {where} and (?1 is null or conversation.source = ?1)
  and (?2 is null or conversation.id in (
    select conversation from conversation_name where instr(folded, ?2)
    union select participant.conversation from participant
      join person_name on person_name.person = participant.person
      where instr(person_name.folded, ?2)))
  and (?3 is null or (conversation.last_id, conversation.id) < (?3, ?4))
order by conversation.last_id desc, conversation.id desc limit ?5
"""


def summaries(
    database: sqlite3.Connection,
    clock: Clock,
    *,
    source: int | None,
    name: str | None,
    after: Page | None,
    most: int,
) -> list[tuple[Page, dict[str, Any]]]:
    """Conversations, the newest first, each with its place in that order.

    Args:
        database: The archive.
        clock: What local times are shown by.
        source: Number of a source, None for all.
        name: A folded part of a name, None for all.
        after: The place of the last one that was shown.
        most: How many.
    """
    values = (source, name, *(after or (None, None)), most)
    rows = database.execute(_CONVERSATIONS.format(where="messages > 0"), values).fetchall()
    return [((row[12], row[0]), _conversation(database, row, clock)) for row in rows]


def summary(database: sqlite3.Connection, number: int, clock: Clock) -> dict[str, Any]:
    """One conversation as the list shows it."""
    query = _CONVERSATIONS.format(where="conversation.id = ?6")
    row = database.execute(query, (None, None, None, None, 1, number)).fetchone()
    return _conversation(database, row, clock)


def _conversation(
    database: sqlite3.Connection, row: tuple[Any, ...], clock: Clock
) -> dict[str, Any]:
    (number, key, name, source, kind, messages, first, last, images, videos, files, links, _) = row
    names = [
        one
        for (one,) in database.execute(
            "select person.name from participant join person on person.id = participant.person"
            " where conversation = ? order by person.is_me desc, person.id",
            (number,),
        )
    ]
    former = database.execute(
        "select name from conversation_name where conversation = ? and name <> ? limit ?",
        (number, name, MOST_NAMES),
    )
    return {
        "conversation_id": key,
        "conversation": name,
        "source": source,
        "kind": kind,
        "participants": names[:MOST_PARTICIPANTS],
        "participant_count": len(names),
        "other_names": [one for (one,) in former],
        "message_count": messages,
        "first_timestamp": None if first is None else instant_text(first),
        "last_timestamp": None if last is None else instant_text(last),
        "last_local_time": None if last is None else clock.shows(last),
        "zone": clock.name,
        "image_count": images,
        "video_count": videos,
        "file_count": files,
        "link_count": links,
    }
