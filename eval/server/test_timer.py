"""The timer: each job in its turn, once, noted, and whatever one raises the others run."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from conftest import NOW
from echo_mcp.backups.shelf import KEPT, Shelf
from echo_mcp.upkeep import jobs
from echo_mcp.upkeep.schedule import Every
from echo_mcp.upkeep.timer import LOOK_AGAIN_S, Job, Timer
from echo_memory.errors import Conflict, VaultUnreachable
from echo_memory.ledger import BACKUP, DECAY, SWEEP, Ledger, Run, turn_of
from echo_memory.locks import PathLocks
from echo_memory.memory import Memory
from folders import put
from server.process import PATIENCE_S

HOURLY = Every(timedelta(hours=1))


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, **time: float) -> None:
        """Let some time go by."""
        self.now += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "state", "file:///vault")


def timer(
    tmp_path: Path, ledger: Ledger, clock: Clock, **work: Callable[[], Mapping[str, int]]
) -> Timer:
    turns = PathLocks(tmp_path / "state/turns", wait=0)
    return Timer([Job(name, HOURLY, do) for name, do in work.items()], ledger, turns, clock)


def unreachable() -> Mapping[str, int]:
    raise VaultUnreachable("The vault is away. Wait.")


def crash() -> Mapping[str, int]:
    raise ZeroDivisionError("a secret")


def test_a_job_that_raises_is_noted_and_the_next_one_runs(
    tmp_path: Path, ledger: Ledger, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    mine = timer(tmp_path, ledger, clock, bad=crash, away=unreachable, good=lambda: {"found": 3})

    with caplog.at_level(logging.INFO):
        mine.step()

    page = ledger.read()
    assert page.run("bad") == Run(tried=NOW, error="internal")
    assert page.run("away") == Run(tried=NOW, error="vault-unreachable")
    assert page.run("good") == Run(done=NOW, tried=NOW, found={"found": 3})


def test_a_restart_knows_what_ran(tmp_path: Path, ledger: Ledger, clock: Clock) -> None:
    count: list[datetime] = []
    for _ in range(3):
        timer(tmp_path, ledger, clock, job=lambda: count.append(clock()) or {}).step()
        clock.pass_by(minutes=5)

    assert count == [NOW]


def test_a_failure_keeps_when_it_last_succeeded(
    tmp_path: Path, ledger: Ledger, clock: Clock
) -> None:
    timer(tmp_path, ledger, clock, job=lambda: {"found": 1}).step()
    clock.pass_by(hours=1)
    timer(tmp_path, ledger, clock, job=unreachable).step()

    assert ledger.read().run("job") == Run(
        done=NOW, tried=clock.now, error="vault-unreachable", found={"found": 1}
    )


def test_a_ledger_that_cannot_be_written_makes_no_job_run_again_and_again(
    tmp_path: Path, clock: Clock
) -> None:
    put(tmp_path / "file", "where a folder should be")
    closed = Ledger(tmp_path / "file", "file:///vault")
    ran: list[int] = []
    mine = timer(tmp_path, closed, clock, job=lambda: ran.append(1) or {})

    for _ in range(30):
        mine.step()
        clock.pass_by(minutes=1)

    assert len(ran) == 1


def test_a_job_that_another_process_runs_is_left_to_it(
    tmp_path: Path, ledger: Ledger, clock: Clock
) -> None:
    ran: list[int] = []
    mine = timer(tmp_path, ledger, clock, job=lambda: ran.append(1) or {})
    other = PathLocks(tmp_path / "state/turns")

    with other.hold(turn_of("job")):
        mine.step()
        with pytest.raises(Conflict, match="runs this job"):
            mine.run("job")
        held = list(ran)
    mine.step()

    assert (held, ran) == ([], [1])


def test_two_servers_run_a_job_once(tmp_path: Path, ledger: Ledger, clock: Clock) -> None:
    ran: list[int] = []
    servers = [timer(tmp_path, ledger, clock, job=lambda: ran.append(1) or {}) for _ in range(4)]
    threads = [threading.Thread(target=server.step) for server in servers]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ran == [1]


def test_who_waited_for_another_to_run_a_job_does_not_run_it_again(
    tmp_path: Path, ledger: Ledger, clock: Clock
) -> None:
    ran, entered, released = [], threading.Event(), threading.Event()

    def held() -> Mapping[str, int]:
        ran.append("first")
        entered.set()
        released.wait(PATIENCE_S)
        return {}

    first = timer(tmp_path, ledger, clock, job=held)
    patient = PathLocks(tmp_path / "state/turns", wait=PATIENCE_S)
    second = Timer([Job("job", HOURLY, lambda: ran.append("second") or {})], ledger, patient, clock)
    threads = [threading.Thread(target=first.step), threading.Thread(target=second.step)]
    threads[0].start()
    assert entered.wait(PATIENCE_S)
    threads[1].start()
    released.set()
    for thread in threads:
        thread.join()

    assert ran == ["first"]


def test_the_clock_is_looked_at_every_minute_and_at_the_slot(
    tmp_path: Path, ledger: Ledger, clock: Clock
) -> None:
    mine = timer(tmp_path, ledger, clock, job=dict)
    far = mine.step()
    clock.now = NOW.replace(minute=59, second=58, microsecond=0)
    near = mine.step()

    assert (far, near) == (LOOK_AGAIN_S, 2.0)


def test_one_that_is_stopped_begins_nothing_and_what_it_broke_off_did_not_fail(
    tmp_path: Path, ledger: Ledger, clock: Clock
) -> None:
    mine = timer(tmp_path, ledger, clock)

    def broken_off() -> Mapping[str, int]:
        mine.stop()
        raise VaultUnreachable("The connection was closed. Open it.")

    mine = timer(tmp_path, ledger, clock, first=broken_off, second=crash)
    mine.step()

    assert ledger.read().runs == {}


# The jobs themselves, over a year


def test_a_year_with_the_real_jobs_has_the_right_counts(memory: Memory, vault_folder: Path) -> None:
    clock = Clock()
    memory.clock = clock
    mine = jobs.timer(memory)
    put(vault_folder / "a.md", "[[Nobody]]")
    counts = {BACKUP: 0, SWEEP: 0, DECAY: 0}
    seen: dict[str, datetime | None] = dict.fromkeys(counts)

    for _ in range(366):
        mine.step()
        for name, run in Ledger.of(memory.config).read().runs.items():
            assert not run.error
            counts[name] += run.done != seen[name]
            seen[name] = run.done
        clock.pass_by(days=1)

    assert counts[BACKUP] in (366, 367)
    assert counts[SWEEP] == 366
    assert counts[DECAY] in (52, 53, 54)
    assert len(Shelf.of(memory.config).kept()) == KEPT


def test_a_job_changes_no_note_of_a_person(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "projects/active/old.md", "---\ncreated: 2020-01-01\n---\n# Old\n[[No]]\n")
    put(vault_folder / "_agent/memory/working/old.md", "---\ncreated: 2020-01-01\n---\n# W\n")
    before = notes(vault_folder)

    for name in jobs.NAMES:
        assert not jobs.timer(memory).run(name).error

    changed = {path for path, text in notes(vault_folder).items() if before.get(path) != text}
    assert changed == {"_agent/health/vault-health.md", "_agent/index/entities.json"} | {
        path for path in changed if path.startswith("_agent/locks/")
    }


def notes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_night_that_was_missed_is_caught_up(memory: Memory) -> None:
    clock = Clock()
    memory.clock = clock
    jobs.timer(memory).step()
    clock.pass_by(days=5)
    with closing(memory):
        jobs.timer(memory).step()

    assert len(Shelf.of(memory.config).kept()) == 2
