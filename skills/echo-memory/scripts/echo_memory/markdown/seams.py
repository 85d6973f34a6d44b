"""Seams: putting lines into a note so that they stay lines of their own.

A paragraph, and whatever else would run into its neighbour, is set off by one blank line; an item
of the list above or below, a row of the table, a line of the quote is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from echo_memory.markdown import blocks
from echo_memory.markdown.containers import Container
from echo_memory.markdown.rows import Row

_LINE_END = re.compile(r"\r\n|\n|\r")
_MARK = "\ufeff"
_OPENING = re.compile(r"\ufeff?---[ \t]*+\r?\n")
_CLOSING = re.compile(r"---[ \t]*+\Z")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9_-]++[ \t]*\Z")
_CALLOUT = re.compile(r"[ \t]*>[ \t]*\[!")

# How a line stands to the one above it: it goes on with its list, table or quote; it would be taken
# for more of its block, which it is not meant to be; or neither.
_JOINED, _GLUED, _APART = "joined", "glued", "apart"
_SPACED = ("blank", "heading", "setext")  # what nothing below it runs into
_PARTING = "<!-- -->"  # CommonMark's own way to keep an indented row out of a list above it


def line_end(text: str) -> str:
    """The line ending that most lines of a note have; LF where it has none."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def lines_of(content: str) -> list[str]:
    """The lines of what a caller sends, without blank ones at either end.

    What the content leaves open (a code block, a comment, math) is closed, so that it cannot
    swallow the rest of the note.
    """
    lines = _LINE_END.split(content)
    written = [at for at, line in enumerate(lines) if line.strip(" \t")]
    if not written:
        return []
    lines = lines[written[0] : written[-1] + 1]
    read = blocks.read("\n" + "\n".join(lines))
    closing = read.closing or read.dangling
    return [*lines, closing] if closing else lines


def put(text: str, first: int, last: int, content: Sequence[str], *, prefix: str = "") -> str:
    """A note with whole rows replaced, or with lines put between two of them.

    Args:
        text: the note.
        first: index of the first row to go, before which the content comes.
        last: index after the last row to go; equal to `first` if none does.
        content: the lines, as `lines_of` gives them; at least one.
        prefix: what every line begins with where the place is within a list or quote.

    Returns:
        The note; what is put at its very end has a line ending. Where a line `---` would open
        frontmatter, or close what is none yet, it is indented by a space.
    """
    read = blocks.read(text)
    rows, eol = read.rows, line_end(text)
    start = rows[first].start if first < len(rows) else len(text)
    start = max(start, int(text.startswith(_MARK)))
    end = max(start, rows[last].start if last < len(rows) else len(text))
    head = text[:start]
    if head not in ("", _MARK) and not head.endswith("\n"):
        head += eol
    if start == len(text) and read.closing:
        head += read.closing + eol
    blank = prefix.rstrip(" \t") + eol
    at_top = head in ("", _MARK)
    if at_top or (_OPENING.match(text) and rows[0].kind != "frontmatter"):
        content = [f" {line}" if _CLOSING.match(line) else line for line in content]
    block = "".join(prefix + line + eol if line else blank for line in content)
    joint = _Joint(text, rows, first, last)
    above = blank if joint.gap_above(block) else ""
    below = blank if joint.gap_below(above + block) else ""
    if joint.takes_in(above + block + below):
        below = blank + prefix + _PARTING + eol + blank
    return head + above + block + below + text[end:]


def goes_on(text: str, at: int, content: Sequence[str]) -> bool:
    """Whether lines put before a row go on with the list, table or quote that ends above it."""
    joint = _Joint(text, blocks.read(text).rows, at, at)
    return joint.above("".join(line + "\n" for line in content)) == _JOINED


