"""An embedding endpoint for tests: a real one on the loopback, whose dimensions are topics."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOPICS = ("sea", "food", "work")
Answer = Callable[[dict[str, Any]], tuple[int, Any]]


@dataclass
class Asked:
    """An endpoint that runs: its address, and every request that it got."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [text for request in self.requests for text in request["input"]]


def by_topic(said: dict[str, Any]) -> tuple[int, Any]:
    """One vector per text: what it speaks of."""
    rows = [
        {"index": at, "embedding": [(topic in text) + 0.01 for topic in TOPICS]}
        for at, text in enumerate(said["input"])
    ]
    return 200, {"data": rows}


def refusing(status: int) -> Answer:
    """No vectors, but this status."""
    return lambda _said: (status, {})


@contextmanager
def embedding(*answers: Answer) -> Iterator[Asked]:
    """An endpoint that gives these answers in turn, the last one again and again."""
    turns = answers or (by_topic,)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told = {"path": self.path, "authorization": self.headers.get("Authorization")}
            asked.requests.append(said | told)
            status, answer = turns[min(len(asked.requests), len(turns)) - 1](said)
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    asked = Asked(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
