"""The Messages database, opened so that neither it nor the folder it lies in is changed."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from echo_archive.importers.bench import Bench

_BESIDE = ("-wal", "-journal")
_NEEDED = {
    "message": {"guid", "date", "is_from_me", "handle_id"},
    "chat": {"guid"},
    "handle": {"id"},
    "chat_message_join": {"chat_id", "message_id"},
}


@contextmanager
def opened(bench: Bench) -> Iterator[sqlite3.Connection]:
    """A connection that can only read.

    A database whose newest messages still wait beside it is copied first, as reading those makes
    SQLite write; any other is read where it lies.

    Raises:
        OSError: It cannot be read or copied.
        sqlite3.Error: It is no database.
    """
    path = bench.tree.local(bench.file)
    with tempfile.TemporaryDirectory(prefix="echo-archive-") as folder:
        if path is None or any(_beside(path, end) for end in _BESIDE):
            path = _copied(bench, path, Path(folder))
            database = sqlite3.connect(path)
        else:
            database = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
        with closing(database):
            database.execute("pragma query_only = on")
            database.execute("pragma trusted_schema = off")
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            database.row_factory = sqlite3.Row
            yield database


def columns(database: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table, none where there is no such table.

    A view in its place is none: reading one runs whatever its writer wrote, without an end.
    """
    query = "select 1 from sqlite_master where type = 'table' and name = ?"
    if not database.execute(query, (table,)).fetchone():
        return set()
    return {str(row[1]) for row in database.execute(f"pragma table_info({table})")}


def is_messages(database: sqlite3.Connection) -> bool:
    """Whether this is a Messages database of a shape that can be read."""
    return all(need <= columns(database, table) for table, need in _NEEDED.items())


def _beside(path: Path, end: str) -> bool:
    other = path.with_name(path.name + end)
    return other.is_file() and other.stat().st_size > 0


def _copied(bench: Bench, path: Path | None, folder: Path) -> Path:
    copy = folder / "chat.db"
    _copy(bench, bench.file, copy)
    for end in _BESIDE:
        if path is not None and _beside(path, end):
            shutil.copyfile(path.with_name(path.name + end), folder / f"chat.db{end}")
        elif path is None and bench.tree.size(bench.file + end):
            _copy(bench, bench.file + end, folder / f"chat.db{end}")
    return copy


def _copy(bench: Bench, name: str, place: Path) -> None:
    with bench.tree.open(name) as source, place.open("xb") as target:
        shutil.copyfileobj(source, target, 2**20)
