"""A deployment: a reverse proxy that listens, in front of a real server, with one fault or none."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

_WITHIN_S = 10


@dataclass
class Request:
    """What a client sent, on its way to the server; `headers` by their names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """What goes back to the client."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def pass_on(_: Request) -> None:
    """Let the server answer."""


def as_it_is(_: Request, __: Reply) -> None:
    """Change nothing of the answer."""


@dataclass(frozen=True)
class Fault:
    """What a proxy does wrong: on the way in, where it may answer by itself; on the way back."""

    before: Callable[[Request], Reply | None] = pass_on
    after: Callable[[Request, Reply], None] = as_it_is


class Deployment:
    """The proxy: where it listens, and what it was asked."""

    def __init__(self, upstream: str, fault: Fault) -> None:
        self.upstream = urlsplit(upstream)
        self.fault = fault
        self.seen: list[Request] = []
        self.url = ""

    def answer(self, request: Request) -> Reply:
        """Pass a request on, and the answer back."""
        self.seen.append(request)
        reply = self.fault.before(request) or self._forward(request)
        self.fault.after(request, reply)
        return reply

    def _forward(self, request: Request) -> Reply:
        to = http.client.HTTPConnection(
            self.upstream.hostname or "", self.upstream.port, timeout=_WITHIN_S
        )
        try:
            to.request(request.method, request.path, request.body, request.headers)
            came = to.getresponse()
            headers = {name.lower(): value for name, value in came.getheaders()}
            return Reply(came.status, headers, came.read())
        finally:
            to.close()


def _handler(deployment: Deployment) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Headers and body are written one after the other, and must not wait for one another.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, self.path, headers, self.rfile.read(length))
            reply = deployment.answer(request)
            kept: Mapping[str, str] = {
                name: value
                for name, value in reply.headers.items()
                if name.lower() not in ("content-length", "transfer-encoding", "connection")
            }
            self.send_response(reply.status)
            for name, value in kept.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_POST = do_GET

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002
            """Say nothing."""

    return Handler


class _Listening(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not trust the certificate hangs up; that is no error here."""


@contextmanager
def deployed(
    upstream: str, fault: Fault, certificate: tuple[Path, Path] | None = None
) -> Iterator[Deployment]:
    """A proxy in front of a server, until the end of the block.

    Args:
        upstream: the server's endpoint.
        fault: what it does wrong.
        certificate: files with its certificate and key; None speaks no TLS.
    """
    deployment = Deployment(upstream, fault)
    listening = _Listening(("127.0.0.1", 0), _handler(deployment))
    listening.daemon_threads = True
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        listening.socket = context.wrap_socket(
            listening.socket, server_side=True, do_handshake_on_connect=False
        )
    scheme = "https" if certificate else "http"
    deployment.url = f"{scheme}://127.0.0.1:{listening.server_port}/mcp"
    thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield deployment
    finally:
        listening.shutdown()
        thread.join()
        listening.server_close()
