"""`echo-mcp register` and `echo-mcp token`: lines that can be pasted, and no secret in them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echo_mcp import state
from echo_mcp.__main__ import main
from echo_mcp.client import Client
from echo_mcp.registration import CLIENTS, claude_code_line
from echo_mcp.settings import DEFAULT_HOST, local_url
from echo_mcp.variables import DEFAULT_PORT
from server import process

TOKEN = "a-token-of-the-environment-" + "t" * 20
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a vault whose path a shell must not take apart, and a token that was made."""
    (tmp_path / "my 'notes'").mkdir()
    state.open_folder(tmp_path / "the state")
    state.kept_token(tmp_path / "the state")
    return tmp_path


@pytest.fixture
def register(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `echo-mcp register` as for a folder: status, stdout and stderr."""

    def run(*words: str, **said: str) -> tuple[int, str, str]:
        folders = ["--vault", str(home / "my 'notes'"), "--state-dir", str(home / "the state")]
        return (main(["register", *folders, *words], said), *capsys.readouterr())

    return run


def pasted(printed: str) -> dict[str, Any]:
    """The JSON in what was printed, as a person copies it."""
    lines = printed.splitlines()
    document: dict[str, Any] = json.loads("\n".join(lines[lines.index("{") : lines.index("}") + 1]))
    return document


def typed(line: str, home: Path, **said: str) -> list[str]:
    """The words of a command as a shell hands them on."""
    script = f'claude() {{ printf "%s\\n" "$@"; }}; {line}'
    done = subprocess.run(
        ["sh", "-c", script], env=process.environment(home, **said), capture_output=True, check=True
    )
    return done.stdout.decode().splitlines()


def test_the_line_for_claude_code_brings_the_token_without_showing_it(
    register: Run, home: Path
) -> None:
    status, out, _ = register("--client", "claude-code")
    (line,) = [line for line in out.splitlines() if line.startswith("  claude mcp add")]
    token = state.read_token(home / "the state/token")

    assert status == 0
    assert token not in out
    assert typed(line, home) == [
        "mcp", "add", "--transport", "http", "echo", "http://127.0.0.1:8765/mcp",
        "--header", f"Authorization: Bearer {token}", "--scope", "user",
    ]  # fmt: skip


def test_a_token_of_the_environment_is_taken_from_there(register: Run, home: Path) -> None:
    _, out, _ = register(ECHO_MCP_TOKEN=TOKEN)
    line = next(line for line in out.splitlines() if line.startswith("  claude mcp add"))

    assert TOKEN not in out
    assert f"Authorization: Bearer {TOKEN}" in typed(line, home, ECHO_MCP_TOKEN=TOKEN)
    assert str(home / "the state/token") not in out


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_one_client_is_a_part_of_all_and_no_secret_is_in_any(
    register: Run, home: Path, client: str
) -> None:
    _, whole, _ = register()
    status, out, err = register("--client", client)

    assert (status, err) == (0, "")
    assert f"== {client} ==\n\n{out}" in whole
    assert state.read_token(home / "the state/token") not in whole


@pytest.mark.parametrize(
    ("words", "said", "url"),
    [
        ((), {}, "http://127.0.0.1:8765/mcp"),
        (("--port", "9000"), {}, "http://127.0.0.1:9000/mcp"),
        ((), {"ECHO_MCP_HOST": "0.0.0.0", "ECHO_MCP_PORT": "9"}, "http://127.0.0.1:9/mcp"),
        (("--host", "::1"), {}, "http://[::1]:8765/mcp"),
        ((), {"ECHO_MCP_HOSTS": "Notes.example.org, x.example"}, "https://notes.example.org/mcp"),
        (("--url", "https://a.example:8443/echo/mcp"), {}, "https://a.example:8443/echo/mcp"),
    ],
)
def test_the_address_is_the_public_one_or_where_the_server_listens(
    register: Run, words: tuple[str, ...], said: dict[str, str], url: str
) -> None:
    for client in ("claude-code", "generic"):
        assert url in register("--client", client, *words, **said)[1]


def test_the_address_of_the_server_that_runs_comes_before_the_usual_one(
    register: Run, home: Path
) -> None:
    state.write_address(home / "the state", "http://127.0.0.1:4711/mcp")

    assert "http://127.0.0.1:4711/mcp" in register("--port", "0")[1]


def test_a_port_that_is_not_known_yet_is_asked_for(register: Run) -> None:
    status, _, err = register("--port", "0")

    assert status == 78
    assert "--url" in err


def test_before_the_first_start_it_says_that_there_is_no_token_yet(
    register: Run, home: Path
) -> None:
    (home / "the state/token").unlink()
    status, out, err = register("--client", "claude-code")

    assert status == 0
    assert "claude mcp add" in out
    assert "start the server once" in err


def test_the_readme_shows_the_line_that_is_printed() -> None:
    readme = Path(__file__).parents[2] / "README.md"
    line = claude_code_line(local_url(DEFAULT_HOST, DEFAULT_PORT), Path("TOKEN"))

    shown = line.replace("TOKEN", "~/.local/state/echo-mcp/token")
    assert f"\n{shown}\n" in readme.read_text(encoding="utf-8")


def test_claude_ai_is_told_only_of_what_it_can_reach(register: Run) -> None:
    local = register("--client", "claude.ai")[1]
    public = register("--client", "claude.ai", ECHO_MCP_HOSTS="notes.example.org")[1]

    assert "ECHO_MCP_HOSTS" in local
    assert "URL   https://notes.example.org/mcp" in public
    assert "echo-mcp doctor --remote https://notes.example.org/mcp" in public


def test_claude_desktop_starts_a_server_that_answers(register: Run, home: Path) -> None:
    entry = pasted(register("--client", "claude-desktop")[1])["mcpServers"]["echo"]
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        input=f"{request}\n",
        env=process.environment(home),
        capture_output=True,
        encoding="utf-8",
        timeout=process.PATIENCE_S,
        check=True,
    )

    assert json.loads(done.stdout.splitlines()[0]) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_key_of_the_local_rest_api_stays_out_of_the_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = {"ECHO_BASE": "http://127.0.0.1:27123", "ECHO_KEY": "the-key", "ECHO_MCP_TOKEN": TOKEN}
    status = main(["register", "--state-dir", str(tmp_path)], env)
    out = capsys.readouterr().out
    desktop = pasted(out.partition("== claude-desktop ==")[2])["mcpServers"]["echo"]

    assert status == 0
    assert "the-key" not in out
    assert TOKEN not in out
    assert desktop["args"][0] == "-c"
    assert "exec " in desktop["args"][1]
    assert "ECHO_KEY" in out.partition("== hooks ==")[2]


def test_the_hook_of_a_start_shows_where_things_stand(register: Run, home: Path) -> None:
    vault = str(home / "my 'notes'")
    launcher = [sys.executable, "-c", "from echo_memory.cli import main; main()"]
    subprocess.run([*launcher, "--vault", vault, "bootstrap"], env=process.environment(home))
    (start,) = pasted(register("--client", "hooks")[1])["hooks"]["SessionStart"]
    done = subprocess.run(
        ["sh", "-c", start["hooks"][0]["command"]],
        input=json.dumps({"hook_event_name": "SessionStart", "source": "startup"}),
        env=process.environment(home),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert "Inbox: 0 items" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Echo is the memory of the operator")
    assert done.stderr == ""


def test_the_hook_of_a_stop_runs_and_asks_when_it_is_time(register: Run, home: Path) -> None:
    (stop,) = pasted(register("--client", "hooks")[1])["hooks"]["Stop"]
    said = json.dumps({"type": "user", "message": {"role": "user", "content": "Go on."}})
    (home / "talk.jsonl").write_text(f"{said}\n" * 15, encoding="utf-8")
    told = {"hook_event_name": "Stop", "transcript_path": str(home / "talk.jsonl")}
    done = subprocess.run(
        ["sh", "-c", stop["hooks"][0]["command"]],
        input=json.dumps(told),
        env=process.environment(home),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    answer = json.loads(done.stdout)
    assert answer["decision"] == "block"
    assert "echo_log_session" in answer["reason"]


# The token.


def test_a_new_token_takes_the_place_of_the_old_one_and_is_not_shown(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "the state"
    before = state.read_token(folder / "token")
    status = main(["token", "new", "--state-dir", str(folder)], {})
    out = capsys.readouterr().out
    after = state.read_token(folder / "token")

    assert status == 0
    assert before != after
    assert (folder / "token").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["token"]
    assert before not in out
    assert after not in out
    assert "echo-mcp register" in out


def test_the_server_that_runs_takes_the_old_token_until_it_is_restarted(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "the state"
    words = ("--vault", str(home / "my 'notes'"), "--state-dir", str(folder))
    old = state.read_token(folder / "token")
    with process.serving(home, *words) as server:
        process.until(lambda: bool(state.read_address(folder)))
        main(["token", "new", "--state-dir", str(folder)], {})
        said = capsys.readouterr().out
        still = Client(server.url, old).call("echo_load", {})
        url = server.url
    new = state.read_token(folder / "token")
    with process.serving(home, *words) as server:
        then = Client(server.url, new).call("echo_load", {})

    assert f"Restart the server at {url}" in said
    assert still.envelope["ok"]
    assert then.envelope["ok"]


def test_a_token_of_the_environment_wins_and_no_file_is_changed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "the state"
    before = state.read_token(folder / "token")
    env = {"ECHO_MCP_TOKEN": TOKEN, "ECHO_STATE_DIR": str(folder)}
    shown = main(["token"], env)
    status = main(["token", "new"], env)
    printed = capsys.readouterr()

    assert (shown, status) == (0, 78)
    assert state.read_token(folder / "token") == before
    assert "ECHO_MCP_TOKEN is set" in printed.err
    assert TOKEN not in printed.out + printed.err


def test_the_token_command_says_where_it_is(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token"], {"ECHO_STATE_DIR": str(home / "the state")}) == 0
    assert capsys.readouterr().out == f"{home / 'the state/token'}\n"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:x",
        "https://a.example/mcp\ntouch x",
        "https://a.example/\x1b[2J/mcp",
        "https://ada:secret@a.example/mcp",
        "https://a.example/x y/mcp",
    ],
)
def test_what_is_no_address_of_a_server_is_not_printed(register: Run, url: str) -> None:
    status, out, err = register("--url", url)

    assert (status, out) == (64, "")
    assert "not the address of a server" in err


def test_no_address_does_anything_in_a_shell_but_be_an_address(register: Run) -> None:
    _, out, _ = register("--url", "https://a.example/$(touch${IFS}x);y/mcp")

    typed = re.findall(r"`(echo-mcp doctor [^`]+)`|(claude mcp add .+)", out)
    words = [shlex.split(one or other) for one, other in typed]

    assert len(words) == 2
    assert all("https://a.example/$(touch${IFS}x);y/mcp" in each for each in words)
