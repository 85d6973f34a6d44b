"""search_messages and semantic_search: messages by their words, their meaning, or both."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from echo_archive.arguments import checked_number, checked_text
from echo_archive.cursors import place_of
from echo_archive.errors import Unavailable
from echo_archive.filters import Filters, checked_filters
from echo_archive.fusion import Fused, fused
from echo_archive.highlights import highlights, passage
from echo_archive.pages import following, page_at, state_of
from echo_archive.query import Query, meaning, parse
from echo_archive.quoting import QUOTED
from echo_archive.reading import Archive
from echo_archive.scope import Scope
from echo_archive.search import Ranked, search, texts_of
from echo_archive.shapes import Row, Stored, attachments_of, cut, stored_messages
from echo_archive.spans import Clock
from echo_archive.words import words

if TYPE_CHECKING:  # what they bring is loaded only where a model is configured
    from echo_archive.nearness import Nearness
    from echo_archive.vectors import Floats

DEFAULT_LIMIT, DEFAULT_K, MOST = 20, 20, 100
_BY_MEANING = 200
NO_MODEL = "semantic search is unavailable: no embedding model is configured"


def search_messages_op(
    archive: Archive,
    *,
    query: str,
    conversation: str | None = None,
    sender: str | None = None,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Messages that words are found in, and those near in meaning where there is a model.

    Args:
        archive: Where from.
        query: Words, any of which may be there; `"a phrase"`, `-word`, `+word` and `word*` mean
            what they look like, and nothing else is an operator.
        conversation: Id or name.
        sender: A name; "Me" for the owner.
        source: Only of this source.
        start: From this day or time on.
        end: Up to and with this day or time.
        limit: How many at most.
        cursor: `next_cursor` of the answer before.

    Raises:
        BadArgument: An argument is wrong.
    """
    checked_number(limit, "limit", MOST)
    asked = parse(checked_text(query, "query"))
    clock = archive.clock
    filters = checked_filters(
        clock, start=start, end=end, conversation=conversation, sender=sender, source=source
    )
    question = {"op": "search_messages", "query": query, **filters.said}
    at = page_at(place_of(question, cursor), len(asked.ranked))
    vector, note = _vector(archive, filters, query, first=not at.before)
    with archive.reading() as database:
        state = state_of(database)
        at.check(state, by_meaning=vector is not None)
        if at.shown and not at.by_meaning:
            vector = None  # the model answers again, and the pages before were without it
        scope = filters.scope(database)
        ranked = search(database, asked, scope, at.before)
        near = _by_meaning(archive, database, vector, asked, scope)
        page, found = _page(archive, ranked, near, at.shown, limit)
        rows = _hits(database, clock, page, asked, ranked, dict(near or ()))
    here = replace(at, by_meaning=near is not None, state=state)
    return {
        "quoted": QUOTED,
        "hits": rows,
        "count": len(rows),
        "mode": "keyword" if near is None else "hybrid",
        "note": " ".join(_notes(asked, ranked, note)) or None,
        "next_cursor": following(question, here, ranked, found=found, shown=len(page)),
    }


def semantic_search_op(
    archive: Archive,
    *,
    query: str,
    k: int = DEFAULT_K,
    conversation: str | None = None,
    sender: str | None = None,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
) -> dict[str, Any]:
    """The messages nearest in meaning to a question.

    Args:
        archive: Where from.
        query: The question.
        k: How many at most.
        conversation: Id or name.
        sender: A name; "Me" for the owner.
        source: Only of this source.
        start: From this day or time on.
        end: Up to and with this day or time.

    Raises:
        BadArgument: An argument is wrong.
        Unavailable: No model is configured, nothing is embedded, or the endpoint does not answer.
    """
    checked_number(k, "k", MOST)
    checked_text(query, "query")
    clock = archive.clock
    filters = checked_filters(
        clock, start=start, end=end, conversation=conversation, sender=sender, source=source
    )
    if archive.nearness is None:
        raise Unavailable(f"{NO_MODEL}. Set ECHO_EMBED_MODEL, or use search_messages.")
    vector = _asked(archive, archive.nearness, filters, query)
    with archive.reading() as database:
        near = archive.nearness.nearest(database, vector, filters.scope(database), k)
        row_ids = [row_id for row_id, _ in near]
        messages = stored_messages(database, row_ids, clock)
        attachments = attachments_of(database, row_ids)
    rows = [
        {
            **messages[row_id].coordinates,
            **cut(messages[row_id].body),
            **_flags(messages[row_id]),
            "attachments": attachments[row_id],
            "similarity": similarity,
        }
        for row_id, similarity in near
    ]
    return {"quoted": QUOTED, "hits": rows, "count": len(rows), "next_cursor": None}


