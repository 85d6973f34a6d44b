"""A Messages database is read as it lies, without a byte of it or beside it changing."""

from __future__ import annotations

import plistlib
import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_archive.importers.typedstream import Text, text_of
from exports import Reading, apple, messages_database, read_all, typed_stream

TAPBACK = {"associated_message_guid": "p:0/G1"}


def _read(folder: Path, *rows: dict[str, Any]) -> Reading:
    return read_all(messages_database(folder / "chat.db", rows))


def _look(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@given(st.text())
def test_a_text_of_any_length_and_script_is_decoded(text: str) -> None:
    assert text_of(typed_stream(text)) == Text(text)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 255, 256, 65_535, 65_536, 100_000])
def test_every_width_of_a_length_is_understood(size: int) -> None:
    assert text_of(typed_stream("x" * size)) == Text("x" * size)


@given(st.binary(), st.integers(0, 200))
def test_what_is_no_typed_stream_is_no_text_and_no_crash(data: bytes, cut: int) -> None:
    text_of(data)
    text_of(b"\x04\x0bstreamtyped" + data)

    decoded = text_of(typed_stream("hello + it's")[:cut])

    assert decoded is None or "hello + it's".startswith(decoded.text.rstrip("\x86"))


def test_a_stream_that_ends_before_its_text_gives_what_is_there(tmp_path: Path) -> None:
    body = typed_stream("x" * 100).replace(b"x" * 100, b"cut off")

    reading = _read(
        tmp_path, {"attributedBody": body}, {"attributedBody": b"junk", "text": "plain"}
    )

    assert reading.bodies == ["cut off", "plain"]
    assert len(reading.skipped) == 2


def test_the_newest_messages_that_wait_in_the_log_are_read_too(tmp_path: Path) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "a"}, {"text": "b"}], wal=True)
    assert (tmp_path / "chat.db-wal").stat().st_size > 0
    before = _look(tmp_path)

    reading = read_all(path)

    assert reading.bodies == ["a", "b"]
    assert _look(tmp_path) == before


def test_reading_leaves_nothing_beside_a_database_and_needs_no_right_to_write(
    tmp_path: Path,
) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "a"}])
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    before = _look(tmp_path)

    try:
        reading = read_all(path)
    finally:
        tmp_path.chmod(0o700)

    assert reading.bodies == ["a"]
    assert _look(tmp_path) == before


@pytest.mark.parametrize(("unit", "date"), [("ns", apple(1_717_243_200.25)), ("s", 738_936_000)])
def test_nanoseconds_and_seconds_are_told_apart(tmp_path: Path, unit: str, date: int) -> None:
    reading = _read(tmp_path, {"date": date, "text": unit})

    assert reading.messages[0].instant_ms // 1000 == 1_717_243_200


def test_of_a_persons_tapbacks_on_a_part_the_latest_counts(tmp_path: Path) -> None:
    rows = (
        {"text": "hi"},
        TAPBACK | {"associated_message_type": 2000},
        TAPBACK | {"associated_message_type": 2003},
        TAPBACK | {"associated_message_type": 2001, "is_from_me": 1},
        TAPBACK | {"associated_message_type": 3001, "is_from_me": 1},
        TAPBACK
        | {"associated_message_type": 2006, "associated_message_emoji": "🦀", "handle_id": 2},
    )

    reading = _read(tmp_path, *rows)

    (one,) = reading.messages
    assert [reaction.emoji for reaction in one.reactions] == ["😂", "🦀"]


def test_all_versions_of_an_edited_text_are_kept(tmp_path: Path) -> None:
    parts = {"0": [{"t": typed_stream(text), "d": 1.0} for text in ("nien", "nine")]}
    summary = plistlib.dumps({"ec": parts}, fmt=plistlib.FMT_BINARY)

    reading = _read(tmp_path, {"text": "nine", "date_edited": 1, "message_summary_info": summary})

    assert reading.messages[0].revisions == ("nien", "nine")


def test_a_list_of_edits_that_is_none_is_told(tmp_path: Path) -> None:
    reading = _read(tmp_path, {"text": "a", "date_edited": 1, "message_summary_info": b"bplist00x"})

    assert (reading.bodies, reading.messages[0].edited) == (["a"], True)
    assert "earlier texts" in reading.whys


