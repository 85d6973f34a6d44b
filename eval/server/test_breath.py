"""The breath: upkeep that goes through all notes lets the calls in between them."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from echo_mcp.upkeep import breath, jobs
from echo_mcp.upkeep.breath import LONGEST_REST_S, WORK_S, Breath
from echo_memory.ledger import BACKUP, SWEEP
from echo_memory.memory import Memory
from folders import put

NOTES = 30


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr(breath.time, "sleep", taken.append)
    return taken


def work(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_who_has_worked_for_a_while_rests_as_long(rests: list[float]) -> None:
    breathe = Breath()
    breathe()
    rests.clear()

    work(2 * WORK_S)
    breathe()

    assert len(rests) == 1
    assert 2 * WORK_S <= rests[0] <= LONGEST_REST_S


def test_a_long_step_is_no_reason_to_rest_for_long(rests: list[float]) -> None:
    breathe = Breath()
    breathe()

    work(2 * LONGEST_REST_S)
    breathe()

    assert rests[-1] == LONGEST_REST_S


@pytest.mark.parametrize("name", [BACKUP, SWEEP])
def test_upkeep_breathes_between_two_notes(memory: Memory, vault_folder: Path, name: str) -> None:
    for number in range(NOTES):
        put(vault_folder / f"resources/concepts/e-{number}.md", f"# E {number}\n\nSteam.\n")
    breaths: list[None] = []
    noticed = replace(memory, breathe=lambda: breaths.append(None))

    next(job for job in jobs.jobs(noticed, Event()) if job.name == name).work()

    assert len(breaths) >= NOTES
