"""A reading: a document as a candidate is looked at, with its words as they stand in it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from echo_memory.retrieval.documents import Document, day, kinds, names
from echo_memory.retrieval.passages import passages
from echo_memory.retrieval.words import is_telling, words

MAX_READ = 100_000  # characters of a document that are looked at; lint reports longer notes
FORM = 1
"""Changes with what `packed` gives."""

_BREAK = "\n"


@dataclass(frozen=True)
class Reading:
    """The words of a document; in strings, each stands between two spaces of its own.

    So `" word "` is found and counted at the speed of the machine, without a loop over words.

    Attributes:
        said: the words of its passages, with those of the headings they stand under; a line each.
        lengths: how many words each of these lines has.
        telling: of each passage its own words without the stop words; a line each.
        called: of each name and tag `said`, `telling`, and what its words count.
        ways: the words of its title, then of each alias.
        status: such as `active`; notes in an archive folder are `archived`.
        updated: the day of the last change, or empty.
        kind: such as `person`.
        dates: the days that the note itself is of.
        kinds: what it is asked for as.
        day: the one by which it stands in a row of others, or empty.
    """

    said: str
    lengths: tuple[int, ...]
    telling: str
    called: tuple[tuple[str, str, float], ...]
    ways: tuple[tuple[str, ...], ...]
    status: str
    updated: str
    kind: str
    dates: tuple[str, ...]
    kinds: tuple[str, ...]
    day: str

    @cached_property
    def lines(self) -> list[str]:
        """The passages in `said`."""
        return self.said.split(_BREAK) if self.lengths else []

    @cached_property
    def called_telling(self) -> str:
        """The words of its names and tags without the stop words; a line each."""
        return _BREAK.join(telling for _, telling, _ in self.called)

    @cached_property
    def names(self) -> tuple[frozenset[str], ...]:
        """The words of its title, then of each alias, as sets."""
        return tuple(map(frozenset, self.ways))


def reading(document: Document) -> Reading:
    """Read a document, as far as a candidate's is looked at."""
    body = document.body[:MAX_READ]
    said, telling, lengths = [], [], []
    for part in passages(body):
        own = words(body[part.start : part.end])
        both = own + words(part.heading)
        said.append(spaced(both))
        telling.append(spaced(filter(is_telling, own)))
        lengths.append(len(both))
    called = [(words(text), weight) for text, weight in names(document)]
    return Reading(
        said=_BREAK.join(said),
        lengths=tuple(lengths),
        telling=_BREAK.join(telling),
        called=tuple(
            (spaced(own), spaced(filter(is_telling, own)), weight) for own, weight in called
        ),
        ways=tuple(tuple(own) for own, _ in called[: 1 + len(document.aliases)]),
        status=document.status,
        updated=document.updated,
        kind=document.kind,
        dates=document.dates,
        kinds=tuple(sorted(kinds(document))),
        day=day(document),
    )


def spaced(said: Iterable[str]) -> str:
    """Words in a row, each between two spaces of its own."""
    return "".join(f" {word} " for word in said)


def packed(one: Reading) -> str:
    """A reading as JSON."""
    return json.dumps([getattr(one, field.name) for field in fields(one)])


def unpacked(text: str) -> Reading:
    """The reading that was packed.

    Raises:
        ValueError: it is none.
        TypeError: it is none.
    """
    said, lengths, telling, called, ways, *rest = json.loads(text)
    status, updated, kind, dates, asked_for, own_day = rest
    return Reading(
        said=said,
        lengths=tuple(lengths),
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
