"""`echo-mcp backup` and `echo-mcp upkeep`: what an operator types, as a process and in this one."""

from __future__ import annotations

import signal
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from echo_mcp.__main__ import main
from echo_mcp.backups import archive
from echo_mcp.backups.shelf import Shelf
from echo_memory.config import Config
from echo_memory.memory import Memory
from folders import put
from server import process

Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(
    memory: Memory, vault_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Typed:
    """A function that runs a command on a vault with a note."""
    memory.close()
    put(vault_folder / "resources/people/ada.md", "# Ada\n\nas she was\n")

    def run(*words: str) -> tuple[int, str, str]:
        folders = ["--vault", str(vault_folder), "--state-dir", str(tmp_path / "state")]
        status = main([*words, *folders], {})
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_a_backup_is_made_listed_verified_and_restored(
    typed: Typed, vault_folder: Path, tmp_path: Path
) -> None:
    made = typed("backup", "now")
    listed = typed("backup", "list")
    good = typed("backup", "verify")
    back = typed("backup", "restore", "latest", "--to", str(tmp_path / "again"))

    name = made[1].split(":")[0]
    assert "read back and verified" in made[1]
    assert name in listed[1]
    assert listed[1].startswith("1 in ")
    assert f"{name}: good, 6 files" in good[1]
    assert back[0] == 0
    assert (tmp_path / "again/resources/people/ada.md").read_text() == "# Ada\n\nas she was\n"


def test_restoring_into_the_vault_is_shown_first_and_written_when_it_is_said(
    typed: Typed, vault_folder: Path
) -> None:
    note = vault_folder / "resources/people/ada.md"
    typed("backup", "now")
    note.write_text("spoilt")

    shown = typed("backup", "restore")
    between = note.read_text()
    applied = typed("backup", "restore", "--apply")

    assert "changed: resources/people/ada.md" in shown[1]
    assert "Nothing is written yet" in shown[1]
    assert between == "spoilt"
    assert "1 changed" in applied[1]
    assert note.read_text() == "# Ada\n\nas she was\n"


def test_a_zip_of_elsewhere_is_verified_by_its_path(typed: Typed, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as other:
        other.writestr("a", "b")

    status, _, said = typed("backup", "verify", str(tmp_path / "other.zip"))

    assert status == 74
    assert "no backup of this program" in said
    assert str(tmp_path) not in said


@pytest.mark.parametrize("words", [["restore"], ["verify"], ["verify", "nothing.zip"]])
def test_a_backup_that_is_not_there_is_told(typed: Typed, words: list[str]) -> None:
    status, _, said = typed("backup", *words)

    assert status == 64
    assert "no such backup" in said


def test_a_folder_that_is_not_empty_is_refused(typed: Typed, vault_folder: Path) -> None:
    typed("backup", "now")

    status, _, said = typed("backup", "restore", "--to", str(vault_folder))

    assert status == 64
    assert "not empty" in said


def test_upkeep_shows_what_each_job_found(typed: Typed) -> None:
    before = typed("upkeep")
    ran = [typed("upkeep", "run", job) for job in ("refresh", "flush", "backup", "sweep", "decay")]
    after = typed("upkeep")

    assert "backup: by the server, or not yet" in before[1]
    assert [status for status, _, _ in ran] == [0] * 5
    assert "6 files" in after[1]
    assert "0 violations" in after[1]
    assert "0 proposals" in after[1]


def test_a_job_that_fails_by_hand_has_a_status(typed: Typed, tmp_path: Path) -> None:
    put(tmp_path / "state/backups", "a file in the way")

    status, said, _ = typed("upkeep", "run", "backup")

    assert status == 70
    assert "the last try failed: vault-io" in said
    assert "the last try failed: vault-io" in typed("upkeep")[1]


@pytest.mark.parametrize("words", [["run"], ["run", "alerts"]])
def test_a_job_that_is_not_said_and_an_address_that_is_not_set_are_told(
    typed: Typed, words: list[str]
) -> None:
    assert typed("upkeep", *words)[0] == 64


def test_a_test_message_that_does_not_arrive_has_a_status(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, memory: Memory
) -> None:
    env = {
        "ECHO_BASE": memory.config.vault.as_uri(),
        "ECHO_STATE_DIR": str(tmp_path / "s"),
        "ECHO_ALERT_URL": "json://me:hunter2@127.0.0.1:1/",
    }

    status = main(["upkeep", "run", "alerts"], env)

    said = "".join(capsys.readouterr())
    assert status == 70
    assert "not sent" in said
    assert "hunter2" not in said


def drafted(folder: Path) -> int:
    """How large the draft has become; as large as any, once it is none any more."""
    try:
        return sum(draft.stat().st_size for draft in folder.glob(".draft*"))
    except FileNotFoundError:
        return 1 << 30


@pytest.mark.parametrize("after", [0, 3, 30, 200, 600])
def test_a_kill_during_a_backup_leaves_nothing_corrupt_and_the_next_one_cleans_up(
    typed: Typed, vault_folder: Path, tmp_path: Path, after: int
) -> None:
    for number in range(400):
        put(vault_folder / f"notes/{number}.md", f"note {number}\n" * 50)
    typed("backup", "now")
    words = ["--vault", str(vault_folder), "--state-dir", str(tmp_path / "state")]
    shelf = Shelf.of(Config(vault_folder, tmp_path / "state"))
    begun = subprocess.Popen(
        process.command("backup", "now", *words), env=process.environment(tmp_path)
    )
    process.until(lambda: begun.poll() is not None or any(shelf.folder.glob(".draft*")))
    process.until(lambda: begun.poll() is not None or drafted(shelf.folder) >= after * 100)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    left = list(shelf.folder.glob(".draft*"))

    good = [archive.verify(one.path) for one in shelf.kept()]
    status, _, _ = typed("backup", "now")

    assert len(left) <= 1
    assert all(len(manifest.files) == 406 for manifest in good)
    assert status == 0
    assert {path.suffix for path in shelf.folder.iterdir()} == {".zip"}
    assert not any(path.name.startswith(".") for path in shelf.folder.iterdir())


def test_what_is_no_folder_is_refused(typed: Typed, tmp_path: Path) -> None:
    typed("backup", "now")
    (tmp_path / "a file").touch()

    status, _, said = typed("backup", "restore", "--to", str(tmp_path / "a file"))

    assert status == 64
    assert "no folder" in said
