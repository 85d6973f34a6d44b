"""A passage: a stretch of a note that is read in one piece, such as a paragraph or a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from echo_memory.retrieval import bm25
from echo_memory.retrieval.marks import marks
from echo_memory.retrieval.words import words

MAX_READ = 100_000  # characters of a document that are looked at; lint reports longer notes
MAX_PASSAGE = 500
MAX_HEADING = 200  # characters of a heading by which a passage is found
MEAN_WORDS = 50  # of a passage, which is usually two to four sentences
_MAX_INTRODUCTION = MAX_PASSAGE // 2
_SHORT = MAX_PASSAGE // 5

_LINE = re.compile(
    r"^(?P<indent>[^\S\n]*+)(?:(?P<fence>`{3,}+|~{3,}+)|(?P<heading>#{1,6}+[ \t])"
    r"|(?P<row>[-*+][ \t]|\d{1,9}[.)][ \t]|\|)|\S)[^\n]*+",
    re.MULTILINE,
)
_SENTENCE_END = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)(?!\s{1,8}+[a-z])|(?<![。！？｡])[。！？｡]++[」』”’）]*+"
    r"|\n(?=[^\S\n]*+\n)|^#{1,6}+[ \t][^\n]*+",
    re.MULTILINE,
)
_ABBREVIATION = re.compile(r"(?<![^\s(\[])(?:[A-Z][a-z]{0,2}|[A-Za-z](?:\.[A-Za-z])+|vs|etc)\.\Z")
_LOOK_AROUND = 12

_Span = tuple[int, int]


class Passage(NamedTuple):
    """A stretch `body[start:end]` without white space around it.

    Attributes:
        start: offset of its first character; a heading belongs to the passage below it.
        end: offset after its last character.
        rows: its lines stand for themselves (a list, a table, code).
        heading: the beginning of the heading that it stands under, empty where that is its own
            first line.
    """

    start: int
    end: int
    rows: bool
    heading: str


class _Block(NamedTuple):
    start: int
    end: int
    kind: str  # heading, text or rows
    title: str


def passages(body: str, heading: str = "") -> list[Passage]:
    """The passages of a note's body, in order; together they hold all of its text.

    None is longer than 500 characters: long lists are cut at line ends, long paragraphs at sentence
    ends, and what has neither between two words. Very short paragraphs are taken together.

    Args:
        body: the text.
        heading: what stands above it.
    """
    found: list[Passage] = []
    heading = heading[:MAX_HEADING]
    for block in _joined(body):
        under = "" if block.title else heading
        heading = block.title[:MAX_HEADING] or heading
        rows = block.kind == "rows"
        for start, end in pieces(body, block.start, block.end, MAX_PASSAGE, rows=rows):
            found.append(Passage(start, end, rows, under))
            under = heading
    return found


def said(own: Iterable[str], heading: str) -> str:
    """The marks of the words that a passage is found by: its own, then its heading's."""
    return marks(own) + marks(words(heading))


def best(lines: Sequence[str], weights: Iterable[tuple[str, float]]) -> tuple[int, float]:
    """Which of some passages says most about words that are worth something, and how much it says.

    Args:
        lines: what is `said` in each passage.
        weights: marks, and what their words are worth.

    Returns:
        Its place, the first one's of equal ones, and its score; 0, 0.0 where none has a word.
    """
    wanted = tuple(weights)
    place, most = 0, 0.0
    for at, line in enumerate(lines):
        gains, total = _GAINS[len(line)], 0.0
        for sign, weight in wanted:
            if sign in line:
                total += weight * gains[line.count(sign)]
        if total > most:
            place, most = at, total
    return place, most


class _Gains(dict[int, tuple[float, ...]]):
    """What a word counts for a passage, by the passage's length, then by how often it has it."""

    def __missing__(self, length: int) -> tuple[float, ...]:
        damped = bm25.damping(length, MEAN_WORDS)
        self[length] = made = tuple(bm25.gain(times, damped) for times in range(length + 1))
        return made


