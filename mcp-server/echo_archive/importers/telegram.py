"""Telegram Desktop: `result.json` of one chat or of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench
from echo_archive.importers.telegram_content import Content
from echo_archive.importers.telegram_people import DELETED_ACCOUNT, People
from echo_archive.json_stream import Broken, BrokenJson, JsonStream, Repaired
from echo_archive.records import Conversation, Message, Skipped
from echo_archive.wall_clock import WallClock

_KINDS = {
    "saved_messages": "self",
    "personal_chat": "direct",
    "bot_chat": "direct",
    "private_group": "group",
    "private_supergroup": "group",
    "public_supergroup": "group",
    "private_channel": "channel",
    "public_channel": "channel",
}
_NAMES = {
    "saved_messages": "Saved Messages",
    "replies": "Replies",
    "verification_codes": "Verification Codes",
}
_FAMILIES = {"private_group": "chat"}


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message of every chat, in the order of the file."""
    with bench.tree.open(bench.file) as file:
        stream = JsonStream(file)
        try:
            yield from _Reader(bench, stream).everything()
        except BrokenJson as problem:
            bench.doubt(f"the rest of the file was not read: {problem}")
    yield from bench.closing()


@dataclass(slots=True)
class _Chat:
    name: str | None = None
    type: str = ""
    id: object = ""

    def conversation(self) -> Conversation:
        name = self.name or _NAMES.get(self.type, DELETED_ACCOUNT)
        native_id = str(self.id) if self.id != "" else None
        family = _FAMILIES.get(self.type) or ("channel" if "group" in self.type else "user")
        family = "channel" if self.type.endswith("_channel") else family
        key = f"{family}{native_id or name}"
        return Conversation(key, well_formed(name), native_id, _KINDS.get(self.type, "other"))


class _Reader:
    """One file being walked."""

    def __init__(self, bench: Bench, stream: JsonStream) -> None:
        self._bench = bench
        self._stream = stream
        self._people = People(bench)
        self._content = Content(bench, self._people)

    def everything(self) -> Iterator[Message | Skipped]:
        """The members of the file, or of a chat in it."""
        chat = _Chat()
        for key in self._stream.members():
            if key in ("chats", "left_chats"):
                yield from self._chats()
            elif key == "messages" and self._stream.peek() == "[":
                yield from self._messages(chat)
            else:
                self._take(chat, key, self._stream.value())

    def _take(self, chat: _Chat, key: str, value: Any) -> None:
        if key == "personal_information" and isinstance(value, dict) and "user_id" in value:
            self._people.owner_id = f"user{value['user_id']}"
        elif key == "name" and isinstance(value, str):
            chat.name = value
        elif key == "type" and isinstance(value, str):
            chat.type = value
        elif key == "id" and isinstance(value, int | str):
            chat.id = value

    def _chats(self) -> Iterator[Message | Skipped]:
        if self._stream.peek() != "{":
            self._stream.value()
            return
        for key in self._stream.members():
            if key == "list" and self._stream.peek() == "[":
                for _ in self._stream.elements():
                    yield from self.everything()
            else:
                self._stream.value()

    def _messages(self, chat: _Chat) -> Iterator[Message | Skipped]:
        bench, conversation = self._bench, chat.conversation()
        clock = WallClock(bench.options.timezone)
        self._people.enter(chat.type, chat.id, chat.name)
        if not chat.type:
            bench.doubt("a chat does not say its name and type before its messages")
        for row in self._stream.values():
            bench.line += 1
            fields = row if type(row) is dict else self._put_right(row)
            if fields is not None:
                message = self._message(fields, conversation, clock)
                if message is not None:
                    yield message
            if bench.doubtful:
                yield from bench.doubts()

    def _put_right(self, row: object) -> Any:
        if isinstance(row, Repaired) and isinstance(row.value, dict):
            self._bench.doubt("the row is not valid JSON and was repaired")
            return row.value
        why = row.why if isinstance(row, Broken) else "it is no object"
        self._bench.doubt(f"a message was not read: {why}")
        return None

    def _message(self, row: Any, conversation: Conversation, clock: WallClock) -> Message | None:
        try:
            if row["type"] == "unsupported":
                self._bench.doubt("Telegram itself could not export this message")
                return None
            return self._content.message(row, conversation, clock)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._bench.doubt("a message was not read: its fields are not what Telegram writes")
            return None
