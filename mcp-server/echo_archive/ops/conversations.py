"""list_conversations: what conversations there are, the newest first."""

from __future__ import annotations

from typing import Any

from echo_archive.arguments import checked_number, optional_text
from echo_archive.cursors import cursor_of, pair_of
from echo_archive.reading import Archive
from echo_archive.scope import find_source
from echo_archive.summaries import summaries
from echo_archive.words import fold

DEFAULT_LIMIT, MAX_LIMIT = 50, 200


def list_conversations_op(
    archive: Archive,
    *,
    source: str | None = None,
    query: str | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> dict[str, Any]:
    """The conversations, the newest first, with who takes part and how much there is.

    Args:
        archive: Where from.
        source: Only those of this source.
        query: Only those with this in a name they have or had, or in a participant's.
        limit: How many at most.
        cursor: `next_cursor` of the answer before.

    Raises:
        BadArgument: An argument is wrong.
    """
    checked_number(limit, "limit", MAX_LIMIT)
    source, query = optional_text(source, "source"), optional_text(query, "query")
    question = {"op": "list_conversations", "source": source, "query": query}
    with archive.reading() as database:
        found = summaries(
            database,
            archive.clock,
            source=find_source(database, source),
            name=query and fold(query.strip()),
            after=pair_of(question, cursor),
            most=limit + 1,
        )
    shown = [one for _, one in found[:limit]]
    return {
        "conversations": shown,
        "count": len(shown),
        "next_cursor": cursor_of(question, found[limit - 1][0]) if len(found) > limit else None,
    }
