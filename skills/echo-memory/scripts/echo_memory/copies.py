"""The copies: every note as it was last seen, kept in the state folder.

They are derived from the vault, answer for it while it is away, and spare a new process the reading
of what has not changed. Whatever goes wrong with them only costs that: a damaged file is made anew,
and one that cannot be written is left alone.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from echo_memory.acquaintance import key_of
from echo_memory.vault import Stamp

_FORMAT = 1
_BUSY_S = 2.0
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS note (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, text BLOB NOT NULL)
        WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS seen (at REAL NOT NULL);
"""


@dataclass(frozen=True)
class Copy:
    """A note as it was seen; an empty stamp belongs to no version."""

    stamp: Stamp
    text: str = field(repr=False)


@dataclass(frozen=True)
class Seen:
    """All notes, and when the vault was last compared with them, in seconds since the epoch."""

    notes: Mapping[str, Copy] = field(repr=False)
    at: float


class Copies:
    """The copies of one vault's notes; threads and processes may share them."""

    def __init__(self, state_dir: Path, vault: str) -> None:
        """Nothing is touched yet.

        Args:
            state_dir: where they are kept.
            vault: its address; each has copies of its own.
        """
        self._path = state_dir / "copies" / f"{key_of(vault)}.sqlite"
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def load(self) -> Seen | None:
        """What was seen last; None where nothing was, or nothing of it can be read."""
        with self._lock:
            if not self._is_there():
                return None
            try:
                with closing(self._open().cursor()) as cursor:
                    cursor.execute("SELECT at FROM seen")
                    row = cursor.fetchone()
                    cursor.execute("SELECT path, stamp, text FROM note")
                    notes = {path: Copy(stamp, _text(data)) for path, stamp, data in cursor}
            except sqlite3.OperationalError:
                self._close()
                return None
            except (sqlite3.DatabaseError, OSError, ValueError, TypeError):
                self._discard()
                return None
        return Seen(notes, row[0]) if row else None

    def update(
        self, changed: Mapping[str, Copy], gone: Iterable[str] = (), *, at: float | None = None
    ) -> None:
        """Take over what was just seen.

        Args:
            changed: notes by path.
            gone: paths of notes that are no more.
            at: when the whole vault was compared; None where it was not.
        """
        rows = [(path, copy.stamp, _bytes(copy.text)) for path, copy in changed.items()]
        with self._lock:
            try:
                with self._open() as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    connection.executemany("REPLACE INTO note VALUES (?, ?, ?)", rows)
                    paths = ((path,) for path in gone)
                    connection.executemany("DELETE FROM note WHERE path = ?", paths)
                    if at is not None:
                        connection.execute("DELETE FROM seen")
                        connection.execute("INSERT INTO seen VALUES (?)", (at,))
            except sqlite3.OperationalError:  # full, read-only, or busy: the next time mends it
                self._close()
            except (sqlite3.DatabaseError, OSError):
                self._discard()

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        with self._lock:
            self._close()

    def _is_there(self) -> bool:
        with suppress(OSError):
            return self._path.exists()
        return False

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and not self._is_there():
            self._close()  # somebody removed the file, which then would be written for nobody
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._path.touch(mode=0o600)
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                (known,) = connection.execute("PRAGMA user_version").fetchone()
                if known not in (0, _FORMAT):
                    raise sqlite3.DatabaseError("another format")
                connection.executescript(_SCHEMA)
                connection.execute(f"PRAGMA user_version = {_FORMAT}")
            except sqlite3.Error:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _discard(self) -> None:
        """Begin anew, for what is there is damaged or of another time."""
        self._close()
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
