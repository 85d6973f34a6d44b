"""A passage: a stretch of a note that is read in one piece, such as a paragraph or a list."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from echo_memory.retrieval import bm25
from echo_memory.retrieval.marks import mark, marks
from echo_memory.retrieval.words import words

MAX_PASSAGE = 500
MEAN_WORDS = 50  # of a passage, which is usually two to four sentences
_MAX_INTRODUCTION = MAX_PASSAGE // 2
_SHORT = MAX_PASSAGE // 5
_ENOUGH = MAX_PASSAGE // 2  # of an excerpt: with less than this, what stands around is shown, too

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
_LOOSE_END = re.compile(r"#{1,6}[ \t]|.*:\Z")

_Span = tuple[int, int]


class Passage(NamedTuple):
    """A stretch `body[start:end]` without white space around it.

    Attributes:
        start: offset of its first character; a heading belongs to the passage below it.
        end: offset after its last character.
        rows: its lines stand for themselves (a list, a table, code).
        heading: the heading that it stands under, empty where that is its own first line.
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
    for block in _joined(body):
        under = "" if block.title else heading
        heading = block.title or heading
        rows = block.kind == "rows"
        for start, end in _pieces(body, block.start, block.end, MAX_PASSAGE, rows=rows):
            found.append(Passage(start, end, rows, under))
            under = heading
    return found


def said(body: str, passage: Passage) -> str:
    """The marks of the words that a passage is found by: its own, then those of its heading."""
    return marks(words(body[passage.start : passage.end])) + marks(words(passage.heading))


def score(line: str, weights: Iterable[tuple[str, float]]) -> float:
    """How much a passage says about words that are worth something.

    Args:
        line: what is `said` in it.
        weights: marks, and what their words are worth.
    """
    total, damped = 0.0, bm25.damping(len(line), MEAN_WORDS)
    for sign, weight in weights:
        times = line.count(sign)
        if times:
            total += weight * bm25.gain(times, damped)
    return total


def excerpt(
    body: str,
    query_words: Sequence[str],
    max_chars: int,
    *,
    title: str = "",
    lines: Sequence[str] = (),
) -> str:
    """The passage that answers a question best, with what its section says around it.

    Args:
        body: the note without its frontmatter.
        query_words: the question's words, as `words.query_words` gives them.
        max_chars: the longest excerpt; it is cut at the end of a sentence or line if one is near,
            and where a heading begins or ends its section.
        title: what the passages before the first heading stand under.
        lines: what is `said` in each passage, where that is known.
    """
    whole = body.strip()
    if len(whole) <= max_chars:
        return whole
    if max_chars <= 0:
        return ""
    parts = passages(body, title)
    if len(lines) != len(parts):  # of a long note only the beginning is known
        lines = [said(body, part) for part in parts]
    weights = _rarities(lines, query_words)
    at = _best(lines, weights)
    best = parts[at]
    start, end = best.start, best.end
    if best.end - best.start > max_chars:
        pieces = list(_pieces(body, best.start, best.end, max_chars, rows=best.rows))
        read = [marks(words(body[start:end])) for start, end in pieces]
        start, end = pieces[_best(read, weights)]
    start, end = _widened(body, _section(body, parts, at), start, end, max_chars)
    start, end = _widened(body, parts, start, end, min(max_chars, _ENOUGH))
    return body[start:end]


def _section(body: str, parts: Sequence[Passage], at: int) -> Sequence[Passage]:
    """The passages between the heading that one stands under and the next heading."""

    def begins(part: Passage) -> bool:
        return not part.heading and body.startswith("#", part.start)

    first = next((i for i in range(at, -1, -1) if begins(parts[i])), 0)
    last = next((i for i in range(at + 1, len(parts)) if begins(parts[i])), len(parts))
    return parts[first:last]


def _rarities(lines: Sequence[str], query_words: Sequence[str]) -> dict[str, float]:
    """What the mark of each word is worth that any line has."""
    wanted = dict.fromkeys(map(mark, query_words))
    containing = {sign: sum(sign in line for line in lines) for sign in wanted}
    return {sign: bm25.rarity(count, len(lines)) for sign, count in containing.items() if count}


def _best(lines: Sequence[str], weights: Mapping[str, float]) -> int:
    """Which of some lines says most about the weighted words; the first of equal ones."""
    scores = [score(line, weights.items()) for line in lines]
    return scores.index(max(scores)) if scores else 0


def _widened(
    body: str, parts: Sequence[Passage], start: int, end: int, room: int
) -> tuple[int, int]:
    """A stretch with its neighbours, after and before in turn, and with the sentences that fit."""
    after = bisect_right(parts, end, key=lambda part: part.end)
    before = bisect_left(parts, start, key=lambda part: part.start) - 1
    grows = True
    while grows:
        grows = False
        if after < len(parts) and parts[after].end - start <= room:
            end, after, grows = parts[after].end, after + 1, True
        if before >= 0 and end - parts[before].start <= room:
            start, before, grows = parts[before].start, before - 1, True
    if after < len(parts) and end - start < room:
        cut = _cut(body, end + 1, min(start + room, parts[after].end), rows=parts[after].rows)
        end = max(end, _without_loose_end(body, end, cut))
    return start, end


def _without_loose_end(body: str, start: int, end: int) -> int:
    """The end moved up before a heading, or an introduction, of what is not shown."""
    while start < end:
        shown = body[start:end].rstrip()
        line = shown[shown.rfind("\n") + 1 :]
        if not _LOOSE_END.match(line):
            return start + len(shown)
        end = start + len(shown) - len(line)
    return start


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


def _pieces(body: str, start: int, end: int, limit: int, *, rows: bool) -> Iterator[_Span]:
    """A stretch in pieces of at most `limit` characters."""
    start = _space_end(body, start)
    while end - start > limit:
        cut = _cut(body, start, start + limit, rows=rows)
        if cut < 0:
            cut = body.rfind(" ", start, start + limit + 1)
        if cut < 0:
            cut = start + limit
        yield start, start + len(body[start:cut].rstrip())
        start = _space_end(body, cut)
    shown = body[start:end].rstrip()
    if shown:
        yield start, start + len(shown)


def _space_end(body: str, start: int) -> int:
    while start < len(body) and body[start].isspace():
        start += 1
    return start


def _cut(body: str, start: int, end: int, *, rows: bool) -> int:
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
