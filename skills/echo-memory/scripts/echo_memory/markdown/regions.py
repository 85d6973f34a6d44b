"""Regions: the parts of a note that are not prose, and its lines."""

from __future__ import annotations

from typing import NamedTuple

from echo_memory.markdown import blocks
from echo_memory.markdown.spans import Region

_OPAQUE = frozenset({"frontmatter", "fence", "opaque"})


class Line(NamedTuple):
    """A line of a note, `text[start:end]` with its ending.

    Attributes:
        start: offset of its first character.
        end: offset after its line ending.
        text: the line without its ending.
        opaque: it lies in frontmatter, a code block, a comment or a block of math or raw HTML, so
            that headings, block ids and list markers in it do not count.
    """

    start: int
    end: int
    text: str
    opaque: bool


def regions(text: str) -> list[Region]:
    """The stretches of a note that are not prose, in order and disjoint."""
    return list(blocks.read(text).regions)


def lines(text: str) -> list[Line]:
    """Every line of a note; their ranges follow one another without a gap."""
    return [
        Line(row.start, row.end, text[row.start : row.stop], row.kind in _OPAQUE)
        for row in blocks.read(text).rows
    ]
