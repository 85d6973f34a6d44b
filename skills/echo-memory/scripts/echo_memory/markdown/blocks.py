"""Blocks: the block structure of a note's Markdown, line by line.

CommonMark with Obsidian's additions (frontmatter, comments, math, tables), read in one pass. Lines
end with a line feed, with or without a carriage return before it; every other separator is an
ordinary character.
"""

from __future__ import annotations

import re
from functools import lru_cache

from echo_memory.markdown.containers import Containers, Cursor
from echo_memory.markdown.rows import Blocks, Row
from echo_memory.markdown.spans import SPECIAL, Region, Spans

_FRONTMATTER = re.compile(
    r"\ufeff?---[ \t]*+\r?\n(?:(?!---[ \t]*+(?:\r?\n|\Z)).*\n)*+---[ \t]*+(?:\r?\n|\Z)"
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_MARKS = frozenset(" \t\ufeff>#`~=-*_+0123456789<|:$%[")  # a line may be more than text after one
_NOT_MARGIN = re.compile(r"[^>\s]")
_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_ATX = re.compile(r"#{1,6}(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+\Z")
_RULE = re.compile(r"(?:\*[ \t]*+){3,}\Z|(?:-[ \t]*+){3,}\Z|(?:_[ \t]*+){3,}\Z")
_DELIMITERS = re.compile(r"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_DEFINITION = re.compile(r"\[[^\]]++\]:")
_PARAGRAPH_END = re.compile(
    r"\n(?=[ \t]*+(?:\r?\n|\Z|[>|]|#{1,6}[ \t]|```|~~~|%%|\$\$|<!--|[-*+][ \t]|\d{1,9}[.)][ \t]"
    r"|[-=*_][-=*_ \t]*+\r?$))",
    re.MULTILINE,
)


def frontmatter_end(text: str) -> int:
    """The offset at which the frontmatter ends; 0 where there is none."""
    found = _FRONTMATTER.match(text)
    return found.end() if found else 0


@lru_cache(maxsize=4)
def read(text: str) -> Blocks:
    """The block structure of a text."""
    reader = _Reader(text)
    position = reader.frontmatter()
    for match in _LINE.finditer(text, position):
        reader.line(match.start(), match.end())
    closing = reader.finish()
    return Blocks(tuple(reader.rows), tuple(reader.regions), closing, reader.spans.dangling)


def _pipes(row: str) -> int:
    """How many pipes part the cells of a table row."""
    row = row.strip(" \t")
    outer = row.startswith("|") + (len(row) > 1 and row.endswith("|") and row[-2] != "\\")
    return len(_PIPE.findall(row)) - outer


class _Reader:
    """The state of one pass over a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rows: list[Row] = []
        self.regions: list[Region] = []
        self.spans = Spans(text)
        self._within = Containers()
        self._matched = 0  # how many containers the line goes on with
        self._leaf = ""  # the innermost block if it is open: text, table, fence or code
        self._leaf_row = 0
        self._fence = ""
        self._fence_start = 0
        self._swallowed = 0  # up to here a comment, math or raw HTML has taken the text
        self._scanned = 0  # up to here a span has
        self._paragraph_end = -1

    def frontmatter(self) -> int:
        """Read the frontmatter, if there is any; the offset at which the body starts."""
        found = _FRONTMATTER.match(self.text)
        if found is None:
            return 0
        self.regions.append(Region(0, found.end(), "frontmatter"))
        for match in _LINE.finditer(self.text, 0, found.end()):
            start, end = match.span()
            self.rows.append(Row(start, start, self._stop(start, end), end, "frontmatter", 0, ()))
        return found.end()

    def finish(self) -> str:
        """Close what is open at the end of the text; the line that would have closed it."""
        text, closing = self.text, ""
        if self._leaf == "fence":
            opening = self.rows[self._leaf_row]
            marks = _NOT_MARGIN.sub(" ", text[opening.start : opening.content])
            closing = "" if self._within.stack else self._fence
            self.spans.dangling = marks + self._fence
            self.regions.append(Region(self._fence_start, len(text), "fence"))
        elif self.regions and self.regions[-1].kind == "comment":
            start, end, _ = self.regions[-1]
            sign = "%%" if text.startswith("%%", start) else "-->"
            if end == len(text) and not (text.endswith(sign) and end - start >= 4):
                closing = sign
        return closing

    def line(self, start: int, end: int) -> None:
        """Read the next line."""
        stop = self._stop(start, end)
        if start < self._swallowed:
            self._add(start, start, stop, end, "opaque")
            if self._swallowed < stop:
                self._inline(self._swallowed, stop, stop)
            return
        if not self._within.stack and self._leaf in ("", "text"):
            if start == stop:
                self._leaf, self._leaf_row = "", len(self.rows)
                self._add(start, stop, stop, end, "blank")
                return
            if self.text[start] not in _MARKS:
                if not self._leaf:
                    self._leaf_row = len(self.rows)
                self._content("text", start, start, stop, end)
                return
        self._marked(start, stop, end)

    def _marked(self, start: int, stop: int, end: int) -> None:
        """Read a line that may be more than plain text at the outermost level."""
        bom = start == 0 and self.text.startswith("\ufeff")
        cursor = Cursor(self.text[start:stop], int(bom))
        matched = self._matched = self._within.match(cursor)
        if self._leaf == "fence":
            if matched == len(self._within):
                self._in_fence(cursor, start, stop, end)
                return
            self.regions.append(Region(self._fence_start, self.rows[-1].stop, "fence"))
            self._leaf = ""
        if cursor.blank:
            self._blank(matched, start, stop, end)
            return
        kind = self._open(cursor, matched)
        if kind == "fence":
            found = _FENCE.match(cursor.line, cursor.at)
            self._fence = found[0] if found else ""
            self._fence_start = start + cursor.at
        self._content(kind, start, start + cursor.at, stop, end)

    def _stop(self, start: int, end: int) -> int:
        if self.text[end - 1] != "\n":
            return end
        return end - 2 if end - 2 >= start and self.text[end - 2] == "\r" else end - 1

    def _add(self, start: int, content: int, stop: int, end: int, kind: str) -> None:
        self.rows.append(Row(start, content, stop, end, kind, self._leaf_row, self._within.stack))

    def _close(self, depth: int) -> None:
        """End the containers deeper than a depth and the innermost block; one starts here."""
        self._within.close(depth)
        self._leaf = ""
        self._leaf_row = len(self.rows)

    def _blank(self, matched: int, start: int, stop: int, end: int) -> None:
        self._close(matched)
        bare = not self.text[start:stop].strip(" \t\ufeff")
        self._add(start, stop, stop, end, "blank" if bare else "text")

    def _in_fence(self, cursor: Cursor, start: int, stop: int, end: int) -> None:
        rest = cursor.line[cursor.at :].rstrip(" \t")
        self._add(start, start + cursor.at, stop, end, "fence")
        closes = len(rest) >= len(self._fence) and rest == self._fence[0] * len(rest)
        if closes and cursor.indent < 4:
            self.regions.append(Region(self._fence_start, stop, "fence"))
            self._leaf = ""

    def _open(self, cursor: Cursor, matched: int) -> str:
        """Open the containers that begin on this line; what kind of line follows them."""
        while not cursor.blank and cursor.indent < 4:
            kind = self._starts(cursor, matched)
            if kind:
                if kind != "setext":
                    self._close(matched)
                return kind
            in_paragraph = self._leaf == "text" and matched == len(self._within)
            row = len(self.rows)
            if not self._within.open(cursor, matched, row, in_paragraph=in_paragraph):
                break
            matched += 1
            self._leaf, self._leaf_row = "", row
        return self._continues(cursor, matched)

    def _starts(self, cursor: Cursor, matched: int) -> str:
        line, at = cursor.line, cursor.at
        if line[at] == "#":
            return "heading" if _ATX.match(line, at) else ""
        if line[at] in "`~":
            return "fence" if _FENCE.match(line, at) else ""
        if line[at] not in "=-*_":
            return ""
        if self._leaf == "text" and matched == len(self._within) and _UNDERLINE.match(line, at):
            first = self.rows[self._leaf_row]
            if not _DEFINITION.match(self.text, first.content, first.stop):
                return "setext"
        return "rule" if _RULE.match(line, at) else ""

    def _continues(self, cursor: Cursor, matched: int) -> str:
        if self._leaf == "text":
            if matched < len(self._within):
                return "lazy"
            return "table" if self._is_table(cursor) else "text"
        if self._leaf == "table" and matched == len(self._within):
            return "table"
        if cursor.indent >= 4 and not cursor.blank:
            if self._leaf != "code" or matched < len(self._within):
                self._close(matched)
            return "code"
        self._close(matched)
        return "text"

    def _is_table(self, cursor: Cursor) -> bool:
        if "|" not in cursor.line or not _DELIMITERS.match(cursor.line, cursor.at):
            return False
        header = self.rows[-1]
        names = self.text[header.content : header.stop]
        if (
            header.kind != "text"
            or "|" not in names
            or _pipes(names) != _pipes(cursor.line[cursor.at :])
        ):
            return False
        self._leaf_row = len(self.rows) - 1
        self.rows[-1] = header._replace(kind="table", leaf=self._leaf_row)
        return True

    def _content(self, kind: str, start: int, content: int, stop: int, end: int) -> None:
        if kind == "code":
            self._code(content, stop)
            self._add(start, content, stop, end, "fence")
            return
        if kind in ("heading", "table"):
            self._inline(content, stop, stop)
        elif kind in ("text", "lazy"):
            found = self._paragraph(kind, content, stop)
            if found == "opaque":
                self._close(self._matched if kind == "lazy" else len(self._within))
            kind = found
        self._add(start, content, stop, end, kind)
        leaf = "text" if kind == "lazy" else kind
        ended = content == stop or self._swallowed > stop
        self._leaf = leaf if leaf in ("text", "table", "fence") and not ended else ""

    def _code(self, content: int, stop: int) -> None:
        if self._leaf == "code":
            self.regions[-1] = self.regions[-1]._replace(end=stop)
        else:
            self.regions.append(Region(content, stop, "fence"))
        self._leaf = "code"

    def _paragraph(self, kind: str, content: int, stop: int) -> str:
        """Find the spans of a line of text; the line may turn out to be a block that is not."""
        if not SPECIAL.search(self.text, content, stop):
            return kind
        if stop > self._paragraph_end:
            found = _PARAGRAPH_END.search(self.text, stop)
            self._paragraph_end = found.start() if found else len(self.text)
        before = len(self.regions)
        opens = content >= self._scanned
        self._inline(max(content, self._scanned), stop, self._paragraph_end, opens=opens)
        if before == len(self.regions):
            return kind
        first = self.regions[before]
        whole = first.start == content and not self.text[first.end : stop].strip(" \t")
        block = first.kind == "comment" or first.end > stop or self.text.startswith("$$", content)
        return "opaque" if whole and block and first.kind != "code" else kind

    def _inline(self, start: int, stop: int, leaf_end: int, *, opens: bool = False) -> None:
        for region in self.spans.scan(start, stop, leaf_end, opens=opens):
            self.regions.append(region)
            self._scanned = region.end
            if region.kind != "code" and region.end > stop:
                self._swallowed = region.end
