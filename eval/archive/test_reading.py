"""Reading changes no byte, needs no room to write, and goes on while an import is running."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archives import ME, Topics, message, put
from echo_archive.errors import ArchiveError, Unreadable
from echo_archive.export import exported
from echo_archive.filling import fill
from echo_archive.nearness import Nearness
from echo_archive.ops.conversations import list_conversations_op
from echo_archive.ops.links import list_links_op
from echo_archive.ops.media import list_media_op
from echo_archive.ops.search import search_messages_op, semantic_search_op
from echo_archive.ops.transcript import get_context_op, get_conversation_op
from echo_archive.reading import Archive
from echo_archive.status import status_of
from echo_archive.store import opened_store

ROOT = Path(__file__).parents[2]
OPS: list[tuple[Callable[..., dict[str, Any]], tuple[str, ...]]] = [
    (list_conversations_op, ("source", "query", "limit", "cursor")),
    (get_conversation_op, ("conversation", "start", "end", "page", "limit", "cursor")),
    (search_messages_op, ("query", "conversation", "sender", "source", "start", "end", "limit")),
    (semantic_search_op, ("query", "k", "conversation", "sender", "source", "start", "end")),
    (get_context_op, ("message_id", "window")),
    (list_media_op, ("conversation", "sender", "kind", "source", "start", "end", "limit")),
    (list_links_op, ("domain", "conversation", "source", "start", "end", "limit", "cursor")),
]
VALUES = st.one_of(
    st.sampled_from(
        ["cake", "Me", "telegram", "Ada Fenn", "telegram:user1", "2024-05-02", "image", "newest",
         "'; drop table message; --", "\0", "a.example", 1, 5, 100, 10**20, -1, True, None, 0.5]
    ),
    st.text(max_size=12),
)  # fmt: skip

KILLED = """
import os, signal, sys
from pathlib import Path
from archives import message, put
database, after = Path(sys.argv[1]), int(sys.argv[2])

def rows():
    for number in range(100_000):
        if number == after:
            os.kill(os.getpid(), signal.SIGKILL)
        yield message(number + 10, f"lost {number} " + "word " * 30)

from echo_archive.importing import import_exports
from echo_archive.records import Export, Options
path = database.parent / "big.json"
path.write_text("big")
import_exports(
    database, [Export("telegram", "invented", path)], lambda *_: rows(), Options(), lambda *_: None
)
"""

READ_AS_NOBODY = """
import os, sys
from pathlib import Path
from echo_archive.ops.search import search_messages_op
from echo_archive.reading import Archive
if os.geteuid() == 0:
    os.setuid(65534)  # to whom a right to write is denied, as it never is to root
