"""YAML nodes: the values of a document that was read, each with its place in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Style = Literal["empty", "plain", "quoted", "block", "alias", "list", "map", "[]", "{}"]


@dataclass(frozen=True)
class Node:
    """One value.

    Attributes:
        value: what it means: what JSON can say, keys as they are written.
        start: offset of its first character, an anchor or tag included.
        end: offset behind its last one; what follows on the line is blank or a comment.
        style: how it is written; `block` is text below `|` or `>`, `list` and `map` are by
            indentation.
        content: offset of its first character behind anchor and tag.
        items: the nodes of a list.
    """

    value: Any
    start: int
    end: int
    style: Style
    content: int
    items: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A key with its value; `line` is where its line begins, `colon` is behind the colon."""

    key: str
    line: int
    colon: int
    node: Node


@dataclass(frozen=True)
class Document:
    """A root map.

    Attributes:
        entries: its keys, in order.
        values: the same as data.
        indent: the column of its keys.
        end: offset at which lines can be added.
        flow: it is written in braces, and `entries` is empty.
    """

    entries: tuple[Entry, ...]
    values: dict[str, Any]
    indent: int
    end: int
    flow: bool = False
