"""Sections: reading the part of a note below a heading, and adding to it or replacing it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence

from echo_memory.errors import BadRequest
from echo_memory.markdown import blocks, seams
from echo_memory.markdown.anchored import patch_block
from echo_memory.markdown.headings import Heading, find, headings, named
from echo_memory.markdown.properties import patch_property
from echo_memory.markdown.rows import Row
from echo_memory.text import fold

__all__ = [
    "OPERATIONS",
    "RELATED",
    "TARGET_TYPES",
    "Heading",
    "append_at",
    "append_line",
    "append_lines",
    "append_under",
    "find",
    "headings",
    "patch",
    "section",
]

OPERATIONS = ("append", "prepend", "replace")
TARGET_TYPES = ("heading", "block", "frontmatter")
RELATED = "Related"
"""The section of a note's ties to others; as the last one it holds nothing else."""

_NEW_SECTION = "A new section is made by appending `## Name` and its text at the heading above it."


def section(text: str, target: str) -> str:
    """What stands below a heading, sub-headings included; the heading itself is not.

    Raises:
        BadRequest: the target is empty.
        InvalidTarget: no heading, or more than one, is named so; `headings` lists their paths.
    """
    heading = find(text, target)
    return text[heading.body : heading.end]


def patch(
    text: str,
    operation: str,
    target_type: str,
    target: str,
    content: str,
    *,
    date_keys: Collection[str] = (),
    kinds: Collection[str] = (),
) -> str:
    """A note with content added or replaced at a heading, a block or a frontmatter key.

    At a heading the place is the section's own text, above its first sub-heading; content that
    brings headings of its own is put among the sub-headings (append: after the last, prepend:
    before the first), or replaces them too. A first line that repeats the target's heading is left
    out. Content without any text adds nothing, and as a replacement empties the section.

    Args:
        text: the note.
        operation: `append`, `prepend` or `replace`.
        target_type: `heading`, `block` or `frontmatter`.
        target: a heading as `find` takes it, a block id with or without `^`, or a key.
        content: Markdown; at a key JSON where it parses, else a string.
        date_keys: keys that hold a date; it is written without quotes.
        kinds: what the key `type` may hold; anything where none are given.

    Raises:
        BadRequest: the operation or the type is none of these, the target is empty, or the content
            does not fit it; `field` says which.
        InvalidTarget: the note has no such target, or more than one; `headings`, `blocks` or `keys`
            list those that it has.
        Unparseable: the frontmatter would have to change and cannot be read.
    """
    if operation not in OPERATIONS:
        raise _no_such(operation, OPERATIONS, "operation")
    if target_type not in TARGET_TYPES:
        raise _no_such(target_type, TARGET_TYPES, "target_type")
    if target_type == "heading":
        heading = find(text, target, otherwise=_NEW_SECTION)
        return _AT_HEADING[operation](text, heading, content)
    if target_type == "block":
        return patch_block(text, operation, target, content)
    return patch_property(text, operation, target, content, date_keys=date_keys, kinds=kinds)


def append_line(text: str, line: str) -> str:
    """A note with a line at its end, unless that whole line is in its body already.

    A last section `Related` stays the last: the line goes above its heading, to the end of what
    stands there. Several lines count as there when they stand together. White space at line ends
    does not count.

    Raises:
        BadRequest: there is nothing in the line.
    """
    if not line.strip():
        raise BadRequest("line is empty. Give the text to add.", field="line")
    return text if _contains(text, line) else _append_before(text, line, _ties_start(text))


def append_lines(text: str, content: str) -> str:
    """A note with content at its end."""
    return _append_before(text, content, len(text))


def _append_before(text: str, content: str, limit: int) -> str:
    """A note with content below the last text above a place."""
    lines = seams.lines_of(content)
    if not lines:
        return text
    rows = blocks.read(text).rows
    last = _row_at(rows, limit)
    at = _after_text(rows, 0, last)
    if not at or rows[at - 1].kind in ("heading", "setext"):
        at = last
    return seams.put(text, at, at, lines)


def _ties_start(text: str) -> int:
    """Where the section of ties begins that ends the note; the note's end if it has none."""
    ties = fold(RELATED)
    ending = (h for h in headings(text) if h.end == len(text) and h.level > 1)
    return next((h.start for h in ending if fold(h.title) == ties), len(text))


