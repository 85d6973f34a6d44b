"""The ledger: survives restarts, damage and other processes, and never lies about a backup."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW
from echo_memory.errors import VaultIO
from echo_memory.ledger import BACKUP, Ledger, Page, Run
from folders import put

RUN = Run(done=NOW, tried=NOW + timedelta(hours=1), error="vault-io", found={"files": 3})


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path, "file:///vault")


def test_what_is_noted_is_there_after_a_restart(ledger: Ledger, tmp_path: Path) -> None:
    ledger.begin(NOW)
    ledger.ran(BACKUP, RUN)
    ledger.note("alarms", {"told": ["é", "\udcff"]})

    again = Ledger(tmp_path, "file:///vault").read()

    assert again == Page(NOW, {BACKUP: RUN}, {"alarms": {"told": ["é", "\udcff"]}})


def test_another_vault_has_another(ledger: Ledger, tmp_path: Path) -> None:
    ledger.ran(BACKUP, RUN)

    assert Ledger(tmp_path, "file:///other").read() == Page()


def test_upkeep_begins_once(ledger: Ledger) -> None:
    ledger.begin(NOW)
    ledger.begin(NOW + timedelta(days=1))
    first = ledger.read().since
    ledger.begin(NOW - timedelta(days=1))

    assert first == NOW
    assert ledger.read().since == NOW - timedelta(days=1)


@pytest.mark.parametrize(
    "damage",
    [
        b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"format": 2}',
        b'{"format": 1, "since": 5, "runs": [], "notes": 1}',
        b'{"format": 1, "since": "2026-03-14T09:00:00", "runs": {"backup": 1}}',
        b'{"format": 1, "runs": {"x": {"done": "no", "found": {"a": "b"}, "error": null}}}',
    ],
)  # fmt: skip
def test_a_damaged_one_says_nothing_and_can_be_written(
    ledger: Ledger, tmp_path: Path, damage: bytes
) -> None:
    ledger.ran(BACKUP, RUN)
    (path,) = (tmp_path / "upkeep").glob("*.json")
    put(path, damage)

    page = ledger.read()
    ledger.ran("other", Run(done=NOW)) if b'"runs": [' not in damage else None

    assert page.since is None
    assert page.run(BACKUP) == Run()
    assert all(run == Run() for run in page.runs.values())


def test_processes_that_note_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    names = [f"job {number}" for number in range(12)]
    threads = [
        threading.Thread(target=Ledger(tmp_path, "v").ran, args=(name, RUN)) for name in names
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Ledger(tmp_path, "v").read().runs == dict.fromkeys(names, RUN)
    assert not list((tmp_path / "upkeep").glob(".*"))


def test_a_state_folder_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    put(tmp_path / "upkeep", "a file in the way")

    with pytest.raises(VaultIO):
        Ledger(tmp_path, "v").ran(BACKUP, RUN)

    assert Ledger(tmp_path, "v").read() == Page()


@pytest.mark.parametrize(
    ("done", "since", "is_old"),
    [
        (None, None, False),
        (None, 25, False),
        (None, 27, True),
        (25, None, False),
        (27, None, True),
        (27, 3, False),
        (3, 100, False),
        (-5, 100, False),
    ],
)
def test_a_backup_is_old_after_26_hours_in_which_one_could_be_made(
    done: int | None, since: int | None, is_old: bool
) -> None:
    def ago(hours: int | None):
        return None if hours is None else NOW - timedelta(hours=hours)

    page = Page(ago(since), {BACKUP: replace(RUN, done=ago(done))})

    assert page.backup_is_old(NOW) is is_old
