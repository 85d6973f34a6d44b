"""WhatsApp-Chat-Exporter: its `result.json`, or one such file for each chat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench, folded
from echo_archive.importers.whatsapp_events import event_of
from echo_archive.json_stream import Broken, BrokenJson, JsonStream, Repaired
from echo_archive.media import kind_of_type
from echo_archive.records import Attachment, Conversation, Message, Person, Reaction, Skipped

_KINDS = {"s.whatsapp.net": "direct", "lid": "direct", "g.us": "group", "newsletter": "channel"}
_TYPES = {1: "image", 2: "audio", 3: "video", 9: "file", 13: "image", 20: "sticker"}
_LOST = (1, 2, 3)
_VCARD = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
_PLACE = re.compile(r"Location shared: \((-?[\d.]+), ?(-?[\d.]+)\)")
_BREAK = re.compile(r" ?<br>")
_IOS_KEY = 17
_MILLISECONDS_FROM = 10**11


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message of every chat, in the order of the file."""
    contacts: dict[str, str] = {}
    with bench.tree.open(bench.file) as file:
        stream = JsonStream(file)
        try:
            for jid in stream.members():
                if stream.peek() == "{":
                    yield from _chat(bench, stream, _Chat(jid, contacts))
                else:
                    stream.value()
        except BrokenJson as problem:
            bench.doubt(f"the rest of the file was not read: {problem}")
    yield from bench.closing()


@dataclass(slots=True)
class _Chat:
    """One chat; `contacts` are the names of all chats of two so far, with their ids."""

    jid: str
    contacts: dict[str, str]
    name: str = ""
    type: str = ""
    media_base: str = ""
    conversation: Conversation = field(init=False)

    def enter(self) -> None:
        """Take stock of what the chat said about itself before its messages."""
        number, _, server = self.jid.partition("@")
        self.name = self.name or number
        kind = _KINDS.get(server, "other")
        if kind == "direct":
            self.contacts[self.name] = self.jid
        self.conversation = Conversation(self.jid, well_formed(self.name), self.jid, kind)


def _chat(bench: Bench, stream: JsonStream, chat: _Chat) -> Iterator[Message | Skipped]:
    for key in stream.members():
        if key == "messages" and stream.peek() == "{":
            chat.enter()
            for _ in stream.members():
                yield from _row(bench, chat, stream.value())
            continue
        value = stream.value()
        if key in ("name", "type", "media_base") and isinstance(value, str):
            setattr(chat, key, value)


def _row(bench: Bench, chat: _Chat, value: object) -> Iterator[Message | Skipped]:
    bench.line += 1
    if isinstance(value, Repaired):
        bench.doubt("the row is not valid JSON and was repaired")
        value = value.value
    if isinstance(value, dict):
        try:
            yield _message(bench, chat, value)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            bench.doubt("a message was not read: its fields are not what the exporter writes")
    else:
        why = value.why if isinstance(value, Broken) else "it is no object"
        bench.doubt(f"a message was not read: {why}")
    yield from bench.doubts()


def _message(bench: Bench, chat: _Chat, row: dict[str, Any]) -> Message:
    seconds = row["timestamp"]
    instant = round(seconds if seconds > _MILLISECONDS_FROM else seconds * 1000)
    deleted = row.get("data") == "Message deleted" and bool(row.get("meta"))
    body, attachments, system = _said(bench, chat, row)
    reply = row.get("reply")
    if reply and chat.type == "ios":
        reply = str(reply)[:_IOS_KEY]
    return Message(
        conversation=chat.conversation,
        instant_ms=instant,
        written=str(instant),
        precision="millisecond" if instant % 1000 else "second",
        native_id=str(row["key_id"]) if row.get("key_id") else None,
        sender=_sender(bench, chat, row),
        body="" if deleted else body,
        attachments=attachments,
        reactions=tuple(
            Reaction(emoji, bench.me() if name == "You" else _person(bench, chat, name))
            for name, emoji in (row.get("reactions") or {}).items()
        ),
        system=system,
        event=(event_of(body) or "other") if system else None,
        reply_to=reply or None,
        reply_quote=row.get("quoted_data") or None,
        deleted=deleted,
        file=bench.file,
        line=bench.line,
    )


def _sender(bench: Bench, chat: _Chat, row: dict[str, Any]) -> Person | None:
    if row.get("from_me"):
        return bench.me()
    if row.get("sender"):
        return _person(bench, chat, row["sender"])
    if chat.conversation.kind == "direct":
        return bench.person(chat.jid, chat.name)
    return None


def _person(bench: Bench, chat: _Chat, name: str) -> Person:
    return bench.person(chat.contacts.get(name, folded(name)), name)


def _said(
    bench: Bench, chat: _Chat, row: dict[str, Any]
) -> tuple[str, tuple[Attachment, ...], bool]:
    """Body and attachments of a row, and whether it is an event that nobody typed."""
    data, mime, meta = row.get("data") or "", row.get("mime") or "", row.get("meta")
    number = row.get("message_type")
    if mime.startswith("text/x-vcard"):
        cards = _VCARD.findall(data)
        return "", tuple(_file(bench, chat, path, "contact", name) for path, name in cards), False
    if meta and data == "Message deleted":
        return "", (), False
    if meta and (place := _PLACE.match(data)):
        return "", (Attachment("location", f"{place[1]},{place[2]}"),), False
    if row.get("media") and mime == "media":
        return _text(row.get("caption")), (_lost(number),), False
    if row.get("media"):
        kind = "sticker" if row.get("sticker") else kind_of_type(mime)
        kind = _kind(number) if kind == "file" else kind
        known = _file(bench, chat, data, kind, None, mime or None)
        return _text(row.get("caption")), (known,), False
    if meta:
        return _text(data), (), True
    return _text(data), (_lost(number),) if number in _LOST else (), False


def _file(
    bench: Bench, chat: _Chat, path: str, kind: str, name: str | None, mime: str | None = None
) -> Attachment:
    return bench.attachment(chat.media_base + path, kind=kind, name=name, media_type=mime)


def _lost(number: object) -> Attachment:
    return Attachment(_kind(number), missing=True)


def _kind(number: object) -> str:
    return _TYPES.get(number, "file") if isinstance(number, int) else "file"


def _text(data: str | None) -> str:
    return _BREAK.sub("\n", data) if data else ""
