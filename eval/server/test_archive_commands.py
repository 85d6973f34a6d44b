"""`echo-mcp archive import`, `status`, `export`, `embed`: what is typed, and what is said."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from echo_archive.importers.table import IMPORTERS
from echo_mcp.__main__ import main
from echo_mcp.archive.machine_zone import machine_zone
from echo_mcp.commands import archive
from echo_mcp.commands.archive_import import SOURCES
from echo_mcp.commands.progress import Progress
from embedding_server import embedding, refusing

FIXTURES = Path(__file__).parents[1] / "fixtures" / "exports"
EXPECTED = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))["fixtures"]
compare = run_path(str(FIXTURES / "check_expected.py"))["compare"]
TELEGRAM = FIXTURES / "telegram/full_export"
CHAT = """\
13/02/2024, 10:00 - Nell Quill: hello, the sea
13/02/2024, 10:01 - Bo Harrow: food is ready
13/02/2024, 10:02 - Bo Harrow: and work is over
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """One command: its exit status, what it printed, and what it complained of."""

    def typed(*words: str, **said: str) -> tuple[int, str, str]:
        status = main(["archive", *words], {"ECHO_STATE_DIR": str(tmp_path / "state"), **said})
        return status, *capsys.readouterr()

    return typed


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "WhatsApp Chat with Bo.txt"
    path.write_text(CHAT, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", EXPECTED)
def test_what_goes_in_comes_out_as_it_should_be_read(name: str, run: Run) -> None:
    folder = FIXTURES / name
    spec = json.loads((folder / "fixture.json").read_text(encoding="utf-8"))
    words = ["--timezone", spec["timezone"], *(f"--owner={owner}" for owner in spec["owner"])]
    words += ["--date-order", spec["date_order"]] if spec["date_order"] else []
    entries = spec["entry"] if isinstance(spec["entry"], list) else [spec["entry"]]
    for entry in entries:
        assert run("import", str(folder / entry), *words)[0] == 0
    problems: list[str] = []

    status, out, _ = run("export", "--json", "--relative-to", str(folder))

    assert status == 0
    assert compare(name, EXPECTED[name], json.loads(out), problems) == 0, "\n".join(problems)


def test_an_export_is_recognised_imported_and_reported(run: Run, tmp_path: Path) -> None:
    first = run("import", str(TELEGRAM))
    again = run("import", str(TELEGRAM))

    assert first[0] == again[0] == 0
    assert "full_export/result.json (telegram-json): messages 11 added" in first[1]
    assert f"The archive is {tmp_path / 'state/archive.db'}" in first[1]
    assert "unchanged since it was imported last" in again[1]


def test_what_was_not_imported_is_named_and_the_rest_is_in(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("shopping list", encoding="utf-8")
    (tmp_path / "torn.zip").write_bytes(b"PK\x03\x04 torn")

    names = ("nowhere", "notes.txt", "torn.zip", "far" * 2_000)
    status, out, err = run("import", *(str(tmp_path / name) for name in names), str(TELEGRAM))

    assert (status, err) == (65, "")
    lines = [line for line in out.splitlines() if line.startswith("NOT IMPORTED")]
    assert len(lines) == len(names)
    for line, name in zip(lines, names, strict=True):
        assert name in line
    assert "messages 11 added" in out


def test_rows_that_were_not_read_are_told_with_file_and_line(run: Run) -> None:
    status, out, _ = run("import", str(FIXTURES / "whatsapp_text/android_24h"))

    assert status == 0
    assert "rows not read or in doubt 1" in out
    assert "WhatsApp Chat with Harbour Walkers.txt:20: 1 attachment is named" in out


def test_the_report_is_json_when_asked(run: Run) -> None:
    report = json.loads(run("import", str(TELEGRAM), "--json")[1])

    assert (report["added"], report["exports"][0]["format"]) == (11, "telegram-json")


def test_a_person_who_is_not_known_to_be_the_owner_is_asked_for_a_name(
    run: Run, chat: Path
) -> None:
    without = run("import", str(chat))[1]
    named = run("import", str(chat), "--owner", "Nell Quill")[1]
    rows = json.loads(run("export")[1])["messages"]

    assert "Nobody is known to be you in whatsapp: import again with --owner" in without
    assert "Nobody" not in named
    assert [row["is_me"] for row in rows] == [True, False, False]


def test_times_without_a_zone_are_read_in_the_one_that_is_said(run: Run, chat: Path) -> None:
    run("import", str(chat), ECHO_TZ="Europe/Berlin")
    berlin = json.loads(run("export")[1])["messages"][0]
    run("import", str(chat), "--timezone", "Asia/Tokyo", ECHO_TZ="Europe/Berlin")
    tokyo = json.loads(run("export")[1])["messages"][0]

    assert (berlin["timestamp"], tokyo["timestamp"]) == (
        "2024-02-13T09:00:00Z",
        "2024-02-13T01:00:00Z",
    )
    assert berlin["message_id"] == tokyo["message_id"]


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["import", "x", "--timezone", "Mars"], 64, "Europe/Berlin"),
        (["status"], 78, "echo-mcp archive import PATH"),
        (["export", "--json"], 78, "echo-mcp archive import PATH"),
        (["embed"], 78, "ECHO_EMBED_MODEL"),
        (["status", "--archive", "/"], 78, "--archive"),
    ],
)
def test_what_cannot_be_done_is_told_with_what_to_do(
    run: Run, words: list[str], status: int, says: str
) -> None:
    ended, out, err = run(*words)

    assert (ended, out) == (status, "")
    assert says in err


