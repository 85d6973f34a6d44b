"""YAML flow: the reader of what may stand in brackets: scalars, aliases, `[…]` and `{…}`."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from echo_memory.yaml.nodes import Node
from echo_memory.yaml.scalars import Fault, fold, plain, quoted
from echo_memory.yaml.values import MAX_DEPTH, resolve

MAX_KEY = 1024
# Aliases of aliases grow exponentially once they are written out: a bound on what they stand for.
_MAX_COPIED = 100_000
# Far more than anybody's frontmatter has; it bounds the time that reading and editing take.
_MAX_NODES = 20_000

_BLANK = re.compile(r"(?: *+(?:(?<![^ \n])#[^\n]*+)?+\r?\n)*+ *+")
_COLON = re.compile(r" *+:")
_PROPERTY = re.compile(r"(?:&([0-9A-Za-z_-]++)|(!!str))(?=[ \r\n]) *+")
_ALIAS = re.compile(r"\*([0-9A-Za-z_-]++)(?=[ \r\n,\]}])")


@dataclass(frozen=True)
class Properties:
    """What stands before a node: an anchor's name and a `!!str`; false when it is neither.

    `start` is where they begin, `copied` how much text aliases stood for until there.
    """

    start: int
    anchor: str
    tagged: bool
    copied: int

    def __bool__(self) -> bool:
        return self.tagged or bool(self.anchor)


class FlowReader:
    """A position in a text that moves on as nodes are read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._copied = 0
        self._nodes = 0

    def fail(self, reason: str) -> NoReturn:
        """Stop at this position."""
        raise Fault(reason, self.pos)

    def peek(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.pos : self.pos + 1]

    def skip(self) -> None:
        """Pass blanks, comments and line ends."""
        found = _BLANK.match(self.text, self.pos)
        self.pos = found.end() if found else self.pos

    def check_depth(self, depth: int) -> None:
        """Refuse to go deeper than is safe."""
        if depth > MAX_DEPTH:
            self.fail("lists and maps are nested too deep")

    def check_new(self, key: str, known: Container[str]) -> None:
        """Refuse a key that occurs twice."""
        if key in known:
            self.fail("a key occurs twice")

    def atom(self, depth: int, *, flow: bool = True, indent: int = 0) -> Node:
        """A node without anchor and tag; `indent` is the least one of further plain lines."""
        start, char = self.pos, self.peek()
        if char in ("[", "{"):
            return self._brackets(depth + 1)
        if char == "*":
            return self._alias()
        if char in ("'", '"'):
            scalar = quoted(self.text, start)
            self.pos = scalar.end
            return Node(scalar.text, start, scalar.end, "quoted", start)
        scalar = plain(self.text, start, flow=flow, indent=indent)
        try:
            value = resolve(scalar.text)
        except ValueError:
            self.fail("a number that cannot be read, or an operator of YAML 1.1")
        self.pos = scalar.end
        return Node(value, start, scalar.end, "plain", start)

    def _alias(self) -> Node:
        start = self.pos
        found = _ALIAS.match(self.text, start)
        if not found or found[1] not in self._anchors:
            self.fail("an alias without its anchor")
        node, size = self._anchors[found[1]]
        self._copied += size
        if self._copied > _MAX_COPIED:
            self.fail("aliases stand for too much text")
        self.pos = found.end()
        return Node(node.value, start, self.pos, "alias", start)

    def _brackets(self, depth: int) -> Node:
        self.check_depth(depth)
        start, opening = self.pos, self.peek()
        closing = "]" if opening == "[" else "}"
        self.pos += 1
        items: list[Node] = []
        pairs: dict[str, Any] = {}
        self.skip()
        while self.peek() != closing:
            item = self._item(depth)
            value = self._value_of(item, depth, closing)
            if closing == "}":
                self._add(pairs, item, value)
            else:
                items.append(self._single_pair(item, value) if value else item)
            self._pass_comma(closing)
        self.pos += 1
        if closing == "}":
            return Node(pairs, start, self.pos, "{}", start)
        return Node([item.value for item in items], start, self.pos, "[]", start, tuple(items))

    def _pass_comma(self, closing: str) -> None:
        self.skip()
        if self.peek() == ",":
            self.pos += 1
            self.skip()
        elif self.peek() != closing:
            self.fail("brackets that do not end, or a comma that is missing")

    def _item(self, depth: int) -> Node:
        properties = self.prefix()
        return self.finished(self.atom(depth), properties)

    def _value_of(self, key: Node, depth: int, closing: str) -> Node | None:
        """The value of what was just read, if a colon follows and makes it a key."""
        colon = _COLON.match(self.text, self.pos)
        if not colon:
            return None
        if "\n" in self.text[key.start : key.end] or colon.end() - key.start > MAX_KEY:
            self.fail("a key over several lines, or too long")
        behind = self.pos = colon.end()
        self.skip()
        if self.peek() in (",", closing):
            return Node(None, behind, behind, "empty", behind)
        return self._item(depth)

    def _add(self, pairs: dict[str, Any], key: Node, value: Node | None) -> None:
        words = self._key_words(key)
        self.check_new(words, pairs)
        pairs[words] = value.value if value else None

    def _single_pair(self, key: Node, value: Node) -> Node:
        """`[a: b]`, which is a list of one map."""
        return Node({self._key_words(key): value.value}, key.start, value.end, "{}", key.start)

    def _key_words(self, key: Node) -> str:
        if key.style not in ("plain", "quoted") or key.start != key.content:
            self.fail("a key that is not simply text")
        return self._words(key)

    def _words(self, node: Node) -> str:
        """A scalar's text, whatever it means."""
        if node.style == "plain":
            return fold(self.text[node.content : node.end])
        return str(node.value)

    def prefix(self) -> Properties:
        """Begin a node: pass its anchor and its `!!str`, in either order."""
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            self.fail("too many values")
        start, anchor, tagged = self.pos, "", False
        while self.peek() in ("&", "!"):
            found = _PROPERTY.match(self.text, self.pos)
            if not found or (anchor and found[1]) or (tagged and found[2]):
                self.fail("a tag or an anchor of an unusual kind")
            anchor, tagged = anchor or found[1] or "", tagged or bool(found[2])
            self.pos = found.end()
        return Properties(start, anchor, tagged, self._copied)

    def finished(self, node: Node, properties: Properties) -> Node:
        """A node with the anchor and tag that stand before it."""
        anchor = properties.anchor
        if not properties:
            return node
        if node.style == "alias" or anchor in self._anchors:
            self.fail("an anchor that occurs twice, or on an alias")
        if properties.tagged:
            if node.style not in ("plain", "quoted", "block"):
                self.fail("a list or map that is tagged as text")
            node = replace(node, value=self._words(node))
        node = replace(node, start=properties.start)
        if anchor:
            size = node.end - node.start + self._copied - properties.copied
            self._anchors[anchor] = (node, size)
        return node
