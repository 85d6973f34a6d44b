"""The word index: what is written to it, in the order that it takes well."""

from __future__ import annotations

import sqlite3

from echo_archive.content import Content
from echo_archive.words import indexed

_HELD = 40_000
COMMON = 256
Entry = tuple[str, str]


def searchable(content: Content) -> str:
    """The text a message is found by: what was written, and the names of what came with it."""
    names = [file.name for file in content.attachments if file.name and file.kind != "location"]
    return "\n".join([content.body, *names]) if names else content.body


def entry(content: Content, conversation: int, source: int) -> Entry:
    """The two columns of a message: its words, and what it is filtered by."""
    sender = f" s{content.person}" if content.person is not None else ""
    return indexed(searchable(content)), f"c{conversation} o{source}{sender}"


class WordIndex:
    """New entries are held back and written by row id: the index starts over at each step back."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._held: dict[int, Entry] = {}

    def add(self, row_id: int, words: Entry) -> None:
        """Put a message in."""
        self._held[row_id] = words
        if len(self._held) >= _HELD:
            self.write()

    def remove(self, row_id: int, words: Entry) -> None:
        """Take a message out; `words` must be what it was put in with."""
        if self._held.pop(row_id, None) is None:
            self._database.execute(
                "insert into message_words(message_words, rowid, text, filter)"
                " values('delete', ?, ?, ?)",
                (row_id, *words),
            )

    def write(self) -> None:
        """Write what is held."""
        rows = ((row_id, *self._held[row_id]) for row_id in sorted(self._held))
        self._database.executemany(
            "insert into message_words(rowid, text, filter) values(?, ?, ?)", rows
        )
        self._held.clear()


def count_common_words(database: sqlite3.Connection) -> None:
    """Note of every common word in how many messages it stands: ranking asks for it."""
    database.execute("delete from common_word")
    database.execute(
        "insert into common_word select term, doc from message_vocabulary"
        " where col = 'text' and doc >= ?",
        (COMMON,),
    )
