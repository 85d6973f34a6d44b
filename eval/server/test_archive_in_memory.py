"""The memory server with `ECHO_ARCHIVE`: the archive's tools beside its own, and its health."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from archives import message, put
from echo_mcp.app import create_app
from echo_mcp.tools.registry import registered, registered_archive
from echo_memory.ops.bootstrap import bootstrap_op
from server.pipes import HELLO, answers, call, request
from tools import HEADERS, memory_over, settings_for

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ARCHIVE = list(registered_archive())


@pytest.fixture
def database(tmp_path: Path) -> Path:
    put(tmp_path / "messages.db", [message(1, "the tide is in")])
    return tmp_path / "messages.db"


@contextmanager
def _serving(vault: Path, state: Path, **said: str) -> Iterator[TestClient]:
    echo = memory_over(vault, state)
    bootstrap_op(echo)
    app = create_app(settings_for(vault, state, **said), echo)
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=HEADERS) as client:
        yield client


def _names(client: TestClient) -> list[str]:
    return [tool["name"] for tool in client.post("/mcp", json=LIST).json()["result"]["tools"]]


def _call(client: TestClient, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result: dict[str, Any] = client.post("/mcp", json=body).json()["result"]
    return result


def test_the_seven_stand_beside_the_memorys_own(
    vault_folder: Path, tmp_path: Path, database: Path
) -> None:
    with _serving(vault_folder, tmp_path / "state", ECHO_ARCHIVE=str(database)) as client:
        names = _names(client)
        found = _call(client, "search_messages", query="tide")
        recalled = _call(client, "echo_recall", query="tide")
        health = client.get("/health").json()

    assert names == [*registered("full"), *ARCHIVE]
    assert found["structuredContent"]["hits"][0]["source"] == "telegram"
    assert recalled["isError"] is False
    assert (health["ok"], health["archive_messages"]) == (True, 1)


def test_the_core_profile_stays_at_its_six(
    vault_folder: Path, tmp_path: Path, database: Path
) -> None:
    said = {"ECHO_ARCHIVE": str(database), "ECHO_MCP_TOOLS": "core"}
    with _serving(vault_folder, tmp_path / "state", **said) as client:
        names = _names(client)

    assert names == list(registered("core"))


def test_without_the_setting_there_is_nothing_of_an_archive(
    vault_folder: Path, tmp_path: Path
) -> None:
    with _serving(vault_folder, tmp_path / "state") as client:
        names = _names(client)
        health = client.get("/health").json()
        refused = _call(client, "search_messages", query="tide")

    assert names == list(registered("full"))
    assert "archive_messages" not in health
    assert "There is no tool search_messages" in refused["content"][0]["text"]


def test_an_archive_that_is_not_there_yet_stops_no_memory_and_is_told(
    vault_folder: Path, tmp_path: Path, database: Path
) -> None:
    missing = tmp_path / "later.db"
    with _serving(vault_folder, tmp_path / "state", ECHO_ARCHIVE=str(missing)) as client:
        refused = _call(client, "search_messages", query="tide")
        loaded = _call(client, "echo_load")
        strict = client.get("/health?strict=1")
        database.rename(missing)
        found = _call(client, "search_messages", query="tide")

    assert "Import an export first" in refused["content"][0]["text"]
    assert str(tmp_path) not in refused["content"][0]["text"]
    assert (refused["isError"], loaded["isError"], found["isError"]) == (True, False, False)
    assert (strict.status_code, strict.json()["archive_messages"]) == (503, None)


def test_over_stdio_the_seven_tools_stand_behind_the_others(
    vault_folder: Path, tmp_path: Path, database: Path
) -> None:
    lines = [*HELLO, request(1, "tools/list"), call(2, "search_messages", query="tide")]
    words = ["stdio", "--vault", str(vault_folder)]

    came = answers(tmp_path, words, lines, ECHO_ARCHIVE=str(database))

    assert [tool["name"] for tool in came[1]["result"]["tools"]][-7:] == ARCHIVE
    assert came[2]["result"]["structuredContent"]["count"] == 1
    assert "search_messages" in came[0]["result"]["instructions"]
    assert len(came[0]["result"]["instructions"]) < 1_000