def append_under(text: str, title: str, content: str, level: int = 2) -> str:
    """A note with content appended in the first section of this level and title.

    A section that is missing is made at the end. Content with headings of its own comes after the
    sub-headings that are there.
    """
    heading = named(headings(text), title, level)
    if heading is None:
        return append_lines(text, f"{'#' * level} {title}\n\n{content}")
    return append_at(text, heading, content)


def append_at(text: str, heading: Heading, content: str, *, whole: bool = False) -> str:
    """A note with content at the end of a section.

    It comes above the section's sub-headings, unless it has some of its own or `whole` says so.
    """
    lines = _own_lines(content, heading)
    after = whole or _has_headings(lines)
    return _put_last(text, heading, lines, whole=after) if lines else text


def _prepend_at(text: str, heading: Heading, content: str) -> str:
    lines = _own_lines(content, heading)
    if not lines or _has_headings(lines):
        return _put_last(text, heading, lines, whole=False) if lines else text
    rows, first, last = _body(text, heading, whole=False)
    at = next((row for row in range(first, last) if rows[row].kind != "blank"), last)
    return seams.put(text, at, at, lines)


def _replace_at(text: str, heading: Heading, content: str) -> str:
    lines = _own_lines(content, heading)
    whole = _has_headings(lines)
    rows, first, last = _body(text, heading, whole=whole)
    start = next((row for row in range(first, last) if rows[row].kind != "blank"), last)
    if start == last:
        return _put_last(text, heading, lines, whole=whole) if lines else text
    end = _after_text(rows, start, last)
    if not lines:
        below = last if start > first else end  # the blank lines above are enough
        return text[: rows[start].start] + text[rows[below - 1].end :]
    if [text[row.start : row.stop] for row in rows[start:end]] == lines:
        return text
    return seams.put(text, start, end, lines)


_AT_HEADING: dict[str, Callable[[str, Heading, str], str]] = {
    "append": append_at,
    "prepend": _prepend_at,
    "replace": _replace_at,
}


def _put_last(text: str, heading: Heading, lines: Sequence[str], *, whole: bool) -> str:
    rows, first, last = _body(text, heading, whole=whole)
    at = _after_text(rows, first, last) or last
    return seams.put(text, at, at, lines)


def _body(text: str, heading: Heading, *, whole: bool) -> tuple[Sequence[Row], int, int]:
    """The rows of a note, and the range of those that a section, or its own text, consists of."""
    rows = blocks.read(text).rows
    end = heading.end if whole else heading.own_end
    return rows, _row_at(rows, heading.body), _row_at(rows, end)


def _row_at(rows: Sequence[Row], offset: int) -> int:
    return bisect_left(rows, offset, key=lambda row: row.start)


def _after_text(rows: Sequence[Row], first: int, last: int) -> int:
    """Index after the last row of a range that is not blank; 0 if all are."""
    return next((row + 1 for row in range(last - 1, first - 1, -1) if rows[row].kind != "blank"), 0)


def _own_lines(content: str, heading: Heading) -> list[str]:
    """The lines of what is put below a heading, without the heading itself if they repeat it."""
    lines = seams.lines_of(content)
    body = "\n" + "\n".join(lines)
    first = next(iter(headings(body)), None)
    if first is None or first.start != 1:
        return lines
    repeats = (first.level, first.title) == (heading.level, heading.title)
    return seams.lines_of(body[first.body :]) if repeats else lines


def _has_headings(lines: Sequence[str]) -> bool:
    return bool(headings("\n" + "\n".join(lines)))


def _contains(text: str, line: str) -> bool:
    """Whether a line, or lines that follow one another, stand in the body of a note."""
    body = "".join(
        text[row.start : row.end] for row in blocks.read(text).rows if row.kind != "frontmatter"
    )
    return _bare(line.strip("\r\n")) in _bare(body)


def _bare(text: str) -> str:
    """Lines without white space at their ends, and rules without the indent that they may get."""
    lines = (line.rstrip() for line in text.split("\n"))
    return "\n" + "".join(f"{'---' if line == ' ---' else line}\n" for line in lines)


def _no_such(value: str, known: Sequence[str], field: str) -> BadRequest:
    return BadRequest(
        f"{field} {value[:40]!r} is unknown. Use one of: {', '.join(known)}.", field=field
    )
