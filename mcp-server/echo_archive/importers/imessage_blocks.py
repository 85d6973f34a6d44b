"""imessage-exporter's blocks: the messages of a text file, and what each is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import BinaryIO

from echo_archive.importers.imessage_tapbacks import EMOJI
from echo_archive.importers.text_lines import text_lines

MAX_LINES_OF_BLOCK = 200_000
_LONGEST_STICKER = 1_000
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_TIME = (
    r"(?P<month>[A-Z][a-z]{2}) (?P<day>\d{2}), (?P<year>\d{4}) {1,2}(?P<hour>\d{1,2}):"
    r"(?P<minute>\d\d):(?P<second>\d\d)[ \u00a0\u202f](?P<half>[AP]M)"
)
_HEADER = re.compile(rf"^(?P<all>{_TIME})(?: \(Read by .*\))?$")
_ANNOUNCED = re.compile(rf"^(?P<all>{_TIME}) (?!\(Read by )(?P<text>.+)$")
_INDENT = "    "
_WORDS = ("Loved", "Liked", "Disliked", "Laughed", "Emphasized", "Questioned")
_TAPBACK = re.compile(r"^(?P<what>\S+)(?: at)? by (?P<name>.+)$")
_TAPBACK_STICKER = re.compile(r"^Sticker from (?P<name>.+?): ")
_STICKER = re.compile(r"^(?:Outline )?Sticker from .+?: (.+?)(?: \((?:App|Genmoji prompt): .*\))?$")
_PATH = re.compile(
    r"^(?:attachments/|(?:~|/[^\n]{0,400})?/?Library/(?:Messages|SMS)/Attachments/).+"
)
_BARE = re.compile(
    r"^[^\s/\\:][^/\\:\n]{0,120}\.(?:heic|heif|jpe?g|png|gif|tiff?|webp|mov|mp4|m4v|3gp|caf|amr|m4a|mp3"
    r"|pdf|vcf|docx?|xlsx?|pptx?|zip)$",
    re.IGNORECASE,
)
_EDITED = re.compile(r"^Edited .{1,60} later: ?")
_UNSENT = re.compile(r"^.{1,200} unsent (?:this message part|a message|this message).{0,60}!$")
_SENT_WITH = re.compile(r"^Sent with (?:[A-Z][\w' ]{2,30})$")
_MISSING = "Attachment missing!"
_DELETED = "This message was deleted from the conversation!"
_REPLY = "This message responded to an earlier message."
_TRANSCRIPTION = "Transcription: "


@dataclass(frozen=True, slots=True)
class Block:
    """A message as it stands in the file; `sender` is None for an announcement.

    Attributes:
        written: The time as written.
        lines: What follows the sender, or the announcement.
    """

    written: str
    local: datetime
    sender: str | None
    lines: list[str]
    line: int


@dataclass(slots=True)
class Parts:
    """What a block is made of.

    Attributes:
        files: Path and kind where something better than the path says it; no path: it is missing.
        tapbacks: Emoji and name.
        replies: Time and sender of the messages that answer this one.
    """

    body: str = ""
    files: list[tuple[str | None, str | None]] = field(default_factory=list)
    tapbacks: list[tuple[str, str]] = field(default_factory=list)
    replies: list[tuple[datetime, str]] = field(default_factory=list)
    revisions: tuple[str, ...] = ()
    is_reply: bool = False
    deleted: bool = False


def blocks(file: BinaryIO) -> Iterator[Block]:
    """The blocks of a file; one begins after an empty line, with a time and then a sender."""
    lines = text_lines(file)
    current: Block | None = None
    after_blank, held = True, next(lines, None)
    while held is not None:
        (number, line), held = held, next(lines, None)
        opened = _opened(number, line, held[1] if held else "") if after_blank else None
        if opened:
            if current:
                yield current
            current = opened
            if opened.sender is not None and held is not None:
                held = next(lines, None)
        elif current and current.sender is not None and len(current.lines) < MAX_LINES_OF_BLOCK:
            current.lines.append(line)
        after_blank = not line and not opened
    if current:
        yield current


def _opened(number: int, line: str, following: str) -> Block | None:
    header = _HEADER.match(line)
    if header:
        local = _local(header)
        if local is None or not following or following.startswith(_INDENT):
            return None
        return Block(_written(header), local, following, [], number)
    announced = _ANNOUNCED.match(line)
    local = _local(announced) if announced else None
    if announced is None or local is None:
        return None
    return Block(_written(announced), local, None, [announced["text"]], number)


def _written(header: re.Match[str]) -> str:
    return header["all"].replace("\u202f", " ").replace("\u00a0", " ")


def _local(header: re.Match[str]) -> datetime | None:
    try:
        hour = int(header["hour"]) % 12 + (12 if header["half"] == "PM" else 0)
        day = date(int(header["year"]), _MONTHS.index(header["month"]) + 1, int(header["day"]))
        return datetime.combine(day, time(hour, int(header["minute"]), int(header["second"])))
    except ValueError:
        return None


def parts_of(block: Block) -> Parts:
    """A block taken apart, from its end to its beginning."""
    parts, lines = Parts(), list(block.lines)
    while lines and not lines[-1].strip():
        lines.pop()
    if block.sender is None:
        parts.body = "\n".join(lines)
        return parts
    if lines and lines[-1] == _REPLY:
        parts.is_reply = True
        lines.pop()
    _cut_replies(lines, parts)
    _cut_tapbacks(lines, parts)
    parts.deleted = bool(lines) and lines[0] == _DELETED
    if lines and _UNSENT.match(lines[-1]):
        lines.pop()
        parts.deleted = parts.deleted or not lines
    if lines and _SENT_WITH.match(lines[-1]):
        lines.pop()
    _cut_edits(lines, parts)
    _take_text(lines, parts)
    return parts


def _cut_replies(lines: list[str], parts: Parts) -> None:
    """Take the answers away that are copied under a message, indented."""
    first = None
    for at, line in enumerate(lines):
        header = _HEADER.match(line[len(_INDENT) :]) if line.startswith(_INDENT) else None
        if header and at + 1 < len(lines) and lines[at + 1].startswith(_INDENT):
            first = at if first is None else first
            local = _local(header)
            if local:
                parts.replies.append((local, lines[at + 1].strip()))
    if first is not None:
        del lines[first:]
        while lines and not lines[-1].strip():
            lines.pop()


def _cut_tapbacks(lines: list[str], parts: Parts) -> None:
    for at in range(len(lines) - 1, -1, -1):
        if lines[at] not in ("Tapbacks:", "Reactions:"):
            continue
        indent = _INDENT if lines[at] == "Tapbacks:" else ""
        found = [_tapback(line, indent) for line in lines[at + 1 :] if line.strip()]
        tapbacks = [one for one in found if one]
        if tapbacks and len(tapbacks) == len(found):
            parts.tapbacks = tapbacks
            del lines[at:]
        return


def _tapback(line: str, indent: str) -> tuple[str, str] | None:
    if not line.startswith(indent):
        return None
    text = line[len(indent) :]
    if sticker := _TAPBACK_STICKER.match(text):
        return "sticker", sticker["name"]
    found = _TAPBACK.match(text)
    if not found:
        return None
    what = found["what"]
    return EMOJI[_WORDS.index(what)] if what in _WORDS else what, found["name"]


def _cut_edits(lines: list[str], parts: Parts) -> None:
    """Of a text that was changed keep the last version, and all of them beside."""
    first = _ANNOUNCED.match(lines[0]) if lines else None
    if first is None or not any(_EDITED.match(line) for line in lines[1:]):
        return
    versions = [[first["text"]]]
    for line in lines[1:]:
        edited = _EDITED.match(line)
        if edited:
            versions.append([line[edited.end() :]])
        else:
            versions[-1].append(line)
    parts.revisions = tuple("\n".join(version) for version in versions)
    lines[:] = versions[-1]


def _take_text(lines: list[str], parts: Parts) -> None:
    body: list[str] = []
    after_file = False
    for line in lines:
        sticker = _STICKER.match(line) if len(line) <= _LONGEST_STICKER else None
        if sticker:
            parts.files.append((sticker[1], "sticker"))
        elif line == _MISSING:
            parts.files.append((None, None))
        elif _PATH.match(line) or _BARE.match(line):
            parts.files.append((line, None))
        elif after_file and line.startswith(_TRANSCRIPTION):
            body.append(line.removeprefix(_TRANSCRIPTION))
        else:
            body.append(line)
            after_file = False
            continue
        after_file = True
    parts.body = "\n".join(body).strip("\n")
