"""`echo-mcp stdio`: the official client over pipes, and not a stray byte on stdout."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from threading import Timer

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult

from server import process


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def _request(number: int, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _call(number: int, tool: str, **arguments: object) -> str:
    return _request(number, "tools/call", name=tool, arguments=arguments)


HELLO = [
    _request(
        0,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "test", "version": "1"},
    ),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
]


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
        _call(1, "echo_load"),
        _call(2, "echo_capture", title="half \ud83d"),
        _call(3, "no_such_tool"),
        _call(4, "echo_health", deep=True),
        _request(5, "no/such/method"),
        _call(6, "echo_get_note", path="broken"),
    ]
    answers = _answers(tmp_path, vault, lines, env={"PYTHONWARNINGS": "always"})

    assert {answer.get("id") for answer in answers} == set(range(7))
    assert answers[2]["result"]["isError"] is True
    assert "title" in answers[2]["result"]["content"][0]["text"]


def test_a_folder_that_is_not_there_is_told_on_stderr(tmp_path: Path) -> None:
    ended = process.run(tmp_path, "stdio", "--vault", str(tmp_path / "nowhere"))

    assert (ended.returncode, ended.stdout) == (78, "")
    assert "There is no folder" in ended.stderr


def test_it_ends_when_its_client_does(tmp_path: Path, vault: Path) -> None:
    ended = process.run(tmp_path, "stdio", "--vault", str(vault))

    assert (ended.returncode, ended.stdout) == (0, "")


def _answers(tmp_path: Path, vault: Path, lines: list[str], env: dict[str, str]) -> list[dict]:
    """Every line of stdout, by id; stdin stays open until the last answer is there."""
    words = process.command("stdio", "--vault", str(vault))
    with subprocess.Popen(
        words,
        env=process.environment(tmp_path, **env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        # An answer that never comes ends the process, and with it the wait.
        giving_up = Timer(process.PATIENCE_S, running.kill)
        giving_up.start()
        running.stdin.write("\n".join(lines) + "\n")
        running.stdin.flush()
        wanted = sum('"id"' in line for line in lines)
        answers = [json.loads(running.stdout.readline()) for _ in range(wanted)]
        running.stdin.close()
        assert running.stdout.read() == ""
        giving_up.cancel()
    return sorted(answers, key=lambda answer: int(answer["id"]))
