"""`echo-mcp serve` as people run it: a process, a port, a folder."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from echo_mcp import state
from echo_mcp.__main__ import main
from echo_mcp.client import Client
from echo_memory.locks import PathLocks
from server import process

BODY = "The secret ingredient is brass."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "my notes"
    folder.mkdir()
    return folder


def test_a_folder_becomes_a_memory_that_a_client_can_use(tmp_path: Path, vault: Path) -> None:
    with process.serving(tmp_path, "--vault", str(vault)) as server:
        token_file = tmp_path / ".local/state/echo-mcp/token"
        client = Client(server.url, state.read_token(token_file))
        made = client.call(
            "echo_capture", {"title": "Ada Lovelace", "kind": "person", "body": BODY}
        )
        found = client.call("echo_recall", {"query": "brass"})
        health = httpx.get(server.url.replace("/mcp", "/health")).json()
        status = server.stop()

    assert made.envelope["action"] == "created"
    assert found.envelope["primary"][0]["path"] == made.envelope["path"]
    assert (vault / made.envelope["path"]).is_file()
    assert health["ok"] is True
    assert status == 0


def test_it_prints_how_to_connect_and_one_line_a_call_with_nothing_secret(
    tmp_path: Path, vault: Path
) -> None:
    with process.serving(tmp_path, "--vault", str(vault)) as server:
        token_file = tmp_path / ".local/state/echo-mcp/token"
        token = state.read_token(token_file)
        client = Client(server.url, token)
        client.call("echo_capture", {"title": "Ada Lovelace", "kind": "person", "body": BODY})
        client.call("echo_recall", {"query": "ingredient", "limit": 99})
        client.call("no_such_tool", {"title": BODY})
        server.stop()
    printed = "".join(server.lines)

    assert f"  url    {server.url}\n" in printed
    assert f"  token  {token_file}\n" in printed
    assert f"claude mcp add --transport http echo {server.url} --header" in printed
    assert f'"Authorization: Bearer $(cat {token_file})"' in printed
    calls = [
        re.sub(r"ms=[\d.]+", "ms=1", line.split(" info ")[1])
        for line in server.lines
        if " call " in line
    ]
    assert calls == [
        "call tool=echo_capture ms=1 vault=0 outcome=ok\n",
        "call tool=echo_recall ms=1 vault=0 outcome=error\n",
        "call tool=unknown ms=1 vault=0 outcome=error\n",
    ]
    for secret in (token, "Ada", "ada", "ingredient", "brass", "no_such_tool"):
        assert secret not in printed


def test_the_log_is_json_lines_and_nothing_else_where_that_is_asked_for(
    tmp_path: Path, vault: Path
) -> None:
    words = process.command("serve", "--port", "0", "--vault", str(vault))
    env = process.environment(tmp_path, ECHO_LOG="json")
    with subprocess.Popen(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as running:
        address = tmp_path / ".local/state/echo-mcp"
        process.until(lambda: bool(state.read_address(address)))
        url = state.read_address(address)
        Client(url, state.read_token(address / "token")).call("echo_get_scope", {})
        running.terminate()
        out, err = running.communicate(timeout=30)

    (entry,) = [json.loads(line) for line in out.splitlines()]
    assert entry["tool"] == "echo_get_scope"
    assert entry["outcome"] == "ok"
    assert "claude mcp add" in err


def test_a_vault_with_notes_in_it_only_gains_some(tmp_path: Path, vault: Path) -> None:
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian/app.json").write_text("{}", encoding="utf-8")
    (vault / "Diary.md").write_bytes(b"# Diary\r\n\xff no final newline")
    before = {path: path.read_bytes() for path in vault.rglob("*") if path.is_file()}

    with process.serving(tmp_path, "--vault", str(vault)) as server:
        pass
    with process.serving(tmp_path, "--vault", str(vault)) as again:
        pass

    assert {path: path.read_bytes() for path in before} == before
    assert "_agent/echo-vault.md" in "".join(server.lines)
    assert "_agent/echo-vault.md" not in "".join(again.lines)


def test_the_token_survives_a_restart(tmp_path: Path, vault: Path) -> None:
    with process.serving(tmp_path, "--vault", str(vault)):
        token = state.read_token(tmp_path / ".local/state/echo-mcp/token")
    with process.serving(tmp_path, "--vault", str(vault)) as server:
        answer = Client(server.url, token).call("echo_load", {})

    assert answer.envelope["ok"] is True


def test_a_token_of_the_environment_is_used_and_not_kept(tmp_path: Path, vault: Path) -> None:
    token = "t" * 32
    with process.serving(tmp_path, "--vault", str(vault), ECHO_MCP_TOKEN=token) as server:
        answer = Client(server.url, token).call("echo_load", {})

    assert answer.envelope["ok"] is True
    assert not (tmp_path / ".local/state/echo-mcp/token").exists()
    assert "Bearer $ECHO_MCP_TOKEN" in "".join(server.lines)


def test_everything_can_come_from_the_environment(tmp_path: Path, vault: Path) -> None:
    token = "t" * 32
    said = {
        "ECHO_BASE": vault.as_uri(),
        "ECHO_MCP_TOKEN": token,
        "ECHO_STATE_DIR": str(tmp_path / "state"),
        "ECHO_MCP_TOOLS": "core",
    }
    with process.serving(tmp_path, **said) as server:
        client = Client(server.url, token)
        tools = client.tools()
        load = client.call("echo_load", {})

    assert len(tools) == 6
    assert load.envelope["ok"] is True
    assert list(vault.iterdir()) == []


def locks_of(pid: int | str) -> set[str]:
    """The files of locks that a process holds or waits for."""
    found = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed since
            found.add(str(file.readlink()))
    return {name for name in found if name.endswith(".lock")}


def test_a_stop_finishes_the_call_that_runs(tmp_path: Path, vault: Path) -> None:
    folder = tmp_path / "state"
    inbox = "inbox/captures/inbox.md"
    with process.serving(tmp_path, "--vault", str(vault), "--state-dir", str(folder)) as server:
        client = Client(server.url, state.read_token(folder / "token"))
        with ThreadPoolExecutor() as pool:
            with PathLocks(folder).hold(inbox):
                held = locks_of("self")
                running = pool.submit(client.call, "echo_capture", {"title": "Buy brass"})
                process.until(lambda: held <= locks_of(server.process.pid))
                server.process.terminate()
            answer = running.result()
        status = server.process.wait(30)

    assert answer.envelope["action"] == "inbox"
    assert "Buy brass" in (vault / inbox).read_text(encoding="utf-8")
    assert status == 0


def test_a_port_in_use_is_told(
    tmp_path: Path, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ["serve", "--vault", str(vault), "--state-dir", str(tmp_path), "--port", port]
        status = main(words, {})

    assert status == 78
    assert f"Port {port} on 127.0.0.1 is in use" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--vault", "nowhere"], "There is no folder"),
        (["--vault", "file"], "is no folder"),
        (["--vault", "vault", "--state-dir", "file/state"], "--state-dir"),
        (["--vault", "vault", "--port", "x"], "--port"),
        (["--vault", "vault", "--port", "0", "--host", "no such host"], "--host"),
        (["--vault", "vault", "--port", "0", "--host", "192.0.2.1"], "--host"),
        ([], "ECHO_BASE is missing"),
    ],
)
def test_what_cannot_be_served_is_told_with_a_status(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "vault").mkdir()
    monkeypatch.chdir(tmp_path)
    status = main(["serve", *words], {"ECHO_STATE_DIR": "state"})

    out, err = capsys.readouterr()
    assert (status, out) == (78, "")
    assert says in err


def test_a_start_that_lacks_everything_names_everything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = {"ECHO_BASE": "https:vault.example", "ECHO_MCP_PORT": "x", "ECHO_LOG": "xml"}
    status = main(["serve"], said)

    err = capsys.readouterr().err
    assert status == 78
    for name in ("ECHO_BASE", "ECHO_KEY", "ECHO_MCP_TOKEN", "ECHO_MCP_PORT", "ECHO_LOG"):
        assert name in err
