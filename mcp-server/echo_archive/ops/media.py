"""list_media: what came with messages, the newest first."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from echo_archive.arguments import checked_choice, checked_number
from echo_archive.cursors import cursor_of, pair_of
from echo_archive.filters import checked_filters
from echo_archive.parameters import marks
from echo_archive.quoting import QUOTED
from echo_archive.reading import Archive
from echo_archive.scope import Scope
from echo_archive.shapes import Row, cut, stored_messages

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
KINDS = ("image", "video", "audio", "file", "sticker", "contact", "location")
Found = tuple[int, int, str, str | None, str | None, str | None, int | None, int, str | None]


def list_media_op(
    archive: Archive,
    *,
    conversation: str | None = None,
    sender: str | None = None,
    kind: str | None = None,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Attachments, the newest first, each with the message it came with.

    Args:
        archive: Where from.
        conversation: Id or name.
        sender: A name; "Me" for the owner.
        kind: One of `KINDS`.
        source: Only of this source.
        start: From this day or time on.
        end: Up to and with this day or time.
        limit: How many at most.
        cursor: `next_cursor` of the answer before.

    Raises:
        BadArgument: An argument is wrong.
    """
    checked_number(limit, "limit", MAX_LIMIT)
    if kind is not None:
        checked_choice(kind, "kind", KINDS)
    filters = checked_filters(
        archive.clock, start=start, end=end,
        conversation=conversation, sender=sender, source=source,
    )  # fmt: skip
    question = {"op": "list_media", "kind": kind, **filters.said}
    after = pair_of(question, cursor)
    with archive.reading() as database:
        found = _attachments(database, filters.scope(database), kind, after, limit + 1)
        rows = _rows(database, found[:limit], archive)
    place = found[limit - 1][:2] if len(found) > limit else None
    return {
        "quoted": QUOTED,
        "media": rows,
        "count": len(rows),
        "next_cursor": cursor_of(question, place) if place else None,
    }


def _attachments(
    database: sqlite3.Connection,
    scope: Scope,
    kind: str | None,
    after: tuple[int, int] | None,
    most: int,
) -> list[Found]:
    conditions = ["message between ? and ?"]
    values: list[int | str] = [scope.first, scope.last]
    by_source = scope.source if scope.conversation is None else None
    for condition, value in (
        ("attachment.conversation = ?", scope.conversation),
        ("attachment.kind = ?", kind),
        ("+attachment.conversation in (select id from conversation where source = ?)", by_source),
    ):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    if scope.people is not None:
        conditions.append(f"person in ({marks(len(scope.people))})")
        values += scope.people
    if after:
        conditions.append("(message, position) < (?, ?)")
        values += after
    return database.execute(
        "select message, position, attachment.kind, name, path, media_type, size, missing,"  # noqa: S608
        " (select import.root from import where import.id = attachment.root)"
        f" from attachment where {' and '.join(conditions)}"
        " order by message desc, position desc limit ?",
        (*values, most),
    ).fetchall()


def _rows(database: sqlite3.Connection, found: list[Found], archive: Archive) -> list[Row]:
    row_ids = list(dict.fromkeys(one[0] for one in found))
    messages = stored_messages(database, row_ids, archive.clock)
    rows = []
    for row_id, _, kind, name, path, media_type, size, missing, root in found:
        message = messages[row_id]
        rows.append(
            {
                **message.coordinates,
                "kind": kind,
                "name": name,
                "path": path,
                "export": root,
                "media_type": media_type,
                "size": size,
                "available": not missing and _is_there(root, path),
                **cut(message.body),
            }
        )
    return rows


def _is_there(root: str | None, path: str | None) -> bool:
    """Whether the file still stands in the export; one inside a zip is as it was at the import."""
    if root is None or path is None:
        return False
    folder = Path(root)
    try:
        return (folder / path).is_file() if folder.is_dir() else folder.is_file()
    except (OSError, ValueError):
        return False
