"""Frontmatter: the YAML block at the head of a note, read as data and edited key by key.

It begins with a first line `---` and ends with the next line `---`. An edit changes the lines of
its key and no other byte; then the result is read again, and an edit that would not mean what was
meant, or would change what another key means, is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from echo_memory.errors import BadRequest, Unparseable
from echo_memory.yaml import edits as yaml_edits
from echo_memory.yaml.document import read
from echo_memory.yaml.nodes import Document, Entry
from echo_memory.yaml.scalars import Fault
from echo_memory.yaml.values import write, write_key

_BOM = "\ufeff"
_OPENING = re.compile(f"{_BOM}?---[ \t]*+\r?\n")
_CLOSING = re.compile(r"^---[ \t]*+(?:\r?\n|\Z)", re.MULTILINE)


@dataclass(frozen=True)
class _Block:
    """A note in parts, which joined are its text; `yaml` stands between the two lines `---`."""

    opening: str
    yaml: str
    closing: str
    body: str

    @property
    def eol(self) -> str:
        return _first_line_end(self.opening)


def _block(text: str) -> _Block | None:
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing:
        return None
    yaml = text[opening.end() : closing.start()]
    return _Block(opening[0], yaml, closing[0], text[closing.end() :])


def _first_line_end(text: str) -> str:
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def split(text: str) -> tuple[str, str]:
    """The frontmatter with its `---` lines and a BOM before it, and the rest.

    The first is empty where there is none: it takes both lines, and the first is the note's first.
    """
    block = _block(text)
    head = len(text) - len(block.body) if block else 0
    return text[:head], text[head:]


def parse(text: str) -> dict[str, Any]:
    """The frontmatter of a note as data that JSON can say; empty where there is none.

    All is as YAML 1.1 says, but that keys, dates, times and infinite numbers are strings, as they
    are written.

    Raises:
        Unparseable: it is not YAML, not a map, has a key twice, or something in it cannot be
            read surely; `line` says where in the file, from 1.
    """
    block = _block(text)
    return _document(block).values if block else {}


def _document(block: _Block) -> Document:
    try:
        return read(block.yaml)
    except Fault as fault:
        raise _unparseable(fault.reason, block, fault.at) from None


def _unparseable(reason: str, block: _Block, at: int) -> Unparseable:
    line = 2 + block.yaml.count("\n", 0, at)
    return Unparseable(
        f"The frontmatter cannot be read or edited surely at line {line}: {reason}. "
        "Correct it by hand; nothing was changed.",
        line=line,
    )


def render(values: Mapping[str, Any], *, date_keys: Collection[str] = ()) -> str:
    """A new block with both `---` lines, each line ended by LF.

    Args:
        values: what JSON can say; a list gets a line an item.
        date_keys: keys at which a date is written without quotes.

    Raises:
        BadRequest: a value is none of JSON's; `field` is its key.
    """
    _check(values)
    lines = [
        line
        for key, value in values.items()
        for line in yaml_edits.lines(key, value, date_keys=date_keys)
    ]
    return "\n".join(["---", *lines, "---", ""])


def _check(values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        try:
            write_key(key)
            write(value)
        except ValueError as error:
            raise BadRequest(
                f"This value cannot be written as frontmatter: {error}. Give text, a number, "
                "true, false or null, or lists and maps of these.",
                field=str(key).encode(errors="replace").decode(),
            ) from None


def set_keys(text: str, values: Mapping[str, Any], *, date_keys: Collection[str] = ()) -> str:
    """The note with these keys set; a key that has the value already keeps its bytes.

    A comment behind a value on one line stays, and a list stays in brackets or on lines of its
    own. A missing key is added at the end of the block, a missing block at the top of the note.

    Args:
        text: the whole note.
        values: what JSON can say.
        date_keys: keys at which a date is written without quotes.

    Raises:
        Unparseable: the frontmatter cannot be read surely, or not be edited without changing more.
        BadRequest: a value is none of JSON's; `field` is its key.
    """
    _check(values)
    if not values:
        return text
    block = _block(text) or _empty_block(text)
    document = _editable(block)
    entries = {entry.key: entry for entry in document.entries}
    edits: list[yaml_edits.Edit] = []
    added: list[str] = []
    for key, value in values.items():
        if key not in entries:
            added += yaml_edits.lines(key, value, indent=document.indent, date_keys=date_keys)
        elif _canonical(entries[key].node.value) != _canonical(value):
            edits += yaml_edits.replaced(
                block.yaml, entries[key], value, eol=block.eol, date_keys=date_keys
            )
    edits.append((document.end, document.end, "".join(line + block.eol for line in added)))
    return _edited(block, edits, {**document.values, **values})


def _empty_block(text: str) -> _Block:
    bom = _BOM if text.startswith(_BOM) else ""
    line = "---" + _first_line_end(text)
    return _Block(bom + line, "", line, text.removeprefix(bom))


def add_items(text: str, key: str, items: Iterable[Any]) -> str:
    """The note with these items in the list at `key`; those that are there keep their bytes.

    What is no list becomes one that begins with it; nothing and empty text become a list without.

    Raises:
        Unparseable: the frontmatter cannot be read surely, or not be edited without changing
            more, or a map stands at the key.
        BadRequest: an item is none of JSON's values.
    """
    asked = list(items)
    _check({key: asked})
    block = _block(text) or _empty_block(text)
    document = _editable(block)
    entry = _entry(document, key)
    held = _held(block, entry) if entry else []
    known = {_canonical(item) for item in held}
    missing = list(
        {word: item for item in asked if (word := _canonical(item)) not in known}.values()
    )
    if not missing:
        return text
    if not entry:
        return set_keys(text, {key: missing})
    edits = yaml_edits.extended(block.yaml, entry, missing, eol=block.eol)
    return _edited(block, edits, {**document.values, key: [*held, *missing]})


def _entry(document: Document, key: str) -> Entry | None:
    return next((entry for entry in document.entries if entry.key == key), None)


def _held(block: _Block, entry: Entry) -> list[Any]:
    value = entry.node.value
    if isinstance(value, dict):
        raise _unparseable("a map stands where items are to be added", block, entry.line)
    if isinstance(value, list):
        return value
    return [] if value in (None, "") else [value]


def _editable(block: _Block) -> Document:
    document = _document(block)
    if document.flow:
        raise _unparseable("its keys stand in braces and have no lines of their own", block, 0)
    return document


def _edited(block: _Block, edits: Iterable[yaml_edits.Edit], meant: Mapping[str, Any]) -> str:
    """The note with its block edited, once it is sure that the block means what was meant."""
    edits = sorted(edits)
    yaml = yaml_edits.applied(block.yaml, edits)
    text = block.opening + yaml + block.closing + block.body
    try:
        sure = _block(text) == _Block(block.opening, yaml, block.closing, block.body)
        sure = sure and _canonical(read(yaml).values) == _canonical(meant)
    except Fault:
        sure = False
    if not sure:
        reason = "a key that cannot be changed without changing more"
        raise _unparseable(reason, block, edits[0][0])
    return text


def _canonical(value: object) -> str:
    """A form in which values are equal only if they and their types are."""
    return json.dumps(value, sort_keys=True)
