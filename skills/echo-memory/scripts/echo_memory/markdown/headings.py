"""Headings: the outline of a note, and how a caller names a place in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from echo_memory.errors import BadRequest, InvalidTarget
from echo_memory.markdown import blocks
from echo_memory.text import fold

MAX_LISTED = 16_000  # characters of paths that an error lists

# Where a text has none of the first (code, math, comment or HTML that may go over lines) and no
# line like the second (a heading that is indented or in a list or quote, what may underline one), a
# line that begins with the marks of a heading is one, and no other line is.
_GOES_ON = ("```", "~~~", "$$", "%%", "<", "\r", "\ufeff")
_UNCLEAR_LINE = r"[ \t\d>*+.)=-]++(?:#{1,6}(?:[ \t]|\n|\Z)|\n|\Z)"
_UNCLEAR_FIRST, _UNCLEAR_OTHER = re.compile(_UNCLEAR_LINE), re.compile(rf"\n{_UNCLEAR_LINE}")
_EVIDENT = re.compile(r"\n(#{1,6}+)(?:[ \t]([^\n]*+))?(?=\n|\Z)")

_SEPARATOR = "::"
_HASHES = re.compile(r"(?:^|(?<=::))[ \t]*(#{1,6})[ \t]+")


@dataclass(frozen=True)
class Heading:
    """A heading and the section below it; offsets are those of the note.

    Attributes:
        level: 1 to 6.
        title: the heading as written, without its marks.
        parts: the titles from the outermost heading down to this one; a skipped level has none.
        start: of the heading's first line.
        body: of what follows the heading's line, or lines.
        own_end: where its first sub-heading begins, or its section ends.
        end: where the section ends, sub-headings included.
    """

    level: int
    title: str
    parts: tuple[str, ...]
    start: int
    body: int
    own_end: int
    end: int

    @property
    def path(self) -> str:
        """The titles of `parts`, joined by `::`."""
        return _SEPARATOR.join(self.parts)


def headings(text: str) -> list[Heading]:
    """The headings of a note, in order; none from code, comments, quotes or lists."""
    marks = _marks(text)
    starts = [start for _, _, start, _ in marks]
    ends = _section_ends([level for level, *_ in marks], starts, len(text))
    found: list[Heading] = []
    above: list[tuple[int, str]] = []
    for at, (level, title, start, body) in enumerate(marks):
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        parts = tuple(name for _, name in above)
        own_end = starts[at + 1] if at + 1 < len(starts) else len(text)
        found.append(Heading(level, title, parts, start, body, own_end, ends[at]))
    return found


def find(text: str, target: str, *, otherwise: str = "") -> Heading:
    """The heading that a caller names.

    Args:
        text: the note.
        target: the full path from the outermost heading, or as much of its end as is unique, such
            as the bare heading; `#`s before a title may stay. Spelling as in the note comes first,
            then the folded one.
        otherwise: what a caller may do who wants a heading that is not there.

    Raises:
        BadRequest: the target is empty.
        InvalidTarget: no heading, or more than one, is named so; `headings` lists their paths.
    """
    wanted = target.strip()
    if not wanted:
        raise BadRequest("target is empty. Name the heading to work on.", field="target")
    found = headings(text)
    chosen = _choose(found, wanted)
    if len(chosen) == 1:
        return chosen[0]
    complaint = _complaint(chosen, wanted) if chosen else _missing(found, wanted, otherwise)
    raise InvalidTarget(complaint, headings=_paths(found))


def named(found: Sequence[Heading], title: str, level: int) -> Heading | None:
    """The first heading of a level with a title, as written or else folded."""
    peers = [heading for heading in found if heading.level == level]
    exact = next((heading for heading in peers if heading.title == title), None)
    folded = fold(title)
    return exact or next((h for h in peers if folded and fold(h.title) == folded), None)


def _marks(text: str) -> list[tuple[int, str, int, int]]:
    """Level, title, start and end of the line or lines of every heading."""
    body = blocks.frontmatter_end(text)
    return _evident_marks(text, body) if _is_clear(text, body) else _read_marks(text)


def _is_clear(text: str, start: int) -> bool:
    """Whether every heading can be told by its line alone."""
    return not (
        any(sign in text for sign in _GOES_ON)
        or _UNCLEAR_FIRST.match(text, start)
        or _UNCLEAR_OTHER.search(text, start)
    )


def _evident_marks(text: str, start: int) -> list[tuple[int, str, int, int]]:
    """The same where the text is clear, in a small part of the time."""
    body = f"\n{text[start:]}"
    return [
        (
            len(line[1]),
            _without_closing(line[2] or ""),
            start + line.start(),
            min(start + line.end(), len(text)),
        )
        for line in _EVIDENT.finditer(body)
    ]


def _read_marks(text: str) -> list[tuple[int, str, int, int]]:
    found: list[tuple[int, str, int, int]] = []
    rows = blocks.read(text).rows
    for row in rows:
        if row.containers or row.kind not in ("heading", "setext"):
            continue
        line = text[row.content : row.stop]
        if row.kind == "heading":
            title = line.lstrip("#")
            found.append((len(line) - len(title), _without_closing(title), row.start, row.end))
            continue
        first = rows[row.leaf]
        written = text[first.content : row.content].split("\n")[:-1]
        title = " ".join(part.strip(" \t\r") for part in written)
        found.append((1 if line[0] == "=" else 2, title, first.start, row.end))
    return found


def _without_closing(title: str) -> str:
    title = title.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _section_ends(levels: list[int], starts: list[int], last: int) -> list[int]:
    """Where each section ends: before the next heading of its level or above."""
    ends = [last] * len(levels)
    open_sections: list[int] = []
    for at, level in enumerate(levels):
        while open_sections and levels[open_sections[-1]] >= level:
            ends[open_sections.pop()] = starts[at]
        open_sections.append(at)
    return ends


def _choose(found: Sequence[Heading], wanted: str) -> list[Heading]:
    """The headings that the first reading of a target which fits any fits."""
    chosen = _ending(found, wanted)
    if chosen:
        return chosen
    marked = list(_HASHES.finditer(wanted))
    bare = _HASHES.sub("", wanted).strip()
    if marked and bare:
        level = len(marked[-1][1]) if _SEPARATOR not in wanted[marked[-1].end() :] else 0
        peers = [heading for heading in found if heading.level == level]
        chosen = _ending(peers, bare) or _ending(found, bare)
    folded = _folded(bare or wanted)
    if chosen or not folded.replace(_SEPARATOR, ""):
        return chosen
    return _ending(found, folded, cache(_folded))


def _ending(
    found: Sequence[Heading], wanted: str, spelled: Callable[[str], str] = str
) -> list[Heading]:
    """The headings whose path is the wanted one, else those whose path ends with it."""
    whole: list[Heading] = []
    partial: list[Heading] = []
    for heading in found:
        used = _used(heading.parts, wanted, spelled)
        if used:
            (whole if used == len(heading.parts) else partial).append(heading)
    return whole or partial


def _used(parts: Sequence[str], wanted: str, spelled: Callable[[str], str]) -> int:
    """How many of the last parts make up a path; 0 if they do not."""
    for count, part in enumerate(map(spelled, reversed(parts)), start=1):
        if wanted == part:
            return count
        if not wanted.endswith(part) or not wanted[: len(wanted) - len(part)].endswith(_SEPARATOR):
            return 0
        wanted = wanted[: len(wanted) - len(part) - len(_SEPARATOR)]
    return 0


def _folded(path: str) -> str:
    return _SEPARATOR.join(fold(part) for part in path.split(_SEPARATOR))


def _missing(found: Sequence[Heading], wanted: str, otherwise: str) -> str:
    if not found:
        return f"The note has no heading {_cut(wanted)!r}, nor any other. Use append or capture."
    advice = ["Name one of those listed, by its full path.", *filter(None, [otherwise])]
    return f"The note has no heading {_cut(wanted)!r}. {' '.join(advice)}"


def _complaint(chosen: Sequence[Heading], wanted: str) -> str:
    name = _cut(wanted)
    if len({heading.parts for heading in chosen}) == 1:
        return (
            f"{len(chosen)} headings have the path {name!r}, so that none can be told from the"
            " others. Rename all but one in the note."
        )
    return f"{len(chosen)} headings are named {name!r}. Give the full path of the one you mean."


def _cut(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:79]}…"


def _paths(found: Sequence[Heading]) -> list[str]:
    """The paths of the headings, each once, as many as an answer can carry."""
    paths: dict[str, None] = {}
    room = MAX_LISTED
    for heading in found:
        room -= sum(map(len, heading.parts)) + len(_SEPARATOR)
        if room < 0:
            break
        paths[heading.path] = None
    return list(paths)
