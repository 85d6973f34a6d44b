"""Highlights: where in a message the words of a query stand, and the passage around them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from echo_archive.query import Query
from echo_archive.words import placed

PASSAGE, _REACH = 300, 30
MOST = 100
MARK = "**"
Range = tuple[int, int]


def highlights(body: str, query: Query) -> list[Range]:
    """Ranges of the body that the query's terms stand in, in order, none touching another."""
    found = list(placed(body))
    said = [word for _, _, word in found]
    ranges = []
    for term in query.ranked:
        for at in term.starts(said):
            start, end, word = found[at]
            if term.beginning and len(term.words[0]) == 1 and not word.isascii():
                end = start + 1
            ranges.append(
                (
                    start,
                    max(end, found[at + len(term.words) - 1][1]) if len(term.words) > 1 else end,
                )
            )
    return _joined(sorted(ranges))[:MOST]


def passage(body: str, ranges: Sequence[Range]) -> str:
    """The part of a body that shows most of the ranges, these between `**`."""
    start, end = _window(body, ranges)
    parts, at = ["…" if start else ""], start
    for first, last in ranges:
        if first >= start and last <= end:
            parts += (body[at:first], MARK, body[first:last], MARK)
            at = last
    return "".join([*parts, body[at:end], "…" if end < len(body) else ""])


def _joined(ranges: list[Range]) -> list[Range]:
    joined: list[Range] = []
    for start, end in ranges:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def _window(body: str, ranges: Sequence[Range]) -> Range:
    if len(body) <= PASSAGE:
        return 0, len(body)
    best = max(
        (start for start, _ in ranges),
        key=lambda start: sum(
            start <= first and last <= start + PASSAGE - 60 for first, last in ranges
        ),
        default=0,
    )
    start = max(0, min(best - 60, len(body) - PASSAGE))
    end = min(len(body), start + PASSAGE)
    for first, last in ranges:
        if first < end < last:
            end = last
        if first < start < last:
            start = first
    return _outward(body, start, -1), _outward(body, end, 1)


def _outward(body: str, at: int, step: int) -> int:
    """The nearest place outward where no word is cut, or at least no character."""
    place = at
    for _ in range(_REACH):
        if place in (0, len(body)) or body[place].isspace() or body[place - 1].isspace():
            return place
        place += step
    while 0 < at < len(body) and _belongs(body[at - 1], body[at]):
        at += step
    return at


def _belongs(before: str, after: str) -> bool:
    """Whether two code points are parts of one character."""
    joining = unicodedata.category(after)[0] == "M" or "\U0001f3fb" <= after <= "\U0001f3ff"
    flags = all("\U0001f1e6" <= one <= "\U0001f1ff" for one in (before, after))
    return joining or flags or "\u200d" in (before, after)
