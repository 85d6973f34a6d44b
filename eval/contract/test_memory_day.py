"""The same memory day through every door of the server, on an empty folder each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import memory_day
from echo_mcp import client as rpc
from echo_memory.ops.bootstrap import bootstrap_op
from memory_day import Answer, Call
from olrapi.standin import StandIn
from server import process
from tools import TOKEN, memory_over, serving
from vaults import KEY

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=timezone(timedelta(hours=1)))


@contextmanager
def over_http(home: Path, folder: Path) -> Iterator[Call]:
    """`echo-mcp serve --vault`, asked with plain JSON-RPC."""
    with process.serving(home, "--vault", str(folder)) as server:
        token = (home / ".local/state/echo-mcp/token").read_text().strip()
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
        }
        with httpx.Client(headers=headers) as client:

            def call(tool: str, **arguments: Any) -> Answer:
                params = {"name": tool, "arguments": arguments}
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                result = client.post(server.url, json=body).json()["result"]
                return result["structuredContent"], result["content"][0]["text"], result["isError"]

            yield call


@contextmanager
def over_stdio(home: Path, folder: Path) -> Iterator[Call]:
    """`echo-mcp stdio --vault`, asked by the SDK's own client."""
    program, *words = process.command("stdio", "--vault", str(folder))
    server = StdioServerParameters(command=program, args=words, env=process.environment(home))
    with (
        (home / "log").open("w", encoding="utf-8") as log,
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(stdio_client(server, errlog=log))) as client,
    ):

        def call(tool: str, **arguments: Any) -> Answer:
            result = portal.call(partial(client.call_tool, tool, arguments))
            return result.structured_content, result.content[0].text, result.is_error

        yield call


@contextmanager
def over_http_to_the_plugin(home: Path, folder: Path) -> Iterator[Call]:
    """`echo-mcp serve` over the Local REST API; the command line has made it a memory before."""
    with StandIn(folder, KEY) as plugin:
        echo = memory_over(plugin, home / "seeding")
        bootstrap_op(echo)
        echo.close()
        said = {"ECHO_BASE": plugin.url, "ECHO_KEY": KEY, "ECHO_MCP_TOKEN": TOKEN}
        with process.serving(home, **said) as server:
            client = rpc.Client(server.url, TOKEN)

            def call(tool: str, **arguments: Any) -> Answer:
                answer = client.call(tool, arguments)
                return answer.envelope, answer.text, "error" in answer.envelope

            yield call


@pytest.mark.parametrize("door", [over_http, over_stdio, over_http_to_the_plugin])
def test_a_memory_day_passes_through_the_door(tmp_path: Path, door: Any) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()

    with door(tmp_path, folder) as call:
        memory_day.live(call, folder)


def test_a_memory_day_leaves_the_same_bytes_behind_the_plugin_as_in_a_folder(
    tmp_path: Path,
) -> None:
    left: dict[str, dict[str, bytes]] = {}
    for kind in ("folder", "rest"):
        folder = tmp_path / kind
        folder.mkdir()
        with StandIn(folder, KEY) if kind == "rest" else nullcontext(folder) as vault:
            state = tmp_path / f"{kind}-state"
            echo = memory_over(vault, state, clock=lambda: NOW)
            bootstrap_op(echo)
            echo.close()
            with serving(vault, state, clock=lambda: NOW) as call:
                memory_day.live(call, folder)
        files = (path for path in folder.rglob("*") if path.is_file())
        left[kind] = {str(path.relative_to(folder)): path.read_bytes() for path in files}

    assert left["rest"] == left["folder"]