def _vector(
    archive: Archive, filters: Filters, text: str, *, first: bool
) -> tuple[Floats | None, str | None]:
    """The vector of a query, or None and why not."""
    if archive.nearness is None:
        return None, "By keywords only: no embedding model is configured."
    if not first:
        return None, "Older messages, by keywords only."
    try:
        return _asked(archive, archive.nearness, filters, meaning(text)), None
    except Unavailable as problem:
        return None, f"By keywords only. {problem.message}"


def _asked(archive: Archive, nearness: Nearness, filters: Filters, text: str) -> Floats:
    """The vector of a text, asked for once the filters are known to be right.

    No transaction is open meanwhile: an endpoint may take its time, and an import would wait.
    """
    with archive.reading() as database:
        filters.scope(database)
        nearness.check(database)
    return nearness.question(text)


def _by_meaning(
    archive: Archive,
    database: sqlite3.Connection,
    vector: Floats | None,
    asked: Query,
    scope: Scope,
) -> list[tuple[int, float]] | None:
    """The nearest that also meet the query's operators; None where there is no vector."""
    if archive.nearness is None or vector is None:
        return None
    near = archive.nearness.nearest(database, vector, scope, _BY_MEANING)
    if asked.required or asked.excluded:
        texts = texts_of(database, [row_id for row_id, _ in near])
        near = [hit for hit in near if hit[0] in texts and asked.allows(words(texts[hit[0]][0]))]
    return near


def _page(
    archive: Archive,
    ranked: Ranked,
    near: list[tuple[int, float]] | None,
    first: int,
    limit: int,
) -> tuple[list[Fused], int]:
    """So many hits from one on, and how many there are in all."""
    if near is None or archive.nearness is None:
        part = enumerate(ranked.hits[first : first + limit], first + 1)
        page = [Fused(row_id, score, rank, None) for rank, (row_id, score) in part]
        return page, len(ranked.hits)
    by_word = [row_id for row_id, _ in ranked.hits]
    order = fused(by_word, [row_id for row_id, _ in near], archive.nearness.weight)
    return order[first : first + limit], len(order)


def _hits(
    database: sqlite3.Connection,
    clock: Clock,
    page: Sequence[Fused],
    asked: Query,
    ranked: Ranked,
    similarities: dict[int, float],
) -> list[Row]:
    row_ids = [one.row_id for one in page]
    messages = stored_messages(database, row_ids, clock)
    attachments = attachments_of(database, row_ids)
    rows = []
    for one in page:
        if one.row_id not in messages:
            continue
        row = _hit(messages[one.row_id], one, asked)
        row["attachments"] = attachments[one.row_id]
        if one.row_id in similarities:
            row["similarity"] = similarities[one.row_id]
        if one.keyword_rank:
            row["keyword_score"] = round(ranked.hits[one.keyword_rank - 1][1], 6)
        rows.append(row)
    return rows


def _hit(message: Stored, one: Fused, asked: Query) -> Row:
    """A hit: the passage that words were found in, or the body where only the meaning is near."""
    ranges = highlights(message.body, asked) if one.keyword_rank else []
    shown = {"text": passage(message.body, ranges)} if ranges else cut(message.body)
    whole = cut(message.body, "body") if ranges and shown["text"] != message.body else {}
    return {
        **message.coordinates,
        **shown,
        "highlights": [list(one) for one in ranges],
        **whole,
        "score": round(one.score, 6),
        "keyword_rank": one.keyword_rank,
        "semantic_rank": one.semantic_rank,
        **_flags(message),
    }


def _flags(message: Stored) -> Row:
    return {name: message.said[name] for name in ("system", "edited")}


def _notes(asked: Query, ranked: Ranked, note: str | None) -> list[str]:
    notes = [note] if note else []
    if not asked.ranked:
        notes.append("The query holds no word, number or emoji to look for.")
    if not ranked.complete:
        notes.append(
            "Of common words only the newest messages were looked at: "
            "go on with next_cursor, or set start and end."
        )
    return notes
