"""Reading: an archive opened so that no operation can change a byte of it."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from echo_archive.errors import Unreadable
from echo_archive.schema import VERSION, check_version, primary_code
from echo_archive.spans import Clock, clock_of

if TYPE_CHECKING:  # what it brings is loaded only where a model is configured
    from echo_archive.nearness import Nearness

_IDLE = 4
_CACHE_KIB = 24_576
_BUSY_SECONDS = 5.0


class Archive:
    """One archive to read from, by several threads at once.

    Args:
        path: The database.
        nearness: What finds messages by meaning; None where no model is configured.
    """

    def __init__(self, path: Path, nearness: Nearness | None = None) -> None:
        self.path = path
        self.nearness = nearness
        self._idle: list[tuple[sqlite3.Connection, tuple[int, int]]] = []
        self._clock: tuple[tuple[int, int], Clock] | None = None
        self._lock = threading.Lock()

    @property
    def clock(self) -> Clock:
        """The clocks that answers show beside UTC, as the last import was told."""
        look = self._look()
        if self._clock is None or self._clock[0] != look:
            with self.reading() as database:
                row = database.execute("select value from meta where key = 'zone'").fetchone()
            self._clock = look, clock_of(str(row[0]) if row else "UTC")
        return self._clock[1]

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the database for as long as this lasts.

        Raises:
            Unreadable: The database is missing, damaged or cannot be read as it stands.
        """
        database, identity = self._taken()
        reusable = False
        try:
            database.execute("begin")
            yield database
            database.execute("rollback")
            # A reader that stays would keep an import from leaving WAL mode.
            reusable = database.execute("pragma journal_mode").fetchone()[0] != "wal"
        except sqlite3.Error as problem:
            raise _cannot_read(problem) from problem
        finally:
            if database.in_transaction:
                database.rollback()
            self._give_back(database, identity, reusable=reusable)

    def close(self) -> None:
        """Close what is open; reading again opens it again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for database, _ in idle:
            database.close()

    def _taken(self) -> tuple[sqlite3.Connection, tuple[int, int]]:
        identity = self._identity()
        with self._lock:
            kept = self._idle.pop() if self._idle else None
        if kept and kept[1] == identity:
            return kept
        if kept:
            kept[0].close()
        return _open(self.path), identity

    def _give_back(
        self, database: sqlite3.Connection, identity: tuple[int, int], *, reusable: bool
    ) -> None:
        with self._lock:
            if reusable and len(self._idle) < _IDLE:
                self._idle.append((database, identity))
                return
        database.close()

    def _identity(self) -> tuple[int, int]:
        """Which file this is: another may have been put in its place."""
        seen = self._seen()
        return seen.st_dev, seen.st_ino

    def _look(self) -> tuple[int, int]:
        """What changes with an import."""
        seen = self._seen()
        return seen.st_ino, seen.st_mtime_ns

    def _seen(self) -> os.stat_result:
        try:
            return self.path.stat()
        except OSError as problem:
            raise Unreadable(
                "There is no archive at the configured path. Import an export first."
            ) from problem


def _open(path: Path) -> sqlite3.Connection:
    try:
        return _connected(path, "mode=ro")
    except sqlite3.Error as problem:
        if not _is_at_rest(path):
            raise _cannot_read(problem) from problem
    try:
        return _connected(path, "mode=ro&immutable=1")
    except sqlite3.Error as problem:
        raise _cannot_read(problem) from problem


def _is_at_rest(path: Path) -> bool:
    """Whether nothing waits beside a database in a place where nothing can be written.

    One in WAL mode makes SQLite write beside it even for reading, unless it is told that the file
    does not change.
    """
    beside = (path.with_name(f"{path.name}-{end}") for end in ("wal", "journal"))
    return not os.access(path.parent, os.W_OK) and not any(one.exists() for one in beside)


def _connected(path: Path, how: str) -> sqlite3.Connection:
    database = sqlite3.connect(
        f"file:{quote(os.fsencode(path.absolute()))}?{how}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        database.execute("pragma query_only = on")
        database.execute(f"pragma cache_size = -{_CACHE_KIB}")
        _check_current(database)
    except (sqlite3.Error, Unreadable):
        database.close()
        raise
    return database


def _check_current(database: sqlite3.Connection) -> None:
    if check_version(database) < VERSION:
        raise Unreadable(
            "This archive was written by an older version of the program. "
            "Import into it once to bring it up to date."
        )


def _cannot_read(problem: sqlite3.Error) -> Unreadable:
    code = primary_code(problem)
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
        return Unreadable(
            "An import into this archive was interrupted or is running, and it cannot be read as it"
            " stands. Run the import again to its end."
        )
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Unreadable("An import is writing to this archive. Try again in a moment.")
    return Unreadable(
        "The archive is damaged or is not a database of messages. "
        "Restore it from a backup, or import the exports into a new one."
    )
