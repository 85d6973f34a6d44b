"""What a person hands over is recognised, imported whole or not at all, and reported row by row."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from archives import message, put
from echo_archive import importing
from echo_archive.errors import Unreadable
from echo_archive.export import exported
from echo_archive.importers.table import read
from echo_archive.importing import import_exports, import_paths
from echo_archive.ops.search import search_messages_op
from echo_archive.reading import Archive
from echo_archive.records import (
    Attachment,
    Conversation,
    Export,
    Message,
    Options,
    Person,
    Reaction,
    Skipped,
)
from echo_archive.reports import ImportReport
from echo_archive.status import status_of
from exports import read_all

FIXTURES = Path(__file__).parents[1] / "fixtures" / "exports"
EXPECTED = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))["fixtures"]
compare = run_path(str(FIXTURES / "check_expected.py"))["compare"]


def _spec(name: str) -> tuple[list[str], Options]:
    spec = json.loads((FIXTURES / name / "fixture.json").read_text(encoding="utf-8"))
    entries = spec["entry"] if isinstance(spec["entry"], list) else [spec["entry"]]
    return entries, Options(spec["timezone"], tuple(spec["owner"]), spec["date_order"])


def _import(database: Path, path: Path, options: Options | None = None) -> ImportReport:
    return import_paths(database, [path], options or Options(), lambda _export, _count: None)


def _rows(archive: Archive, root: str) -> list[dict[str, Any]]:
    """All messages; the paths of their files from the fixture's folder."""
    rows = list(exported(archive))
    for one in (one for row in rows for one in row["attachments"] if one["path"]):
        one["path"] = str(Path(root) / one["path"])
    return rows


@pytest.mark.parametrize("name", EXPECTED)
def test_an_export_comes_out_of_the_archive_as_it_should_be_read(
    name: str, database: Path, archive: Archive
) -> None:
    entries, options = _spec(name)
    warnings: list[Skipped] = []
    problems: list[str] = []

    for entry in entries:
        report = _import(database, FIXTURES / name / entry, options)
        warnings += [row for export in report.exports for row in export.not_read]

    entry = FIXTURES / name / entries[-1]
    root = (entry if entry.is_dir() else entry.parent).relative_to(FIXTURES / name)
    got = {"messages": _rows(archive, str(root)), "warnings": warnings}
    assert compare(name, EXPECTED[name], got, problems) == 0, "\n".join(problems)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_same_export_from_another_place_changes_nothing(
    name: str, database: Path, archive: Archive, tmp_path: Path
) -> None:
    entries, options = _spec(name)
    for entry in entries:
        _import(database, FIXTURES / name / entry, options)
    before = list(exported(archive))
    shutil.copytree(FIXTURES / name, tmp_path / "copy")

    report = _import(database, tmp_path / "copy" / entries[-1], options)

    assert (report.total("added"), report.total("changed")) == (0, 0)
    assert list(exported(archive)) == before


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.startswith("reimport/")])
def test_what_was_there_keeps_its_key_when_a_later_export_is_imported(
    name: str, database: Path, archive: Archive
) -> None:
    entries, options = _spec(name)
    before: dict[str, str] = {}

    for entry in entries:
        _import(database, FIXTURES / name / entry, options)
        now = {row["id"]: row["written"] for row in exported(archive)}
        assert before.items() <= now.items()
        before = now


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.startswith("reimport/")])
def test_an_older_export_takes_nothing_away_and_brings_nothing_back(
    name: str, database: Path, archive: Archive, tmp_path: Path
) -> None:
    entries, options = _spec(name)
    for entry in entries:
        _import(database, FIXTURES / name / entry, options)
    before = {row["id"]: (row["body"], row["deleted"]) for row in exported(archive)}
    shutil.copytree(FIXTURES / name, tmp_path / "copy")

    _import(database, tmp_path / "copy" / entries[0], options)

    assert {row["id"]: (row["body"], row["deleted"]) for row in exported(archive)} == before


