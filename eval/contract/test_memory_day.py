"""The same memory day through every door of the server, on an empty folder each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

import memory_day
from memory_day import Answer, Call
from server import process


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


@pytest.mark.parametrize("door", [over_http, over_stdio])
def test_a_memory_day_passes_through_the_door(tmp_path: Path, door: Any) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()

    with door(tmp_path, folder) as call:
        memory_day.live(call, folder)