print(search_messages_op(Archive(Path(sys.argv[1])), query="cake")["count"])
"""
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{ROOT / 'mcp-server'}:{ROOT / 'eval'}"}


@pytest.fixture
def filled(database: Path, archive: Archive) -> Archive:
    rows = [message(1, "cake https://a.example"), message(2, "more cake", sender=ME)]
    put(database, rows)
    return archive


@pytest.fixture
def near(filled: Archive) -> Archive:
    """The same, where messages are found by meaning too."""
    fill(filled.path, Topics(), lambda _: None)
    return Archive(filled.path, Nearness(filled.path, Topics()))


def _folder(database: Path) -> dict[str, str]:
    return {
        path.name: sha256(path.read_bytes()).hexdigest()
        for path in database.parent.iterdir()
        if path.is_file()
    }


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_no_operation_changes_a_byte_or_leaves_a_file(near: Archive, data: st.DataObject) -> None:
    before = _folder(near.path)
    op, names = data.draw(st.sampled_from(OPS))
    said = {name: data.draw(VALUES) for name in names if data.draw(st.booleans())}
    said.setdefault(names[0], data.draw(VALUES))

    try:
        op(near, **said)
    except ArchiveError as refused:
        assert refused.message.count(".") >= 1

    assert _folder(near.path) == before


def test_the_connection_refuses_to_write(filled: Archive) -> None:
    with pytest.raises(Unreadable), filled.reading() as database:
        database.execute("delete from message")


def test_an_import_leaves_one_file_that_only_its_owner_reads(
    filled: Archive, database: Path
) -> None:
    names = {path.name for path in database.parent.iterdir() if "archive" in path.name}

    assert names == {"archive.db"}
    assert database.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_an_archive_where_nobody_may_write_is_read(
    filled: Archive, database: Path, mode: str
) -> None:
    filled.close()
    with sqlite3.connect(database) as left:
        left.execute(f"pragma journal_mode = {mode}")
    left.close()

    with TemporaryDirectory() as place:  # pytest's own folders are closed to other users
        copy = Path(shutil.copy(database, place))
        copy.chmod(0o444)
        Path(place).chmod(0o555)
        ended = subprocess.run(
            [sys.executable, "-c", READ_AS_NOBODY, str(copy)],
            env=ENVIRONMENT, check=False, capture_output=True, text=True,
        )  # fmt: skip
        Path(place).chmod(0o700)

    assert (ended.stdout, ended.stderr) == ("2\n", "")


def test_readers_see_the_last_finished_import_while_another_runs(
    filled: Archive, database: Path
) -> None:
    with opened_store(database) as writing:
        writing.execute("begin immediate")
        writing.execute("delete from message")
        during = search_messages_op(filled, query="cake")["count"]
        writing.execute("rollback")

    assert during == 2
    assert {path.name for path in database.parent.glob("archive*")} == {"archive.db"}


def test_a_reader_that_stays_open_sees_what_an_import_added(
    filled: Archive, database: Path
) -> None:
    search_messages_op(filled, query="cake")

    put(database, [message(3, "third cake")], name="second")

    assert search_messages_op(filled, query="cake")["count"] == 3


@pytest.mark.parametrize("after", [1, 2_500, 45_000])
def test_an_import_killed_half_way_leaves_the_archive_as_it_was(
    filled: Archive, database: Path, after: int
) -> None:
    before = list(exported(filled))

    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(database), str(after)], env=ENVIRONMENT, check=False
    )

    assert ended.returncode == -signal.SIGKILL
    assert list(exported(filled)) == before
    assert put(database, [message(3, "third cake")], name="second").added == 1
    assert status_of(filled)["keyword_index"] == {"messages": 3, "of": 3}
    assert {path.name for path in database.parent.glob("archive*")} == {"archive.db"}


@pytest.mark.parametrize("after", [1, 45_000])
def test_a_first_import_killed_half_way_leaves_nothing_and_the_next_one_is_whole(
    database: Path, archive: Archive, after: int
) -> None:
    subprocess.run(
        [sys.executable, "-c", KILLED, str(database), str(after)], env=ENVIRONMENT, check=False
    )

    try:
        assert list_conversations_op(archive)["count"] == 0
    except Unreadable as refused:
        assert "Run the import again" in refused.message

    assert put(database, [message(3, "cake")]).added == 1
    assert status_of(archive)["keyword_index"] == {"messages": 1, "of": 1}
    assert {path.name for path in database.parent.glob("archive*")} == {"archive.db"}


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to look at" * 99])
def test_what_is_no_archive_is_an_error_that_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)

    with pytest.raises(Unreadable):
        list_conversations_op(Archive(path))


def test_a_missing_archive_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="Import an export first"):
        list_conversations_op(Archive(tmp_path / "none.db"))


def test_an_archive_of_a_newer_version_is_refused(filled: Archive, database: Path) -> None:
    filled.close()
    with sqlite3.connect(database) as changed:
        changed.execute("pragma user_version = 99")
    changed.close()

    with pytest.raises(Unreadable, match="newer version"):
        list_conversations_op(filled)


def test_the_status_counts_what_is_there(filled: Archive) -> None:
    status = status_of(filled)

    assert status["messages"] == 2
    assert status["keyword_index"] == {"messages": 2, "of": 2}
    assert status["sources"][0]["last_timestamp"] == "2024-05-02T06:02:00Z"
