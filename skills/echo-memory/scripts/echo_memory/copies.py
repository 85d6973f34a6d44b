"""The copies: every note as it was last seen, kept in the state folder.

They are derived from the vault, answer for it while it is away, and spare a new process the reading
of what has not changed. Whatever goes wrong with them only costs that: a damaged file is made anew,
and one that cannot be written is left alone.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from echo_memory.acquaintance import key_of
from echo_memory.vault import Stamp

_APPLICATION = int.from_bytes(b"eccp", "big")
_FORMAT = 4
_PAGE = 8192  # holds some notes each: in pages of 4 kB, every other one is half empty
_BUSY_S = 2.0
_AT_ONCE = 200  # notes: more of them leave the processor's cache before they are taken
_SCHEMA = f"""
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS note (
        path TEXT PRIMARY KEY, stamp TEXT NOT NULL, text BLOB NOT NULL, head BLOB,
        signature INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS seen (at REAL NOT NULL);
    PRAGMA application_id = {_APPLICATION};
    PRAGMA user_version = {_FORMAT};
    COMMIT
"""
_ERRORS = (sqlite3.Error, OSError, ValueError, TypeError)


@dataclass(frozen=True, slots=True)
class Copy:
    """A note as it was seen.

    Attributes:
        stamp: the version that it was in; empty where that is not known.
        text: all of it.
        head: what was read of it, to spare the next process the reading; see `Note.head`.
        signature: by which the text is known; see `Note.signature`.
    """

    stamp: Stamp
    text: str = field(repr=False)
    head: bytes | None = field(repr=False)
    signature: int


Everything = Callable[[], Iterable[tuple[str, Copy]]]
"""Gives all notes as they are known, by path."""


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
        self._file: tuple[int, int] | None = None
        self._version: tuple[sqlite3.Connection, int] | None = None
        self._is_behind = False  # whether it may hold something else than it should

    def read(self, take: Callable[[Mapping[str, Copy]], None]) -> float | None:
        """Go through what was seen last, some notes at a time.

        Args:
            take: is given them by their paths; also of a file that breaks off in the middle.

        Returns:
            When the vault was last compared with them, in seconds since the epoch; None where it
            never was, or where they cannot all be read.
        """
        with self._lock:
            if self._found() is None:
                return None
            try:
                with closing(self._open().cursor()) as cursor:
                    cursor.execute("SELECT at FROM seen")
                    row = cursor.fetchone()
                    at = float(row[0]) if row else None
                    cursor.execute("SELECT path, stamp, text, head, signature FROM note")
                    while rows := cursor.fetchmany(_AT_ONCE):
                        take({row[0]: _copy(*row[1:]) for row in rows})
            except _ERRORS as error:
                self._give_up(error)
                return None
        return at

    def update(self, changed: Mapping[str, Copy], gone: Iterable[str] = ()) -> None:
        """Take over what was just seen.

        What could not be written is made good at the next comparison; until then the file stays
        what the vault was at an earlier one.

        Args:
            changed: notes by path.
            gone: paths of notes that are no more.
        """
        with self._lock:
            if not self._is_behind:
                self._try(lambda: self._write(changed.items(), gone))

    def compared(self, at: float, everything: Everything) -> None:
        """Take over that the whole vault was just compared.

        Args:
            at: when, in seconds since the epoch.
            everything: asked where the file may lack something.
        """
        with self._lock:
            self._try(lambda: self._write((), (), at=at, everything=everything))

    def others_wrote(self) -> bool:
        """Whether another process has changed them since this was asked last, or may have."""
        with self._lock:
            try:
                connection = self._open()
                (version,) = connection.execute("PRAGMA data_version").fetchone()
            except _ERRORS:
                return False
            before, self._version = self._version, (connection, version)
            return before != self._version

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        with self._lock:
            self._close()

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except _ERRORS as error:
            self._give_up(error)

    def _write(
        self,
        changed: Iterable[tuple[str, Copy]],
        gone: Iterable[str],
        *,
        at: float | None = None,
        everything: Everything | None = None,
    ) -> None:
        opened = self._open()  # which may tell that the file is another one
        if self._is_behind and everything is None:
            return
        with opened as connection:
            connection.execute("BEGIN IMMEDIATE")
            if self._is_behind and everything is not None:
                connection.execute("DELETE FROM note")
                changed = everything()
            connection.executemany(
                "REPLACE INTO note VALUES (?, ?, ?, ?, ?)",
                (
                    (path, copy.stamp, _bytes(copy.text), copy.head, copy.signature)
                    for path, copy in changed
                ),
            )
            connection.executemany("DELETE FROM note WHERE path = ?", ((path,) for path in gone))
            if at is not None:
                connection.execute("DELETE FROM seen")
                connection.execute("INSERT INTO seen VALUES (?)", (at,))
        self._is_behind = False

    def _found(self) -> tuple[int, int] | None:
        """Which file is there; None where there is none."""
        with suppress(OSError):
            status = self._path.lstat()
            return status.st_dev, status.st_ino
        return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._found() != self._file:
            self._close()  # somebody took the file away: what is written to it is for nobody
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._path.is_symlink():
                self._path.unlink()
            self._path.touch(mode=0o600)
            earlier, self._file = self._file, self._found()
            self._connection, is_new = _opened(self._path)
            if earlier and (is_new or earlier != self._file):
                self._is_behind = True
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _give_up(self, error: Exception) -> None:
        """Leave the file until the next time, or remove it where no time will mend it."""
        self._close()
        self._is_behind = True
        if _is_hopeless(error):
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    Path(f"{self._path}{suffix}").unlink(missing_ok=True)


def _opened(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether the file was empty."""
    connection = sqlite3.connect(
        path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        is_new = _prepare(connection)
    except BaseException:  # nobody else knows of the connection
        connection.close()
        raise
    return connection, is_new


def _prepare(connection: sqlite3.Connection) -> bool:
    """Make an empty file one of copies; returns whether it was one.

    Raises:
        ValueError: it is of another kind, or of another time.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    is_new = (tables, application, version) == (0, 0, 0)
    if is_new:
        connection.execute(f"PRAGMA page_size = {_PAGE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(_SCHEMA)
    elif (application, version) != (_APPLICATION, _FORMAT):
        raise ValueError("another format")
    connection.execute("PRAGMA synchronous = NORMAL")
    return is_new


def _is_hopeless(error: Exception) -> bool:
    """Whether an error is about what the file holds, not about the disk or about others."""
    if isinstance(error, sqlite3.OperationalError):  # SQLITE_ERROR: its tables are others
        return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR
    return not isinstance(error, OSError)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _copy(stamp: Stamp, data: object, head: bytes | None, signature: object) -> Copy:
    if not isinstance(data, bytes):
        raise TypeError("a note is kept as bytes")
    if not isinstance(signature, int) or signature < 0:
        raise TypeError("a signature is a number without a sign")
    return Copy(stamp, data.decode("utf-8", "surrogateescape"), head, signature)
