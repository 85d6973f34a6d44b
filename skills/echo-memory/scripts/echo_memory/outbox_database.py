"""An outbox as a database: its table, how one is made and known, and what SQLite's errors mean."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from echo_memory.errors import VaultIO

FILE = "outbox.sqlite"

_APPLICATION = int.from_bytes(b"echo", "big")
_VERSION = 1
_TABLES = """
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        vault BLOB NOT NULL,
        op TEXT NOT NULL,
        arguments BLOB NOT NULL,
        accepted TEXT NOT NULL,
        parked INTEGER NOT NULL DEFAULT 0,
        tries INTEGER NOT NULL DEFAULT 0,
        in_doubt BLOB NOT NULL,
        outcome BLOB NOT NULL
    );
    CREATE INDEX entries_of_a_vault ON entries (vault, parked, id);
"""

BUSY_S = 10.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}


def build(folder: Path) -> Path:
    """An outbox without entries, closed, that only its owner may read."""
    new = folder / f"new-{FILE}"
    for left in folder.glob(f"{new.name}*"):
        left.unlink()
    # SQLite gives the files beside it the same mode.
    os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    connection = connect(new)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(
            f"BEGIN; {_TABLES} PRAGMA application_id = {_APPLICATION};"
            f" PRAGMA user_version = {_VERSION}; COMMIT"
        )
    finally:
        connection.close()
    return new


def connect(path: Path) -> sqlite3.Connection:
    """A connection on which every statement is a transaction of its own."""
    return sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )


def check(connection: sqlite3.Connection) -> None:
    """Make sure that a database is an outbox, and that its commits reach the disk."""
    [(application,)] = connection.execute("PRAGMA application_id").fetchall()
    [(version,)] = connection.execute("PRAGMA user_version").fetchall()
    if application != _APPLICATION or version < _VERSION:
        raise unreadable(f"{FILE} is no outbox")
    if version > _VERSION:
        raise VaultIO(
            "The outbox was written by a newer version of this program. Use that version."
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA fullfsync = ON")


def failed(error: sqlite3.Error, failing: str) -> VaultIO:
    """What an error of SQLite means; `failing` begins the message where it is none of ours."""
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_INTERNAL) & 0xFF
    if kind in _DAMAGED:
        return unreadable(str(error))
    return busy() if kind in _BUSY else unusable(failing, str(error))


def unreadable(reason: str) -> VaultIO:
    """The error for a file that is not, or not wholly, an outbox."""
    return VaultIO(
        f"The outbox cannot be read ({reason}), so nothing is written; it was left as it is. Put a"
        f" good copy in its place; or, once its entries are no longer needed, move {FILE} and the"
        f" files beside it that begin with that name out of the state folder."
    )


def busy() -> VaultIO:
    """The error when somebody else does not let go in time."""
    return VaultIO("Another process holds the outbox and did not let go of it. Try again.")


def unusable(failing: str, reason: str) -> VaultIO:
    """The error when the disk or the folder refuses."""
    return VaultIO(
        f"{failing}: {reason}. Check that ECHO_STATE_DIR has room and that you may write there."
    )
