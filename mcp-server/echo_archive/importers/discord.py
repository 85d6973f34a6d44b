"""Discord: one channel, or a part of it, from DiscordChatExporter's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench
from echo_archive.json_stream import Broken, BrokenJson, JsonStream, Repaired
from echo_archive.media import kind_of
from echo_archive.records import Attachment, Conversation, Message, Person, Reaction, Skipped
from echo_archive.wall_clock import epoch_ms

_KINDS = {"DirectTextChat": "direct", "DirectGroupTextChat": "group"}
_TYPED = frozenset(("Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "0", "19", "20"))
_EVENTS = {
    "Call": "call",
    "ChannelPinnedMessage": "pinned",
    "ChannelNameChange": "title_changed",
    "GuildMemberJoin": "member_added",
    "RecipientAdd": "member_added",
    "RecipientRemove": "member_removed",
}


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message of the file, in its order."""
    channel: dict[str, Any] = {}
    with bench.tree.open(bench.file) as file:
        stream = JsonStream(file)
        try:
            for key in stream.members():
                if key == "messages" and stream.peek() == "[":
                    yield from _messages(bench, stream, _conversation(channel))
                    continue
                value = stream.value()
                if key == "channel" and isinstance(value, dict):
                    channel = value
        except BrokenJson as problem:
            bench.doubt(f"the rest of the file was not read: {problem}")
    yield from bench.closing()


def _conversation(channel: dict[str, Any]) -> Conversation:
    native_id = str(channel.get("id", ""))
    name = well_formed(str(channel.get("name") or native_id or "Channel"))
    kind = _KINDS.get(str(channel.get("type")), "group")
    return Conversation(native_id or name, name, native_id or None, kind)


def _messages(
    bench: Bench, stream: JsonStream, conversation: Conversation
) -> Iterator[Message | Skipped]:
    for found in stream.values():
        bench.line += 1
        row = found.value if isinstance(found, Repaired) else found
        if isinstance(found, Repaired):
            bench.doubt("the row is not valid JSON and was repaired")
        try:
            if not isinstance(row, Broken):
                yield _message(bench, conversation, row)
            else:
                bench.doubt(f"a message was not read: {row.why}")
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            bench.doubt("a message was not read: its fields are not what the exporter writes")
        yield from bench.doubts()


def _message(bench: Bench, conversation: Conversation, row: Any) -> Message:
    written, kind = str(row["timestamp"]), str(row["type"])
    system = kind not in _TYPED
    forwarded = row.get("forwardedMessage") or {}
    reference = row.get("reference") or {}
    here = str(reference.get("channelId", conversation.native_id)) == conversation.native_id
    attached = [*(row.get("attachments") or ()), *(forwarded.get("attachments") or ())]
    return Message(
        conversation=conversation,
        instant_ms=epoch_ms(datetime.fromisoformat(written)),
        written=written,
        native_id=str(row["id"]),
        sender=_person(bench, row["author"]),
        body=str(row.get("content") or forwarded.get("content") or (kind if system else "")),
        attachments=(
            *(_file(bench, one) for one in attached),
            *(_sticker(one) for one in row.get("stickers") or ()),
        ),
        links=tuple(one["url"] for one in row.get("embeds") or () if one.get("url")),
        reactions=tuple(_reactions(bench, row.get("reactions") or ())),
        system=system,
        event=_EVENTS.get(kind, "other") if system else None,
        reply_to=str(reference["messageId"])
        if kind in ("Reply", "19") and here and reference.get("messageId")
        else None,
        edited=bool(row.get("timestampEdited")),
        file=bench.file,
        line=bench.line,
    )


def _person(bench: Bench, said: dict[str, Any]) -> Person:
    name = str(said["name"])
    shown = str(said.get("nickname") or name)
    key = str(said.get("id") or name)
    return bench.person(key, shown, bench.is_owner(name, shown, key))


def _file(bench: Bench, said: dict[str, Any]) -> Attachment:
    """A file that was downloaded; the address of any other holds a token and is not kept."""
    url, name = str(said.get("url", "")), well_formed(str(said.get("fileName", "")))
    if url.startswith(("http://", "https://")):
        size = said.get("fileSizeBytes")
        return Attachment(kind_of(name), name or None, missing=True, size=size)
    return bench.attachment(url, name=name or None, percent=True)


def _sticker(said: dict[str, Any]) -> Attachment:
    return Attachment("sticker", well_formed(str(said.get("name", ""))), missing=True)


def _reactions(bench: Bench, said: Any) -> Iterator[Reaction]:
    for one in said:
        emoji = one["emoji"]
        shown = f":{emoji.get('name', '')}:" if emoji.get("id") else str(emoji.get("name", ""))
        people = one.get("users") or ()
        for person in people:
            yield Reaction(shown, _person(bench, person))
        unnamed = int(one.get("count", 0)) - len(people)
        if unnamed > 0:
            yield Reaction(shown, None, unnamed)
