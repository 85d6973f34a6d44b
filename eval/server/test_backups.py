"""Backups: the whole vault comes back byte for byte, and no trouble costs an older one."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from threading import Event

import pytest

from conftest import NOW
from echo_mcp.backups import archive, restoring
from echo_mcp.backups.applying import into_vault
from echo_mcp.backups.making import Interrupted, Made, back_up, clean
from echo_mcp.backups.shelf import KEPT, Shelf
from echo_mcp.backups.sources import Found
from echo_memory import routing
from echo_memory.config import Config
from echo_memory.errors import BadRequest, EchoError, VaultIO, VaultUnreachable
from echo_memory.ledger import BACKUP, Ledger
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.health import doctor_op
from echo_memory.ops.history import history_op, restore_op
from echo_memory.rest.access import Access
from folders import put, run
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY

AWKWARD = Path(__file__).parents[1] / "fixtures/awkward"
LOCK = routing.table().files["lock"]
ADA = "resources/people/ada.md"

SERVER = Path(archive.__file__).parents[2]

# Makes a backup, and dies at a call of ours; beyond the last it says how many there are.
MAKING = f"""
sys.path.append({str(SERVER)!r})
from pathlib import Path
from echo_mcp.backups.making import back_up
from echo_memory.config import Config
from echo_memory.opening import open_memory
echo = open_memory(Config(Path(sys.argv[1]), Path(sys.argv[2])), notify=print)
calls = 0

def at(frame, event, argument):
    global calls
    if event == "call" and "/echo_m" in frame.f_code.co_filename:
        calls += 1
        if calls == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

