"""signal-export's Markdown: the rows of a `chat.md`, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from echo_archive.importers.text_lines import text_lines

MAX_BLOCK = 4_000_000
_HEADER = re.compile(
    r"^\[(\d{4}-\d\d-\d\d,? \d\d:\d\d(?::\d\d)?)\] ([^:\n]{0,200}): ?(.*)$", re.DOTALL
)
_FILE = re.compile(r"!?\[([^\n]*)\]\(((?:\./)?media/\S+|\.\./exported_stickers/\S+)\) {0,2}\Z")
_LONGEST_FILE = 4_000
_NOT_EXPORTED = re.compile(r"\((?:media|attachment) not exported\) {0,2}\Z")
_LOOSE_STICKER = re.compile(r"\n?\(\( (\S+) \)\)\s*\Z")
_REACTIONS = re.compile(r"\n\(- (.+) -\)\s*\Z")
_REACTION = re.compile(r"(.+?): ([^\s,]+)(?:, |$)")
_QUOTE = re.compile(r"\A\s*\n((?:>[^\n]*\n)+)\n?")
DELETED = "(This message was deleted)"


@dataclass(frozen=True, slots=True)
class Block:
    """The text of one message with its line in the file."""

    date: str
    sender: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Row:
    """One message as signal-export tells it.

    Attributes:
        date: Wall-clock time as written.
        reactions: Name and emoji.
        sticker: Emoji and path, which is None where there is no file.
        attachments: Name and path, or None for one that was not exported.
    """

    date: str
    sender: str
    body: str
    quote: str = ""
    reactions: tuple[tuple[str, str], ...] = ()
    sticker: tuple[str, str | None] | None = None
    attachments: tuple[tuple[str, str] | None, ...] = ()
    deleted: bool = False
    call: bool = False


def blocks(file: BinaryIO) -> Iterator[Block]:
    """The messages of a file; one begins with a header at its start or after an empty line."""
    date = sender = ""
    lines: list[str] = []
    start, after_blank, size = 0, True, 0
    for number, line in text_lines(file):
        header = _HEADER.match(line) if after_blank and line[:1] == "[" else None
        if header:
            if date:
                yield Block(date, sender, "\n".join(lines), start)
            date, sender, start, size = header[1], header[2], number, 0
            lines = [header[3]]
        elif size < MAX_BLOCK:
            lines.append(line)
        size += len(line)
        after_blank = not line
    if date:
        yield Block(date, sender, "\n".join(lines), start)


def row_of(block: Block) -> Row:
    """A message taken apart: what the exporter put behind the body is read from the end."""
    text = block.text.rstrip("\n")
    if text.strip() == DELETED:
        return Row(block.date, block.sender, "", deleted=True)
    attachments: list[tuple[str, str] | None] = []
    sticker: tuple[str, str | None] | None = None
    end = len(text)
    while found := _file_before(text, end):
        end = found.start()
        if found.re is _NOT_EXPORTED:
            attachments.append(None)
        elif found[2].startswith(".."):
            sticker = found[1], found[2]
        else:
            attachments.append((found[1], found[2]))
    text = text[:end]
    if loose := _LOOSE_STICKER.search(text):
        text, sticker = text[: loose.start()], (loose[1], None)
    reactions: tuple[tuple[str, str], ...] = ()
    if reacted := _REACTIONS.search(text):
        text = text[: reacted.start()]
        reactions = tuple(_reactions(reacted[1]))
    quote, text = _quoted(text)
    body = text.removesuffix("  ")
    return Row(block.date, block.sender, body, quote, reactions, sticker, tuple(attachments[::-1]))


def _file_before(text: str, end: int) -> re.Match[str] | None:
    """The file that a text names at its end.

    Looked for backwards: from each bracket of a long line forwards would take for ever.
    """
    start = max(text.rfind("\n", 0, end) + 1, end - _LONGEST_FILE)
    middle = text.rfind("](", start, end)
    if middle < 0:
        return _NOT_EXPORTED.search(text, start, end)
    before = text.rfind("](", start, middle)
    opening = text.find("[", start if before < 0 else before + 2, middle)
    if opening > start and text[opening - 1] == "!":
        opening -= 1
    named = _FILE.match(text, opening, end) if opening >= 0 else None
    return named or _NOT_EXPORTED.search(text, start, end)


def _reactions(line: str) -> Iterator[tuple[str, str]]:
    """Name and emoji, one behind the other until there is something else."""
    at = 0
    while found := _REACTION.match(line, at):
        yield found[1], found[2]
        at = found.end()


def _quoted(text: str) -> tuple[str, str]:
    """The quote before a body, without its marks, and the body."""
    found = _QUOTE.match(text)
    if not found:
        return "", text
    lines = found[1].rstrip("\n").split("\n")
    return "\n".join(line[1:].removeprefix(" ") for line in lines), text[found.end() :]
