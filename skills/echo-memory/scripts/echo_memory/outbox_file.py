"""The outbox's file: one SQLite database, shared by processes, that holds what nobody else has.

So it is never emptied, replaced or mended here: a file that cannot be read stays as it is, and the
error says so. It is opened by SQLite alone: closing any other descriptor of it would let go of the
locks that SQLite holds in this process.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from echo_memory.errors import Conflict, VaultIO
from echo_memory.locks import PathLocks
from echo_memory.outbox_database import (
    BUSY_S,
    FILE,
    build,
    busy,
    check,
    connect,
    failed,
    unreadable,
    unusable,
)

WORKSHOP = "outbox"

# What SQLite keeps beside the file, and in it the latest entries.
_LOGS = ("-wal", "-journal")
_CANNOT_SYNC_FOLDERS = {errno.EINVAL, errno.EOPNOTSUPP}

# Connections of a parent process: using them would be wrong, and so would closing them.
_inherited: list[sqlite3.Connection] = []


class OutboxFile:
    """The file, opened when it is first needed and again when it is another one.

    Any number of threads may use one object; so may a forked child.
    """

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir.absolute() / FILE
        self._begin()

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a SELECT finds; none, and no file is made, where there is no file.

        Raises:
            VaultIO: the file cannot be read.
        """
        with self._using("The outbox cannot be used") as connection:
            return [] if connection is None else connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: Any) -> int:
        """The number of rows that an UPDATE or DELETE changed, on the disk; 0 without a file.

        Raises:
            VaultIO: the file cannot be read or written.
        """
        with self._using("The outbox cannot be changed") as connection:
            if connection is None:
                return 0
            changed = connection.execute(sql, values)
            self._still_there()
            return changed.rowcount

    def insert(self, sql: str, *values: Any) -> int:
        """The id of the row that an INSERT adds, on the disk; the file is made when missing.

        Raises:
            VaultIO: the file cannot be made, read or written; the row is not in it.
        """
        with self._using("The write could not be kept", make=True) as connection:
            added = connection and connection.execute(sql, values)
            self._still_there()
            return (added and added.lastrowid) or 0

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        self._own()
        with self._guard:
            self._forget()

    def __del__(self) -> None:
        if self._process == os.getpid():
            self._forget()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._known: tuple[int, int] | None = None

    def _own(self) -> None:
        """In a forked child, leave the parent's connection and lock alone."""
        if self._process != os.getpid():
            if self._connection is not None:
                _inherited.append(self._connection)
            self._begin()

    @contextmanager
    def _using(self, failing: str, *, make: bool = False) -> Iterator[sqlite3.Connection | None]:
        """The connection, for one statement; closed, which undoes what is half done, on an error.

        Args:
            failing: the beginning of the message of an error.
            make: whether a missing file is made; otherwise there is no connection without one.
        """
        self._own()
        with self._guard:
            try:
                yield self._opened(make=make)
            except sqlite3.Error as error:
                self._forget()
                raise failed(error, failing) from error
            except OSError as error:
                self._forget()
                raise unusable(failing, os.strerror(error.errno or errno.EIO)) from error
            except BaseException:  # a statement that was interrupted may hold its lock
                self._forget()
                raise

    def _forget(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _opened(self, *, make: bool) -> sqlite3.Connection | None:
        found = self._found()
        if self._connection is not None and found is not None and found == self._known:
            return self._connection
        self._forget()
        if found is None:
            if not make:
                return None
            self._make()
            found = self._found()
        self._known = found
        self._connection = connect(self._path)
        check(self._connection)
        self._still_there()
        return self._connection

    def _still_there(self) -> None:
        """Refuse to go on with a file that has been moved or removed: nobody would find it."""
        if self._known is None or self._found() != self._known:
            raise VaultIO("The outbox's file was moved or removed just now. Try again.")

    def _found(self) -> tuple[int, int] | None:
        """Which file it is; None where there is none.

        Raises:
            VaultIO: what is there is none of ours.
        """
        status = _status(self._path)
        if status is None and any(self._has_left(log) for log in _LOGS):
            # Either it has come meanwhile, or somebody took it away from its entries.
            status = _status(self._path)
            if status is None:
                raise unreadable(f"{FILE} is gone, but not what belongs to it")
        if status is None:
            return None
        # SQLite takes an empty file for a new database, and throws away the log beside it.
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            raise unreadable(f"{FILE} is empty or no file")
        return status.st_dev, status.st_ino

    def _has_left(self, suffix: str) -> bool:
        status = _status(self._beside(suffix))
        return status is not None and status.st_size > 0

    def _beside(self, suffix: str) -> Path:
        return self._path.with_name(FILE + suffix)

    def _make(self) -> None:
        """Make the file unless it is there; whole from the start, whoever is killed meanwhile."""
        workshop = self._path.with_name(WORKSHOP)
        _make_folder(workshop)
        try:
            with PathLocks(workshop, wait=BUSY_S).hold("make"):
                if self._found() is None:
                    new = build(workshop)
                    # Others may still have that of a removed file open.
                    self._beside("-shm").unlink(missing_ok=True)
                    new.rename(self._path)
        except Conflict as error:
            raise busy() from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _make_folder(folder: Path) -> None:
    """Make a folder, for its owner alone, so that a power cut does not take it away."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC_FOLDERS:
            raise
    finally:
        os.close(file)