_GAINS = _Gains()


def _joined(body: str) -> Iterator[_Block]:
    """Blocks with what belongs to them: the heading above, the list introduced, the next remark."""
    joined: _Block | None = None
    for block in _blocks(body):
        if joined and _takes(body, joined, block):
            both = joined.kind == block.kind or joined.kind == "heading"
            kind = block.kind if both else "rows"
            joined = _Block(joined.start, block.end, kind, block.title or joined.title)
        else:
            if joined:
                yield joined
            joined = block
    if joined:
        yield joined


def _takes(body: str, joined: _Block, block: _Block) -> bool:
    if joined.kind == "heading" or block.kind == "heading":
        return joined.kind == "heading"
    length = joined.end - joined.start
    return length < _SHORT or (length <= _MAX_INTRODUCTION and body[joined.end - 1] == ":")


def _blocks(body: str) -> Iterator[_Block]:
    """Headings, paragraphs, and rows with the blank lines among them."""
    block: _Block | None = None
    for start, end, kind, joins in _lines(body):
        goes_on = joins or (block and block.kind == "rows" and kind == "row")
        if block and goes_on and "heading" not in (kind, block.kind):
            block = _Block(block.start, end, "text" if kind == block.kind == "text" else "rows", "")
            continue
        if block:
            yield block
        title = body[start:end].lstrip("#").strip() if kind == "heading" else ""
        block = _Block(start, end, "rows" if kind == "row" else kind, title)
    if block:
        yield block


def _lines(body: str) -> Iterator[tuple[int, int, str, bool]]:
    """Start, end and kind (heading, row, text) of each line that is not blank.

    The last value says whether it joins the line before: none is blank between them, or both are in
    one code block. An indented line counts as a row, since it goes on with one.
    """
    fence, last = "", 0
    for match in _LINE.finditer(body):
        start, end = match.span()
        kind = match.lastgroup or ""
        joins = bool(fence) or start - last <= 1
        last = end
        if fence:
            text = match[0].strip()
            fence = "" if text.startswith(fence) and not text.strip(fence[0]) else fence
            kind = "row"
        elif kind == "fence":
            fence, kind = match["fence"], "row"
        elif kind == "indent":
            kind = "row" if match["indent"] else "text"
        yield start, end, kind, joins


def pieces(body: str, start: int, end: int, limit: int, *, rows: bool) -> Iterator[_Span]:
    """A stretch in pieces of at most `limit` characters."""
    start = _space_end(body, start)
    while end - start > limit:
        at = cut(body, start, start + limit, rows=rows)
        if at < 0:
            at = body.rfind(" ", start, start + limit + 1)
        if at < 0:
            at = start + limit
        yield start, start + len(body[start:at].rstrip())
        start = _space_end(body, at)
    shown = body[start:end].rstrip()
    if shown:
        yield start, start + len(shown)


def _space_end(body: str, start: int) -> int:
    while start < len(body) and body[start].isspace():
        start += 1
    return start


def cut(body: str, start: int, end: int, *, rows: bool) -> int:
    """Where a stretch is best cut after its start and by its end: -1 if there is no good place."""
    newline = body.rfind("\n", start, end + 1) if rows else -1
    if newline > start:
        return newline
    for first in (start + (end - start) // 2, start):
        matches = list(_SENTENCE_END.finditer(body, first, end + 1))
        for match in reversed(matches):
            if match.end() <= end and _ends_sentence(body, match):
                return match.end()
    return -1


def _ends_sentence(body: str, match: re.Match[str]) -> bool:
    """Not after Dr., e.g. and initials, nor before a word in lower case."""
    if match[0][0] not in ".!?…":
        return True
    if _ABBREVIATION.search(body, max(0, match.start() - _LOOK_AROUND), match.start() + 1):
        return False
    return not body[match.end() : match.end() + _LOOK_AROUND].lstrip()[:1].islower()
