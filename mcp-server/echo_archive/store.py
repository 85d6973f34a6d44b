"""The store: an archive opened for importing, and closed so that readers need to write nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echo_archive.errors import Unreadable
from echo_archive.schema import migrate, primary_code

BUSY_SECONDS = 10.0
_SETTINGS = (
    "pragma page_size = 8192",
    "pragma synchronous = normal",
    "pragma cache_size = -262144",
    "pragma temp_store = file",
    "pragma foreign_keys = off",
)


@contextmanager
def opened_store(path: Path) -> Iterator[sqlite3.Connection]:
    """An archive open for writing, made if it is not there, private to its owner.

    Once it holds messages it is in WAL mode while it is open, so that readers see the last finished
    state; at the end it leaves that mode, so that reading creates no file.

    Raises:
        Unreadable: It cannot be opened, is no archive, or is from a newer version.
    """
    try:
        if not path.exists():
            path.touch(mode=0o600)
        database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    except (OSError, sqlite3.Error) as problem:
        raise cannot_write(problem) from problem
    try:
        _prepare(database)
        try:
            yield database
        finally:
            _leave_wal(database)
    finally:
        database.close()


def let_readers_read(database: sqlite3.Connection) -> None:
    """Enter WAL mode if there is anything to read; filling an empty archive is faster without."""
    if database.execute("select 1 from message limit 1").fetchone():
        database.execute("pragma journal_mode = wal")


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing.

    Raises:
        Unreadable: The disk is full, the database is damaged or another import is running.
    """
    try:
        database.execute("begin immediate")
        try:
            yield
            database.execute("commit")
        except BaseException:  # whatever it was, half a change must not stay
            if database.in_transaction:
                database.execute("rollback")
            raise
    except sqlite3.Error as problem:
        raise cannot_write(problem) from problem


def cannot_write(problem: Exception) -> Unreadable:
    """The error for a database that does not take what is written."""
    code = primary_code(problem)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Unreadable("Another import is writing to this archive. Try again when it has ended.")
    if code == sqlite3.SQLITE_FULL:
        return Unreadable(
            "The disk is full; nothing of this file was imported. Make room and import again."
        )
    return Unreadable(
        "The archive cannot be written or is not a database of messages. "
        "Check its path, its permissions and the disk, then try again."
    )


def _prepare(database: sqlite3.Connection) -> None:
    try:
        for setting in _SETTINGS:
            database.execute(setting)
        migrate(database)
        let_readers_read(database)
    except sqlite3.Error as problem:
        raise cannot_write(problem) from problem


def _leave_wal(database: sqlite3.Connection) -> None:
    """Fails when somebody reads just now; the next import does it then, and reading still works."""
    try:
        database.execute("pragma busy_timeout = 2000")
        database.execute("pragma wal_checkpoint(truncate)")
        database.execute("pragma journal_mode = delete")
    except sqlite3.Error:
        return
