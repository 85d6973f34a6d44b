"""YAML edits: what has to change in a document so that one key means something else.

An edit replaces a range of the document by new text. It keeps to the lines of its key: a comment
behind a value on one line stays, and a list stays in brackets or on lines of its own, as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from echo_memory.yaml.nodes import Entry, Node
from echo_memory.yaml.values import write, write_key

Edit = tuple[int, int, str]

_ITEM_INDENT = 2


def applied(yaml: str, edits: Iterable[Edit]) -> str:
    """The document with edits carried out, which are in order and do not overlap."""
    parts, done = [], 0
    for start, end, new in edits:
        parts += [yaml[done:start], new]
        done = end
    return "".join([*parts, yaml[done:]])


def lines(
    key: str, value: object, *, indent: int = 0, date_keys: Collection[str] = ()
) -> list[str]:
    """A key with its value, without line ends; a list gets a line an item.

    Raises:
        ValueError: it cannot be written, as `values.write` says.
    """
    name = " " * indent + write_key(key) + ":"
    if isinstance(value, list | tuple) and value:
        return [name, *_item_lines(value, indent + _ITEM_INDENT)]
    return [name + _behind_colon(_written(value, as_date=key in date_keys))]


def replaced(
    yaml: str, entry: Entry, value: object, *, eol: str, date_keys: Collection[str] = ()
) -> list[Edit]:
    """The edits that give a key another value."""
    node = entry.node
    if isinstance(value, list | tuple) and value and node.style != "[]":
        if node.style == "list":
            start = _line_start(yaml, node.content)
            items = _item_lines(value, node.content - start)
            return [(start, _line_stop(yaml, node.end), eol.join(items))]
        return _turned_into_list(yaml, entry, _item_lines(value, _indent(yaml, entry)), eol)
    written = _written(value, as_date=entry.key in date_keys)
    start, end = _room(yaml, entry)
    if start > entry.colon and written:
        return [(start, end, written)]
    return [(entry.colon, end, _behind_colon(written))]


def extended(yaml: str, entry: Entry, items: list[Any], *, eol: str) -> list[Edit]:
    """The edits that add items to a list; what is no list becomes the first item of one."""
    node = entry.node
    if node.style == "[]":
        written = [write(item, flow=True) for item in items]
        if node.items:
            return [(node.items[-1].end, node.items[-1].end, "".join(f", {w}" for w in written))]
        return [(node.content + 1, node.content + 1, ", ".join(written))]
    if node.style == "list":
        added = _item_lines(items, node.content - _line_start(yaml, node.content))
        end = _line_stop(yaml, node.items[-1].end)
        return [(end, end, "".join(eol + line for line in added))]
    indent = _indent(yaml, entry)
    held = _held_lines(yaml, node, indent)
    return _turned_into_list(yaml, entry, held + _item_lines(items, indent), eol)


def _held_lines(yaml: str, node: Node, indent: int) -> list[str]:
    """What stands at a key as items of a list; a value on one line as it is written."""
    if node.value in (None, ""):
        return []
    if isinstance(node.value, list):
        return _item_lines(node.value, indent)
    source = yaml[node.start : node.end]
    if "\n" in source or node.style == "block":
        return _item_lines([node.value], indent)
    return [" " * indent + "- " + source]


def _turned_into_list(yaml: str, entry: Entry, items: list[str], eol: str) -> list[Edit]:
    """The edits that put items on lines of their own below a key whose value was no such list."""
    _, end = _room(yaml, entry)
    stop = _line_stop(yaml, end)
    return [(entry.colon, end, ""), (stop, stop, "".join(eol + item for item in items))]


def _room(yaml: str, entry: Entry) -> tuple[int, int]:
    """The range that a new value on the key's line takes."""
    node = entry.node
    start = entry.colon if "\n" in yaml[entry.colon : node.start] else node.start
    if node.style in ("list", "map"):
        return start, _line_stop(yaml, node.end)
    if node.style != "empty":
        return start, node.end
    stop = _line_stop(yaml, node.end)
    return start, stop if yaml[node.end : stop].isspace() else node.end


def _indent(yaml: str, entry: Entry) -> int:
    """The indentation of a new list below a key."""
    key = yaml[entry.line : entry.colon]
    return len(key) - len(key.lstrip(" ")) + _ITEM_INDENT


def _item_lines(values: Iterable[object], indent: int) -> list[str]:
    return [" " * indent + "- " + write(value) for value in values]


def _written(value: object, *, as_date: bool) -> str:
    """A value behind a colon, where nothing says null."""
    return "" if value is None else write(value, as_date=as_date)


def _behind_colon(written: str) -> str:
    return f" {written}" if written else ""


def _line_start(yaml: str, at: int) -> int:
    return yaml.rfind("\n", 0, at) + 1


def _line_stop(yaml: str, at: int) -> int:
    """The offset of the line's end, which may be CRLF."""
    end = yaml.index("\n", at)
    return end - 1 if end > at and yaml[end - 1] == "\r" else end
