"""The tools of the real application, in this process, over any vault."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from echo_mcp.app import create_app
from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from olrapi.standin import StandIn
from vaults import KEY

TOKEN = "a-token-that-is-long-enough-for-anyone"
HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}

Call = Callable[..., tuple[dict[str, Any], str, bool]]


def settings_for(vault: StandIn | Path, state: Path, **said: str) -> Settings:
    """What a deployment would say of a folder, or of the plugin."""
    env = {"ECHO_MCP_TOKEN": TOKEN, "ECHO_STATE_DIR": str(state), "ECHO_MCP_INDEX_TTL": "1"}
    if isinstance(vault, Path):
        env["ECHO_BASE"] = vault.as_uri()
    else:
        env |= {"ECHO_BASE": vault.url, "ECHO_KEY": KEY}
    return Settings.from_env(env | said)


def memory_over(
    vault: StandIn | Path, state: Path, *, clock: Callable[[], datetime] | None = None
) -> Memory:
    """The memory alone."""
    config = settings_for(vault, state).config
    return open_memory(config, clock=clock, notify=lambda _: None)


@contextmanager
def serving(
    vault: StandIn | Path,
    state: Path,
    *,
    clock: Callable[[], datetime] | None = None,
    **said: str,
) -> Iterator[Call]:
    """One tool call: envelope, text, whether it is an error; `/health` gives what that says."""
    settings = settings_for(vault, state, **said)
    app = create_app(settings, memory_over(vault, state, clock=clock))
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=HEADERS) as client:

        def call(tool: str, **arguments: Any) -> tuple[dict[str, Any], str, bool]:
            if tool == "/health":
                return client.get(tool).json(), "", False
            params = {"name": tool, "arguments": arguments}
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            result = client.post("/mcp", json=request).json()["result"]
            return result["structuredContent"], result["content"][0]["text"], result["isError"]

        yield call


def arguments_shown(schema: dict[str, Any]) -> str:
    """Arguments in a line: `[optional]`, `name=default`, `name=default:low-high`."""
    required = schema.get("required", [])
    words = []
    for name, entry in schema["properties"].items():
        word = name if name in required else f"[{name}]"
        if "default" in entry:
            word = f"{name}={json.dumps(entry['default'])}"
        if "minimum" in entry:
            word += f":{entry['minimum']}-{entry['maximum']}"
        words.append(word)
    return " ".join(words)
