"""signal-export: one chat, from `data.json` where there is one, else from `chat.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench, folded
from echo_archive.importers.reruns import latest_rows
from echo_archive.importers.signal_markdown import Row, blocks, row_of
from echo_archive.importers.text_lines import MAX_LINE
from echo_archive.records import Attachment, Conversation, Message, Person, Reaction, Skipped
from echo_archive.wall_clock import WallClock

NOTE_TO_SELF = ("NotetoSelf", "Note to Self")
_NOBODY = "No-Sender"
_NAMELESS = "None"
_CALL = re.compile(
    r"^(?:Missed|Incoming|Outgoing|Declined|Group) (?:voice |video |group )*call(?: \(.*\))?$"
)


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message of a chat, each once though the exporter ran several times into the file."""
    folder = bench.file.rpartition("/")[0]
    bench.base = folder + "/" if folder else ""
    senders: set[str] = set()
    kept, doubled = latest_rows(_moments(_rows(bench), senders))
    bench.forget_doubts()  # the second walk has them again
    conversation = _conversation(folder or bench.tree.title, senders)
    clock = WallClock(bench.options.timezone)
    for number, row in enumerate(_rows(bench)):
        if number in kept:
            message = _message(bench, conversation, clock, row)
            if message is not None:
                yield message
        yield from bench.doubts()
    if doubled:
        bench.doubt(f"{doubled} rows stand in the file again from an earlier export and count once")
    yield from bench.closing()


def _moments(rows: Iterator[Row], senders: set[str]) -> Iterator[tuple[str, str]]:
    """Time and sender of each row, and all senders put together."""
    for row in rows:
        senders.add(row.sender)
        yield row.date, row.sender


def _conversation(folder: str, senders: set[str]) -> Conversation:
    """The chat; that it is a group shows only in who writes there."""
    others = senders - {"Me", *NOTE_TO_SELF}
    kind = "direct"
    if folder in NOTE_TO_SELF:
        kind = "self"
    elif folder == _NAMELESS:
        kind = "other"
    elif len(others) > 1 or any(_plain(one) != _plain(folder) for one in others):
        kind = "group"
    return Conversation(folded(folder), well_formed(folder), None, kind)


def _plain(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum()).rstrip("0123456789")


def _rows(bench: Bench) -> Iterator[Row]:
    bench.line = 0
    with bench.tree.open(bench.file) as file:
        if not bench.file.endswith(".json"):
            for block in blocks(file):
                bench.line = block.line
                yield row_of(block)
            return
        while line := file.readline(MAX_LINE):
            bench.line += 1
            if line.strip():
                row = _json_row(line)
                if row is None:
                    bench.doubt(
                        "a row was not read: it is not JSON of signal-export or was cut short"
                    )
                else:
                    yield row


def _json_row(line: bytes) -> Row | None:
    try:
        said: dict[str, Any] = json.loads(line.decode("utf-8-sig"), strict=False)
        sticker = said.get("sticker")
        quote = str(said.get("quote") or "").strip()
        return Row(
            date=str(said["date"]),
            sender=str(said["sender"]),
            body=str(said.get("body") or "").removesuffix("  "),
            quote="\n".join(part.removeprefix(">").removeprefix(" ") for part in quote.split("\n")),
            reactions=tuple((str(name), str(emoji)) for name, emoji in said.get("reactions") or ()),
            sticker=_sticker(sticker) if sticker else None,
            attachments=tuple(
                None if one.get("missing_kind") else (str(one.get("name") or ""), str(one["path"]))
                for one in said.get("attachments") or ()
            ),
            deleted=bool(said.get("deleted")),
            call=bool(said.get("call")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _sticker(said: dict[str, Any]) -> tuple[str, str | None]:
    ending = said.get("extension") or "webp"
    path = f"../exported_stickers/{said.get('packId')}/{said.get('id')}.{ending}"
    return str(said.get("emoji") or ""), path


def _message(
    bench: Bench, conversation: Conversation, clock: WallClock, row: Row
) -> Message | None:
    try:
        local = datetime.fromisoformat(row.date.replace(",", ""))
    except ValueError:
        bench.doubt("a row was not read: its date is none")
        return None
    instant = clock.instant_ms(local.replace(tzinfo=None))
    if clock.in_gap:
        bench.doubt("the time does not exist in the time zone and was moved forward")
    attachments = () if row.deleted else tuple(_attachments(bench, row))
    call = not row.deleted and (row.call or bool(_CALL.match(row.body.strip())))
    empty = not (row.deleted or row.body.strip() or attachments or row.quote or row.reactions)
    minute = row.date.count(":") < 2
    return Message(
        conversation=conversation,
        instant_ms=instant,
        written=row.date,
        precision="minute" if minute else "millisecond" if local.microsecond else "second",
        zone=clock.mark,
        sender=None if empty else _person(bench, row.sender),
        body="" if row.deleted else row.body,
        attachments=attachments,
        reactions=()
        if row.deleted
        else tuple(Reaction(emoji, _person(bench, name)) for name, emoji in row.reactions),
        system=call or empty,
        event="call" if call else "other" if empty else None,
        reply_quote=row.quote if row.quote and not row.deleted else None,
        deleted=row.deleted,
        file=bench.file,
        line=bench.line,
    )


def _attachments(bench: Bench, row: Row) -> Iterator[Attachment]:
    if row.sticker:
        emoji, path = row.sticker
        there = bench.attachment(path, kind="sticker", name=emoji, percent=True) if path else None
        yield there or Attachment("sticker", emoji or None, missing=True)
    for one in row.attachments:
        if one is None:
            yield Attachment("file", missing=True)
        else:
            name, path = one
            yield bench.attachment(path, name=name or None, percent=True)


def _person(bench: Bench, name: str) -> Person | None:
    if name == _NOBODY:
        return None
    return bench.me() if name in ("Me", *NOTE_TO_SELF) else bench.named(name)
