"""Exports for tests: files as the apps write them, and everything an importer reads in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo_archive.importers.table import read
from echo_archive.recognise import recognise
from echo_archive.records import Message, Options, Skipped

BERLIN = Options("Europe/Berlin", ("Nell Quill",))
APPLE_EPOCH = 978_307_200
_STREAM_HEAD = (
    b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08"
    b"NSObject\x00\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+"
)
_STREAM_TAIL = (
    b"\x86\x84\x02iI\x01\x00\x92\x84\x84\x84\x0cNSDictionary\x00\x95\x84\x01i\x00\x86\x86"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What came out of an export."""

    messages: list[Message]
    skipped: list[Skipped]

    @property
    def bodies(self) -> list[str]:
        return [message.body for message in self.messages]

    @property
    def senders(self) -> list[str | None]:
        return [message.sender.name if message.sender else None for message in self.messages]

    @property
    def whys(self) -> str:
        return "\n".join(one.why for one in self.skipped)


def written(folder: Path, name: str, text: str) -> Path:
    """A file with that text, its line ends untouched."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def read_all(path: Path, options: Options = BERLIN) -> Reading:
    """Every row that the importers read at a path."""
    rows = [row for export in recognise(path) for row in read(export, options)]
    return Reading(
        [row for row in rows if isinstance(row, Message)],
        [row for row in rows if isinstance(row, Skipped)],
    )


def whatsapp(folder: Path, text: str, name: str = "WhatsApp Chat with Dee.txt") -> Reading:
    """What is read in a WhatsApp text export."""
    return read_all(written(folder, name, text))


def typed_stream(text: str) -> bytes:
    """A text as an `attributedBody`."""
    data = text.encode()
    return _STREAM_HEAD + _length(len(data)) + data + _STREAM_TAIL


def _length(size: int) -> bytes:
    if size < 0x80:
        return bytes([size])
    if size < 0x10000:
        return b"\x81" + size.to_bytes(2, "little")
    return b"\x82" + size.to_bytes(4, "little")


def apple(unix: float) -> int:
    """A moment as Messages counts it: nanoseconds since 2001."""
    return int((unix - APPLE_EPOCH) * 1_000_000_000)


def messages_database(path: Path, rows: Iterable[Mapping[str, Any]], *, wal: bool = False) -> Path:
    """A `chat.db` with a chat of two and one of three; each row says what differs from the usual.

    `chat` is the number of the row's chat, None for none; with `wal` the rows stay in the log.
    """
    database = sqlite3.connect(path)
    if wal:
        database.execute("pragma journal_mode = wal")
        database.execute("pragma wal_autocheckpoint = 0")
    database.executescript(_SCHEMA)
    for number, row in enumerate(rows, 1):
        said = {
            "guid": f"G{number}",
            "handle_id": 1,
            "is_from_me": 0,
            "date": apple(1.7e9 + number),
        }
        said |= {"ROWID": number, **row}
        chat = said.pop("chat", 1)
        names, marks = ", ".join(said), ", ".join("?" * len(said))
        database.execute(f"insert into message({names}) values({marks})", tuple(said.values()))
        if chat is not None:
            database.execute("insert into chat_message_join values(?, ?)", (chat, number))
    database.commit()
    log = path.with_name(path.name + "-wal")
    as_they_lie = (path.read_bytes(), log.read_bytes()) if wal else None
    database.close()
    if as_they_lie:  # closing wrote what waited into the database
        path.write_bytes(as_they_lie[0])
        log.write_bytes(as_they_lie[1])
    return path


_SCHEMA = """
create table handle(ROWID integer primary key, id text);
create table chat(ROWID integer primary key, guid text, style integer, chat_identifier text,
  display_name text);
create table message(ROWID integer primary key, guid text, text text, attributedBody blob,
  subject text, handle_id integer, other_handle integer, date integer, date_edited integer,
  is_from_me integer, item_type integer default 0, group_title text, group_action_type integer,
  associated_message_guid text, associated_message_type integer, associated_message_emoji text,
  thread_originator_guid text, message_summary_info blob, cache_has_attachments integer);
create table attachment(ROWID integer primary key, filename text, mime_type text,
  transfer_name text, is_sticker integer, hide_attachment integer);
create table chat_message_join(chat_id integer, message_id integer);
create table chat_handle_join(chat_id integer, handle_id integer);
create table message_attachment_join(message_id integer, attachment_id integer);
create table chat_recoverable_message_join(chat_id integer, message_id integer);
insert into handle values(1, '+447700900111'), (2, 'bo@mail.example');
insert into chat values(1, 'iMessage;-;+447700900111', 45, '+447700900111', null),
  (2, 'iMessage;+;chat7', 43, 'chat7', null);
insert into chat_handle_join values(1, 1), (2, 1), (2, 2);
"""
