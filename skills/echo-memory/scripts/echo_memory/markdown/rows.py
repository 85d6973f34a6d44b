"""Rows: the lines of a note, each with the block that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from echo_memory.markdown.containers import Container
from echo_memory.markdown.spans import Region


class Row(NamedTuple):
    """A line and the block that it belongs to.

    Attributes:
        start: offset of the line.
        content: offset after the markers and the indent of its containers.
        stop: offset of its line ending.
        end: offset after its line ending.
        kind: `blank`, `text`, `lazy` (text that goes on without its containers' markers),
            `heading`, `setext` (the underline), `rule`, `table`, `fence` (any code block),
            `frontmatter` or `opaque` (a comment, or a block of math or raw HTML).
        leaf: index of the first row of its innermost block.
        containers: what it stands in, outermost first.
    """

    start: int
    content: int
    stop: int
    end: int
    kind: str
    leaf: int
    containers: tuple[Container, ...]

    @property
    def block(self) -> int:
        """Index of the first row of its outermost block; a list is one block."""
        return self.containers[0].group if self.containers else self.leaf


@dataclass(frozen=True)
class Blocks:
    """What a text consists of.

    Attributes:
        rows: its lines, in order.
        regions: what is not prose, in order, disjoint.
        closing: the line that closes what the text leaves open at its end; empty if nothing.
        dangling: the line that would close math or raw HTML that never closes, and so is read as
            text; empty if there is none.
    """

    rows: tuple[Row, ...]
    regions: tuple[Region, ...]
    closing: str
    dangling: str
