"""The word index: what is written to it, in the order that it takes well."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import lru_cache

from echo_archive.content import Content
from echo_archive.words import indexed

_HELD, _HELD_CHARACTERS = 160_000, 2**25
_ROOM = 2**27  # bytes; a piece of the index as large as what is held, so that few must be merged
COMMON = 256
_KEPT = 10_000
Entry = tuple[str, str]


def searchable(content: Content) -> str:
    """The text a message is found by: what was written, and the names of what came with it."""
    if not content.attachments:
        return content.body
    names = [file.name for file in content.attachments if file.name and file.kind != "location"]
    return "\n".join([content.body, *names])


def entry(content: Content, conversation: int, source: int) -> Entry:
    """The two columns of a message: its words, and what it is filtered by."""
    return indexed(searchable(content)), _filter_terms(conversation, source, content.person)


@lru_cache(maxsize=_KEPT)
def _filter_terms(conversation: int, source: int, person: int | None) -> str:
    sender = f" s{person}" if person is not None else ""
    return f"c{conversation} o{source}{sender}"


class WordIndex:
    """New entries are held back and written by row id: the index starts over at each step back."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._held: dict[int, Entry] = {}
        self._characters = 0
        database.execute(
            "insert into message_words(message_words, rank) values('hashsize', ?)", (_ROOM,)
        )

    def add(self, entries: Mapping[int, Entry]) -> None:
        """Put messages in, by row id."""
        self._held.update(entries)
        self._characters += sum(len(words) for words, _ in entries.values())
        if len(self._held) >= _HELD or self._characters >= _HELD_CHARACTERS:
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
        self._characters = 0


def put_in_order(database: sqlite3.Connection) -> None:
    """Make one piece of the index's pieces: a phrase is then found in half the time."""
    database.execute("insert into message_words(message_words) values('optimize')")


def count_common_words(database: sqlite3.Connection) -> None:
    """Note of every common word in how many messages it stands: ranking asks for it."""
    database.execute("delete from common_word")
    database.execute(
        "insert into common_word select term, doc from message_vocabulary"
        " where col = 'text' and doc >= ?",
        (COMMON,),
    )
