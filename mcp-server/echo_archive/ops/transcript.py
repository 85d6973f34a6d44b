"""get_conversation and get_context: messages in the order they were written."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from echo_archive.arguments import checked_choice, checked_number, checked_text
from echo_archive.cursors import cursor_of, row_of
from echo_archive.errors import NotFound
from echo_archive.filters import checked_filters
from echo_archive.keys import key_range
from echo_archive.quoting import QUOTED
from echo_archive.reading import Archive
from echo_archive.scope import Scope
from echo_archive.shapes import Row, full_rows, stored_messages
from echo_archive.summaries import summary

DEFAULT_LIMIT, MAX_LIMIT = 100, 500
DEFAULT_WINDOW, MAX_WINDOW = 5, 50
PAGES = ("oldest", "newest")


def get_conversation_op(
    archive: Archive,
    *,
    conversation: str,
    start: str | None = None,
    end: str | None = None,
    page: str = "newest",
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> dict[str, Any]:
    """A conversation's transcript, always ascending in time.

    Args:
        archive: Where from.
        conversation: Its id, or a name it has or had.
        start: From this day or time on.
        end: Up to and with this day or time.
        page: From which end the pages are taken.
        limit: How many messages at most.
        cursor: `next_cursor` of the answer before.

    Raises:
        BadArgument: An argument is wrong, or the name is unknown or ambiguous.
    """
    checked_text(conversation, "conversation")
    checked_number(limit, "limit", MAX_LIMIT)
    newest = checked_choice(page, "page", PAGES) == "newest"
    filters = checked_filters(archive.clock, start=start, end=end, conversation=conversation)
    question = {"op": "get_conversation", "page": page, **filters.said}
    edge = row_of(question, cursor)
    with archive.reading() as database:
        scope = filters.scope(database)
        found = _page(database, scope, newest, edge, limit + 1)
        more, row_ids = len(found) > limit, sorted(found[:limit])
        about = summary(database, scope.conversation or 0, archive.clock)
        rows = _rows(database, row_ids, archive)
    place = (row_ids[0] if newest else row_ids[-1]) if more else None
    return {
        **about,
        "quoted": QUOTED,
        "messages": rows,
        "count": len(rows),
        "page": page,
        "next_cursor": cursor_of(question, place) if more else None,
    }


def get_context_op(
    archive: Archive, *, message_id: str, window: int = DEFAULT_WINDOW
) -> dict[str, Any]:
    """The messages around one, in its conversation.

    Args:
        archive: Where from.
        message_id: Its id or its hash.
        window: How many before it, and how many after.

    Raises:
        BadArgument: An argument is wrong.
        NotFound: There is no such message.
    """
    checked_number(window, "window", MAX_WINDOW)
    keys = key_range(checked_text(message_id, "message_id"))
    with archive.reading() as database:
        found = (
            database.execute(
                "select id, conversation from message where hash between ? and ?", keys
            ).fetchone()
            if keys
            else None
        )
        if found is None:
            raise NotFound(
                "Message not found. Take `message_id` or `hash` from an answer of this archive.",
                message_id=message_id[:80],
            )
        row_id, conversation = found
        within = Scope(conversation=conversation)
        before = _page(database, within, True, row_id, window + 1)
        after = _page(database, within, False, row_id, window + 1)
        row_ids = [*sorted(before[:window]), row_id, *after[:window]]
        rows = _rows(database, row_ids, archive)
    for row, one in zip(rows, row_ids, strict=True):
        row["asked_for"] = one == row_id
    return {
        "message_id": rows[row_ids.index(row_id)]["message_id"],
        "quoted": QUOTED,
        "messages": rows,
        "count": len(rows),
        "more_before": len(before) > window,
        "more_after": len(after) > window,
    }


def _page(
    database: sqlite3.Connection, scope: Scope, newest: bool, edge: int | None, most: int
) -> list[int]:
    """Row ids from one end of a conversation, or from a row on that is not itself taken."""
    first, last = scope.first, scope.last
    if edge is not None:
        first, last = (first, min(last, edge - 1)) if newest else (max(first, edge + 1), last)
    rows = database.execute(
        "select id from message where conversation = ? and id between ? and ?"  # noqa: S608
        f" order by id {'desc' if newest else 'asc'} limit ?",
        (scope.conversation, first, last, most),
    )
    return [row_id for (row_id,) in rows]


def _rows(database: sqlite3.Connection, row_ids: Sequence[int], archive: Archive) -> list[Row]:
    found = stored_messages(database, row_ids, archive.clock)
    return full_rows(database, [found[row_id] for row_id in row_ids])
