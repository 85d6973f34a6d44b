"""The words file: an inverted index on the disk, of which only the words of a question are read.

For a process that asks one question and ends. What has changed since the file was made is held in
memory beside it.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import sys
import weakref
from array import array
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from echo_memory import state_file
from echo_memory.recall_index import NoReadings
from echo_memory.retrieval import bm25
from echo_memory.retrieval.inverted import DamagedIndex, DictInverted, DictScores, Inverted

_FORMAT = 1
_SCHEMA = """
    PRAGMA journal_mode = OFF;
    CREATE TABLE about (id TEXT, format INTEGER, byteorder TEXT, keys TEXT, lengths BLOB);
    CREATE TABLE word (word BLOB PRIMARY KEY, slots BLOB, counts BLOB) WITHOUT ROWID;
"""
_SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_MOST_CHANGED = 20  # of so many documents, one may be another before the file is made anew


class FileInverted:
    """Documents in a file, and those that came or went since; for one thread."""

    def __init__(self) -> None:
        self._file: sqlite3.Connection | None = None
        self._keys: list[str] = []
        self._lengths: dict[str, float] = {}
        self._postings: dict[str, dict[str, float]] = {}
        self._new = DictInverted()
        self._changes = 0

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def is_stale(self) -> bool:
        """Whether so much has changed that the file is worth being made anew."""
        return self._file is None or self._changes * _MOST_CHANGED > len(self)

    def put(self, key: str, counts: Mapping[str, float]) -> None:
        """See Inverted."""
        self._changes += key not in self._lengths
        self.drop(key)
        self._new.put(key, counts)
        self._lengths[key] = self._new.length(key)

    def drop(self, key: str) -> None:
        """See Inverted."""
        self._changes += self._lengths.pop(key, None) is not None
        self._new.drop(key)
        for posting in self._postings.values():
            posting.pop(key, None)

    def containing(self, word: str) -> int:
        """See Inverted."""
        return len(self._posting(word))

    def beginning(self, letter: str) -> list[str]:
        """See Inverted."""
        found = dict.fromkeys(self._new.beginning(letter))
        if self._file is not None:
            ask = "SELECT word FROM word WHERE word >= ? AND word < ?"
            try:
                rows = self._file.execute(ask, (_bytes(letter), _bytes(letter) + b"\xff"))
                found |= dict.fromkeys(str(name, "utf-8", "surrogatepass") for (name,) in rows)
            except (sqlite3.Error, ValueError, TypeError) as error:
                raise DamagedIndex from error
        return list(found)

    def has(self, key: str, word: str) -> bool:
        """See Inverted."""
        return key in self._posting(word)

    def scores(self, weights: Mapping[str, float]) -> DictScores:
        """See Inverted."""
        postings = {word: self._posting(word) for word in weights}
        average = sum(self._lengths.values()) / max(1, len(self._lengths))
        return DictScores(bm25.scores(weights, postings, self._lengths, average), postings)

    def _posting(self, word: str) -> Mapping[str, float]:
        """How often each document has a word."""
        if word not in self._postings:
            self._postings[word] = self._read(word)
        new = self._new.posting(word)
        return {**self._postings[word], **new} if new else self._postings[word]

    def _read(self, word: str) -> dict[str, float]:
        if self._file is None:
            return {}
        ask, name = "SELECT slots, counts FROM word WHERE word = ?", (_bytes(word),)
        try:
            rows = self._file.execute(ask, name).fetchall()
            return {key: times for row in rows for key, times in self._rows(*row)}
        except (sqlite3.Error, ValueError, IndexError, TypeError) as error:
            raise DamagedIndex from error

    def _rows(self, slots: bytes, counts: bytes) -> Iterator[tuple[str, float]]:
        """A posting in the file, without the documents that are others by now."""
        for slot, doubled in zip(array("I", slots), array("H", counts), strict=True):
            key = self._keys[slot]
            if key in self._lengths and key not in self._new:
                yield key, doubled / 2

    def open(self, path: Path) -> str | None:
        """Take the documents of a file; what it is called by, None where it cannot be used."""
        try:
            file = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, check_same_thread=False)
        except (sqlite3.Error, ValueError):
            return None
        weakref.finalize(self, file.close)
        try:
            (size,) = file.execute(_SIZE).fetchone()
            if path.stat().st_size != size:  # of a last page that was cut, SQLite reads zeros
                return None
            row = file.execute("SELECT id, format, byteorder, keys, lengths FROM about").fetchone()
            said, *kind = row[:3]
            keys, lengths = json.loads(row[3]), array("d", row[4])
            known = dict(zip(keys, lengths, strict=True))
        except (sqlite3.Error, OSError, ValueError, TypeError):
            return None
        if kind != [_FORMAT, sys.byteorder]:
            return None
        self._file, self._keys, self._lengths = file, keys, known
        return str(said)

    def write(self, path: Path) -> str:
        """Make a file of all documents, in the place of the one at this path.

        Returns:
            What it is called by.

        Raises:
            OSError: it cannot be written.
        """
        said = secrets.token_hex(8)
        slots = {key: slot for slot, key in enumerate(self._lengths)}
        lengths = array("d", self._lengths.values()).tobytes()
        about = (said, _FORMAT, sys.byteorder, json.dumps(list(slots)), lengths)
        try:
            with (
                state_file.replacing(path) as draft,
                closing(sqlite3.connect(draft, isolation_level=None)) as file,
            ):
                file.executescript(_SCHEMA)
                file.execute("BEGIN")
                file.execute("INSERT INTO about VALUES (?, ?, ?, ?, ?)", about)
                rows = (_packed(word, posting, slots) for word, posting in self._all())
                file.executemany("INSERT INTO word VALUES (?, ?, ?)", rows)
                file.execute("COMMIT")
        except (sqlite3.Error, ValueError, IndexError, TypeError) as error:
            raise OSError(str(error)) from error
        return said

    def _all(self) -> Iterator[tuple[str, Mapping[str, float]]]:
        """Every word with its posting."""
        words = set(self._new.words())
        if self._file is not None:
            for name, slots, counts in self._file.execute("SELECT word, slots, counts FROM word"):
                word = name.decode("utf-8", "surrogatepass")
                words.discard(word)
                yield word, {**dict(self._rows(slots, counts)), **self._new.posting(word)}
        for word in words:
            yield word, self._new.posting(word)


class WordsFile:
    """Reads and writes such files, for an index store."""

    suffix = "sqlite"

    def readings(self, path: Path) -> NoReadings:
        """Keeps none: a process that asks one question reads few notes."""
        return NoReadings()

    def empty(self) -> FileInverted:
        """An index without documents."""
        return FileInverted()

    def load(self, path: Path) -> tuple[FileInverted, str] | None:
        """The index in a file and what it is called by; None where it cannot be used."""
        inverted = FileInverted()
        said = inverted.open(path)
        return (inverted, said) if said is not None else None

    def save(self, inverted: Inverted, path: Path) -> str | None:
        """Keep an index; what it is called by, None where the one that is kept will do.

        Raises:
            OSError: it cannot be written.
        """
        if not isinstance(inverted, FileInverted) or not inverted.is_stale:
            return None
        return inverted.write(path)


def _packed(
    word: str, posting: Mapping[str, float], slots: Mapping[str, int]
) -> tuple[bytes, bytes, bytes]:
    places = array("I", (slots[key] for key in posting))
    counts = array("H", (min(round(2 * times), 65_535) for times in posting.values()))
    return _bytes(word), places.tobytes(), counts.tobytes()


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")
