"""The inbox: what waits in its note, item by item.

An item is a list item at the margin, with all that Markdown counts to it, or a paragraph. Headings,
fences, comments, math and frontmatter are furniture and stay.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from echo_memory.markdown import blocks
from echo_memory.markdown.containers import Container
from echo_memory.markdown.rows import Row

_MARKER = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_BOX = re.compile(r"\[[^\]]\](?:[ \t]+|$)")
_DATE = re.compile(r"(?:\[\[)?(\d{4}-\d{2}-\d{2})(?:\]\])?(?:[ \t]+|$)")
_BLANK = ("\n\n", "\n\r\n")
_PROSE = ("text", "lazy", "table")


@dataclass(frozen=True)
class Item:
    """One thing that waits.

    Attributes:
        id: a hash of `line`; the second item of the same text has `-2` after it, and so on.
        line: its text without list marker and box; more lines where it has them, not indented.
        date: the day it begins with, as `YYYY-MM-DD`, or empty.
        age_days: days since then, never negative; None where it begins with no date.
        start: offset of its first line in the note.
        end: offset after its last line, line ending included.
    """

    id: str
    line: str
    date: str
    age_days: int | None
    start: int
    end: int


def items(text: str, today: date) -> list[Item]:
    """The items of an inbox note, in its order; a bullet with nothing behind it is none."""
    found, seen = [], Counter[str]()
    for block in _blocks(_rows(text)):
        line = block.words(text)
        if not line:
            continue
        key = hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        seen[key] += 1
        day = _day(line)
        found.append(
            Item(
                id=key if seen[key] == 1 else f"{key}-{seen[key]}",
                line=line,
                date=day.isoformat() if day else "",
                age_days=max((today - day).days, 0) if day else None,
                start=block.rows[0].start,
                end=block.rows[-1].end,
            )
        )
    return found


def find(waiting: Sequence[Item], reference: str) -> Item | None:
    """The item that an id names, or its text: all or the first line of it, with or without date.

    Returns:
        None when nothing fits, or items of different texts do.
    """
    for item in waiting:
        if item.id == reference.strip():
            return item
    wanted = _squeezed(_past(_BOX, _past(_MARKER, reference)))
    for ways in zip(*map(_names, waiting), strict=True):
        fitting = [item for item, name in zip(waiting, ways, strict=True) if name == wanted]
        if fitting:
            return fitting[0] if len({item.line for item in fitting}) == 1 else None
    return None


def is_meant(line: str, reference: str) -> bool:
    """Whether a text names the item of a line, as in `find`."""
    day = _day(line)
    item = Item("", line, day.isoformat() if day else "", None, 0, 0)
    return _squeezed(_past(_BOX, _past(_MARKER, reference))) in _names(item)


def remove(text: str, item_id: str) -> str:
    """The note without one item, every other line as it was; the same text if it is not there.

    Of items with the same text one is as good as another: when `x-2` has become `x`, because the
    first of the two was removed, `x` is removed.
    """
    key, numbered, _ = item_id.partition("-")
    same = {item.id: item for item in items(text, date.min) if item.id.partition("-")[0] == key}
    if item_id in same:
        return _without(text, same[item_id])
    return _without(text, list(same.values())[-1]) if numbered and same else text


def _names(item: Item) -> tuple[str, ...]:
    """The texts that an item goes by, the most exact first."""
    undated = _past(_DATE, item.line) if item.date else item.line
    names = (item.line, item.line.partition("\n")[0], undated, undated.partition("\n")[0])
    return tuple(map(_squeezed, names))


def _past(pattern: re.Pattern[str], text: str) -> str:
    """A text without what the pattern finds at its beginning."""
    found = pattern.match(text)
    return text[found.end() :] if found else text


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _day(line: str) -> date | None:
    found = _DATE.match(line)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


@dataclass(frozen=True)
class _Block:
    """The rows of an item; `container` is the list item that it is, None for a paragraph."""

    rows: list[Row]
    container: Container | None

    def takes(self, row: Row, *, begins: bool, after_blank: bool) -> bool:
        """Whether the next row belongs here, too; what a comment begins in it does."""
        if row.kind == "opaque" and row.leaf == self.rows[-1].leaf:
            return True
        if self.container is None:
            return row.kind in _PROSE and not begins and not after_blank
        return _list_item(row, self.container.first)

    def words(self, text: str) -> str:
        """What it says, without marker, box and indentation."""
        head = self.rows[0]
        first = text[head.content : head.stop] if self.container else text[head.start : head.stop]
        rest = textwrap.dedent("\n".join(text[row.start : row.stop] for row in self.rows[1:]))
        lines = [_past(_BOX, first) if self.container else first]
        return "\n".join(line.rstrip() for line in [*lines, *rest.split("\n")]).strip()


def _blocks(rows: Iterable[Row]) -> Iterator[_Block]:
    current: _Block | None = None
    blank: list[Row] = []
    for at, row in enumerate(rows):
        if row.kind == "blank":
            blank.append(row)
            continue
        begins = _list_item(row, at)
        if current and current.takes(row, begins=begins, after_blank=bool(blank)):
            current.rows.extend([*blank, row])
        else:
            if current:
                yield current
            new = begins or row.kind in _PROSE
            current = _Block([row], row.containers[0] if begins else None) if new else None
        blank = []
    if current:
        yield current


def _rows(text: str) -> list[Row]:
    """The rows, those of an underlined heading told from text."""
    rows = blocks.read(text).rows
    underlined = {row.leaf for row in rows if row.kind == "setext"}
    return [row._replace(kind="heading") if row.leaf in underlined else row for row in rows]


def _list_item(row: Row, first: int) -> bool:
    """Whether a row is in the list item at the margin that begins with a certain row."""
    outermost = row.containers[0] if row.containers else None
    return outermost is not None and outermost.marker != ">" and outermost.first == first


def _without(text: str, item: Item) -> str:
    """The text without an item; of two blank lines one goes, and two blocks never become one."""
    left = _structure(text, item)
    joined = text
    for joined in _joined(text, item):
        if _structure(joined) == left:
            break
    return joined


def _joined(text: str, item: Item) -> Iterator[str]:
    """Ways to put together what stands on both sides of an item, the plainest first."""
    before, after = text[: item.start], text[item.end :]
    first, ending, rest = after.partition("\n")
    if not first.strip() and ending and (not before or before.endswith(_BLANK)):
        yield before + rest
    yield before + after
    gap = "\r\n" if text[: item.end].endswith("\r\n") else "\n"
    yield before + gap + after
    yield before + after.lstrip(" \t")  # what was indented below it could become code


def _structure(text: str, gone: Item | None = None) -> tuple[list[str], list[str]]:
    """The kinds of a note's lines, and the words of its blocks, without those of one item."""
    gaps = range(gone.start, gone.end) if gone else range(0)
    rows = _rows(text)
    kinds = [
        "text" if row.kind == "lazy" else row.kind
        for row in rows
        if row.kind != "blank" and row.start not in gaps
    ]
    blocks_left = (block for block in _blocks(rows) if block.rows[0].start not in gaps)
    return kinds, [block.words(text) for block in blocks_left]
