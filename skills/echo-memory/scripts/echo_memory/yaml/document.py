"""YAML document: the reader of lists and maps by indentation, and so of the whole.

A subset of YAML: one document whose root is a map, with keys that are text and occur once. What
PyYAML and YAML 1.2 take apart differently and what is rare (complex keys, merge keys, tags but
`!!str`) is refused, not guessed at.
"""

from __future__ import annotations

import re

from echo_memory.yaml.flow import MAX_KEY, FlowReader
from echo_memory.yaml.nodes import Document, Entry, Node
from echo_memory.yaml.scalars import Fault, block, plain_line, quoted

# The characters of YAML without those that only YAML 1.1 takes for line ends.
_FORBIDDEN = re.compile(
    "\\A\ufeff|[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|\r(?!\n)"
)
_BEGIN = re.compile(r"^---(?=[ \t\r\n])", re.MULTILINE)
_END = re.compile(r"^\.\.\.(?=[ \t\r\n])", re.MULTILINE)
_REMARKS = re.compile(r"(?: *+(?:(?<![^ \n])#[^\n]*+)?+\r?\n)++")
_LINE_REST = re.compile(r" *+(?:(?<![^ \n])#[^\n]*+)?+(?:\r?\n|\Z)")
_SPACES = re.compile(r" *+")
_COLON = re.compile(r" *+:(?=[ \t\r\n])")
_OPERATORS = ("<<", "=")
_DASH = re.compile(r"-(?=[ \t\r\n])")


def read(text: str) -> Document:
    """Read a document whose last line, if there is one, has a line end.

    Raises:
        Fault: it is not YAML, not a map, or not in the subset.
    """
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        raise Fault("a character that YAML does not allow", forbidden.start())
    second = _BEGIN.search(text)
    if second:
        raise Fault("a second document", second.start())
    mark = _END.search(text)
    if not mark:
        return _DocumentReader(text).document()
    if not _REMARKS.fullmatch(text, mark.end()):
        raise Fault("text behind the end of the document", mark.start())
    document = _DocumentReader(text[: mark.start()]).document()
    if not document.entries and not document.flow:
        raise Fault("the end of a document that has not begun", mark.start())
    return document


class _DocumentReader(FlowReader):
    """A reader that knows lines and their indentation too."""

    def document(self) -> Document:
        self.skip()
        end = len(self.text)
        if self.pos == end:
            return Document((), {}, 0, end)
        if self.peek() == "{":
            document = Document((), self._inline(-1, 0).value, 0, end, flow=True)
            self.skip()
        else:
            column = self._column()
            if self._key() is None:
                self.fail("not a list of keys with their values")
            entries = self._entries(column, 1)
            values = {entry.key: entry.node.value for entry in entries}
            document = Document(tuple(entries), values, column, end)
        if self.pos < end:
            self.fail("a line is not indented like its neighbours")
        return document

    def _column(self) -> int:
        return self.pos - self.text.rfind("\n", 0, self.pos) - 1

    def _key(self) -> tuple[str, int] | None:
        """The key that begins here, and the offset behind its colon; does not move."""
        start = self.pos
        if self.peek() in ("'", '"'):
            scalar = quoted(self.text, start)
            key, end = scalar.text, scalar.end
        else:
            end = plain_line(self.text, start, flow=False) or start
            key = self.text[start:end]
        colon = _COLON.match(self.text, end) if end > start else None
        if not colon or "\n" in self.text[start:end]:
            return None
        if colon.end() - start > MAX_KEY or self.text[start:end] in _OPERATORS:
            self.fail("a key that is too long, or an operator of YAML 1.1")
        return key, colon.end()

    def _entries(self, column: int, depth: int) -> list[Entry]:
        """The keys and values of the map whose first key stands here, in this column."""
        self.check_depth(depth)
        entries: list[Entry] = []
        known: set[str] = set()
        while True:
            found = self._key()
            if found is None:
                self.fail("a key with a colon is missing")
            key, colon = found
            self.check_new(key, known)
            known.add(key)
            line = self.pos - column
            self.pos = colon
            entries.append(Entry(key, line, colon, self._value(column, depth, in_map=True)))
            if not self._another(column):
                return entries

    def _another(self, column: int) -> bool:
        """Whether the next line stands in this column."""
        self.skip()
        if self.pos == len(self.text) or self._column() < column:
            return False
        if self._column() > column:
            self.fail("a line is not indented like its neighbours")
        return True

    def _sequence(self, column: int, depth: int, *, flush: bool) -> Node:
        """The list whose first dash stands here; `flush`: in the column of its key."""
        self.check_depth(depth)
        start = self.pos
        items: list[Node] = []
        while _DASH.match(self.text, self.pos):
            self.pos += 1
            items.append(self._value(column, depth, in_map=False))
            if not self._another(column):
                break
        else:
            if not flush:
                self.fail("a dash is missing")
        values = [item.value for item in items]
        return Node(values, start, items[-1].end, "list", start, tuple(items))

    def _value(self, parent: int, depth: int, *, in_map: bool) -> Node:
        """What stands behind a colon or dash, on its line or further indented below."""
        behind = self.pos
        found = _SPACES.match(self.text, behind)
        self.pos = found.end() if found else behind
        properties = self.prefix()
        below = bool(_LINE_REST.match(self.text, self.pos))
        if below and not self._indented_below(parent, in_map=in_map):
            if properties:
                self.fail("an anchor or tag without a value")
            self.pos = behind
            return Node(None, behind, behind, "empty", behind)
        if below or not (in_map or properties):
            return self.finished(self._collection(parent, depth), properties)
        return self.finished(self._inline(parent, depth), properties)

    def _indented_below(self, parent: int, *, in_map: bool) -> bool:
        """Move to the next line with something on it; whether it belongs to the parent."""
        self.skip()
        if self.pos == len(self.text):
            return False
        column = self._column()
        flush = in_map and column == parent and _DASH.match(self.text, self.pos)
        return column > parent or bool(flush)

    def _collection(self, parent: int, depth: int) -> Node:
        """A node at a place where a list or map may begin."""
        column, start = self._column(), self.pos
        if _DASH.match(self.text, start):
            return self._sequence(column, depth + 1, flush=column == parent)
        if self._key() is None:
            return self._inline(parent, depth)
        entries = self._entries(column, depth + 1)
        values = {entry.key: entry.node.value for entry in entries}
        return Node(values, start, entries[-1].node.end, "map", start)

    def _inline(self, parent: int, depth: int) -> Node:
        """A scalar, an alias or brackets, and nothing behind them on the line."""
        start = self.pos
        if self.peek() in ("|", ">"):
            scalar = block(self.text, start, parent)
            self.pos = scalar.end
            return Node(scalar.text, start, scalar.end, "block", start)
        node = self.atom(depth, flow=False, indent=parent + 1)
        if not _LINE_REST.match(self.text, self.pos):
            self.fail("text behind a value; quote a value with `: ` or ` #` in it")
        return node
