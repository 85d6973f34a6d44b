"""`echo-mcp call`: a person speaks to the server that runs."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from echo_mcp.__main__ import main
from echo_memory import __version__
from server import process
from server.deployment import Fault, Reply, deployed

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home in which a server runs."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "vault").mkdir()
    with process.serving(
        folder, "--vault", str(folder / "vault"), "--state-dir", str(folder / "state")
    ):
        yield folder


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `echo-mcp call`: status, stdout and stderr."""

    def run(*words: str, **said: str) -> tuple[int, str, str]:
        status = main(["call", *words], {"ECHO_STATE_DIR": str(home / "state"), **said})
        return (status, *capsys.readouterr())

    return run


def test_it_finds_the_server_and_its_token_by_itself(call: Run) -> None:
    status, out, err = call("echo_get_scope")

    assert (status, err) == (0, "")
    assert out == "No scope is set yet.\n"


def test_without_a_tool_it_lists_them_with_their_arguments(call: Run) -> None:
    status, out, _ = call()

    assert status == 0
    assert "echo_link a b\n" in out
    assert "echo_recall query [limit] [include_linked] [budget_chars]\n" in out


def test_the_envelope_can_be_had_instead_of_the_words(call: Run) -> None:
    status, out, _ = call("echo_get_scope", "--json")

    assert status == 0
    assert json.loads(out)["op"] == "scope"


def test_arguments_can_come_on_standard_input(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"mention": "Grace Hopper"}'))
    status, out, _ = call("echo_resolve", "-")

    assert status == 0
    assert "grace-hopper" in out


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["echo_get_note", '{"path": "nothing"}'], 66, "not-found"),
        (["echo_recall", "{}"], 64, "query is missing"),
        (["echo_recal", "{}"], 64, "echo_recall"),
        (["echo_recall", "query"], 64, "JSON object"),
        (["echo_recall", "[]"], 64, "JSON object"),
        (["echo_load", "--url", "http://127.0.0.1:9/mcp"], 69, "No server answers"),
        (["echo_load", "--url", "nonsense"], 69, "No server answers"),
        (["echo_load", "--token-file", "/nowhere"], 78, "/nowhere"),
        (["echo_load", "--state-dir", "/nowhere"], 69, "echo-mcp serve --vault"),
        (["echo_load", "--state-dir", "~nobody-of-this-name/x"], 78, "--state-dir"),
    ],
)
def test_what_goes_wrong_is_told_on_stderr_with_a_status(
    call: Run, words: list[str], status: int, says: str
) -> None:
    ended, out, err = call(*words)

    assert (ended, out) == (status, "")
    assert says in err


def test_a_wrong_token_is_told(call: Run) -> None:
    status, _, err = call("echo_load", ECHO_MCP_TOKEN="w" * 32)

    assert status == 78
    assert "refuses the token" in err


def test_an_address_that_is_no_memory_server_is_told(call: Run, home: Path) -> None:
    address = json.loads((home / "state/server.json").read_text("utf-8"))["url"]
    status, _, err = call("echo_load", "--url", address.replace("/mcp", "/other"))

    assert status == 78
    assert "ends in /mcp" in err


@pytest.mark.parametrize("body", [b'{"result": []}', b'{"result": {}}', b"[" * 100_000, b"null"])
def test_what_answers_otherwise_than_a_memory_server_is_told(call: Run, body: bytes) -> None:
    with deployed("http://127.0.0.1:9", Fault(before=lambda _: Reply(200, body=body))) as other:
        listed, called = call("--url", other.url), call("echo_load", "--url", other.url)

    assert (listed[0], called[0]) == (78, 78)
    assert "no memory server" in listed[2]
    assert "no memory server" in called[2]


def test_a_list_of_tools_that_is_none_is_told(call: Run) -> None:
    reply = Reply(200, body=b'{"result": {"tools": "none"}}')
    with deployed("http://127.0.0.1:9", Fault(before=lambda _: reply)) as other:
        status, _, err = call("--url", other.url)

    assert status == 78
    assert "no memory server" in err


def test_a_gate_has_a_status_of_its_own(call: Run) -> None:
    call("echo_capture", '{"title": "Ada Lovelace", "kind": "person"}')
    status, out, _ = call("echo_capture", '{"title": "Ada Lovelase", "kind": "person"}')

    assert status == 76
    assert "merge_into" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--version"], f"echo-mcp {__version__}\n"),
        (["--help"], "echo-mcp serve --vault ~/notes"),
        (["serve", "--help"], "ECHO_MCP_TOKEN"),
        (["stdio", "--help"], "claude mcp add echo -- echo-mcp stdio --vault ~/notes"),
        (["call", "--help"], "echo-mcp call echo_load"),
    ],
)
def test_help_teaches(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)

    assert ended.value.code == 0
    assert says in capsys.readouterr().out


def test_a_call_does_not_load_the_server(home: Path) -> None:
    script = (
        "import sys; from echo_mcp.__main__ import main;"
        f" main(['call', '--state-dir', {str(home / 'state')!r}], {{}});"
        " print(sorted({'mcp', 'pydantic', 'starlette', 'uvicorn'} & sys.modules.keys()))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", script],
        env=process.environment(home),
        capture_output=True,
        text=True,
        check=True,
    )

    assert "echo_link a b\n" in ran.stdout
    assert ran.stdout.endswith("\n[]\n")
