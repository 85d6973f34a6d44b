"""`echo-mcp stdio`: the official client over pipes, and not a stray byte on stdout."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult

from server import process
from server.pipes import HELLO, answers, call, request


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def test_the_official_client_captures_and_recalls(tmp_path: Path, vault: Path) -> None:
    program, *words = process.command("stdio", "--vault", str(vault))
    server = StdioServerParameters(command=program, args=words, env=process.environment(tmp_path))

    async def day() -> tuple[CallToolResult, CallToolResult]:
        with (tmp_path / "log").open("w", encoding="utf-8") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                fields = {"title": "Ada Lovelace", "kind": "person", "body": "Wrote a program."}
                made = await client.call_tool("echo_capture", fields)
                return made, await client.call_tool("echo_recall", {"query": "program"})

    made, found = anyio.run(day)

    assert made.structured_content is not None
    assert made.structured_content["action"] == "created"
    assert "Ada Lovelace" in str(found.content)
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert "call tool=echo_capture" in log
    assert "Lovelace" not in log


def test_stdout_holds_json_rpc_only_whatever_is_provoked(tmp_path: Path, vault: Path) -> None:
    (vault / "broken.md").write_bytes(b"---\na: [\n---\n\xff")
    lines = [
        *HELLO,
        "this is no JSON",
        "",
        call(1, "echo_load"),
        call(2, "echo_capture", title="half \ud83d"),
        call(3, "no_such_tool"),
        call(4, "echo_health", deep=True),
        request(5, "no/such/method"),
        call(6, "echo_get_note", path="broken"),
    ]
    words = ["stdio", "--vault", str(vault)]

    came = answers(tmp_path, words, lines, PYTHONWARNINGS="always")

    assert {answer.get("id") for answer in came} == set(range(7))
    assert came[2]["result"]["isError"] is True
    assert "title" in came[2]["result"]["content"][0]["text"]


def test_a_folder_that_is_not_there_is_told_on_stderr(tmp_path: Path) -> None:
    ended = process.run(tmp_path, "stdio", "--vault", str(tmp_path / "nowhere"))

    assert (ended.returncode, ended.stdout) == (78, "")
    assert "There is no folder" in ended.stderr


def test_it_ends_when_its_client_does(tmp_path: Path, vault: Path) -> None:
    ended = process.run(tmp_path, "stdio", "--vault", str(vault))

    assert (ended.returncode, ended.stdout) == (0, "")
