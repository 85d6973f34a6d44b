"""A reading: a document as a candidate is looked at, with its words as they stand in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from echo_memory.retrieval.documents import Document, day, kinds, names
from echo_memory.retrieval.marks import marks
from echo_memory.retrieval.passages import MAX_READ, passages, said
from echo_memory.retrieval.words import is_telling, words

FORM = 3
"""Changes with what `packed` gives."""
_LINE_END = "\n"


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a document, most of them as marks, which are searched without a loop over words.

    Attributes:
        lines: the marks of each passage's words, then of its heading's.
        telling: of each passage its own words without the stop words, as marks; a line each.
        called: the marks of each name and tag, the same without the stop words, and what a word of
            it counts.
        ways: the words of its title, then of each alias.
        status: such as `active`; notes in an archive folder are `archived`.
        updated: the day of the last change, or empty.
        kind: such as `person`.
        dates: the days that the note itself is of.
        kinds: what it is asked for as.
        day: the one by which it stands in a row of others, or empty.
    """

    lines: tuple[str, ...]
    telling: str
    called: tuple[tuple[str, str, float], ...]
    ways: tuple[tuple[str, ...], ...]
    status: str
    updated: str
    kind: str
    dates: tuple[str, ...]
    kinds: tuple[str, ...]
    day: str

    @property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of its title, then of each alias, as sets."""
        return tuple(map(frozenset, self.ways))


def reading(document: Document, text: str) -> Reading:
    """Read a document, as far as a candidate's is looked at.

    Args:
        document: what its names, its day and so on are known from.
        text: what of it is shown to who asks.
    """
    text = text[:MAX_READ]
    lines, telling = [], []
    for part in passages(text, document.title):
        own = words(text[part.start : part.end])
        lines.append(said(own, part.heading))
        telling.append(marks(filter(is_telling, own)))
    called = [(words(name), weight) for name, weight in names(document)]
    return Reading(
        lines=tuple(lines),
        telling=_LINE_END.join(telling),
        called=tuple(
            (marks(own), marks(filter(is_telling, own)), weight) for own, weight in called
        ),
        ways=tuple(tuple(own) for own, _ in called[: 1 + len(document.aliases)]),
        status=document.status,
        updated=document.updated,
        kind=document.kind,
        dates=document.dates,
        kinds=tuple(sorted(kinds(document))),
        day=day(document),
    )


def packed(one: Reading) -> str:
    """A reading as JSON."""
    return json.dumps([getattr(one, field.name) for field in fields(one)], ensure_ascii=False)


def unpacked(text: str) -> Reading:
    """The reading that was packed.

    Raises:
        ValueError: it is none.
        TypeError: it is none.
    """
    lines, telling, called, ways, *rest = json.loads(text)
    status, updated, kind, dates, asked_for, own_day = rest
    return Reading(
        lines=tuple(lines),
        telling=telling,
        called=_rows(called),
        ways=_rows(ways),
        status=status,
        updated=updated,
        kind=kind,
        dates=tuple(dates),
        kinds=tuple(asked_for),
        day=own_day,
    )


def _rows(rows: Iterable[Iterable[Any]]) -> tuple[Any, ...]:
    return tuple(map(tuple, rows))