@pytest.mark.parametrize("part", ["beginning", "end"])
@pytest.mark.parametrize("name", EXPECTED)
def test_a_shorter_export_deletes_nothing(
    name: str, part: str, database: Path, archive: Archive
) -> None:
    entries, options = _spec(name)
    rows = read_all(FIXTURES / name / entries[-1], options).messages
    put(database, rows, options=options)
    before, half = list(exported(archive)), len(rows) // 2

    report = put(
        database, rows[:half] if part == "beginning" else rows[half:], name="part", options=options
    )

    assert (report.added, report.changed) == (0, 0)
    assert list(exported(archive)) == before


def test_no_secret_of_an_export_is_in_the_database(database: Path) -> None:
    entries, options = _spec("signal_plaintext/basic")
    _import(database, FIXTURES / "signal_plaintext/basic" / entries[0], options)

    stored = database.read_bytes()

    assert not [one for one in (b"bW1tbW1tbW1t", b"YWFhYWFhYWFh", b"a2tra2tra2tr") if one in stored]


def test_an_export_is_not_touched(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(FIXTURES / "imessage_chatdb/basic", copy)
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in copy.iterdir()}

    _import(database, copy / "chat.db")

    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in copy.iterdir()} == before


def test_a_zip_is_imported_once_and_again_only_when_it_changed(
    database: Path, tmp_path: Path
) -> None:
    zipped, more = tmp_path / "WhatsApp Chat with Ada.zip", "13/02/2024, 09:06 - Ada: two\n"
    one = "13/02/2024, 09:05 - Ada: one\n"

    def write(text: str) -> None:
        with zipfile.ZipFile(zipped, "w") as opened:
            opened.writestr("WhatsApp Chat with Ada.txt", text)

    write(one)
    first, again = _import(database, zipped), _import(database, zipped)
    write(one + more)
    longer = _import(database, zipped)

    assert (first.total("added"), again.exports[0].outcome) == (1, "unchanged")
    assert (longer.total("added"), longer.total("unchanged")) == (1, 1)


def test_other_options_read_an_unchanged_file_again(database: Path, archive: Archive) -> None:
    path = FIXTURES / "whatsapp_text/android_24h/WhatsApp Chat with Harbour Walkers.txt"
    owner = ("Nell Quill",)
    _import(database, path, Options("Europe/Berlin", owner))
    before = {row["id"]: row["timestamp"] for row in exported(archive)}

    report = _import(database, path, Options("America/New_York", owner))

    after = {row["id"]: row["timestamp"] for row in exported(archive)}
    assert report.total("added") == 0
    assert after.keys() == before.keys()
    assert all(after[key] != before[key] for key in after)


def test_naming_the_owner_later_keeps_every_key(database: Path, archive: Archive) -> None:
    path = FIXTURES / "whatsapp_text/android_24h/WhatsApp Chat with Harbour Walkers.txt"
    _import(database, path, Options("Europe/Berlin"))
    before = {row["id"] for row in exported(archive)}

    report = _import(database, path, Options("Europe/Berlin", ("Nell Quill",)))

    assert report.total("added") == 0
    assert {row["id"] for row in exported(archive)} == before
    assert any(row["is_me"] for row in exported(archive))


def test_what_is_not_recognised_is_reported_and_the_rest_imported(
    database: Path, tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ada,\n")
    good = FIXTURES / "telegram/single_personal/result.json"

    report = import_paths(
        database, [tmp_path / "letter.txt", tmp_path / "none", good], Options(), lambda *_: None
    )

    assert (len(report.unrecognised), report.failed) == (2, True)
    assert report.total("added") > 0


def test_an_export_that_breaks_leaves_nothing_and_stops_no_other(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "kept")])
    exports = [
        Export("telegram", "invented", database.parent / name) for name in ("broken", "whole")
    ]
    for export in exports:
        export.path.write_text(export.path.name)

    def read(export: Export, _options: Options) -> Iterator[Message | Skipped]:
        for number in range(3_000):
            if export.path.name == "broken" and number == 2_900:
                raise ValueError("no such thing")
            yield message(number + 10, f"{export.path.name} row")

    report = import_exports(database, exports, read, Options(), lambda *_: None)

    assert [one.outcome for one in report.exports] == ["failed", "imported"]
    assert search_messages_op(archive, query="broken")["count"] == 0
    assert status_of(archive)["messages"] == 3_001


