"""Health: numbers for anyone, and nothing that stands in a note."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from starlette.testclient import TestClient

from conftest import NOW
from echo_mcp.app import create_app
from echo_mcp.backups.making import back_up
from echo_mcp.settings import Settings
from echo_memory.ledger import Ledger
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.decay import decay_op
from echo_memory.ops.sweep import sweep_op
from folders import put
from server.process import until

KEYS = {
    "ok", "version", "vault_reachable", "outbox_depth", "outbox_oldest_s", "parked", "index_notes",
    "index_age_s", "last_backup_age_s", "last_sweep", "last_decay", "alerts",
}  # fmt: skip


def test_a_healthy_server_says_so_with_all_its_keys(client: TestClient) -> None:
    response = client.get("/health")

    assert response.status_code == 200
    assert response.json().keys() == KEYS
    assert response.json()["ok"] is True
    assert response.json()["vault_reachable"] is True


def test_no_path_and_no_title_is_in_it(
    client: TestClient, memory: Memory, settings: Settings
) -> None:
    capture_op(memory, "Ada Lovelace", kind="person")
    body = client.get("/health").text

    assert client.get("/health").json()["index_notes"] > 0
    for secret in ("ada", "Ada", str(settings.config.vault), settings.token):
        assert secret not in body


def test_a_vault_that_is_gone_is_told_and_only_strict_makes_it_a_503(
    client: TestClient, vault_folder: Path
) -> None:
    shutil.rmtree(vault_folder)

    lenient, strict = client.get("/health"), client.get("/health?strict=1")

    assert (lenient.status_code, strict.status_code) == (200, 503)
    assert lenient.json()["ok"] is False
    assert lenient.json()["vault_reachable"] is False


def test_what_upkeep_did_is_told_in_numbers(client: TestClient, memory: Memory) -> None:
    before = client.get("/health").json()
    back_up(memory)
    sweep_op(memory)
    decay_op(memory)
    after = client.get("/health").json()

    assert (before["last_backup_age_s"], before["last_sweep"], before["last_decay"]) == (None,) * 3
    assert after["last_backup_age_s"] == pytest.approx(0, abs=1)
    at = "2026-03-14T09:26:53+01:00"
    assert after["last_sweep"] == {"at": at, "violations": 0, "new": 0, "error": None}
    assert after["last_decay"] == {"at": at, "proposals": 0, "error": None}
    assert after["alerts"] == []


def test_what_is_wrong_for_long_is_told_and_strict_makes_it_a_503(
    settings: Settings, memory: Memory
) -> None:
    Ledger.of(memory.config).begin(NOW)
    memory.clock = lambda: NOW + timedelta(hours=30)
    with TestClient(create_app(settings, memory), base_url="http://127.0.0.1") as client:
        until(lambda: client.get("/health").json()["alerts"] != [])
        lenient, strict = client.get("/health"), client.get("/health?strict=1")

    assert lenient.json()["alerts"] == ["backup-old"]
    assert lenient.json()["ok"] is False
    assert (lenient.status_code, strict.status_code) == (200, 503)


def test_findings_are_told_and_make_nothing_degraded(
    client: TestClient, memory: Memory, vault_folder: Path
) -> None:
    sweep_op(memory)
    put(vault_folder / "a.md", "[[Nobody]]")
    sweep_op(memory)

    found = client.get("/health?strict=1")

    assert found.json()["last_sweep"]["new"] == 1
    assert found.status_code == 200


def test_a_loop_that_crashes_is_told(
    settings: Settings, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash() -> NoReturn:
        raise ZeroDivisionError

    monkeypatch.setattr(memory.catalog, "prepare_recall", crash)
    with TestClient(create_app(settings, memory), base_url="http://127.0.0.1") as client:
        until(lambda: client.get("/health").json()["alerts"] == ["upkeep-failing"])

        assert client.get("/health?strict=1").status_code == 503


def test_health_is_only_read(client: TestClient) -> None:
    assert client.post("/health").status_code == 405
    assert client.head("/health").status_code == 200