def test_what_its_owner_deleted_lately_is_empty(tmp_path: Path) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "secret", "chat": None}])
    with sqlite3.connect(path) as database:
        database.execute("insert into chat_recoverable_message_join values(1, 1)")
    database.close()

    reading = read_all(path)

    assert [(one.body, one.deleted) for one in reading.messages] == [("", True)]
    assert reading.messages[0].conversation.native_id == "iMessage;-;+447700900111"


def test_a_message_in_no_chat_is_not_lost(tmp_path: Path) -> None:
    reading = _read(tmp_path, {"text": "orphan", "chat": None})

    assert reading.bodies == ["orphan"]
    assert reading.messages[0].conversation.kind == "other"


def test_a_group_without_a_name_is_called_by_its_people(tmp_path: Path) -> None:
    reading = _read(tmp_path, {"text": "hi", "chat": 2})

    about = reading.messages[0].conversation
    assert (about.name, about.kind) == ("+447700900111, bo@mail.example", "group")


def test_an_attachment_beside_the_database_is_found_and_previews_are_none(tmp_path: Path) -> None:
    file = tmp_path / "Attachments" / "ab" / "a b.heic"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x")
    text = typed_stream("\ufffcthe pier")
    path = messages_database(tmp_path / "chat.db", [{"attributedBody": text}])
    home = "~/Library/Messages/Attachments/ab/"
    with sqlite3.connect(path) as database:
        database.executemany(
            "insert into attachment values(?, ?, 'image/heic', ?, 0, 0)",
            [(1, home + "a b.heic", "a b.heic"), (2, home + "x.pluginPayloadAttachment", None)],
        )
        database.execute("insert into message_attachment_join values(1, 1), (1, 2)")
    database.close()

    reading = read_all(path)

    (one,) = reading.messages[0].attachments
    assert (one.path, one.kind, one.missing) == ("Attachments/ab/a b.heic", "image", False)
    assert reading.bodies == ["the pier"]


@pytest.mark.parametrize(
    "statement",
    [
        "drop table chat",
        "alter table message rename column date to moment",
        "alter table handle rename to handles",
    ],
)
def test_a_database_of_another_shape_is_told(tmp_path: Path, statement: str) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "a"}])
    with sqlite3.connect(path) as database:
        database.execute(statement)
    database.close()

    reading = read_all(path)

    assert not reading.messages
    assert "not one of Messages" in reading.whys


def test_columns_that_an_older_system_lacks_are_not_needed(tmp_path: Path) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "a"}])
    with sqlite3.connect(path) as database:
        for column in ("attributedBody", "associated_message_type", "message_summary_info"):
            database.execute(f"alter table message drop column {column}")
        database.execute("drop table attachment")
        database.execute("drop table chat_recoverable_message_join")
    database.close()

    assert read_all(path).bodies == ["a"]


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "a" * 5_000}] * 50)
    data = bytearray(path.read_bytes())
    data[8192:-4096] = b"\xff" * (len(data) - 12_288)
    path.write_bytes(data)

    reading = read_all(path)

    assert "damaged" in reading.whys or "not one of Messages" in reading.whys


@pytest.mark.parametrize(
    "odd",
    [{"text": 7}, {"text": b"\xff"}, {"date": "soon"}, {"date": 0}, {"date": 2**62}],
)
def test_a_row_with_odd_columns_costs_no_other(tmp_path: Path, odd: dict[str, Any]) -> None:
    reading = _read(tmp_path, {"text": "a"}, odd, {"text": "c"})

    assert [one.native_id for one in reading.messages if one.body in ("a", "c")] == ["G1", "G3"]


def test_a_view_in_the_place_of_a_table_is_not_run(tmp_path: Path) -> None:
    path = messages_database(tmp_path / "chat.db", [{"text": "a"}])
    with sqlite3.connect(path) as database:
        database.execute("drop table handle")
        database.execute(
            "create view handle as with recursive n(x) as (select 1 union all select x + 1 from n)"
            " select x as ROWID, 'a' as id from n"
        )
    database.close()

    assert "not one of Messages" in read_all(path).whys
