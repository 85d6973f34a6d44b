"""The history's file: one SQLite database a vault, shared by threads and processes.

A write is on its way to the disk when it returns, and not on it: a process may be killed at any
instruction, but where the power fails, what was kept in the last seconds may be gone. To wait for
the disk as well would double the time that every write takes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from echo_memory.errors import VaultIO
from echo_memory.locks import PathLocks

_APPLICATION = int.from_bytes(b"echi", "big")
_FORMAT = 1
_BUSY_S = 5.0
_BESIDE = ("", "-wal", "-shm")
_ASIDE = ".damaged"
_SCHEMA = """
    BEGIN IMMEDIATE;
    CREATE TABLE body (hash TEXT PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE version (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        path BLOB NOT NULL, hash TEXT NOT NULL,
        at TEXT NOT NULL, op TEXT NOT NULL, size INTEGER NOT NULL, loses INTEGER NOT NULL,
        UNIQUE (path, hash)
    );
    CREATE INDEX version_of_body ON version (hash);
    CREATE TABLE preview (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        path BLOB NOT NULL, hash TEXT NOT NULL, over TEXT NOT NULL,
        UNIQUE (path, hash)
    );
    CREATE TRIGGER body_of_nobody AFTER DELETE ON version
    WHEN NOT EXISTS (SELECT 1 FROM version WHERE hash = old.hash) BEGIN
        DELETE FROM body WHERE hash = old.hash;
    END;
"""
_SEAL = f"""
    PRAGMA application_id = {_APPLICATION};
    PRAGMA user_version = {_FORMAT};
    COMMIT
"""

_TABLES = {"body", "version", "preview"}
_MAX_WAL_BYTES = 16_000_000  # what it may take up once it is written back

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_NOTADB}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class _ForeignError(sqlite3.Error):
    """The file is a database of somebody else."""


class HistoryFile:
    """The file, opened when it is first needed and again when it is another one."""

    def __init__(self, folder: Path, name: str, *, notify: Callable[[str], None]) -> None:
        self._path = folder / f"{name}-{_FORMAT}.sqlite"
        self._notify = notify
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a SELECT finds; none, and no file is made, where there is no file.

        Raises:
            VaultIO: the file cannot be read.
        """
        with self._lock, self._told():
            if self._found() is None:
                return []
            return self._opened().execute(sql, values).fetchall()

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One change, whole or not at all; the file is made where it is missing.

        Raises:
            VaultIO: the file cannot be made or written; nothing was changed.
        """
        with self._lock, self._told():
            connection = self._begun()
            yield connection
            connection.execute("COMMIT")

    @staticmethod
    def used(connection: sqlite3.Connection) -> int:
        """The bytes that are taken up by what is kept."""
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * size)

    @property
    def size(self) -> int:
        """The bytes that it takes up on the disk, with what SQLite has beside it."""
        sizes = []
        for suffix in _BESIDE:
            with suppress(OSError):
                sizes.append(self._beside(suffix).lstat().st_size)
        return sum(sizes)

    @property
    def was_damaged(self) -> bool:
        """Whether a damaged file was put aside and is there still."""
        return self._beside(_ASIDE).exists()

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        with self._lock:
            self._close()

    def _begun(self) -> sqlite3.Connection:
        """A connection in which a change has begun, to a new file where this one is damaged."""
        try:
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            if not _is_damage(error):
                raise
            self._put_aside()
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
        return connection

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what goes wrong; a change that is half made is undone by closing."""
        try:
            yield
        except sqlite3.Error as error:
            self._close()
            if _is_damage(error):
                self._put_aside()
            raise _failed(error) from error
        except OSError as error:
            self._close()
            raise _unusable(error.strerror or "an error of the disk") from error
        except BaseException:  # whoever broke it off, half a change must not stay
            self._close()
            raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and self._found() != self._file:
            self._close()  # somebody took the file away: what is written to it is for nobody
        if self._connection is None:
            folder = self._path.parent
            folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            with self._alone():  # two must not make it at once
                self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if self._path.is_symlink():
            self._path.unlink()
        self._path.touch(mode=0o600)
        self._file = self._found()
        connection = sqlite3.connect(
            self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection)
        except BaseException:  # nobody else knows of the connection
            connection.close()
            raise
        return connection

    def _put_aside(self) -> None:
        """Leave a damaged file to whoever can mend it, in the place of an earlier one."""
        self._close()
        with self._alone():
            if self._found() != self._file:
                return  # another process has done it, and what is there now is whole
            for suffix in _BESIDE:
                with suppress(FileNotFoundError):
                    self._beside(suffix).replace(self._beside(f"{_ASIDE}{suffix}"))
        self._notify("the history was damaged; its file was put aside and a new one begun")

    def _alone(self) -> AbstractContextManager[None]:
        """While it lasts, no other process makes the file or puts it aside."""
        return PathLocks(self._path.parent).hold(self._path.name)

    def _beside(self, suffix: str) -> Path:
        return self._path.with_name(f"{self._path.name}{suffix}")

    def _found(self) -> tuple[int, int] | None:
        """Which file is there; None where there is none."""
        with suppress(FileNotFoundError):
            status = self._path.lstat()
            return status.st_dev, status.st_ino
        return None

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def _prepare(connection: sqlite3.Connection) -> None:
    """Make an empty file one of a history.

    Raises:
        _ForeignError: it is of another kind.
    """
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {name for (name,) in rows}
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if (tables, application, version) == (set(), 0, 0):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA + _SEAL)
    elif (application, version) != (_APPLICATION, _FORMAT) or not tables >= _TABLES:
        raise _ForeignError("another kind of file")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {_MAX_WAL_BYTES}")


def _is_damage(error: sqlite3.Error) -> bool:
    """Whether an error is about what the file holds, not about the disk or about others."""
    return isinstance(error, _ForeignError) or _code(error) in _DAMAGE


def _code(error: sqlite3.Error) -> int:
    """What SQLite calls an error, without what it adds to that."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _failed(error: sqlite3.Error) -> VaultIO:
    if _code(error) in _HELD:
        return VaultIO("Another process holds the history and did not let go of it. Try again.")
    if _is_damage(error):
        return VaultIO("The history's file was damaged and has been put aside. Try again.")
    return _unusable(
        "the disk is full or failing" if _code(error) in _FULL else "it cannot be written"
    )


def _unusable(reason: str) -> VaultIO:
    return VaultIO(
        f"The history cannot be used: {reason}. Check that ECHO_STATE_DIR has room and that you may"
        " write there."
    )