def test_a_file_that_is_no_archive_is_left_alone(run: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.db"
    mine.write_text("my diary", encoding="utf-8")

    imported = run("import", str(TELEGRAM), "--archive", str(mine))
    looked = run("status", "--archive", str(mine))

    assert (imported[0], looked[0]) == (74, 74)
    assert mine.read_text(encoding="utf-8") == "my diary"


def test_the_archive_is_where_the_flag_the_variable_or_the_state_folder_says(
    run: Run, tmp_path: Path
) -> None:
    by_flag, by_variable = tmp_path / "flag.db", tmp_path / "variable.db"

    run("import", str(TELEGRAM), "--archive", str(by_flag), ECHO_ARCHIVE=str(by_variable))
    run("import", str(TELEGRAM), ECHO_ARCHIVE=str(by_variable))
    run("import", str(TELEGRAM))

    assert by_flag.exists()
    assert by_variable.exists()
    assert oct((tmp_path / "state/archive.db").stat().st_mode)[-3:] == "600"


def test_the_status_says_what_is_there_and_how_it_is_found(run: Run) -> None:
    run("import", str(TELEGRAM), str(FIXTURES / "whatsapp_text/ios_12h"))

    status, out, _ = run("status")
    state = json.loads(run("status", "--json")[1])

    assert status == 0
    assert "telegram: 11 messages in 5 conversations, 2024-05-0" in out
    assert "found by words: 27 of 27" in out
    assert "ECHO_EMBED_MODEL" in out
    assert (state["messages"], len(state["sources"])) == (27, 2)


def test_embedding_does_what_is_missing_and_prunes_when_asked(run: Run, chat: Path) -> None:
    run("import", str(chat))
    with embedding() as asked:
        said = {"ECHO_EMBED_URL": asked.url, "ECHO_EMBED_MODEL": "topics"}
        advised = run("status", **said)[1]
        first = run("embed", **said)
        chat.write_text(f"{CHAT}13/02/2024, 10:03 - Bo Harrow: sea again\n", encoding="utf-8")
        hinted = run("import", str(chat), **said)[1]
        second = run("embed", "--prune", **said)
        third = run("embed", **said)
        covered = run("status", **said)[1]

    assert "`echo-mcp archive embed` makes what is missing for topics" in advised
    assert first[:2] == (0, "3 messages embedded now; 3 in all\n")
    assert "`echo-mcp archive embed` makes what is new" in hinted
    assert second[1] == "1 message embedded now, 0 thrown away; 4 in all\n"
    assert third[1] == "0 messages embedded now; 4 in all\n"
    assert "found by meaning, with topics: 4 of 4" in covered
    assert len(asked.texts) == 4


def test_an_endpoint_that_refuses_is_told(run: Run, chat: Path) -> None:
    run("import", str(chat))

    with embedding(refusing(401)) as asked:
        said = {"ECHO_EMBED_URL": asked.url, "ECHO_EMBED_MODEL": "m", "ECHO_EMBED_KEY": "a-secret"}
        status, out, err = run("embed", **said)

    assert (status, out) == (69, "")
    assert "status 401" in err
    assert "a-secret" not in err


def test_nothing_of_an_export_reaches_the_terminal_as_a_command(run: Run, tmp_path: Path) -> None:
    evil = tmp_path / "WhatsApp Chat with \x1b[2J.txt"
    evil.write_text("13/02/2024, 10:00 - Bo: hi\n", encoding="utf-8")

    status, out, err = run("import", str(evil))

    assert status == 0
    assert "\x1b" not in out + err


@pytest.mark.parametrize("name", archive.COMMANDS)
def test_every_command_teaches_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["archive", name, "--help"], {})

    out = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"echo-mcp archive {name}" in out.split("usage:")[1].split("\n\n", 1)[1]
    assert "--archive FILE" in out


def test_every_source_that_is_read_can_be_asked_for() -> None:
    assert {name.partition("-")[0] for name in IMPORTERS} == set(SOURCES)


def test_progress_is_said_now_and_then_and_not_more_often() -> None:
    times = iter([0.0, 1.0, 10.0, 11.0, 20.0])
    stream = io.StringIO()
    progress = Progress(stream, lambda: next(times))

    for count in range(4):
        progress.say(f"{count} read")
    progress.done()

    assert stream.getvalue() == "1 read\n3 read\n"


def test_on_a_terminal_progress_is_one_line_that_goes_away() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    times = iter([0.0, 1.0, 1.1, 2.0])
    stream = Terminal()
    progress = Progress(stream, lambda: next(times))

    for words in ("10,000 read", "never", "5 read"):
        progress.say(words)
    progress.done()

    assert stream.getvalue().split("\r") == ["", "10,000 read", "5 read     ", " " * 6, ""]


@pytest.mark.parametrize(
    ("said", "linked", "zone"),
    [
        ({}, "zoneinfo/Europe/Paris", "Europe/Paris"),
        ({"TZ": "Asia/Tokyo"}, "zoneinfo/Europe/Paris", "Asia/Tokyo"),
        ({"TZ": ":Asia/Tokyo"}, "", "Asia/Tokyo"),
        ({"TZ": "CET-1CEST"}, "zoneinfo/Europe/Paris", "Europe/Paris"),
        ({}, "zoneinfo/No/Where", ""),
        ({}, "", ""),
    ],
)
def test_the_machines_zone_is_what_it_says_itself(
    tmp_path: Path, said: dict[str, Any], linked: str, zone: str
) -> None:
    link = tmp_path / "localtime"
    if linked:
        target = tmp_path / linked
        target.parent.mkdir(parents=True)
        target.write_bytes(b"")
        link.symlink_to(target)

    assert machine_zone(said, link) == zone
