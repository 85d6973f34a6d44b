"""A document: what the ranking knows of a note, and what each of its words counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echo_memory.retrieval.words import words

# Additions to how often a word stands in a note. The body holds its headings, so that a heading's
# words count 1.5 in all.
TITLE = 3.0
TAG = 2.0
HEADING = 0.5
BODY = 1.0

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
        dates: other days that the note is of, as `YYYY-MM-DD`.
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


def days(document: Document) -> set[str]:
    """The days that a document is of: its dates, and those in its title and headings."""
    named = {day for text in (document.title, *document.headings) for day in _ISO_DAY.findall(text)}
    return {day for day in (document.updated, *document.dates) if day} | named
