"""An excerpt: the stretch of a note that answers a question best."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from echo_memory.retrieval import bm25
from echo_memory.retrieval.marks import mark
from echo_memory.retrieval.passages import (
    MAX_PASSAGE,
    MAX_READ,
    Passage,
    best,
    cut,
    passages,
    pieces,
    said,
)
from echo_memory.retrieval.words import words

_MOST_READ = 3 * MAX_READ  # characters; nothing is shown of what comes after them
_ENOUGH = MAX_PASSAGE // 2  # with less than this, what stands around is shown, too
_LOOSE_END = re.compile(r"#{1,6}[ \t]|.*:\Z")


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
    # To look through a long note takes long; most often its beginning has the words.
    for text in (body[:MAX_READ], body[:_MOST_READ]):
        parts = passages(text, title)
        said_in = lines if len(lines) == len(parts) else _lines(text, parts)
        weights = _rarities(said_in, query_words)
        if weights or len(text) == len(body):
            break
    body, lines = text, said_in
    at, _ = best(lines, weights)
    start, end, rows, _ = parts[at]
    if end - start > max_chars:
        smaller = [
            Passage(*one, rows, "") for one in pieces(body, start, end, max_chars, rows=rows)
        ]
        start, end, _, _ = smaller[best(_lines(body, smaller), weights)[0]]
    start, end = _widened(body, _section(body, parts, at), start, end, max_chars)
    start, end = _widened(body, parts, start, end, min(max_chars, _ENOUGH))
    return body[start:end]


def _lines(body: str, parts: Iterable[Passage]) -> list[str]:
    """What is said in each passage."""
    return [said(words(body[one.start : one.end]), one.heading) for one in parts]


def _section(body: str, parts: Sequence[Passage], at: int) -> Sequence[Passage]:
    """The passages between the heading that one stands under and the next heading."""

    def begins(part: Passage) -> bool:
        return not part.heading and body.startswith("#", part.start)

    first = next((i for i in range(at, -1, -1) if begins(parts[i])), 0)
    last = next((i for i in range(at + 1, len(parts)) if begins(parts[i])), len(parts))
    return parts[first:last]


def _rarities(lines: Sequence[str], query_words: Sequence[str]) -> list[tuple[str, float]]:
    """The marks of the words that any line has, and what each is worth."""
    wanted = dict.fromkeys(map(mark, query_words))
    containing = {sign: len([1 for line in lines if sign in line]) for sign in wanted}
    return [(sign, bm25.rarity(count, len(lines))) for sign, count in containing.items() if count]


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
        at = cut(body, end + 1, min(start + room, parts[after].end), rows=parts[after].rows)
        end = max(end, _without_loose_end(body, end, at))
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
