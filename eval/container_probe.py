"""What `container_smoke.sh` asks of a server from within its container: python3 - QUESTION [WORDS].

It runs on what the image has, which is the server's own client, and asks until there is an answer.
Prints a line when it begins, and one when it is done: when that was, in seconds since 1970, how
many seconds of a processor the server had used by then, and the answer.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from echo_mcp.client import Client
from echo_memory.errors import VaultUnreachable

PORT = int(os.environ["ECHO_MCP_PORT"])
TOKEN = os.environ["ECHO_MCP_TOKEN"]
PATIENCE_S = 60.0
PAUSE_S = 0.02


def health() -> str:
    """Wait until it is healthy."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE_S)
    connection.request("GET", "/health")
    status = json.loads(connection.getresponse().read())
    assert status["ok"], status
    return json.dumps(status)


def recall(query: str) -> str:
    """The first note that answers."""
    found = client().call("echo_recall", {"query": query}).envelope
    assert found["ok"], found
    return str(found["primary"][0]["path"])


def capture(title: str, body: str) -> str:
    """Write a note."""
    arguments = {"title": title, "kind": "person", "body": body}
    made = client().call("echo_capture", arguments).envelope
    assert made["ok"], made
    assert not made.get("queued"), made
    return str(made["path"])


def stranger() -> str:
    """Come without the token."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE_S)
    connection.request("POST", "/mcp", "{}")
    status = connection.getresponse().status
    assert status == http.client.UNAUTHORIZED, status
    return str(status)


def client() -> Client:
    return Client(f"http://127.0.0.1:{PORT}/mcp", TOKEN)


QUESTIONS: dict[str, Callable[..., str]] = {
    "health": health,
    "recall": recall,
    "capture": capture,
    "stranger": stranger,
}


def used_s() -> float:
    """Seconds of a processor that the server has used so far."""
    pid = json.loads(Path("/data/server.json").read_text("utf-8"))["pid"]
    status = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    user, system = status[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Ask until it is there."""
    ask, words = QUESTIONS[sys.argv[1]], sys.argv[2:]
    give_up = time.monotonic() + PATIENCE_S
    print("asking", flush=True)
    while True:
        try:
            answer = ask(*words)
        except (OSError, VaultUnreachable):
            if time.monotonic() > give_up:
                raise
            time.sleep(PAUSE_S)
        else:
            print(time.time(), used_s(), answer)
            return


if __name__ == "__main__":
    main()
