"""Pipes to a server that one client started: lines in, and every line that comes out."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Timer
from typing import Any

from server import process


def request(number: int, method: str, **params: object) -> str:
    """One request of JSON-RPC as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def call(number: int, tool: str, **arguments: object) -> str:
    """One call of a tool as a line."""
    return request(number, "tools/call", name=tool, arguments=arguments)


HELLO = [
    request(
        0,
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "test", "version": "1"},
    ),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
]


def answers(
    home: Path, words: Sequence[str], lines: Sequence[str], **said: str
) -> list[dict[str, Any]]:
    """Every line of stdout, by id; stdin stays open until the last answer is there."""
    with subprocess.Popen(
        process.command(*words),
        env=process.environment(home, **said),
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
        came = [json.loads(running.stdout.readline()) for _ in range(wanted)]
        running.stdin.close()
        assert running.stdout.read() == ""
        giving_up.cancel()
    return sorted(came, key=lambda answer: int(answer["id"]))
