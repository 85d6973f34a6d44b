"""Recall: find what is remembered, as passages that answer the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echo_memory import arguments, draft, report, writing
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.passages import excerpt
from echo_memory.ranking import Hit
from echo_memory.words import query_words

DEFAULT_LIMIT, MAX_LIMIT = 6, 20
DEFAULT_BUDGET, MIN_BUDGET, MAX_BUDGET = 4_000, 500, 20_000
MAX_QUERY = 2_000

_LINKED_SHARE = 0.2
_SHORTEST_EXCERPT = 40

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
    hits = echo.catalog.search(words, today=echo.today(), limit=limit)
    if not hits:
        nearest = echo.catalog.entities.candidates(words[:200], limit=3)
        return success(
            "recall",
            primary=[],
            linked=[],
            omitted=0,
            nearest=writing.described(tuple(nearest)),
            warnings=warnings,
        )
    ties = echo.catalog.ties(hits, limit=limit) if include_linked else []
    budget = budget_chars - sum(len(f"\nWarning: {warning}") for warning in warnings)
    fitted = _fit(echo, query_words(words), hits, ties, budget)
    return success("recall", **fitted, warnings=warnings)


@dataclass
class _Answer:
    """What fits the budget so far."""

    primary: list[Fields]
    linked: list[Fields]
    omitted: int = 0

    def length(self) -> int:
        return len(report.recalled(self.primary, self.linked, self.omitted))


def _fit(
    echo: Memory, words: Sequence[str], hits: Sequence[Hit], ties: Sequence[Hit], budget: int
) -> Fields:
    """Share a budget out by score: every hit's coordinates first, then passages as long as it lasts."""
    answer = _Answer([_bare(echo, hit) for hit in hits], [_bare(echo, tie) for tie in ties])
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
        _fill(echo, entry, words, share)
        spent = len(report.hit(entry)) - len(report.hit({**entry, "excerpt": ""}))
        left, total = left - spent, total - weight
    return {"primary": answer.primary, "linked": answer.linked, "omitted": answer.omitted}


def _bare(echo: Memory, hit: Hit) -> Fields:
    note = echo.catalog.get(hit.key) or Note(hit.key, "")
    return {
        "path": note.path,
        "title": note.title,
        "score": round(hit.score, 3),
        "type": note.kind.name if note.kind else "",
        "updated": note.scalar("updated") or note.date,
        "status": note.scalar("status"),
        "excerpt": "",
        "truncated": bool(_body(note).strip()),
    }


def _body(note: Note) -> str:
    """What an excerpt is taken from; the title stands above it already."""
    return draft.without_title(note.searchable.body, note.title)


def _fill(echo: Memory, entry: Fields, words: Sequence[str], share: int) -> None:
    """Give a hit the passage that fits its share, indentation and marks included."""
    note = echo.catalog.get(entry["path"])
    room = share
    while note is not None and room >= _SHORTEST_EXCERPT:
        passage, truncated = excerpt(_body(note), words, room)
        filled = {**entry, "excerpt": passage, "truncated": truncated}
        over = len(report.hit(filled)) - len(report.hit(entry)) - share
        if over <= 0:
            entry.update(filled)
            return
        room -= over
