"""Recall: find what is remembered, as passages that answer the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echo_memory import arguments, draft, hits
from echo_memory.answers import described
from echo_memory.envelope import Envelope, success
from echo_memory.lines import short
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.proposal import MAX_TITLE
from echo_memory.ranking import Hit
from echo_memory.retrieval.passages import excerpt
from echo_memory.retrieval.words import query_words

DEFAULT_LIMIT, MAX_LIMIT = 6, 20
DEFAULT_BUDGET, MIN_BUDGET, MAX_BUDGET = 4_000, 500, 20_000
MAX_QUERY = 2_000

_LINKED_SHARE = 0.2
_SHORTEST_EXCERPT = 40
_MAX_FACT = 40
_NEAREST = 3

Fields = dict[str, Any]


def recall_op(
    echo: Memory,
    query: str,
    *,
    limit: int = DEFAULT_LIMIT,
    include_linked: bool = True,
    budget_chars: int = DEFAULT_BUDGET,
) -> Envelope:
    """Rank the notes by a query and show the passages that answer it.

    Args:
        echo: the memory.
        query: a question or words; they are ORed.
        limit: how many notes at most; as many linked ones may come beside them.
        include_linked: whether notes tied to the best hits are shown too.
        budget_chars: how long the answer in words may be, paths and titles included.

    Returns:
        `primary` and `linked`, lists of {path, title, score, type, updated, status, excerpt,
        truncated}; `omitted`, the hits that did not fit; when nothing matches, `nearest` names.

    Raises:
        BadRequest: an argument is not what it should be.
    """
    words = arguments.text(query, "query", limit=MAX_QUERY, required=True)
    arguments.integer(limit, "limit", low=1, high=MAX_LIMIT)
    arguments.integer(budget_chars, "budget_chars", low=MIN_BUDGET, high=MAX_BUDGET)
    arguments.flag(include_linked, "include_linked")
    warnings = echo.refresh()
    budget = budget_chars - sum(len(f"\nWarning: {warning}") for warning in warnings)
    found = echo.catalog.search(words, today=echo.today(), limit=limit)
    if not found:
        nearest = _nearest(echo, words, budget)
        return success(
            "recall", primary=[], linked=[], omitted=0, nearest=nearest, warnings=warnings
        )
    ties = echo.catalog.ties(found, limit=limit) if include_linked else []
    fitted = _fit(echo, query_words(words), found, ties, budget)
    return success("recall", **fitted, warnings=warnings)


def _nearest(echo: Memory, words: str, budget: int) -> list[Fields]:
    """The entities whose names are nearest, as many as fit."""
    candidates = echo.catalog.entities.candidates(short(words, MAX_TITLE), limit=_NEAREST)
    nearest = described(candidates)
    while len(hits.nothing_found(nearest)) > budget:
        nearest.pop()
    return nearest


@dataclass
class _Answer:
    """What fits the budget so far."""

    primary: list[Fields]
    linked: list[Fields]
    omitted: int = 0

    def length(self) -> int:
        return len(hits.recalled(self.primary, self.linked, self.omitted))


def _fit(
    echo: Memory, words: Sequence[str], found: Sequence[Hit], ties: Sequence[Hit], budget: int
) -> Fields:
    """Share a budget out by score: every hit's coordinates first, then passages while it lasts."""
    answer = _Answer([_bare(echo, hit) for hit in found], [_bare(echo, tie) for tie in ties])
    while answer.length() > budget:
        (answer.linked or answer.primary).pop()
        answer.omitted += 1
    left = budget - answer.length()
    shares = [
        *((entry, entry["score"]) for entry in answer.primary),
        *((entry, entry["score"] * _LINKED_SHARE) for entry in answer.linked),
    ]
    total = sum(weight for _, weight in shares)
    for entry, weight in shares:
        share = int(left * weight / total) if total > 0 else 0
        before = len(hits.hit(entry))
        _fill(echo, entry, words, share)
        left, total = left - (len(hits.hit(entry)) - before), total - weight
    return {"primary": answer.primary, "linked": answer.linked, "omitted": answer.omitted}


def _bare(echo: Memory, found: Hit) -> Fields:
    note = echo.catalog.get(found.key) or Note(found.key, "")
    return {
        "path": note.path,
        "title": short(note.title, MAX_TITLE),
        "score": round(found.score, 3),
        "type": note.kind.name if note.kind else "",
        "updated": short(note.scalar("updated") or note.date, _MAX_FACT),
        "status": short(note.scalar("status"), _MAX_FACT),
        "excerpt": "",
        "truncated": bool(_body(note).strip()),
    }


def _body(note: Note) -> str:
    """What an excerpt is taken from; the title stands above it already."""
    return draft.without_title(note.searchable.body, note.title).replace("\r\n", "\n")


def _fill(echo: Memory, entry: Fields, words: Sequence[str], share: int) -> None:
    """Give a hit the passage that fits its share, indentation and marks included."""
    note = echo.catalog.get(entry["path"])
    body = _body(note) if note else ""
    room = share
    while body and room >= _SHORTEST_EXCERPT:
        passage, truncated = excerpt(body, words, room)
        filled = {**entry, "excerpt": passage, "truncated": truncated}
        over = len(hits.hit(filled)) - len(hits.hit(entry)) - share
        if over <= 0:
            entry.update(filled)
            return
        room -= over
