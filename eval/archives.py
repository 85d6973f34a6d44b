"""Archives for tests: invented messages, put in by the same door as an export."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echo_archive.errors import Unavailable
from echo_archive.importing import import_exports
from echo_archive.records import Conversation, Export, Message, Options, Person, Skipped
from echo_archive.reports import ExportReport

ADA, BO, ME = Person("user1", "Ada Fenn"), Person("user2", "Bo Harrow"), Person("me", "Me", True)
ADA_CHAT = Conversation("user1", "Ada Fenn", "1", "direct")
WALKERS = Conversation("group7", "Harbour Walkers", "7", "group")
TOPICS = ("sea", "food", "work")
MORNING = 1_714_629_600_000
MINUTE = 60_000


def message(number: int, body: str, **said: Any) -> Message:
    """Message number so-and-so of Ada's chat, a minute after the one before."""
    instant = said.pop("instant_ms", MORNING + number * MINUTE)
    said.setdefault("conversation", ADA_CHAT)
    said.setdefault("sender", ADA)
    said.setdefault("native_id", str(number))
    said.setdefault("written", str(instant))
    return Message(instant_ms=instant, body=body, file="result.json", line=number, **said)


def unnamed(minute: int, body: str, **said: Any) -> Message:
    """A message without an id, as a text export has it: only the minute is known."""
    said.setdefault("precision", "minute")
    said.setdefault("zone", "assumed:UTC")
    said.setdefault("written", f"2024-05-02T06:{minute:02}")
    return message(minute, body, native_id=None, **said)


def put(
    database: Path,
    rows: Iterable[Message | Skipped],
    *,
    name: str = "first",
    source: str = "telegram",
    options: Options | None = None,
) -> ExportReport:
    """Import rows as one export; the same name and rows again are another file's content."""
    held = list(rows)
    path = database.parent / f"{name}.json"
    path.write_text(repr(held), encoding="utf-8")

    def read(_export: Export, _options: Options) -> Iterator[Message | Skipped]:
        return iter(held)

    export = Export(source, "invented", path)
    report = import_exports(
        database, [export], read, options or Options(), lambda _export, _count: None
    )
    return report.exports[0]


@dataclass(slots=True)
class Topics:
    """A model whose dimensions are topics, and which counts what it was asked."""

    model: str = "topics"
    weight: float = 1.0
    asked: list[str] = field(default_factory=list)
    limit: int = 1_000_000

    def vector(self, text: str) -> bytes:
        return struct.pack("<3f", *(float(topic in text) + 0.01 for topic in TOPICS))

    def query(self, text: str) -> bytes:
        return self.vector(text)

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        if len(self.asked) >= self.limit:
            raise Unavailable("The model stopped. Start it again.")
        self.asked += texts
        return [self.vector(text) for text in texts]