HALF = "\ud83d"


@pytest.mark.parametrize(
    "said",
    [
        {"body": HALF},
        {"native_id": HALF},
        {"written": HALF},
        {"sender": Person(HALF, HALF)},
        {"conversation": Conversation(HALF, HALF, HALF, "direct")},
        {"attachments": (Attachment("file", HALF, HALF, media_type=HALF),)},
        {"links": (f"https://a.example/{HALF}",)},
        {"reactions": (Reaction(HALF, Person(HALF, HALF)),)},
        {"event": HALF, "system": True},
        {"reply_to": HALF, "reply_quote": HALF},
        {"revisions": (HALF, "x"), "edited": True},
        {"forwarded_from": HALF},
    ],
)
def test_half_a_character_in_any_field_costs_no_message(
    database: Path, archive: Archive, said: dict[str, Any]
) -> None:
    report = put(database, [message(1, **{"body": "x"} | said)])

    assert (report.outcome, report.why) == ("imported", None)
    assert HALF not in json.dumps(list(exported(archive)), ensure_ascii=False)


@pytest.mark.skipif(sys.platform == "darwin", reason="such a name cannot be there")
@pytest.mark.parametrize("name", ["b\udce9b/result.json", "b\udce9b.json"])
def test_an_export_whose_name_is_no_text_is_imported(
    name: str, database: Path, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(FIXTURES / "telegram/single_personal/result.json", path)

    first, again = _import(database, path), _import(database, path)

    assert [one.outcome for one in (*first.exports, *again.exports)] == ["imported", "unchanged"]


def test_rows_that_were_not_read_are_counted_and_shown_with_file_and_line(database: Path) -> None:
    rows = [message(1, "one"), Skipped("result.json", 7, "it holds no date"), message(2, "two")]

    report = put(database, rows)

    assert (report.added, report.skipped) == (2, 1)
    assert report.not_read == [Skipped("result.json", 7, "it holds no date")]


def test_progress_is_told_on_long_work(database: Path) -> None:
    told: list[int] = []
    path = database.parent / "long.json"
    path.write_text("long")
    rows = [message(number, "row") for number in range(12_000)]

    import_exports(
        database,
        [Export("telegram", "invented", path)],
        lambda *_: iter(rows),
        Options(),
        lambda _export, count: told.append(count),
    )

    assert told == [5_000, 10_000, 12_000]


def test_importing_into_what_is_no_archive_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "note.db").write_text("this is a letter, not a database " * 200)

    with pytest.raises(Unreadable):
        put(tmp_path / "note.db", [message(1, "x")])
    assert (tmp_path / "note.db").read_text().startswith("this is a letter")


