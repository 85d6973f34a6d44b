"""Anchors: the block ids of a note (`^id`), each with the block that carries it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from echo_memory.errors import BadRequest, InvalidTarget
from echo_memory.markdown import blocks
from echo_memory.markdown.rows import Row

MAX_LISTED = 500  # ids that an error lists

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(r">|[-*+](?=[ \t]|\Z)|\d{1,9}[.)]|\[\^[^\]\s]++\]:")
_CARRIERS = ("text", "lazy", "table", "heading")


@dataclass(frozen=True)
class Anchor:
    """A block id and its block, in indices of the note's rows.

    Attributes:
        name: the id, without its `^`.
        row: the row that carries it.
        alone: it stands on a line of its own, below the block.
        first: the block's first row.
        last: the block's last row; what is nested in an item is part of it.
        text: the first row of the text that the id names, where that is not the whole block: of an
            item it is the paragraph alone.
        kind: `item`, `quote` or the kind of the first row.
        prefix: what a line beside the block begins with, where it is in a list or a quote.
    """

    name: str
    row: int
    alone: bool
    first: int
    last: int
    text: int
    kind: str
    prefix: str


def find(text: str, target: str) -> Anchor:
    """The anchor that a caller names, with or without `^`; as written, else in any case.

    Raises:
        BadRequest: the target is empty.
        InvalidTarget: no block, or more than one, has that id; `blocks` lists the ids.
    """
    wanted = target.strip().removeprefix("^")
    if not wanted:
        raise BadRequest("target is empty. Name the block by its ^id.", field="target")
    rows = blocks.read(text).rows
    marks = [(name, at) for at in range(len(rows)) if (name := _name(text, rows, at))]
    chosen = [mark for mark in marks if mark[0] == wanted] or [
        mark for mark in marks if mark[0].casefold() == wanted.casefold()
    ]
    if len(chosen) == 1:
        return _anchor(text, rows, *chosen[0])
    names = [f"^{name}" for name, _ in marks[:MAX_LISTED]]
    shown = f"^{wanted[:40]}"
    if chosen:
        message = f"{len(chosen)} blocks have the id {shown!r}. Rename all but one in the note."
    elif names:
        message = f"The note has no block {shown!r}. Name one of those listed."
    else:
        message = (
            f"The note has no block {shown!r}, nor any other. Patch a heading, or let a person"
            " write ^id at the end of the block."
        )
    raise InvalidTarget(message, blocks=names)


def _name(text: str, rows: Sequence[Row], at: int) -> str:
    """The id at the end of a row that is the last of its paragraph; else empty."""
    row = rows[at]
    if row.kind not in _CARRIERS or text.find("^", row.content, row.stop) < 0:
        return ""
    before, _, name = text[row.content : row.stop].rstrip(" \t").rpartition("^")
    if not _NAME.fullmatch(name) or (before and before[-1] not in " \t"):
        return ""
    if at + 1 < len(rows) and rows[at + 1].leaf == row.leaf and rows[at + 1].kind in _CARRIERS:
        return ""
    return "" if _is_alone(text, row, at) and not _names_block(rows, at) else name


def _names_block(rows: Sequence[Row], at: int) -> bool:
    """Whether there is a block that an id on a line of its own can name."""
    row, above = rows[at], _above(rows, at)
    if at + 1 < len(rows) and rows[at + 1].kind == "setext" and rows[at + 1].leaf == row.leaf:
        return False
    contained = bool(row.containers) and row.kind != "lazy"
    return contained or (above >= 0 and rows[above].kind not in ("heading", "setext"))


def _is_alone(text: str, row: Row, at: int) -> bool:
    opens = any(container.first == at for container in row.containers)
    return text[row.content] == "^" and not opens


def _above(rows: Sequence[Row], at: int) -> int:
    """The row above that is not blank; -1 if there is none in the body."""
    above = at - 1
    while above >= 0 and rows[above].kind == "blank":
        above -= 1
    return above if above >= 0 and rows[above].kind != "frontmatter" else -1


def _anchor(text: str, rows: Sequence[Row], name: str, at: int) -> Anchor:
    row = rows[at]
    if _is_alone(text, row, at):
        last = _above(rows, at)
        if row.containers and row.kind != "lazy":
            return _contained(text, rows, name, at, alone=True)
        first = rows[last].block
        quote = rows[first].containers and rows[first].containers[0].marker == ">"
        kind = "quote" if quote else "list" if rows[first].containers else rows[first].kind
        return Anchor(name, at, True, first, last, first, kind, "")
    if row.containers:
        return _contained(text, rows, name, at, alone=False)
    underlined = at + 1 < len(rows) and rows[at + 1].leaf == row.leaf and row.kind == "text"
    return Anchor(name, at, False, row.leaf, at + underlined, row.leaf, row.kind, "")


def _contained(text: str, rows: Sequence[Row], name: str, at: int, *, alone: bool) -> Anchor:
    """The anchor of an item, or of a whole quote."""
    row = rows[at]
    depth = len(row.containers) - 1
    quote = row.containers[depth].marker == ">"
    while quote and depth and row.containers[depth - 1].marker == ">":
        depth -= 1
    container = row.containers[depth]
    last = at
    while last + 1 < len(rows) and rows[last + 1].containers[depth : depth + 1] == (container,):
        last += 1
    while rows[last].kind == "blank":
        last -= 1
    first = container.first
    text_row = first if quote or (alone and row.leaf == at) else row.leaf
    prefix = _prefix(text, rows[first], first, depth)
    kind = "quote" if quote else "item"
    return Anchor(name, at, alone, first, last, text_row, kind, prefix)


def _prefix(text: str, row: Row, at: int, depth: int) -> str:
    """What stands before the marker that opens a container on a row, markers made space."""
    tokens = list(_TOKEN.finditer(text, row.start, row.content))
    marked = [inner for inner in row.containers[:depth] if inner.marker == ">" or inner.first == at]
    end = tokens[len(marked)].start() if len(marked) < len(tokens) else row.start
    return re.sub(r"[^>\s]", " ", text[row.start : end])
