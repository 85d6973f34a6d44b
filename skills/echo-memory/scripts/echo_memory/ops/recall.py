"""Recall: find what is remembered, as passages that answer the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from echo_memory import arguments, hits
from echo_memory.answers import described
from echo_memory.envelope import Envelope, success
from echo_memory.faults import offline
from echo_memory.fixed_notes import inbox_items
from echo_memory.lines import short
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.proposal import MAX_TITLE
from echo_memory.recallable import readable
from echo_memory.retrieval.dates import Span, is_named
from echo_memory.retrieval.documents import OPEN_TASKS, open_tasks
from echo_memory.retrieval.excerpts import excerpt
from echo_memory.retrieval.order import Hit
from echo_memory.retrieval.question import ask
from echo_memory.retrieval.words import query_words
from echo_memory.retrieval.words import words as words_of

DEFAULT_LIMIT, MAX_LIMIT = 6, 20
DEFAULT_BUDGET, MIN_BUDGET, MAX_BUDGET = 4_000, 500, 20_000
MAX_QUERY = 2_000

_SENSIBLE, _MOST = 1_200, 0.3  # an excerpt's length: of a usual budget, and part of a large one
_FIRST = 0.5
_INDENTATION = 24
_LINE, _LINKED_SHARE = 160, 0.2
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
        truncated}; `omitted`, the hits that did not fit; when nothing matches, `nearest` names and
        `inbox`, how many items that wait there have words of the query.

    Raises:
        BadRequest: an argument is not what it should be.
    """
    words = arguments.text(query, "query", limit=MAX_QUERY, required=True)
    arguments.integer(limit, "limit", low=1, high=MAX_LIMIT)
    arguments.integer(budget_chars, "budget_chars", low=MIN_BUDGET, high=MAX_BUDGET)
    arguments.flag(include_linked, "include_linked")
    view = echo.look()
    budget = budget_chars - sum(len(f"\nWarning: {warning}") for warning in view.warnings)
    budget -= len(offline(view.fields)) + 1 if view.offline else 0
    found = echo.catalog.search(words, today=echo.today(), limit=limit)
    if not found:
        nothing = _nothing(echo, words, budget)
        return success("recall", **nothing, **view.fields, warnings=view.warnings)
    ties = echo.catalog.ties(found, limit=limit) if include_linked else []
    fitted = _fit(_Question.of(echo, words), found, ties, budget)
    return success("recall", **fitted, **view.fields, warnings=view.warnings)


def _nothing(echo: Memory, words: str, budget: int) -> Fields:
    """The entities whose names are nearest, as many as fit, and how much the inbox has."""
    candidates = echo.catalog.entities.candidates(short(words, MAX_TITLE), limit=_NEAREST)
    nearest, waiting = described(candidates), _waiting(echo, words)
    while nearest and len(hits.nothing_found(nearest, waiting)) > budget:
        nearest.pop()
    return {"primary": [], "linked": [], "omitted": 0, "nearest": nearest, "inbox": waiting}


def _waiting(echo: Memory, words: str) -> int:
    """How many inbox items have any of the words."""
    wanted = set(query_words(words))
    return sum(not wanted.isdisjoint(words_of(item.line)) for item in inbox_items(echo))


@dataclass(frozen=True)
class _Question:
    """What passages are chosen by: the notes, the words to look for, the days that are named."""

    echo: Memory
    words: Sequence[str]
    days: Sequence[Span]
    tasks: bool
    texts: dict[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, echo: Memory, query: str) -> _Question:
        asked = ask(query, echo.today(), dates=True, kinds=True)
        words = echo.catalog.recall.ranking.meant(asked.words or query_words(query))
        return cls(echo, words, asked.spans, OPEN_TASKS in asked.kinds)

    def note(self, path: str) -> Note:
        return self.echo.catalog.get(path) or Note(path, "")

    def text(self, note: Note) -> str:
        """What a note has to show; its title stands above it already."""
        if note.path not in self.texts:
            self.texts[note.path] = readable(note, whole=self._is_after(note))
        return self.texts[note.path]

    def lines(self, note: Note) -> tuple[str, ...]:
        """What is known to be said in each passage of its text."""
        one = None if self._is_after(note) else self.echo.catalog.recall.reading(note)
        return one.lines if one else ()

    def body(self, note: Note) -> str:
        """What an excerpt is taken from."""
        text = self.text(note)
        return (open_tasks(text) if self.tasks else "") or text

    def _is_after(self, note: Note) -> bool:
        """Whether the question is after the day of a note, and so after all of it."""
        return bool(note.date) and is_named(note.date, self.days)


