"""Filling: embeddings for the messages that have none, in pieces that survive a break."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from echo_archive.keys import text_digest
from echo_archive.scope import FIRST
from echo_archive.store import opened_store, transaction
from echo_archive.vectors import build

BATCH, LONGEST_TEXT = 64, 8_000
EMBEDDABLE = "not system and not deleted and trim(body) <> ''"
Progress = Callable[[int], None]
Waiting = tuple[int, bytes, str]


class DocumentModel(Protocol):
    """What makes vectors of messages."""

    @property
    def model(self) -> str:
        """The name its vectors are stored under."""

    def documents(self, texts: Sequence[str]) -> list[bytes]:
        """One vector per text: float32, the lowest byte first.

        Raises:
            Unavailable: They cannot be made.
        """


@dataclass(frozen=True, slots=True)
class Filled:
    """What was done: vectors made, vectors thrown away, and how many the file of vectors has."""

    embedded: int
    pruned: int
    vectors: int


def fill(path: Path, model: DocumentModel, progress: Progress, *, prune: bool = False) -> Filled:
    """Embed what is not embedded yet, or was and says something else now.

    Args:
        path: The archive.
        model: What makes the vectors.
        progress: Told after each piece how many are done.
        prune: Whether vectors of messages that are gone or taken back are thrown away.

    Raises:
        Unavailable: The model does not answer; what was made until then is kept.
        Unreadable: The archive cannot be written.
    """
    with opened_store(path) as database:
        with transaction(database):
            database.execute("insert or ignore into model(name) values(?)", (model.model,))
            row = database.execute("select id from model where name = ?", (model.model,)).fetchone()
            number = int(row[0])
            pruned = _prune(database) if prune else 0
        try:
            embedded = _embed(database, model, number, progress)
        finally:
            vectors = build(database, path, number)
    return Filled(embedded, pruned, vectors)


def _embed(
    database: sqlite3.Connection, model: DocumentModel, number: int, progress: Progress
) -> int:
    done, after = 0, FIRST
    while found := _written(database, after):
        after = found[-1][0]
        missing = [one for one in found if not _has(database, number, one)]
        if not missing:
            continue
        vectors = model.documents([body[:LONGEST_TEXT] for _, _, body in missing])
        rows = [
            (key, number, text_digest(body), vector)
            for (_, key, body), vector in zip(missing, vectors, strict=True)
        ]
        with transaction(database):
            database.executemany("insert or replace into embedding values(?, ?, ?, ?)", rows)
        done += len(rows)
        progress(done)
    return done


def _written(database: sqlite3.Connection, after: int) -> list[Waiting]:
    """The next messages that somebody wrote and that still say something."""
    return database.execute(
        f"select id, hash, body from message where id > ? and {EMBEDDABLE} order by id limit ?",  # noqa: S608
        (after, BATCH),
    ).fetchall()


def _has(database: sqlite3.Connection, number: int, one: Waiting) -> bool:
    row = database.execute(
        "select text from embedding where hash = ? and model = ?", (one[1], number)
    ).fetchone()
    return bool(row) and row[0] == text_digest(one[2])


def _prune(database: sqlite3.Connection) -> int:
    return database.execute(
        "delete from embedding where not exists (select 1 from message"
        " where message.hash = embedding.hash and not message.deleted)"
    ).rowcount
