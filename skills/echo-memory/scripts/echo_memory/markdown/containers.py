"""Containers: the quotes, list items and footnotes that a line of Markdown stands in."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_DEPTH = 32  # quotes and lists within one another; what is deeper is plain text

_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|\Z)|\[\^[^\]\s]++\]:")
_FOOTNOTE_WIDTH = 4


class Container(NamedTuple):
    """A quote, a list item, or a footnote, which is an item of a list of footnotes.

    Attributes:
        marker: `>`, or the last character of the item's marker.
        width: by how many columns a further line of the item is indented.
        first: index of its first row.
        group: index of the first row of the whole list, or of the quote.
    """

    marker: str
    width: int
    first: int
    group: int


class Cursor:
    """A place within a line, before its next character that is no space.

    Attributes:
        line: the line without its ending.
        at: offset of the place.
        indent: columns of space before it, but for those that containers took; tabs stop at every
            fourth column.
        blank: nothing follows.
    """

    __slots__ = ("_column", "at", "blank", "indent", "line")

    def __init__(self, line: str, at: int = 0) -> None:
        self.line = line
        self.at = at
        self._column = 0
        self._skip_space()

    def take_indent(self, columns: int) -> None:
        """Give a list item the indent that is its own."""
        self.indent -= columns

    def take_marker(self, length: int, *, most: int) -> int:
        """Step over a marker and the space after it, or one column of it if it is wider than most.

        Returns:
            The columns taken, those of the indent before the marker included.
        """
        before = self.indent
        self.at += length
        self._column += length
        self._skip_space()
        space = 1 if self.blank or self.indent > most else self.indent
        self.indent -= space
        return before + length + space

    def _skip_space(self) -> None:
        line, at, start = self.line, self.at, self._column
        column, end = start, len(line)
        while at < end and line[at] in " \t":
            column += 1 if line[at] == " " else 4 - column % 4
            at += 1
        self.at, self._column = at, column
        self.indent = column - start
        self.blank = at == end


class Containers:
    """The containers that are open while a text is read line by line."""

    def __init__(self) -> None:
        self.stack: tuple[Container, ...] = ()
        self._outside_quotes = 0  # how many of them a blank line leaves open

    def __len__(self) -> int:
        return len(self.stack)

    def match(self, cursor: Cursor) -> int:
        """Step over the markers and indents of those that go on; how many do."""
        if cursor.blank:
            return self._outside_quotes
        for depth, container in enumerate(self.stack):
            if container.marker == ">":
                if cursor.indent > 3 or not cursor.line.startswith(">", cursor.at):
                    return depth
                cursor.take_marker(1, most=0)
            elif cursor.indent >= container.width:
                cursor.take_indent(container.width)
            elif not cursor.blank:
                return depth
        return len(self.stack)

    def close(self, depth: int) -> None:
        """End those deeper than a depth."""
        if depth < len(self.stack):
            self.stack = self.stack[:depth]
            self._outside_quotes = min(depth, self._outside_quotes)

    def open(self, cursor: Cursor, depth: int, row: int, *, in_paragraph: bool) -> bool:
        """Open one at a depth, in place of those that are there, if the line begins one.

        Args:
            cursor: the place in the line; left after the marker.
            depth: how many of the open ones go on.
            row: index of the line's row.
            in_paragraph: the line before is text at the same depth, which only some items end.
        """
        if depth == MAX_DEPTH:
            return False
        if cursor.line[cursor.at] == ">":
            cursor.take_marker(1, most=0)
            self.close(depth)
            self.stack = (*self.stack, Container(">", 0, row, row))
            return True
        item = _ITEM.match(cursor.line, cursor.at)
        if item is None or (in_paragraph and not _interrupts(item)):
            return False
        sibling = self.stack[depth] if depth < len(self.stack) else None
        marker = item[0][-1]
        group = sibling.group if sibling and sibling.marker == marker else row
        width = cursor.take_marker(len(item[0]), most=4)
        if marker == ":":
            width = _FOOTNOTE_WIDTH
        self.close(depth)
        if self._outside_quotes == depth:
            self._outside_quotes += 1
        self.stack = (*self.stack, Container(marker, width, row, group))
        return True


def _interrupts(item: re.Match[str]) -> bool:
    """Whether an item may begin right under a paragraph: not an empty one, nor `2.`."""
    counts_on = item[0][0].isdigit() and item[0][:-1] != "1"
    return not counts_on and bool(item.string[item.end() :].strip(" \t"))
