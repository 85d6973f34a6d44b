"""Whatever somebody hands over: a report of what was read, no traceback, no partial file."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from archives import message, put
from echo_archive import zips
from echo_archive.export import exported
from echo_archive.importing import import_paths
from echo_archive.reading import Archive
from echo_archive.records import Options
from echo_archive.reports import ImportReport
from echo_archive.status import status_of
from exports import read_all, written

CHAT = "15.01.24, 13:00 - Dee: hi\n"
ROW = {"id": 1, "type": "message", "date_unixtime": "5", "date": "", "from": "A", "text": "a"}
HEAD = '{"name": "Dee", "type": "personal_chat", "id": 1, "messages": ['
TWO_GIGABYTES = 2**31


def _zip(path: Path, **entries: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, text in entries.items():
            zipped.writestr(name, text)
    return path


def _truncated_zip(folder: Path) -> Path:
    path = _zip(folder / "chat.zip", **{"_chat.txt": CHAT * 1_000})
    path.write_bytes(path.read_bytes()[:-60])
    return path


def _zip_cut_in_an_entry(folder: Path) -> Path:
    path = _zip(folder / "chat.zip", **{"_chat.txt": CHAT * 1_000})
    data = bytearray(path.read_bytes())
    data[60:70] = b"\xff" * 10
    path.write_bytes(data)
    return path


def _json_cut_short(folder: Path) -> Path:
    path = folder / "result.json"
    path.write_text(HEAD + json.dumps(ROW) + ', {"id": 2, "type": "mess')
    return path


def _no_json(folder: Path) -> Path:
    path = folder / "result.json"
    path.write_text("{ this is a letter }")
    return path


def _hostile_paths(folder: Path) -> Path:
    rows = [
        ROW | {"id": number, "text": "", "file": path}
        for number, path in enumerate(
            [
                "../../etc/passwd",
                "/etc/passwd",
                "C:\\Windows\\win.ini",
                "~/.ssh/id",
                "a/../../b",
                "x" * 300,
                f"{'x' * 300}/y",
            ]
        )
    ]
    path = folder / "result.json"
    path.write_text(HEAD + ",".join(map(json.dumps, rows)) + "]}")
    return path


def _zip_bomb(folder: Path) -> Path:
    return _zip(folder / "chat.zip", **{"_chat.txt": CHAT + "0" * 40_000_000})


def _zip_that_leaves_its_folder(folder: Path) -> Path:
    return _zip(folder / "chat.zip", **{"../../_chat.txt": CHAT, "/tmp/_chat.txt": CHAT})


def _database_of_another_shape(folder: Path) -> Path:
    path = folder / "chat.db"
    with sqlite3.connect(path) as other:
        other.execute("create table message(id integer, letter text)")
    other.close()
    return path


def _damaged_database(folder: Path) -> Path:
    path = _database_of_another_shape(folder)
    path.write_bytes(path.read_bytes()[:5_000] + b"\0" * 3_000)
    return path


BROKEN = [
    _truncated_zip,
    _zip_cut_in_an_entry,
    _json_cut_short,
    _no_json,
    _hostile_paths,
    _zip_bomb,
    _zip_that_leaves_its_folder,
    _database_of_another_shape,
    _damaged_database,
]


def _import(database: Path, path: Path) -> ImportReport:
    return import_paths(database, [path], Options(), lambda _export, _count: None)


def _is_told(report: ImportReport) -> bool:
    """Whether the report says that something was not read, and where."""
    told = [row for one in report.exports for row in one.not_read]
    failed = [one.why for one in report.exports if one.outcome == "failed"]
    return bool(told or failed or report.unrecognised)


@pytest.mark.parametrize("make", BROKEN, ids=lambda make: make.__name__.strip("_"))
def test_broken_input_is_told_and_costs_nothing_that_was_there(
    database: Path, archive: Archive, tmp_path_factory: pytest.TempPathFactory,
    make: Callable[[Path], Path],
) -> None:  # fmt: skip
    put(database, [message(1, "kept")])
    (database.parent / "first.json").unlink()

    report = _import(database, make(tmp_path_factory.mktemp("export")))

    assert _is_told(report)
    assert "kept" in {row["body"] for row in exported(archive)}
    assert {path.name for path in database.parent.iterdir()} == {"archive.db"}
    assert put(database, [message(2, "and on")], name="second").added == 1
    status = status_of(archive)["keyword_index"]
    assert status["messages"] == status["of"]


@pytest.mark.parametrize(
    ("name", "head"),
    [("result.json", f"{HEAD}{json.dumps(ROW)},"), ("_chat.txt", CHAT * 2)],
)
def test_of_two_gigabytes_of_nothing_what_stands_before_them_is_read(
    tmp_path: Path, name: str, head: str
) -> None:
    path = written(tmp_path, name, head)
    with path.open("ab") as file:
        file.truncate(TWO_GIGABYTES)

    reading = read_all(path)

    assert (len(reading.messages), "the rest of the file was not read" in reading.whys) == (1, True)


def test_no_path_of_an_export_leads_out_of_it(database: Path, archive: Archive) -> None:
    _import(database, _hostile_paths(database.parent))

    attachments = [one for row in exported(archive) for one in row["attachments"]]

    assert len(attachments) == 7
    assert not [one for one in attachments if one["path"] or one["available"]]


LONG = 1_000_000
_IMESSAGE = "May 17, 2022  5:29:42 PM\nAda\n"
_SIGNAL = "[2024-01-01 10:00] Ada: hi\n\n[2024-01-01 10:00] Ada: "
_IOS = "[15.01.24, 13:00:00] Dee: hi\n[15.01.24, 13:00:00] Dee: \u200e"


@pytest.mark.parametrize(
    ("name", "head", "repeated"),
    [
        ("_chat.txt", CHAT + "15.01.24, 13:00 - ", "a: "),
        ("_chat.txt", CHAT + "15.01.24, 13:00 - ", "hat die Gruppe "),
        ("_chat.txt", CHAT + "15.01.24, 13:00 - Dee: ", " x \u200e"),
        ("_chat.txt", CHAT + "15.01.24, 13:00 - Dee: x", " "),
        ("_chat.txt", CHAT + "15.01.24, 13:00 - Dee: x", "\u200e"),
        ("_chat.txt", _IOS, "https://maps.google.com/?q=1,1"),
        ("Ada.txt", _IMESSAGE + "Sticker from ", "a: (App: x) "),
        ("Ada.txt", _IMESSAGE + "hi\n\nMay 17, 2022  5:29:42 PM Ada", " added "),
        ("Ada/chat.md", _SIGNAL, "["),
        ("Ada/chat.md", _SIGNAL, "[](media/x)"),
        ("Ada/chat.md", _SIGNAL + "\n(- ", "a "),
    ],
)
def test_a_line_takes_no_longer_to_read_than_it_is_long(
    tmp_path: Path, name: str, head: str, repeated: str
) -> None:
    """With a square of its length, any of these would take hours."""
    path = written(tmp_path, name, f"{head}{repeated * (LONG // len(repeated))} -)\n\n")

    assert read_all(path.parent if name.startswith("Ada/") else path).messages


@pytest.mark.parametrize("name", ["_chat.txt", "chat.db", "result.json", "export.zip"])
def test_a_pipe_is_no_export_and_nobody_waits_for_it(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    written(tmp_path, "WhatsApp Chat with Dee.txt", CHAT)

    beside = _import(tmp_path / "archive.db", tmp_path)
    alone = _import(tmp_path / "archive.db", tmp_path / name)

    assert sum(one.added for one in beside.exports) == 1
    assert len(alone.unrecognised) == 1


def test_a_packing_that_takes_as_much_memory_as_it_says_is_not_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "chat.zip", "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr("_chat.txt", CHAT)

    report = _import(tmp_path / "archive.db", tmp_path / "chat.zip")

    assert "a packing that is not read" in report.unrecognised[0]


def test_entries_of_a_zip_beyond_the_most_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for number in range(5):
            packed.writestr(f"{number}.txt", "x")
    monkeypatch.setattr(zips, "MAX_ENTRIES", 2)

    tree = zips.ZipTree(path)

    assert (list(tree.names()), tree.refused) == (["0.txt", "1.txt"], 3)