@dataclass(frozen=True)
class _Joint:
    """The place in a note where rows go and lines come."""

    text: str
    rows: Sequence[Row]
    first: int
    last: int

    @property
    def inserts(self) -> bool:
        return self.first == self.last

    def above(self, block: str) -> str:
        """How lines put here stand to what is above them."""
        if self.first == 0 or self.rows[self.first - 1].kind in _SPACED:
            return _APART
        return _relation(_context(self.text, self.rows, self.first), block)

    def gap_above(self, block: str) -> bool:
        if self.first == 0 or self.rows[self.first - 1].kind == "blank":
            return False
        if self.rows[self.first - 1].kind in _SPACED:
            return self.first == self.last == len(self.rows)
        relation = self.above(block)
        return relation == _GLUED or (relation == _APART and self.inserts)

    def gap_below(self, block: str) -> bool:
        """Whether a blank line is needed below lines; they include the gap above."""
        if self.last == len(self.rows) or self.rows[self.last].kind == "blank":
            return False
        relation = self._below(block)
        if self._within_leaf():
            return relation == _APART
        if _opens_heading(self.rows, self.last):
            spaced = self.inserts and self.first > 0 and self.rows[self.first - 1].kind == "blank"
            raw_html = block.rstrip().rpartition("\n")[2].startswith("<")  # it ends at a blank line
            return relation != _APART or spaced or raw_html
        return relation == _GLUED or (relation == _APART and self.inserts)

    def takes_in(self, block: str) -> bool:
        """Whether what is below lines becomes part of a list or quote that it has not been in.

        A blank line does not keep an indented row out of the list item above it.
        """
        at = self.last
        while at < len(self.rows) and self.rows[at].kind == "blank":
            at += 1
        if at == len(self.rows) or self.rows[at].containers:
            return False
        above = self._context_of(block) + block
        following = self.text[self.rows[self.last].start : self.rows[at].end]
        rows = blocks.read("\n" + above + following).rows  # the first line is never frontmatter
        return bool(rows[above.count("\n") + 1 + at - self.last].containers)

    def _context_of(self, block: str) -> str:
        """What is above lines and has to do with them."""
        if self.above(block) == _JOINED or (self.first and self.rows[self.first - 1].containers):
            return _context(self.text, self.rows, self.first)
        return ""

    def _below(self, block: str) -> str:
        context = self._context_of(block)
        end = self.rows[min(self.last + 1, len(self.rows) - 1)].end
        following = self.text[self.rows[self.last].start : end]
        return _relation(context + block, following, new=context.count("\n"))

    def _within_leaf(self) -> bool:
        """Whether the row below has been part of the block above, or of the one that goes."""
        before = self.first - 1 if self.inserts else self.first
        return before >= 0 and self.rows[before].leaf == self.rows[self.last].leaf


def _context(text: str, rows: Sequence[Row], at: int) -> str:
    """The block above a row, ended by a line ending; of a list its last item."""
    above = rows[at - 1]
    start = above.containers[0].first if above.containers else above.leaf
    block = text[rows[start].start : above.end]
    return block if block.endswith("\n") else block + "\n"


def _opens_heading(rows: Sequence[Row], at: int) -> bool:
    if rows[at].kind == "heading":
        return True
    below = at + 1
    while below < len(rows) and rows[below].leaf == at and rows[below].kind == "text":
        below += 1
    return below < len(rows) and rows[below].leaf == at and rows[below].kind == "setext"


def _relation(above: str, below: str, *, new: int | None = None) -> str:
    """How the first line of a text stands to the last block of another.

    Args:
        above: whole lines.
        below: whole lines, of which the first two count.
        new: from which line on `above` is new: a new callout takes in no quote below it.
    """
    at = above.count("\n") + 1
    rows = blocks.read("\n" + above + below).rows  # the first line is never frontmatter
    last, first = rows[at - 1], rows[at]
    if last.leaf == first.leaf and _BLOCK_ID.search(above.rstrip("\r\n")):
        return _GLUED  # the id would no longer end its block
    common = _common(last.containers, first.containers)
    quotes = [inner for inner in first.containers[:common] if inner.marker == ">"]
    if quotes and first.kind != "lazy":
        opening = above.split("\n", quotes[0].first)[quotes[0].first - 1]
        taken_in = new is not None and quotes[0].first > new and _CALLOUT.match(opening)
        return _GLUED if taken_in or _CALLOUT.match(below) else _JOINED
    if _adds_item(last, first, common):
        return _JOINED
    if last.leaf != first.leaf:
        return _APART
    adds_row = first.kind == "table" and "|" in below[: first.stop - first.start]
    own_table = adds_row and blocks.read("\n" + below).rows[1].kind == "table"
    return _JOINED if adds_row and not own_table else _GLUED


def _common(one: Sequence[Container], other: Sequence[Container]) -> int:
    """How many of the outermost containers two rows share."""
    pairs = zip(one, other, strict=False)
    return next((depth for depth, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _adds_item(last: Row, first: Row, common: int) -> bool:
    """Whether a row begins the next item of a list, or one right below the text of another."""
    if common == len(first.containers):
        return False
    if common < len(last.containers):
        return last.containers[common].group == first.containers[common].group
    return common > 0 and last.leaf == last.containers[-1].first
