"""What a path holds is recognised, and what is none says what would be."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from echo_archive.errors import BadArgument, Unreadable
from echo_archive.importers.table import read
from echo_archive.recognise import recognise
from echo_archive.records import Options
from exports import BERLIN, messages_database, read_all, written

CHAT = "15.01.24, 13:00 - Dee: hi\n"
LONG = f"15.01.24, 13:00 - Dee: {'so it is ' * 100}\n"


def test_what_is_no_export_says_what_is_accepted(tmp_path: Path) -> None:
    written(tmp_path, "notes.txt", "milk\neggs\n")
    written(tmp_path, "package.json", json.dumps({"type": "module", "id": 1, "name": "x"}))

    for path in (tmp_path, tmp_path / "notes.txt", tmp_path / "nothing"):
        with pytest.raises(BadArgument) as refused:
            recognise(path)
        assert refused.value.details["field"] == "path"


def test_a_folder_with_exports_of_several_sources_holds_them_all(tmp_path: Path) -> None:
    written(tmp_path, "a/WhatsApp Chat with Dee.txt", CHAT)
    written(tmp_path, "b/main.jsonl", '{"version":"1","backupTimeMs":"1"}\n')
    (tmp_path / "c").mkdir()
    messages_database(tmp_path / "c" / "chat.db", [])
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as zipped:
        zipped.writestr("_chat.txt", CHAT)

    found = recognise(tmp_path)

    assert sorted(one.source for one in found) == ["imessage", "signal", "whatsapp", "whatsapp"]
    assert [one.source for one in recognise(tmp_path, "signal")] == ["signal"]


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    written(tmp_path, "x.txt", CHAT)

    with pytest.raises(BadArgument, match="telegram"):
        recognise(tmp_path, "telegram")


def test_data_of_a_chat_wins_over_its_text(tmp_path: Path) -> None:
    written(tmp_path, "Ada/data.json", '{"date": "2024-01-01T00:00:00", "sender": "Ada"}\n')
    written(tmp_path, "Ada/chat.md", "[2024-01-01 00:00:00] Ada: hi  \n\n")
    written(tmp_path, "Bo/chat.md", "[2024-01-01 00:00:00] Bo: hi  \n\n")

    assert [one.inside for one in recognise(tmp_path)] == ["Ada/data.json", "Bo/chat.md"]


def test_a_zip_that_was_cut_short_is_told(tmp_path: Path) -> None:
    path = tmp_path / "chat.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("_chat.txt", CHAT * 100)
    path.write_bytes(path.read_bytes()[:-40])

    with pytest.raises(Unreadable, match="cut short"):
        recognise(path)


def test_a_zip_whose_only_entry_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "chat.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("_chat.txt", CHAT)
    path.write_bytes(path.read_bytes().replace(b"Dee: hi", b"Dee: ho"))

    with pytest.raises(Unreadable, match="damaged"):
        recognise(path)


def test_an_entry_that_is_damaged_far_behind_gives_what_stands_before(tmp_path: Path) -> None:
    path = tmp_path / "chat.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr("_chat.txt", LONG * 2_000 + "15.01.24, 13:00 - Dee: last\n")
    path.write_bytes(path.read_bytes().replace(b"Dee: last", b"Dee: lost"))

    reading = read_all(path)

    assert "damaged" in reading.whys
    assert "lost" not in repr(reading.bodies)
    assert len(reading.bodies) > 1_000


def test_a_damaged_zip_among_others_fails_alone(tmp_path: Path) -> None:
    written(tmp_path, "bad.zip", "PK nothing")
    with zipfile.ZipFile(tmp_path / "good.zip", "w") as zipped:
        zipped.writestr("_chat.txt", CHAT)

    bad, good = recognise(tmp_path)

    assert len(list(read(good, BERLIN))) == 1
    with pytest.raises(Unreadable):
        list(read(bad, BERLIN))


def test_a_zip_with_hostile_entries_is_read_without_them(tmp_path: Path) -> None:
    path = tmp_path / "chat.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("_chat.txt", CHAT)
        zipped.writestr("../../evil.txt", CHAT)
        zipped.writestr("/etc/evil.txt", CHAT)
        zipped.writestr("bomb.txt", CHAT + "0" * 30_000_000)

    reading = read_all(path)

    assert reading.bodies == ["hi"]
    assert reading.whys.startswith("3 entries")


def test_a_zone_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    (export,) = recognise(written(tmp_path, "x.txt", CHAT))

    with pytest.raises(BadArgument, match="time zone") as refused:
        list(read(export, Options("Mars/Olympus")))

    assert refused.value.details["field"] == "timezone"


def test_a_file_that_went_away_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "x.txt", CHAT)
    (export,) = recognise(path)
    path.unlink()

    (skipped,) = list(read(export, BERLIN))

    assert "cannot be read" in repr(skipped)


def test_a_folder_is_only_read(tmp_path: Path) -> None:
    written(tmp_path, "WhatsApp Chat with Dee.txt", CHAT)
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))

    read_all(tmp_path)

    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*")) == before