sys.setprofile(at)
back_up(echo)
sys.setprofile(None)
print(calls, flush=True)
"""


def files(folder: Path) -> dict[bytes, bytes]:
    """Every file below a folder with what it holds, and every empty folder with nothing."""
    found = {}
    for path in folder.rglob("*"):
        name = os.fsencode(path.relative_to(folder))
        if path.is_file():
            found[name] = path.read_bytes()
        elif path.is_dir() and not any(path.iterdir()):
            found[name + b"/"] = b""
    return found


@pytest.fixture
def filled(memory: Memory, vault_folder: Path) -> Memory:
    """A vault with everything in it that people and disks come up with."""
    shutil.copytree(AWKWARD, vault_folder / "awkward")
    put(vault_folder / ".obsidian/app.json", "{}")
    put(vault_folder / ".trash/old.md", "gone")
    put(vault_folder / "attachments/Photo.PNG", bytes(range(256)) * 50)
    put(vault_folder / "attachments/photo.png", b"another one where case counts")
    put(vault_folder / "ends in a dot.", b"x")
    put(vault_folder / "back\\slash and : colon.md", b"x")
    put(Path(os.fsdecode(os.fsencode(vault_folder) + b"/not-\xff-utf8.md")), b"\xff\x00")
    put(vault_folder / "empty.bin", b"")
    (vault_folder / "nothing/in here").mkdir(parents=True)
    (vault_folder / "script.sh").write_text("#!/bin/sh\n")
    (vault_folder / "script.sh").chmod(0o755)
    os.utime(vault_folder / "script.sh", ns=(1, 1_000_000_000_123_456_789))
    return memory


def restored(made: Made, folder: Path) -> dict[bytes, bytes]:
    restoring.into_folder(made.kept.path, folder)
    return files(folder)


class Ageless:
    """A source with one file, of a time that no calendar has."""

    def __init__(self, modified_ns: int) -> None:
        self.folders: list[str] = []
        self.left_out: Counter[str] = Counter()
        self._modified_ns = modified_ns

    @contextmanager
    def files(self) -> Iterator[Iterator[Found]]:
        yield iter([Found("a.md", BytesIO(b"a"), 1, self._modified_ns)])


# Round trips


@pytest.mark.parametrize("seconds", [10**13, -(10**13)])
def test_a_file_of_an_impossible_time_is_backed_up_with_it(tmp_path: Path, seconds: int) -> None:
    with (tmp_path / "it.zip").open("w+b") as file:
        written = archive.write(file, Ageless(seconds * 10**9), NOW)

    assert archive.verify(tmp_path / "it.zip") == written
    assert written.files[0].modified_ns == seconds * 10**9


def test_a_folder_comes_back_byte_for_byte_with_times_and_modes(
    filled: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    made = back_up(filled)

    assert restored(made, tmp_path / "again") == files(vault_folder)
    script = (tmp_path / "again/script.sh").stat()
    assert script.st_mode & 0o777 == 0o755
    assert script.st_mtime_ns == 1_000_000_000_123_456_789
    assert made.manifest.left_out == {}


def test_a_restored_vault_is_in_order(filled: Memory, tmp_path: Path) -> None:
    restoring.into_folder(back_up(filled).kept.path, tmp_path / "again")

    config = Config(tmp_path / "again", tmp_path / "state-of-it")
    with closing(open_memory(config, notify=lambda _: None)) as echo:
        assert doctor_op(echo)["healthy"]
        assert echo.catalog.note_count == filled.catalog.note_count


def test_what_leads_out_is_special_or_is_only_for_a_while_stays_out_and_is_counted(
    memory: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    put(tmp_path / "outside/secret.md")
    (vault_folder / "out.md").symlink_to(tmp_path / "outside/secret.md")
    (vault_folder / "outside").symlink_to(tmp_path / "outside")
    (vault_folder / "nowhere.md").symlink_to("missing")
    (vault_folder / "in.md").symlink_to("_agent/echo-vault.md")
    (vault_folder / "also in").symlink_to("_agent")
    os.mkfifo(vault_folder / "pipe")
    put(vault_folder / LOCK, "{}")
    put(vault_folder / ".echo-0123456789abcdef.tmp", "half")

    made = back_up(memory)

    got = restored(made, tmp_path / "again")
    assert made.manifest.left_out == {"link": 2, "special": 1}
    assert got[b"in.md"] == (vault_folder / "_agent/echo-vault.md").read_bytes()
    assert not any(name.startswith(b"also in") for name in got)
    for name in (b"out.md", b"nowhere.md", b"pipe", LOCK.encode(), b".echo-0123456789abcdef.tmp"):
        assert name not in got
    assert not any(b"secret" in content or b"outside" in name for name, content in got.items())


def test_a_state_folder_in_the_vault_is_not_backed_up(vault_folder: Path) -> None:
    put(vault_folder / "a.md", "a")
    config = Config(vault_folder, vault_folder / ".state")
    with closing(open_memory(config, clock=lambda: NOW, notify=lambda _: None)) as echo:
        made = back_up(echo)

    assert [file.path for file in made.manifest.files] == ["a.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to root")
def test_a_file_that_is_closed_to_us_is_counted_and_the_others_are_there(
    filled: Memory, vault_folder: Path
) -> None:
    (vault_folder / "empty.bin").chmod(0)
    made = back_up(filled)

    assert made.manifest.left_out == {"unreadable": 1}


def test_a_large_file_is_streamed(memory: Memory, vault_folder: Path, tmp_path: Path) -> None:
    content = os.urandom(1 << 20) * 21
    put(vault_folder / "film.mp4", content)

    made = back_up(memory)

    assert restored(made, tmp_path / "again")[b"film.mp4"] == content


def test_the_zip_says_itself_what_is_in_it(filled: Memory) -> None:
    path = back_up(filled).kept.path

    with zipfile.ZipFile(path) as opened:
        names = opened.namelist()
        assert opened.testzip() is None
    assert "vault/_agent/echo-vault.md" in names
    assert names[-1] == "manifest.json"
    assert path.stat().st_mode & 0o077 == 0


# Behind the Local REST API


@contextmanager
def far(plugin: StandIn, state: Path) -> Iterator[Memory]:
    config = Config(Access.of(plugin.url, KEY), state)
    with closing(open_memory(config, clock=lambda: NOW, notify=lambda _: None)) as echo:
        yield echo


@pytest.mark.parametrize("version", ["2.1.1", "3.6.2", "5.1.0"])
def test_a_vault_behind_the_plugin_comes_back_byte_for_byte_but_for_what_it_hides(
    filled: Memory, vault_folder: Path, tmp_path: Path, version: str
) -> None:
    put(vault_folder / LOCK, "{}")
    with StandIn(vault_folder, KEY, version=version) as plugin, far(plugin, tmp_path / "s") as echo:
        got = restored(back_up(echo), tmp_path / "again")

    shown = {
        name: content
        for name, content in files(vault_folder).items()
        if not name.startswith((b".", b"nothing", LOCK.encode()))
        and b"\xff" not in name
        and b"\\" not in name
        and name != b"ends in a dot."
    }
    assert got == shown


def test_a_vault_that_dies_meanwhile_leaves_what_there_was(
    filled: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    with StandIn(vault_folder, KEY) as plugin, far(plugin, tmp_path / "s") as echo:
        good = back_up(echo).kept.path
        shelf = Shelf.of(echo.config)
        plugin.fail(faults.truncated, path="/vault/awkward/crlf.md", times=None)

        with pytest.raises(EchoError):
            back_up(echo)

    assert [one.path for one in shelf.kept()] == [good]
    assert list(shelf.folder.iterdir()) == [good]


# Never worse than before


def test_an_empty_mount_point_is_no_vault_and_costs_nothing(
    filled: Memory, vault_folder: Path
) -> None:
    filled.acquaint()
    good = back_up(filled).kept.path
    shutil.rmtree(vault_folder)
    vault_folder.mkdir()

    with pytest.raises(VaultUnreachable):
        back_up(filled)

    assert [one.path for one in Shelf.of(filled.config).kept()] == [good]


def test_thirty_are_kept_and_the_oldest_goes_first(memory: Memory) -> None:
    for day in range(KEPT + 5):
        memory.clock = lambda day=day: NOW + timedelta(days=day)
        made = back_up(memory)

    kept = Shelf.of(memory.config).kept()
    assert len(kept) == KEPT
    assert kept[0].path == made.kept.path
    assert kept[-1].made == (NOW + timedelta(days=5)).astimezone(UTC)


def test_those_of_a_clock_that_was_ahead_are_the_first_to_go(memory: Memory) -> None:
    for day in (*range(-20, 0), *range(3_000, 3_010)):
        memory.clock = lambda day=day: NOW + timedelta(days=day)
        back_up(memory)
    memory.clock = lambda: NOW

    made = back_up(memory)

    shelf = Shelf.of(memory.config)
    kept = shelf.kept()
    assert shelf.newest(NOW) == made.kept
    assert len(kept) == KEPT
    assert len([one for one in kept if one.made < made.kept.made]) == 20


def test_an_old_one_that_cannot_be_removed_costs_nothing(memory: Memory) -> None:
    for day in range(KEPT):
        memory.clock = lambda day=day: NOW + timedelta(days=day)
        back_up(memory)
    oldest = Shelf.of(memory.config).kept()[-1].path
    oldest.unlink()
    oldest.mkdir()
    memory.clock = lambda: NOW + timedelta(days=KEPT)

    made = back_up(memory)

    kept = Shelf.of(memory.config).kept()
    assert (made.rotated, len(kept)) == (0, KEPT + 1)
    assert kept[0] == made.kept


def test_two_of_one_second_are_two(memory: Memory) -> None:
    first, second = back_up(memory), back_up(memory)

    assert first.kept.path != second.kept.path
    assert [one.path for one in Shelf.of(memory.config).kept()] == [
        second.kept.path,
        first.kept.path,
    ]


def test_another_vaults_backups_are_left_alone(memory: Memory, tmp_path: Path) -> None:
    theirs = back_up(memory).kept.path
    put(tmp_path / "other/a.md", "a")
    config = Config(tmp_path / "other", memory.config.state_dir)
    with closing(open_memory(config, notify=lambda _: None)) as echo:
        for day in range(KEPT + 1):
            echo.clock = lambda day=day: NOW + timedelta(days=day)
            back_up(echo)

    assert theirs.exists()


def test_a_disk_that_fails_costs_no_older_one(
    filled: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    with StandIn(vault_folder, KEY) as plugin, far(plugin, tmp_path / "s") as echo:
        for day in range(KEPT):
            echo.clock = lambda day=day: NOW + timedelta(days=day)
            back_up(echo)
        plugin.fail(faults.refuse(50000), path="/vault/awkward/crlf.md", times=None)
        echo.clock = lambda: NOW + timedelta(days=KEPT)
        made = back_up(echo)

    assert made.manifest.left_out["disk-error"] == 1
    assert (made.rotated, len(Shelf.of(echo.config).kept())) == (0, KEPT + 1)


def test_one_that_is_ended_early_leaves_nothing(memory: Memory) -> None:
    stopping = Event()
    stopping.set()

    with pytest.raises(Interrupted):
        back_up(memory, stopping)

    assert list(Shelf.of(memory.config).folder.iterdir()) == []


def test_what_a_killed_process_left_goes_and_nothing_else(memory: Memory) -> None:
    good = back_up(memory).kept.path
    folder = good.parent
    put(folder / ".draft-0123456789abcdef.zip", b"half a zip")
    put(folder / "mine.zip", b"a person's")

    clean(memory)

    assert sorted(folder.iterdir()) == sorted([good, folder / "mine.zip"])


def test_a_kill_at_any_moment_costs_no_older_one_and_what_it_left_goes(
    filled: Memory, vault_folder: Path
) -> None:
    good = back_up(filled).kept.path
    content, folder = good.read_bytes(), good.parent
    for number in range(40):
        put(vault_folder / f"attachments/{number}.bin", os.urandom(20_000))
    words = str(vault_folder), str(filled.config.state_dir)
    with run(MAKING, *words, str(sys.maxsize)) as process:
        calls = int(process.stdout.read())
    (whole,) = set(folder.iterdir()) - {good}
    whole.unlink()

    for at in random.sample(range(1, calls), 6):
        with run(MAKING, *words, str(at)) as process:
            assert process.stdout.read() == ""
        clean(filled)

        kept = Shelf.of(filled.config).kept()
        assert process.returncode == -signal.SIGKILL
        assert good.read_bytes() == content
        assert sorted(folder.iterdir()) == sorted(one.path for one in kept), f"call {at}"
        for one in kept:
            archive.verify(one.path)
            if one.path != good:
                one.path.unlink()


def test_a_state_folder_that_cannot_hold_backups_is_told(memory: Memory) -> None:
    state = memory.config.state_dir
    put(state / "backups", "a file where the folder should be")

    with pytest.raises(VaultIO, match="state folder"):
        back_up(memory)


def test_the_ledger_knows_of_it(filled: Memory) -> None:
    made = back_up(filled)

    run = Ledger.of(filled.config).read().run(BACKUP)
    assert run.done == NOW
    assert run.found == {
        "files": len(made.manifest.files),
        "bytes": made.kept.path.stat().st_size,
        "left_out": 0,
    }


# Damage


def test_every_byte_that_is_turned_is_noticed_or_is_of_no_account(
    memory: Memory, tmp_path: Path
) -> None:
    put(tmp_path / "vault/a.md", "words " * 200)
    made = back_up(memory)
    good = made.kept.path.read_bytes()
    damaged = tmp_path / "damaged.zip"

    for at in range(0, len(good), 13):
        damaged.write_bytes(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :])
        try:
            assert archive.verify(damaged).files == made.manifest.files
        except VaultIO:
            continue


@pytest.mark.parametrize("length", [0, 1, 100, -1, -30])
def test_one_that_was_cut_off_is_noticed(memory: Memory, tmp_path: Path, length: int) -> None:
    good = back_up(memory).kept.path.read_bytes()
    put(tmp_path / "cut.zip", good[:length])

    with pytest.raises(VaultIO, match="cannot be used"):
        archive.verify(tmp_path / "cut.zip")


# Back into the vault


def test_applying_brings_notes_back_by_edits_and_keeps_what_is_newer(
    filled: Memory, vault_folder: Path
) -> None:
    put(vault_folder / ADA, "# Ada\n\nas she was\n")
    made = back_up(filled)
    before = files(vault_folder)
    put(vault_folder / ADA, "# Ada\n\nspoilt\n")
    (vault_folder / "awkward/crlf.md").unlink()
    put(vault_folder / "attachments/Photo.PNG", b"spoilt")
    put(vault_folder / "since.md", "written since")
    plan = {it.path: it.became for it in into_vault(filled, made.kept.path, apply=False)}
    spoilt = files(vault_folder)

    done = {it.path: it.became for it in into_vault(filled, made.kept.path, apply=True)}

    assert spoilt[ADA.encode()] == b"# Ada\n\nspoilt\n"
    assert plan == done
    assert {path for path, became in done.items() if became == "changed"} == {
        ADA,
        "attachments/Photo.PNG",
    }
    assert done["awkward/crlf.md"] == "created"
    assert done[".obsidian/app.json"] == "left"
    derived = {path.encode() for path in routing.table().files.values()}
    now = {name: content for name, content in files(vault_folder).items() if name not in derived}
    was = {name: content for name, content in before.items() if name not in derived}
    assert now == {**was, b"since.md": b"written since"}
    assert filled.catalog.get(ADA).text == "# Ada\n\nas she was\n"


def test_what_applying_replaces_is_in_the_history(filled: Memory, vault_folder: Path) -> None:
    added = put(vault_folder / ADA, "# Ada\n\nas she was\nand more\n")
    made = back_up(filled)
    spoilt = {ADA: b"# Ada\n\nas she was\n", "attachments/Photo.PNG": b"\xff\x00 spoilt"}
    for path, content in spoilt.items():
        put(vault_folder / path, content)

    list(into_vault(filled, made.kept.path, apply=True))

    assert added.read_text().endswith("and more\n")
    for path, content in spoilt.items():
        (version,) = history_op(filled, path)["versions"]
        assert version["operation"] == "backup restore"
        restore_op(filled, path, version["id"], confirm=True)
        assert (vault_folder / path).read_bytes() == content


def test_the_marker_by_which_the_vault_is_known_stays(memory: Memory, vault_folder: Path) -> None:
    made = back_up(memory)
    marker = vault_folder / "_agent/echo-vault.md"
    marker.write_text(marker.read_text() + "more\n")
    memory.acquaintance.renew(marker.read_text())

    done = {it.path: it.became for it in into_vault(memory, made.kept.path, apply=True)}

    assert done["_agent/echo-vault.md"] == "left"
    assert marker.read_text().endswith("more\n")


def test_applying_behind_the_plugin_gives_the_same_bytes(
    filled: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    with StandIn(vault_folder, KEY) as plugin, far(plugin, tmp_path / "s") as echo:
        made = back_up(echo)
        before = files(vault_folder)
        for name in ("awkward/crlf.md", "awkward/not-utf-8.md", "attachments/Photo.PNG"):
            put(vault_folder / name, "spoilt")
        list(into_vault(echo, made.kept.path, apply=True))

    derived = {path.encode() for path in routing.table().files.values()}
    now = files(vault_folder)
    assert {name: now[name] for name in before.keys() - derived} == {
        name: before[name] for name in before.keys() - derived
    }


def test_applying_twice_changes_nothing_more(filled: Memory) -> None:
    made = back_up(filled)
    list(into_vault(filled, made.kept.path, apply=True))

    again = {it.became for it in into_vault(filled, made.kept.path, apply=True)}

    assert again == {"same", "left"}


def test_a_folder_that_is_not_empty_is_not_restored_into(memory: Memory, tmp_path: Path) -> None:
    made = back_up(memory)
    put(tmp_path / "there/mine.md", "mine")

    with pytest.raises(BadRequest):
        restoring.into_folder(made.kept.path, tmp_path / "there")

    assert files(tmp_path / "there") == {b"mine.md": b"mine"}


def test_the_newest_that_was_made_by_now_is_found(memory: Memory) -> None:
    shelf = Shelf.of(memory.config)

    assert shelf.newest(NOW) is None
    assert shelf.kept() == []
    with pytest.raises(BadRequest):
        shelf.find("latest")
    made = back_up(memory)
    assert shelf.find("latest") == shelf.find(made.kept.path.stem) == made.kept.path
    assert shelf.newest(datetime(2000, 1, 1, tzinfo=UTC)) is None
