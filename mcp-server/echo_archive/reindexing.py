"""Reindexing: the word index made anew from the messages, where it was made in another way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from echo_archive.rows import stored
from echo_archive.scope import FIRST
from echo_archive.word_index import WordIndex, count_common_words, entry, put_in_order
from echo_archive.words import VERSION

_PAGE = 1_000
_FOLLOWING = """
select message.id, message.hash, conversation.id, conversation.source
from message join conversation on conversation.id = message.conversation
where message.id > ? order by message.id limit ?
"""


def bring_up_to_date(database: sqlite3.Connection) -> bool:
    """Index all messages anew if other words were made of them, and say whether that was so.

    What is taken out of the index must be what was put in, so an index has words of one kind only.
    To be called within a transaction.
    """
    row = database.execute("select value from meta where key = 'words'").fetchone()
    if row is not None and row[0] == VERSION:
        return False
    database.execute("insert into message_words(message_words) values('delete-all')")
    index = WordIndex(database)
    for row_id, key, conversation, source in _messages(database):
        index.add({row_id: entry(stored(database, key)[1], conversation, source)})
    index.write()
    put_in_order(database)
    count_common_words(database)
    database.execute("insert or replace into meta values('words', ?)", (VERSION,))
    return True


def _messages(database: sqlite3.Connection) -> Iterator[tuple[int, bytes, int, int]]:
    after = FIRST
    while rows := database.execute(_FOLLOWING, (after, _PAGE)).fetchall():
        yield from rows
        after = rows[-1][0]
