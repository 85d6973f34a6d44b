"""The history: texts of notes as they were before something replaced them.

Each text is kept once, by its hash, and a note has a ring of them: a new one drives the oldest out.
Among those that lost nothing to what came after, a few are enough.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from echo_memory.acquaintance import key_of
from echo_memory.errors import VaultIO
from echo_memory.history_file import HistoryFile
from echo_memory.text import file_key
from echo_memory.vault import to_bytes, to_text

RING, RING_OF_ADDED = 20, 5
"""How many texts of a note are kept that lost something, and how many that were only added to."""

MAX_BYTES = 1_000_000_000
PREVIEWS = 100
"""How many previews are remembered, of all notes."""

ID_LENGTH = 12

_LEVEL = 1  # the fastest: a large note must not wait for it
_ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH},64}}")
_OLDEST = 10  # at a time, for a write waits for it


@dataclass(frozen=True)
class Version:
    """A text that a note had.

    Attributes:
        path: of the note.
        id: by its content; the same for the same text.
        at: when it was replaced, ISO 8601 with offset.
        op: by which operation; empty where nobody said.
        size: in bytes.
    """

    path: str
    id: str
    at: str
    op: str
    size: int


@dataclass(frozen=True)
class Status:
    """How much a history holds.

    Attributes:
        versions: how many texts, of all notes.
        notes: of how many notes.
        size: in bytes, on the disk.
        was_damaged: whether a damaged file was put aside and lies there still.
        trouble: why the last text could not be kept; empty where it was.
    """

    versions: int
    notes: int
    size: int
    was_damaged: bool
    trouble: str


def id_of(text: str) -> str:
    """What a version of this text is called."""
    return _hash(to_bytes(text))[:ID_LENGTH]


class History:
    """The history of one vault's notes; threads and processes may share it.

    Everything raises VaultIO where the state folder cannot be used. A file that is damaged is put
    aside, and a new one begun.
    """

    def __init__(
        self,
        state_dir: Path,
        vault: str,
        *,
        clock: Callable[[], datetime],
        notify: Callable[[str], None],
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Nothing is touched until it is used, and no file is made until something is kept.

        Args:
            state_dir: where it is kept.
            vault: its address; each has a history of its own.
            clock: says when a text was replaced.
            notify: told when a damaged file was put aside.
            max_bytes: the size from which on the oldest texts of all notes make room.
        """
        self._file = HistoryFile(state_dir / "history", key_of(vault), notify=notify)
        self._clock = clock
        self._max_bytes = max_bytes
        self._trouble = ""

    def keep(self, path: str, text: str, *, op: str, loses: bool) -> None:
        """Keep the text that a note has, as its newest version; once, however often it comes.

        Args:
            path: of the note.
            text: all of it.
            op: what is about to replace it.
            loses: whether anything of it will be lost.
        """
        try:
            self._keep(path, text, op, loses=loses)
        except VaultIO as error:
            self._trouble = error.message
            raise
        self._trouble = ""

    def _keep(self, path: str, text: str, op: str, *, loses: bool) -> None:
        data = to_bytes(text)
        digest, packed, note = _hash(data), zlib.compress(data, _LEVEL), path.encode()
        at = self._clock().isoformat(timespec="seconds")
        with self._file.changing() as connection:
            before = connection.execute(
                "SELECT loses FROM version WHERE path = ? AND hash = ?", (note, digest)
            ).fetchone()
            lost = int(loses or bool(before and before[0]))
            connection.execute("DELETE FROM version WHERE path = ? AND hash = ?", (note, digest))
            connection.execute("INSERT OR IGNORE INTO body VALUES (?, ?)", (digest, packed))
            connection.execute(
                "INSERT INTO version (path, hash, at, op, size, loses) VALUES (?, ?, ?, ?, ?, ?)",
                (note, digest, at, op, len(data), lost),
            )
            connection.execute(
                "DELETE FROM version WHERE number IN (SELECT number FROM version"
                " WHERE path = ? AND loses = ? ORDER BY number DESC LIMIT -1 OFFSET ?)",
                (note, lost, RING if lost else RING_OF_ADDED),
            )
            self._make_room(connection)

    def versions(self, *paths: str) -> list[Version]:
        """What is kept of a note that stood at these paths, newest first; a text comes once."""
        rows = [row for path in paths for row in self._rows(path)]
        rows.sort(reverse=True)
        found: dict[str, Version] = {}
        for _, path, digest, at, op, size in rows:
            name = digest[:ID_LENGTH]
            found.setdefault(name, Version(path.decode(), name, at, op, size))
        return list(found.values())

    def text(self, version: str, *paths: str) -> str | None:
        """The text of one version of a note that stood at these paths; None where none has it.

        Raises:
            VaultIO: also when that text is damaged.
        """
        if not _ID.fullmatch(version):
            return None
        for path in paths:
            rows = self._file.ask(
                "SELECT hash, data FROM version JOIN body USING (hash)"
                " WHERE path = ? AND substr(hash, 1, ?) = ?",
                path.encode(),
                len(version),
                version,
            )
            if rows:
                return to_text(_unpacked(*rows[0]))
        return None

    def preview(self, path: str, text: str, *, over: str | None) -> None:
        """Remember that somebody was shown how a text would replace another one at a path.

        Args:
            path: of the note.
            text: what would be there.
            over: what is there; None where nothing is.
        """
        with self._file.changing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO preview (path, hash, over) VALUES (?, ?, ?)",
                (path.encode(), _hash_of(text), _hash_of(over)),
            )
            connection.execute(
                "DELETE FROM preview WHERE number <= (SELECT max(number) FROM preview) - ?",
                (PREVIEWS,),
            )

    def was_shown_over(self, path: str, text: str, there: str | None) -> bool:
        """Whether what is there is what a text was last shown to replace, if it was shown at all.

        Args:
            path: of the note.
            text: what would be there.
            there: what is there; None where nothing is.
        """
        rows = self._file.ask(
            "SELECT over FROM preview WHERE path = ? AND hash = ?", path.encode(), _hash_of(text)
        )
        return not rows or rows[0][0] == _hash_of(there)

    def status(self) -> Status:
        """How much is held; nothing is made by asking."""
        held = self._file.ask("SELECT count(*), count(DISTINCT path) FROM version") or [(0, 0)]
        versions, notes = held[0]
        return Status(versions, notes, self._file.size, self._file.was_damaged, self._trouble)

    def paths_of(self, name: str) -> list[str]:
        """The notes that have versions and whose file name, without `.md`, is this one."""
        rows = self._file.ask("SELECT DISTINCT path FROM version ORDER BY path")
        wanted = file_key(name.removesuffix(".md"))
        paths = [path.decode() for (path,) in rows]
        return [path for path in paths if file_key(PurePosixPath(path).stem) == wanted]

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        self._file.close()

    def _rows(self, path: str) -> list[tuple[Any, ...]]:
        return self._file.ask(
            "SELECT number, path, hash, at, op, size FROM version WHERE path = ?", path.encode()
        )

    def _make_room(self, connection: sqlite3.Connection) -> None:
        """Let the oldest versions of all notes go where there is too much, but not the last one."""
        while self._file.used(connection) > self._max_bytes:
            gone = connection.execute(
                "DELETE FROM version WHERE number IN (SELECT number FROM version"
                " WHERE number < (SELECT max(number) FROM version) ORDER BY number LIMIT ?)",
                (_OLDEST,),
            )
            if not gone.rowcount:
                return


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash_of(text: str | None) -> str:
    return "" if text is None else _hash(to_bytes(text))


def _unpacked(digest: str, packed: bytes) -> bytes:
    try:
        data = zlib.decompress(packed)
    except zlib.error:
        data = b""
    if _hash(data) != digest:
        raise VaultIO("This version is damaged and cannot be restored. Choose another one.")
    return data
