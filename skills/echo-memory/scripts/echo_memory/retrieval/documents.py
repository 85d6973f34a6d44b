"""A document: what the ranking knows of a note, and what each of its words counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from echo_memory.retrieval.words import words

# Additions to how often a word stands in a note. The body holds its headings, so that a heading's
# words count 1.5 in all.
TITLE = 3.0
TAG = 2.0
HEADING = 0.5
BODY = 1.0

# How much a note is of a day.
OWN, MADE, TOLD = 1.0, 0.6, 0.3

# Not a kind of note, but asked for like one: notes with something left to do.
OPEN_TASKS = "open tasks"

_OPEN_TASK = re.compile(r"^[ \t>]*+(?:[-*+]|\d{1,9}[.)])[ \t]++\[ \][ \t][^\n]*", re.MULTILINE)
_ISO_DAY = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")


@dataclass(frozen=True)
class Document:
    """A note as the ranking sees it.

    Attributes:
        title: its name.
        aliases: its other names.
        tags: without `#`.
        headings: the texts of the headings that the body has.
        body: the text below the frontmatter, without what recall does not look into.
        status: such as `active` or `archived`; notes in an archive folder are `archived`.
        updated: the day of the last change as `YYYY-MM-DD`, or empty.
        kind: such as `person` or `reference`.
        dates: the days that the note itself is of, as `YYYY-MM-DD`.
        created: the day on which it was made, or empty.
    """

    title: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    body: str = ""
    status: str = ""
    updated: str = ""
    kind: str = ""
    dates: tuple[str, ...] = ()
    created: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a ranking must know of every document at once, beside its words.

    Attributes:
        days: those that it is of in order, each with how much.
        kinds: what it is asked for as.
        day: the one by which it stands in a row of others, or empty.
    """

    days: tuple[tuple[str, float], ...]
    kinds: tuple[str, ...]
    day: str

    @classmethod
    def known(cls, days: Iterable[tuple[str, float]], kinds: Iterable[str], day: str) -> Facts:
        """Facts that share what many documents have: the days and the kinds are few."""
        pairs = _same_days(tuple(_same_day(*pair) for pair in days))
        return cls(pairs, _same_kinds(tuple(kinds)), _same_text(day))


@lru_cache(maxsize=50_000)
def _same_text(day: str) -> str:
    return day


@lru_cache(maxsize=50_000)
def _same_day(day: str, strength: float) -> tuple[str, float]:
    return _same_text(day), strength


@lru_cache(maxsize=50_000)
def _same_days(days: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
    return days


@lru_cache(maxsize=1_000)
def _same_kinds(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return kinds


def facts(document: Document) -> Facts:
    """The facts of a document."""
    return Facts.known(sorted(days(document).items()), sorted(kinds(document)), day(document))


def names(document: Document) -> Iterator[tuple[str, float]]:
    """What a document is called, and its tags, each with what its words count."""
    for name in (document.title, *document.aliases):
        yield name, TITLE
    for tag in document.tags:
        yield tag, TAG


def counts(document: Document) -> dict[str, float]:
    """How often each word is in a document, weighted by its fields; multiples of a half."""
    counted: dict[str, float] = {}
    headings = ((heading, HEADING) for heading in document.headings)
    for text, weight in (*names(document), *headings, (document.body, BODY)):
        for word in words(text):
            counted[word] = counted.get(word, 0.0) + weight
    return counted


def kinds(document: Document) -> set[str]:
    """The kinds of notes that a document is asked for as."""
    return {document.kind, *([OPEN_TASKS] if _OPEN_TASK.search(document.body) else [])}


def open_tasks(body: str) -> str:
    """The lines of a body that say what is left to do."""
    return "\n".join(line.strip() for line in _OPEN_TASK.findall(body))


def days(document: Document) -> dict[str, float]:
    """The days that a document is of, each with how much it is of it, from 0 to 1.

    Wholly of its own; less of the day on which it was made; a little of those on which it was
    changed or that it tells of.
    """
    told = (*document.headings, document.title, document.body)
    found = {day: TOLD for text in told for day in _ISO_DAY.findall(text)}
    found[document.updated] = TOLD
    found[document.created] = TOLD if document.dates else MADE
    found.update(dict.fromkeys(document.dates, OWN))
    found.pop("", None)
    return found


def day(document: Document) -> str:
    """The day by which a document stands in a row of others: its own, else that of its change."""
    return max(document.dates, default="") or document.updated
