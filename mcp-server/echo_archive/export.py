"""The export: everything an archive holds of messages, as plain values, to check or to move."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

from echo_archive.reading import Archive
from echo_archive.scope import FIRST
from echo_archive.shapes import Stored, full_rows, stored_messages

_PAGE = 500


def exported(archive: Archive) -> Iterator[dict[str, Any]]:
    """Every message, conversation by conversation, each in time order.

    The fields are those of the archive's fixtures: `conversation` holds name, id and kind, and
    `reply_to` names the `id` of another message. An attachment's `path` begins at its `root`, the
    folder or zip that was imported.
    """
    with archive.reading() as database:
        conversations = database.execute(
            "select id, name, native_id, kind from conversation where messages > 0 order by id"
        ).fetchall()
        for number, name, native_id, kind in conversations:
            about = {"name": name, "id": native_id, "kind": kind}
            yield from _messages(database, archive, number, about)


def _messages(
    database: sqlite3.Connection, archive: Archive, number: int, about: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    last = FIRST
    while True:
        row_ids = [
            row_id
            for (row_id,) in database.execute(
                "select id from message where conversation = ? and id > ? order by id limit ?",
                (number, last, _PAGE),
            )
        ]
        if not row_ids:
            return
        found = stored_messages(database, row_ids, archive.clock)
        yield from _page(database, [found[row_id] for row_id in row_ids], about)
        last = row_ids[-1]


def _page(
    database: sqlite3.Connection, messages: list[Stored], about: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    rows = full_rows(database, messages)
    roots = _roots(database, messages[0].row_id, messages[-1].row_id, messages[0].conversation)
    for message, row in zip(messages, rows, strict=True):
        native_id, written = database.execute(
            "select native_id, written from message where id = ?", (message.row_id,)
        ).fetchone()
        revisions = database.execute(
            "select body from revision where message = ? order by position", (message.row_id,)
        )
        yield {
            **row,
            "id": row["message_id"],
            "conversation": about,
            "native_id": native_id,
            "written": written,
            "body": message.body,
            "attachments": [
                {**one, "missing": not one["available"], "root": roots.get((message.row_id, at))}
                for at, one in enumerate(row["attachments"])
            ],
            "revisions": [body for (body,) in revisions],
        }


def _roots(
    database: sqlite3.Connection, first: int, last: int, conversation: int
) -> dict[tuple[int, int], str]:
    """The export that holds each attachment, by message and place, as it lay at the import."""
    rows = database.execute(
        "select message, position, import.root from attachment"
        " left join import on import.id = attachment.root"
        " where attachment.conversation = ? and message between ? and ?",
        (conversation, first, last),
    )
    return {(message, position): root for message, position, root in rows}
