"""Signal's own plaintext export: `main.jsonl` with its `files/`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from echo_archive.importers.bench import Bench
from echo_archive.importers.signal_items import Said, said_in
from echo_archive.importers.signal_people import People
from echo_archive.records import Message, Reaction, Skipped

MAX_LINE = 64 * 2**20
_NO_MESSAGES = frozenset(
    ("account", "stickerPack", "adHocCall", "notificationProfile", "chatFolder", "version")
)
_DIRECTIONS = ("incoming", "outgoing", "directionless")


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message, in the order of the file, which names people and chats before their words."""
    folder = bench.file.rpartition("/")[0]
    bench.base = folder + "/" if folder else ""
    reader = _Reader(bench)
    with bench.tree.open(bench.file) as file:
        while line := file.readline(MAX_LINE):
            bench.line += 1
            message = reader.frame(line)
            if message is not None:
                yield message
            yield from bench.doubts()
    yield from bench.closing()


class _Reader:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._people = People(bench)
        self._unknown: set[str] = set()
        self._versions: dict[tuple[str, str, str], str] = {}
        self._takes: dict[str, Callable[[dict[str, Any]], None]] = {
            "recipient": self._people.take_recipient,
            "chat": self._people.take_chat,
        }

    def frame(self, line: bytes) -> Message | None:
        """What a line says, if that is a message."""
        if not line.strip():
            return None
        try:
            said: dict[str, Any] = json.loads(line.decode("utf-8-sig"))
            kind = next(iter(said.keys()))
            if kind in self._takes:
                self._takes[kind](said[kind])
                return None
            if kind == "chatItem":
                return self._item(said[kind])
        except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
            self._bench.doubt("a line was not read: it is not what Signal writes, or was cut short")
            return None
        if kind not in _NO_MESSAGES and kind not in self._unknown:
            self._unknown.add(kind)
            self._bench.doubt(f"frames called {kind[:40]!r} are not known and were not read")
        return None

    def _item(self, item: dict[str, Any]) -> Message | None:
        conversation = self._people.conversation(item["chatId"])
        said = said_in(self._bench, self._people, item)
        if conversation is None or said is None or not any(one in item for one in _DIRECTIONS):
            self._bench.doubt("a message was not read: its chat or its content is missing")
            return None
        older = item.get("revisions") or ()
        newest, first = str(item["dateSent"]), str((older[0] if older else item)["dateSent"])
        author = str(item.get("authorId", ""))
        native_id = self._native_id(author, first)
        if older:
            for version in (*older, item):
                self._versions[conversation.key, author, str(version["dateSent"])] = native_id
        return Message(
            conversation=conversation,
            instant_ms=int(first),
            written=first,
            native_id=native_id,
            sender=self._people.person(author),
            body=said.body,
            attachments=said.attachments,
            links=said.links,
            reactions=self._reactions(said),
            system=said.event is not None,
            event=said.event,
            reply_to=self._answered(conversation.key, said.quote or {}),
            reply_quote=((said.quote or {}).get("text") or {}).get("body") or None,
            edited=newest != first,
            revisions=self._revisions(older, said.body),
            deleted=said.deleted,
            file=self._bench.file,
            line=self._bench.line,
        )

    def _answered(self, conversation: str, quote: dict[str, Any]) -> str | None:
        """What a quote points at: any version of an edited message, which goes by its first."""
        author, sent = str(quote.get("authorId", "")), str(quote.get("targetSentTimestamp") or "")
        if not sent:
            return None
        first = self._versions.get((conversation, author, sent))
        return first or self._native_id(author, sent)

    def _native_id(self, author: str, sent: str) -> str:
        person = self._people.person(author)
        return f"{person.key if person else f'recipient:{author}'}:{sent}"

    def _revisions(self, older: Any, newest: str) -> tuple[str, ...]:
        said = (said_in(self._bench, self._people, one) for one in older)
        texts = [one.body if one else "" for one in said]
        return (*texts, newest) if texts else ()

    def _reactions(self, said: Said) -> tuple[Reaction, ...]:
        return tuple(
            Reaction(str(one.get("emoji", "")), self._people.person(one.get("authorId")))
            for one in said.reactions
        )
