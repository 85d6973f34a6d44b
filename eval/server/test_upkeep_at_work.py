"""Upkeep at work: a real server does what was missed, and ends or dies without harm."""

from __future__ import annotations

import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from conftest import NOW
from echo_mcp.app import create_app
from echo_mcp.backups import archive
from echo_mcp.backups.making import back_up
from echo_mcp.backups.shelf import Shelf
from echo_mcp.settings import Settings
from echo_mcp.upkeep import staff
from echo_memory.config import Config
from echo_memory.errors import VaultIO
from echo_memory.ledger import Ledger
from echo_memory.memory import Memory
from folders import put
from server import process


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was missed is caught up as soon as the server is there."""
    monkeypatch.setattr(staff, "FIRST_JOB_AFTER_S", 0.0)


@contextmanager
def running(settings: Settings, memory: Memory) -> Iterator[TestClient]:
    with TestClient(create_app(settings, memory), base_url="http://127.0.0.1") as client:
        yield client


def test_a_server_that_starts_does_what_was_missed(
    at_once: None, settings: Settings, memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "a.md", "[[Nobody]]")
    ledger = Ledger.of(memory.config)
    with running(settings, memory) as client:
        process.until(lambda: len(ledger.read().runs) == 3)
        health = client.get("/health").json()

    (kept,) = Shelf.of(memory.config).kept()
    assert len(archive.verify(kept.path).files) > 4
    assert health["last_sweep"]["violations"] == 1
    assert health["last_decay"]["error"] is None
    assert health["last_backup_age_s"] is not None
    assert health["ok"] is True


def test_a_server_that_starts_again_repeats_nothing(
    at_once: None, settings: Settings, memory: Memory
) -> None:
    ledger = Ledger.of(memory.config)
    for _ in range(3):
        with running(settings, memory):
            process.until(lambda: len(ledger.read().runs) == 3)

    assert len(Shelf.of(memory.config).kept()) == 1


def test_a_server_that_starts_cleans_up_after_one_that_was_killed(
    settings: Settings, memory: Memory
) -> None:
    folder = back_up(memory).kept.path.parent
    draft = put(folder / ".draft-0123456789abcdef.zip", "half")

    with running(settings, memory):
        left = draft.exists()

    assert not left


def test_a_server_whose_state_folder_is_full_serves_and_says_so(
    at_once: None, settings: Settings, memory: Memory
) -> None:
    put(memory.config.state_dir / "backups", "a file in the way")
    with running(settings, memory) as client:
        process.until(lambda: client.get("/health").json()["last_decay"] is not None)

        assert client.get("/health").json()["last_sweep"]["error"] is None

    assert Ledger.of(memory.config).read().run("backup").error == "vault-io"


def test_a_disk_that_fills_up_during_a_backup_costs_nothing(
    memory: Memory, vault_folder: Path
) -> None:
    good = back_up(memory)
    put(vault_folder / "film.mp4", bytes(range(256)) * 4_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, hard))
    try:
        with pytest.raises(VaultIO, match="state folder"):
            back_up(memory)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)

    assert list(Shelf.of(memory.config).folder.iterdir()) == [good.kept.path]
    assert back_up(memory).rotated == 0


def test_a_restored_vault_is_served(memory: Memory, tmp_path: Path) -> None:
    path = back_up(memory).kept.path
    config = Config(tmp_path / "vault", tmp_path / "state")
    memory.close()
    words = ["--vault", str(config.vault), "--state-dir", str(config.state_dir)]
    shutil.rmtree(tmp_path / "vault")

    restored = process.run(
        tmp_path, "backup", "restore", str(path), "--to", str(tmp_path / "vault"), *words
    )
    with process.serving(tmp_path, *words) as server:
        answer = process.run(
            tmp_path, "call", "echo_health", "--json", "--state-dir", str(config.state_dir)
        )

    assert restored.returncode == 0
    assert '"healthy": true' in answer.stdout
    assert not any("Made" in line for line in server.lines)


def test_a_night_that_passes_while_the_server_runs_has_its_backup(
    at_once: None, settings: Settings, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echo_mcp.upkeep.timer.LOOK_AGAIN_S", 0.0)
    now = [NOW]
    memory.clock = lambda: now[0]
    shelf = Shelf.of(memory.config)
    with running(settings, memory):
        process.until(lambda: len(shelf.kept()) == 1)
        now[0] += timedelta(days=1)

        process.until(lambda: len(shelf.kept()) == 2)
