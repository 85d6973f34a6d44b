"""Fixtures: a real folder of notes, and a memory opened over it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from echo_memory.config import Config
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=timezone(timedelta(hours=1)))


@pytest.fixture(scope="session", autouse=True)
def _without_waiting_for_the_disk() -> Iterator[None]:
    """What only a power cut would show is not waited for, thousands of times, in this process.

    A test that asks whether the disk is waited for puts its own in this place.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _file: None)
        yield


@pytest.fixture
def vault_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(vault_folder: Path, tmp_path: Path) -> Memory:
    """A bootstrapped vault on 14 March 2026; a test that needs another time sets `memory.clock`."""
    config = Config(vault=vault_folder, state_dir=tmp_path / "state", owner="Ada Operator")
    echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
    bootstrap_op(echo)
    return echo
