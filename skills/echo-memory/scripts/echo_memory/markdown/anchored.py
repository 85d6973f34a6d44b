"""Anchored edits: adding beside the block that carries an id, or replacing its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echo_memory.errors import BadRequest
from echo_memory.markdown import anchors, blocks, seams
from echo_memory.markdown.anchors import Anchor
from echo_memory.markdown.rows import Row

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|\Z)")
_BOX = re.compile(r"\[.\][ \t]+")
_HASHES = re.compile(r"#{1,6}[ \t]+")
_NOT_MARGIN = re.compile(r"[^>\s]")
_CALLOUT = re.compile(r"[ \t]*>[ \t]*\[!")


def patch_block(text: str, operation: str, target: str, content: str) -> str:
    """A note with lines before or after a block, or with the block's text replaced.

    What is added to an item stands beside it, at its indent and after what is nested in it; what
    goes on with a list, table or quote is added to it. A replacement keeps the id, and the marks of
    an item, quote or heading where it brings none.

    Raises:
        BadRequest: the target is empty, or the content is and should replace something.
        InvalidTarget: no block, or more than one, has that id; `blocks` lists the ids.
    """
    anchor = anchors.find(text, target)
    lines = seams.lines_of(content)
    if lines and lines[-1].strip() == f"^{anchor.name}":
        lines = seams.lines_of("\n".join(lines[:-1]))
    if all(line.startswith(anchor.prefix) for line in lines if line):
        lines = [line.removeprefix(anchor.prefix) for line in lines]
    if operation == "replace":
        return _replaced(text, anchor, lines)
    if not lines:
        return text
    if operation == "prepend":
        at = _below_head(text, anchor, lines) or anchor.first
    else:
        at = _below(text, anchor, lines)
        if _would_lose_id(anchor, lines):
            lines = [">", *lines]
    return seams.put(text, at, at, lines, prefix=anchor.prefix)


def _would_lose_id(anchor: Anchor, lines: Sequence[str]) -> bool:
    """Whether lines of a quote would go on with the paragraph that ends with its id."""
    ends = anchor.kind == "quote" and anchor.row == anchor.last
    return ends and lines[0].startswith(">") and not _CALLOUT.match(lines[0])


def _below_head(text: str, anchor: Anchor, lines: Sequence[str]) -> int:
    """The row below the head of a table, where lines are rows for it; else 0."""
    at = anchor.first + 2
    return at if anchor.kind == "table" and seams.goes_on(text, at, lines) else 0


def _below(text: str, anchor: Anchor, lines: Sequence[str]) -> int:
    """The row before which lines stand below a block, and below its id unless they go on."""
    at = anchor.last + 1
    rows = blocks.read(text).rows
    lazy = rows[anchor.row].kind == "lazy"
    if anchor.alone and (lazy or not seams.goes_on(text, at, lines)):
        return max(at, anchor.row + 1)
    if rows[anchor.last].kind in ("heading", "setext"):
        while at < len(rows) and rows[at].kind == "blank":
            at += 1
    return at


def _replaced(text: str, anchor: Anchor, lines: list[str]) -> str:
    if not lines:
        raise BadRequest("content is empty. Give the text that replaces it.", field="content")
    rows = blocks.read(text).rows
    first, last = _below_head(text, anchor, lines) or anchor.text, anchor.row
    heading = rows[anchor.last].kind in ("heading", "setext")
    if heading and len(lines) > 1:
        raise BadRequest("content has more than one line. A heading is one.", field="content")
    if anchor.alone:
        last -= 1
        while rows[last].kind == "blank":
            last -= 1
    elif anchor.kind == "quote":
        last = anchor.last
    quoted = lines[0].lstrip().startswith(">")
    titled = anchor.kind == "quote" and _CALLOUT.match(text, rows[first].start)
    if titled and not quoted and first < last:
        first += 1
    shaped = _shaped(text, rows[first], anchor, lines, opens=first == anchor.first)
    if not anchor.alone:
        shaped = _with_id(shaped, anchor, inline=heading or _ends_in_text(lines))
    return seams.put(text, first, last + 1, shaped)


def _ends_in_text(lines: Sequence[str]) -> bool:
    return blocks.read("\n" + "\n".join(lines)).rows[-1].kind in ("text", "lazy", "heading")


def _shaped(text: str, row: Row, anchor: Anchor, lines: list[str], *, opens: bool) -> list[str]:
    """Lines with the marks that the block had, where they bring none of their own."""
    head = text[row.start : row.content]
    if anchor.kind == "heading":
        hashes = _HASHES.match(text, row.content, row.stop)
        bare = hashes is not None and not _HASHES.match(lines[0])
        return [hashes[0] + lines[0], *lines[1:]] if hashes and bare else lines
    if anchor.kind == "quote" and not lines[0].lstrip().startswith(">"):
        lines = [f"> {line}".rstrip(" ") for line in lines]
    elif anchor.kind == "item" and not (opens and _ITEM.match(lines[0])):
        box = _BOX.match(text, row.content, row.stop) if opens else None
        kept = box[0] if box and not _BOX.match(lines[0]) and _ends_in_text(lines[:1]) else ""
        indent = _NOT_MARGIN.sub(" ", head)
        return [head + kept + lines[0], *(indent + line if line else line for line in lines[1:])]
    return [anchor.prefix + line if line else line for line in lines]


def _with_id(lines: list[str], anchor: Anchor, *, inline: bool) -> list[str]:
    """Lines that carry the id: at the end of their text, or below another block."""
    mark = f"^{anchor.name}"
    last = lines[-1].rstrip(" \t")
    if last.endswith(f" {mark}"):
        return lines
    if inline:
        return [*lines[:-1], f"{last} {mark}"]
    margin = ""
    if anchor.kind == "item":
        opening = _ITEM.match(lines[0], len(anchor.prefix))
        margin = lines[0][: opening.end() if opening else len(anchor.prefix)]
        margin = _NOT_MARGIN.sub(" ", margin)
    return [*lines, margin.rstrip(" \t"), margin + mark]
