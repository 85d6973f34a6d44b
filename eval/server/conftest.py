"""A client of the real application over a bootstrapped vault; nothing is replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from echo_mcp.app import create_app
from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from olrapi.standin import StandIn
from server.signing_in import Visitor, listening
from tools import memory_over
from vaults import KEY

TOKEN = "a-token-that-is-long-enough-for-anyone"
Call = Callable[..., tuple[dict[str, Any], str, bool]]


@pytest.fixture
def settings(tmp_path: Path, vault_folder: Path) -> Settings:
    """What a deployment would say."""
    env = {
        "ECHO_BASE": vault_folder.as_uri(),
        "ECHO_STATE_DIR": str(tmp_path / "state"),
        "ECHO_MCP_TOKEN": TOKEN,
        "ECHO_TZ": "Europe/Paris",
    }
    return Settings.from_env(env)


@pytest.fixture
def client(settings: Settings, memory: Memory) -> Iterator[TestClient]:
    """A client that carries the token."""
    app = create_app(settings, memory)
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=headers) as opened:
        yield opened


@pytest.fixture
def visitor(settings: Settings, memory: Memory) -> Iterator[Visitor]:
    """One who signs in to the application, which listens and knows itself as notes.example.org."""
    app = create_app(replace(settings, oauth=True, hosts=("notes.example.org",)), memory)
    with listening(app) as url:
        headers = {"Host": "notes.example.org"}
        with httpx.Client(base_url=url, headers=headers, timeout=30) as http:
            yield Visitor(http, "https://notes.example.org", TOKEN)


@pytest.fixture
def rpc(client: TestClient) -> Callable[..., dict[str, Any]]:
    """One JSON-RPC request: its whole answer."""

    def ask(method: str, **params: Any) -> dict[str, Any]:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        # With every letter beyond ASCII escaped, so that half a surrogate pair can be sent too.
        headers = {"Content-Type": "application/json"}
        response = client.post("/mcp", content=json.dumps(request), headers=headers)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    return ask


@pytest.fixture
def call(rpc: Callable[..., dict[str, Any]]) -> Call:
    """One call of a tool: envelope, text, and whether it is an error."""

    def ask(tool: str, **arguments: Any) -> tuple[dict[str, Any], str, bool]:
        result = rpc("tools/call", name=tool, arguments=arguments)["result"]
        (block,) = result["content"]
        json.dumps(result["structuredContent"], allow_nan=False)
        return result["structuredContent"], block["text"], result["isError"]

    return ask


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[StandIn]:
    """A vault with a person, a project and an inbox line, behind the plugin."""
    (tmp_path / "vault").mkdir()
    with StandIn(tmp_path / "vault", KEY) as stand_in:
        echo = memory_over(stand_in, tmp_path / "seeding")
        bootstrap_op(echo)
        capture_op(echo, "Ada Lovelace", kind="person", body="Wrote the first program.")
        capture_op(echo, "Analytical Engine", kind="project", body="Gears.")
        capture_op(echo, "Order gears")
        echo.close()
        yield stand_in
