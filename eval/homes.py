"""Homes: a vault of each kind with a state folder of its own, and servers that run over it."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

import echo_memory
from acknowledged import Sent
from echo_mcp import state
from server import process

TOKEN = "a-token-that-is-long-enough-for-anyone"
KEY = "0123456789abcdef-the-key"
HERE = Path(__file__).parent
ECHO = Path(echo_memory.__file__).parents[1] / "echo.py"

PATIENCE_S = 60.0
_HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


class FolderHome:
    """A vault that is a folder, with a state folder beside it."""

    words: tuple[str, ...]
    comes_and_goes = False
    leaves_scratch = True  # when a server that writes to it is killed

    def __init__(self, root: Path) -> None:
        self.vault, self.state = root / "vault", root / "state"
        self.vault.mkdir()
        self.words = ("--vault", str(self.vault))
        self.env = process.environment(
            root, ECHO_STATE_DIR=str(self.state), ECHO_MCP_TOKEN=TOKEN, ECHO_TZ="UTC"
        )

    def up(self) -> None:
        """Be there."""

    def down(self) -> None:
        """Be gone."""

    def turn(self) -> None:
        """Go away, or come back."""


class RestHome(FolderHome):
    """A vault behind the stand-in, a process that comes and goes."""

    comes_and_goes = True
    leaves_scratch = False

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.words = ()
        self._port = free_port()
        self._plugin: subprocess.Popen[str] | None = None
        self.env |= {"ECHO_BASE": f"http://127.0.0.1:{self._port}", "ECHO_KEY": KEY}

    def up(self) -> None:
        """Be there."""
        if self._plugin is None:
            words = ["olrapi.standin", str(self.vault), "--key", KEY, "--port", str(self._port)]
            self._plugin = subprocess.Popen(
                [sys.executable, "-m", *words], cwd=HERE, stdout=subprocess.PIPE, text=True
            )
            assert self._plugin.stdout is not None
            assert self._plugin.stdout.readline(), "the stand-in does not start"

    def down(self) -> None:
        """Be gone; what it was asked before that is done, and perhaps not answered."""
        if self._plugin is not None:
            with self._plugin:
                self._plugin.terminate()
            assert self._plugin.returncode == 0, "the stand-in failed"
            self._plugin = None

    def turn(self) -> None:
        """Go away, or come back."""
        if self._plugin is None:
            self.up()
        else:
            self.down()


HOMES: dict[str, type[FolderHome]] = {"folder": FolderHome, "rest": RestHome}


@dataclass
class Server:
    """A server that runs, and where it listens once it does."""

    running: subprocess.Popen[bytes]
    state: Path
    log: Path
    url: str = ""

    def listen(self) -> None:
        """Wait until it listens."""
        process.until(self._listens)

    def wait(self, seconds: float) -> None:
        """Let it run for so long.

        Raises:
            AssertionError: it ended by itself.
        """
        with suppress(subprocess.TimeoutExpired):
            self.running.wait(seconds)
        self._check()

    def _listens(self) -> bool:
        self._check()
        with suppress(OSError, ValueError):
            told = json.loads((self.state / state.ADDRESS_FILE).read_text("utf-8"))
            self.url = told["url"] if told["pid"] == self.running.pid else ""
        return bool(self.url)

    def _check(self) -> None:
        status = self.running.poll()
        assert status is None, f"it ended with {status}:\n{self.log.read_text('utf-8')[-4000:]}"


@contextmanager
def served(home: FolderHome) -> Iterator[Server]:
    """A server that is started, and killed at the end."""
    log = home.state.parent / "server.log"
    with log.open("wb") as output:
        words = process.command("serve", "--port", "0", *home.words)
        running = subprocess.Popen(words, env=home.env, stdout=output, stderr=output)
        try:
            yield Server(running, home.state, log)
        finally:
            running.kill()
            running.wait()


def call(client: httpx.Client, url: str, sent: Sent) -> dict[str, Any]:
    """Send a call, once, and note its answer; returns that.

    Raises:
        httpx.HTTPError: none came.
    """
    params = {"name": sent.tool, "arguments": sent.arguments}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post(url, json=request).raise_for_status().json()
    envelope: dict[str, Any] = answer["result"]["structuredContent"]
    sent.answer = envelope
    return envelope


def caller() -> httpx.Client:
    """A client that keeps its connection."""
    return httpx.Client(headers=_HEADERS, timeout=PATIENCE_S, trust_env=False)


def free_port() -> int:
    """A port below those that the system gives away, so that it stays free while nobody has it."""
    while True:
        port = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
