"""The client of a bench: a server in a process of its own, and raw connections to it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quality.bench_calls import Asked
from server.process import environment

HERE = Path(__file__).parent
TOKEN = "a-token-that-is-long-enough-for-a-bench"
NOTHING = Asked("echo_nothing", {})

_PATIENCE_S = 900.0
_HEADERS = (
    "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    f"Authorization: Bearer {TOKEN}\r\n"
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
    "MCP-Protocol-Version: 2025-11-25\r\n"
)
_HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def request(asked: Asked) -> bytes:
    """A call as it goes over the wire."""
    params = {"name": asked.tool, "arguments": asked.arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    return f"{_HEADERS}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Connection:
    """One connection that is kept; a context manager that closes it."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), _PATIENCE_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb")

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.close()
        self._socket.close()

    def send(self, request: bytes) -> bytes:
        """Send a request and take its whole answer; returns the body.

        Raises:
            ConnectionError: it is none that a healthy server gives.
        """
        self._socket.sendall(request)
        status = self._answers.readline()
        length = 0
        while (header := self._answers.readline()) not in (b"\r\n", b""):
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = self._answers.read(length)
        if b" 200 " not in status:
            raise ConnectionError(f"the server answered {status!r}")
        return body

    def health(self) -> Mapping[str, Any]:
        """Ask for the server's health."""
        told: dict[str, Any] = json.loads(self.send(_HEALTH))
        return told


def check(body: bytes) -> None:
    """See that an answer is none of an error.

    Raises:
        ConnectionError: it is.
    """
    if json.loads(body)["result"].get("isError"):
        raise ConnectionError(f"a call failed: {body[:500]!r}")


@dataclass(frozen=True)
class Served:
    """A server that runs.

    Attributes:
        process: it.
        port: where it listens.
        started: when its process was started, in monotonic seconds.
        opened: when that had imported everything.
    """

    process: subprocess.Popen[str]
    port: int
    started: float
    opened: float

    def save_every(self, seconds: float) -> None:
        """Have what is derived saved so often."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()


def await_upkeep(line: Connection) -> None:
    """Wait until the first backup and the first sweep are done, so that they disturb nothing.

    Raises:
        TimeoutError: they never are.
    """
    give_up = time.monotonic() + _PATIENCE_S
    while (told := line.health())["last_backup_age_s"] is None or told["last_sweep"] is None:
        if time.monotonic() > give_up:
            raise TimeoutError("the first upkeep is never done")
        time.sleep(0.2)


@contextmanager
def serving(vault: Path, state: Path, *words: str) -> Iterator[Served]:
    """A server that listens, and is ended in good order.

    Args:
        vault: the notes.
        state: its state folder.
        words: more of its command line.
    """
    started = time.monotonic()
    process = child("bench_server.py", vault, state, *words)
    assert process.stdin is not None
    try:
        told = told_by(process)
        yield Served(process, told["port"], started, told["began"])
        process.stdin.close()
        process.wait(_PATIENCE_S)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def child(program: str, vault: Path, state: Path, *words: str) -> subprocess.Popen[str]:
    """A process that runs one of the programs here; what it logs goes beside the vault."""
    log = vault.parent / f"{program}.log"
    with log.open("a") as output:
        return subprocess.Popen(
            [
                *(sys.executable, str(HERE / program)),
                *("--vault", str(vault), "--state-dir", str(state), *words),
            ],
            env=environment(vault.parent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            encoding="utf-8",
        )


def told_by(process: subprocess.Popen[str]) -> Mapping[str, Any]:
    """The one line of JSON that a child prints.

    Raises:
        ChildProcessError: it ended without one.
    """
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise ChildProcessError("a child printed nothing; its log is beside the vault")
    told: dict[str, Any] = json.loads(line)
    return told