@dataclass
class _Answer:
    """What fits the budget so far."""

    primary: list[Fields]
    linked: list[Fields]
    omitted: int = 0

    def length(self) -> int:
        return len(hits.recalled(self.primary, self.linked, self.omitted))

    def shorten(self) -> None:
        (self.linked or self.primary).pop()
        self.omitted += 1


def _fit(question: _Question, found: Sequence[Hit], ties: Sequence[Hit], budget: int) -> Fields:
    """Share a budget out: a passage of the best hit, then coordinates, then passages by score."""
    answer = _Answer(
        [_bare(question, hit) for hit in found], [_bare(question, tie) for tie in ties]
    )
    first = _first_share(question, answer.primary[0], budget)
    while len(answer.primary) > 1 and answer.length() + first > budget:
        answer.shorten()
    while answer.length() > budget:
        answer.shorten()
    left = budget - answer.length()
    most = max(_SENSIBLE, int(budget * _MOST))
    shares = [
        *((entry, entry["score"], most) for entry in answer.primary),
        *((entry, entry["score"] * _LINKED_SHARE, 0) for entry in answer.linked),
    ]
    total = sum(weight for _, weight, _ in shares)
    for entry, weight, most in shares:
        share = int(left * weight / total) if total > 0 else 0
        if entry is answer.primary[0]:
            share = min(left, max(share, first))
        before = len(hits.hit(entry))
        _fill(question, entry, min(share, most or _LINE), line=not most)
        left, total = left - (len(hits.hit(entry)) - before), total - weight
    return {"primary": answer.primary, "linked": answer.linked, "omitted": answer.omitted}


def _first_share(question: _Question, entry: Fields, budget: int) -> int:
    """How much room the best hit's passage has before other hits are named."""
    length = len(question.body(question.note(entry["path"])))
    return min(length + _INDENTATION, int(budget * _FIRST), _SENSIBLE)


def _bare(question: _Question, found: Hit) -> Fields:
    note = question.note(found.key)
    return {
        "path": note.path,
        "title": short(note.title, MAX_TITLE),
        "score": round(found.score, 3),
        "type": note.kind.name if note.kind else "",
        "updated": short(note.scalar("updated") or note.date, _MAX_FACT),
        "status": short(note.scalar("status"), _MAX_FACT),
        "excerpt": "",
        "truncated": bool(question.text(note)),
    }


def _fill(question: _Question, entry: Fields, share: int, *, line: bool) -> None:
    """Give a hit the passage, or one line of it, that fits its share, indentation included."""
    note = question.note(entry["path"])
    text, body = question.text(note), question.body(note)
    room = share
    while body and room >= _SHORTEST_EXCERPT:
        lines = question.lines(note) if body is text else ()
        passage = excerpt(body, question.words, room, title=note.title, lines=lines)
        if line:
            passage = _best_line(passage, question.words)
        filled = {**entry, "excerpt": passage, "truncated": passage != text}
        over = len(hits.hit(filled)) - len(hits.hit(entry)) - share
        if over <= 0:
            entry.update(filled)
            return
        room -= over


def _best_line(passage: str, words: Sequence[str]) -> str:
    """The line that has most of the words, and of several the first; no heading."""
    lines = [line.strip() for line in passage.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("#")] or lines[:1]
    return max(lines, key=lambda line: len(set(words).intersection(words_of(line))), default="")
