"""Health: numbers for anyone, and nothing that stands in a note."""

from __future__ import annotations

import shutil
from pathlib import Path

from starlette.testclient import TestClient

from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op

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


def test_health_is_only_read(client: TestClient) -> None:
    assert client.post("/health").status_code == 405
    assert client.head("/health").status_code == 200