@pytest.mark.parametrize("version", [0, -1])
def test_importing_into_the_database_of_another_program_changes_nothing_of_it(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "letters.db"
    with sqlite3.connect(path) as other:
        other.execute("pragma journal_mode = wal")
        other.execute("create table letter(body)")
        other.execute(f"pragma user_version = {version}")
    other.close()
    before = path.read_bytes()

    with pytest.raises(Unreadable, match="another program"):
        put(path, [message(1, "x")])

    assert path.read_bytes() == before


def test_an_export_that_changed_while_it_was_read_is_read_again(database: Path) -> None:
    path = database.parent / "export.json"
    path.write_text("whole")

    def read(_export: Export, _options: Options) -> Iterator[Message | Skipped]:
        path.write_text("cut")
        yield message(1, "a")
        path.write_text("whole")

    export = Export("telegram", "invented", path)
    reports = [
        import_exports(database, [export], read, Options(), lambda _export, _count: None)
        for _ in range(2)
    ]

    assert [one.exports[0].outcome for one in reports] == ["imported", "imported"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is nothing to fail on")
def test_a_file_that_could_not_be_read_for_a_while_is_read_again(
    database: Path, archive: Archive, tmp_path: Path
) -> None:
    folder, aside = tmp_path / "export", tmp_path / "aside"
    folder.mkdir()
    row = {"id": 1, "type": "message", "date": "2024-05-02T06:00:00", "text": "here"}
    chat = {"name": "Ada", "type": "personal_chat", "id": 1, "messages": [row]}
    (folder / "mem").write_text(json.dumps(chat))

    def read_from_a_broken_disk(export: Export, options: Options) -> Iterator[Message | Skipped]:
        folder.rename(aside)
        folder.symlink_to("/proc/self")  # whose file of that name gives an I/O error
        yield from read(export, options)
        folder.unlink()
        aside.rename(folder)

    export = Export("telegram", "telegram-json", folder, "mem")
    reports = [
        import_exports(database, [export], reader, Options(), lambda _export, _count: None)
        for reader in (read_from_a_broken_disk, read, read)
    ]

    assert [one.exports[0].outcome for one in reports] == ["imported", "imported", "unchanged"]
    assert "cannot be read" in reports[0].exports[0].not_read[0].why
    assert [row["body"] for row in exported(archive)] == ["here"]


def test_a_reader_that_fails_in_any_way_stops_no_other(database: Path, archive: Archive) -> None:
    export = Export("telegram", "invented", database.parent / "export.json")
    export.path.write_text("x")

    def read(_export: Export, _options: Options) -> Iterator[Message | Skipped]:
        yield message(1, "lost")
        raise AttributeError

    report = import_exports(
        database, [export, export], read, Options(), lambda _export, _count: None
    )

    assert [one.outcome for one in report.exports] == ["failed", "failed"]
    assert not list(exported(archive))


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are always UTF-8")
def test_names_on_the_disk_that_are_no_text_lose_no_message(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    row = {"id": 1, "type": "message", "date_unixtime": "5", "date": "", "from": "A", "text": "a"}
    chat = {"name": "A", "type": "personal_chat", "id": 1}
    said = json.dumps({**chat, "messages": [row | {"file": os.fsdecode(b"\xe9.jpg")}]})
    (folder / "result.json").write_text(said)
    (folder / os.fsdecode(b"\xe9.jpg")).write_bytes(b"x")
    (folder / os.fsdecode(b"WhatsApp Chat with Ren\xe9.txt")).write_text(
        "15.01.24, 13:00 - Dee: hi\n"
    )

    report = _import(folder / "archive.db", folder)
    opened = Archive(folder / "archive.db")
    bodies = {row["body"] for row in exported(opened)}
    opened.close()

    assert [one.outcome for one in report.exports] == ["imported", "imported"]
    assert bodies == {"a", "hi"}


def test_an_import_that_was_broken_off_before_its_end_is_finished_by_the_next(
    database: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: sqlite3.Connection) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(importing, "count_common_words", interrupted)
        with pytest.raises(KeyboardInterrupt):
            put(database, [message(number, "often") for number in range(600)])
    before = common_words(database)

    put(database, [message(number, "often") for number in range(600)])

    assert (before, common_words(database)) == (0, 1)


def common_words(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        (count,) = connection.execute("select count(*) from common_word").fetchone()
    return int(count)


def test_a_zone_that_is_told_later_counts_though_nothing_changed(
    database: Path, archive: Archive, tmp_path: Path
) -> None:
    row = {"id": 1, "type": "message", "date": "2024-05-02T06:00:00", "text": "here"}
    row |= {"date_unixtime": "1714629600", "from_id": "user1"}
    chat = {"name": "Ada", "type": "personal_chat", "id": 1, "messages": [row]}
    (tmp_path / "result.json").write_text(json.dumps(chat))

    for zone in ("UTC", "Asia/Tokyo"):
        import_paths(database, [tmp_path / "result.json"], Options(zone), lambda *_: None)

    assert Archive(database).clock.name == "Asia/Tokyo"
