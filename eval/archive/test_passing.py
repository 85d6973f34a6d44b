"""Passing faults: what cannot be read for a while is told, and read when it can be."""

from __future__ import annotations

import bz2
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from echo_archive.passing import may_pass

ROOT = Path(__file__).parents[2]
IMPORT_AS_NOBODY = """
import json, os, sys
from pathlib import Path
from echo_archive.importing import import_paths
from echo_archive.records import Options
"".encode("utf-8-sig")  # loaded before Python's own files may be closed, too
if os.geteuid() == 0:
    os.setuid(65534)  # to whom a right is denied, as it never is to root
folder = Path(sys.argv[1])
report = import_paths(folder / "a.db", [folder / "export"], Options(), lambda *_: None)
print(json.dumps(report.as_dict()))
"""


def caught(action: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as problem:
        action()
    assert isinstance(problem.value, Exception)
    return problem.value


def test_what_a_file_says_or_is_called_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database " * 100)
    faults = [
        caught(lambda: (tmp_path / "none").read_text()),
        caught(lambda: (tmp_path / "file" / "below").read_text()),
        caught(lambda: (tmp_path / ("x" * 300)).read_text()),
        caught(lambda: bz2.BZ2File(io.BytesIO(b"no bzip2")).read()),
        caught(lambda: sqlite3.connect(tmp_path / "file").execute("select 1 from x")),
        ValueError(),
    ]

    assert [may_pass(fault) for fault in faults] == [False] * len(faults)


def test_what_a_disk_a_right_or_a_lock_says_may_pass(tmp_path: Path) -> None:
    held = sqlite3.connect(tmp_path / "a.db")
    held.executescript("create table x(y); begin exclusive")
    faults = [
        PermissionError(13, "Permission denied"),
        OSError(5, "Input/output error"),
        caught(lambda: sqlite3.connect(tmp_path / "none" / "a.db")),
        caught(lambda: sqlite3.connect(tmp_path / "a.db", timeout=0).execute("select * from x")),
    ]
    held.close()

    assert [may_pass(fault) for fault in faults] == [True] * len(faults)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    with TemporaryDirectory() as place:  # pytest's own folders are closed to other users
        Path(place).chmod(0o777)
        yield Path(place)


def chat(number: int, **more: Any) -> str:
    row = {"id": 1, "type": "message", "date": "2024-05-02T06:00:00", "text": "here"}
    row |= {"from": "Ada", "from_id": "user1"} | more
    said = {"name": "Ada", "type": "personal_chat", "id": number, "messages": [row]}
    return json.dumps(said)


def imported(folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_AS_NOBODY, str(folder)],
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'mcp-server'}:{ROOT / 'eval'}"},
        stdout=subprocess.PIPE,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("closed", ["two/result.json", "two"])
def test_what_is_closed_among_exports_is_told_and_imported_once_it_is_open(
    open_to_all: Path, closed: str
) -> None:
    for number, name in enumerate(("one", "two")):
        (open_to_all / "export" / name).mkdir(parents=True)
        (open_to_all / "export" / name / "result.json").write_text(chat(number))
    mode = (open_to_all / "export" / closed).stat().st_mode
    (open_to_all / "export" / closed).chmod(0)

    first = imported(open_to_all)
    (open_to_all / "export" / closed).chmod(mode)
    second = imported(open_to_all)

    assert (first["added"], second["added"]) == (1, 1)
    failed = [one["name"] for one in first["exports"] if one["outcome"] == "failed"]
    assert failed == [f"export/{closed}"]


def test_media_that_are_closed_for_a_while_are_found_by_the_next_import(open_to_all: Path) -> None:
    export = open_to_all / "export"
    (export / "photos").mkdir(parents=True)
    (export / "photos" / "a.jpg").write_bytes(b"jpg")
    (export / "result.json").write_text(chat(1, photo="photos/a.jpg"))
    (export / "photos").chmod(0)

    first = imported(open_to_all)
    (export / "photos").chmod(0o755)
    second, third = imported(open_to_all), imported(open_to_all)

    assert "could not be looked at" in first["exports"][0]["not_read"][-1]["why"]
    assert (second["changed"], second["skipped"]) == (1, 0)
    assert third["exports"][0]["outcome"] == "unchanged"
