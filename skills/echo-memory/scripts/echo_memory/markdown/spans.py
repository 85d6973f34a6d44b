"""Spans: the stretches within a block's text that are not prose (code, math, comments, HTML)."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

SPECIAL = re.compile(r"\\[!-/:-@\[-`{-~]|`+|%%|\$\$?|<(?=[A-Za-z/!])")
_BACKTICKS = re.compile(r"`+")
_MATH_END = re.compile(r"(?<=[^\s\\])\$(?!\d)")
_TAG = re.compile(
    r"</?[A-Za-z][\w-]*+"
    r"(?:\s++[A-Za-z_:@][\w.:@-]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+"
    r"\s*+/?>"
)
_RAW_TAG = re.compile(r"<(pre|script|style|textarea)(?=[\s>])", re.IGNORECASE)


class Region(NamedTuple):
    """A stretch of a note that is not prose: `text[start:end]`.

    Attributes:
        start: offset of its first character.
        end: offset after its last character.
        kind: `frontmatter`, `fence` (any code block), `code`, `comment`, `math` or `html`.
    """

    start: int
    end: int
    kind: str


class Spans:
    """Finds the spans of a text, line by line from its beginning.

    What one search has learned (that nothing closes before some offset) spares the next one the
    same way, so that a text of nothing but openings still takes linear time.
    """

    def __init__(self, text: str) -> None:
        self.dangling = ""  # what would close the last block of math or raw HTML that never closes
        self._text = text
        self._absent: dict[str, int] = {}
        self._runs: dict[int, list[int]] = {}
        self._runs_end = -1

    def scan(self, start: int, end: int, leaf_end: int, *, opens: bool = False) -> list[Region]:
        """The spans that begin in `text[start:end]`, which is within one line.

        Code, tags and inline comments close before `leaf_end`, where the line's paragraph ends; a
        `%%` comment may close anywhere after it, and so may math, an HTML comment or raw HTML right
        at `start` where `opens` says that a block may open there.
        """
        found: list[Region] = []
        position = start
        while position < end and (match := SPECIAL.search(self._text, position, end)):
            region = self._region(match, opens and match.start() == start, end, leaf_end)
            position = match.end()
            if region is not None:
                found.append(region)
                position = region.end
        return found

    def _region(self, match: re.Match[str], first: bool, end: int, leaf_end: int) -> Region | None:
        sign = match[0]
        if sign[0] == "`":
            return self._code(match, leaf_end)
        if sign == "%%":
            closing = self._text.find("%%", match.end())
            return Region(match.start(), _after(closing, "%%", len(self._text)), "comment")
        if sign == "$$":
            region = self._until("$$", match.start(), match.end(), leaf_end, first, "math")
            self.dangling = "$$" if first and not region else self.dangling
            return region
        if sign == "$":
            return self._math(match, end)
        if sign == "<":
            return self._html(match.start(), leaf_end, first)
        return None

    def _find(self, what: str, start: int, limit: int) -> int:
        if self._absent.get(what) == limit:
            return -1
        position = self._text.find(what, start, limit)
        if position < 0:
            self._absent[what] = limit
        return position

    def _until(
        self, closing: str, start: int, inside: int, leaf_end: int, first: bool, kind: str
    ) -> Region | None:
        found = self._find(closing, inside, len(self._text) if first else leaf_end)
        return Region(start, found + len(closing), kind) if found >= 0 else None

    def _code(self, match: re.Match[str], leaf_end: int) -> Region | None:
        if self._runs_end != leaf_end:
            self._runs, self._runs_end = {}, leaf_end
            for run in _BACKTICKS.finditer(self._text, match.start(), leaf_end):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        starts = self._runs.get(len(match[0]), [])
        at = bisect_left(starts, match.end())
        if at == len(starts):
            return None
        return Region(match.start(), starts[at] + len(match[0]), "code")

    def _math(self, match: re.Match[str], end: int) -> Region | None:
        inside = match.end()
        if inside >= end or self._text[inside].isspace() or self._absent.get("$") == end:
            return None
        closing = _MATH_END.search(self._text, inside + 1, end)
        if closing is None:
            self._absent["$"] = end
            return None
        return Region(match.start(), closing.end(), "math")

    def _html(self, start: int, leaf_end: int, first: bool) -> Region | None:
        text = self._text
        if text.startswith("<!--", start):
            region = self._until("-->", start, start + 2, leaf_end, first, "comment")
            return region or (Region(start, len(text), "comment") if first else None)
        if first and (raw := _RAW_TAG.match(text, start)):
            region = self._raw(start, raw[1].lower())
            if region is not None:
                return region
        if text[max(0, start - 8) : start].rstrip(" ").endswith("]("):
            return None  # the <target> of a Markdown link
        tag = _TAG.match(text, start, leaf_end)
        return Region(start, tag.end(), "html") if tag else None

    def _raw(self, start: int, name: str) -> Region | None:
        self.dangling = f"</{name}>"
        if self._absent.get(name) is not None:
            return None
        closing = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(self._text, start)
        if closing is None:
            self._absent[name] = len(self._text)
            return None
        self.dangling = ""
        return Region(start, closing.end(), "html")


def _after(position: int, closing: str, otherwise: int) -> int:
    return position + len(closing) if position >= 0 else otherwise
