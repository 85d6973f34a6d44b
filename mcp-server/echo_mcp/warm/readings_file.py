"""The readings file: how candidates of a recall read, on the disk, so that none is read twice.

It is made from what is kept elsewhere: whatever goes wrong with it only costs time.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from echo_memory import __version__
from echo_memory.retrieval.reading import FORM, Reading, packed, unpacked

_FORMAT = f"{FORM} {__version__}"
_BUSY_S = 0.5
_SCHEMA = """
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS form (form TEXT);
    CREATE TABLE IF NOT EXISTS reading (
        path TEXT PRIMARY KEY, signature INTEGER NOT NULL, data TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS known ON reading (path, signature);  -- read whole, without the data
"""
_ERRORS = (sqlite3.Error, OSError, ValueError, TypeError)
_Found = TypeVar("_Found")
_WAITING = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class ReadingsFile:
    """Readings of one vault's notes; threads and processes may share it. See Readings."""

    def __init__(self, path: Path) -> None:
        """Nothing is touched yet.

        Args:
            path: of the file.
        """
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_given_up = False

    def get(self, wanted: Mapping[str, int]) -> Mapping[str, Reading]:
        """See Readings."""

        def ask(connection: sqlite3.Connection) -> dict[str, Reading]:
            marks = ",".join("?" * len(wanted))
            query = f"SELECT path, signature, data FROM reading WHERE path IN ({marks})"  # noqa: S608 - marks alone
            rows = connection.execute(query, list(wanted))
            return {path: unpacked(data) for path, said, data in rows if wanted[path] == said}

        return (self._try(ask) if wanted else None) or {}

    def put(self, readings: Mapping[str, tuple[int, Reading]]) -> None:
        """See Readings."""
        rows = [(path, said, packed(one)) for path, (said, one) in readings.items()]
        self._try(lambda it: it.executemany("REPLACE INTO reading VALUES (?, ?, ?)", rows))

    def missing(self, wanted: Mapping[str, int]) -> list[str]:
        """See Readings."""

        def look(connection: sqlite3.Connection) -> set[str]:
            kept: dict[str, int] = dict(connection.execute("SELECT path, signature FROM reading"))
            gone = ((path,) for path in kept.keys() - wanted.keys())
            connection.executemany("DELETE FROM reading WHERE path = ?", gone)
            return {path for path, said in kept.items() if wanted.get(path) == said}

        known = self._try(look) or set()
        return [path for path in wanted if path not in known]

    def close(self) -> None:
        """See Readings."""
        with self._lock:
            self._close()

    def _try(self, action: Callable[[sqlite3.Connection], _Found]) -> _Found | None:
        """What an action gives, as one transaction; None where the file is of no use."""
        with self._lock:
            if self._is_given_up:
                return None
            try:
                connection = self._connection = self._connection or _opened(self._path)
                with connection:
                    return action(connection)
            except _ERRORS as error:
                if getattr(error, "sqlite_errorcode", None) not in _WAITING:
                    self._give_up()
                return None

    def _give_up(self) -> None:
        """Do without it from here on; the next process makes it anew."""
        self._close()
        self._is_given_up = True
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
    try:
        connection.executescript(_SCHEMA)
        with connection:
            if connection.execute("SELECT form FROM form").fetchall() != [(_FORMAT,)]:
                connection.execute("DELETE FROM reading")
                connection.execute("DELETE FROM form")
                connection.execute("INSERT INTO form VALUES (?)", (_FORMAT,))
    except BaseException:  # nobody else knows of the connection
        connection.close()
        raise
    return connection
