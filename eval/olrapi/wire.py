"""The wire: connections, HTTP and TLS of the stand-in, down to how a connection ends."""

from __future__ import annotations

import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from olrapi.messages import Request, Response, Silence

_KEEP_ALIVE_S = 60
_WITHOUT_BODY = {204, 304}
_END_WITH_RESET = struct.pack("ii", 1, 0)

Handle = Callable[["Connection"], None]


class Server(ThreadingHTTPServer):
    """Accepts on a socket that is bound already, until it is stopped."""

    daemon_threads = False

    def __init__(self, bound: socket.socket, tls: ssl.SSLContext | None, handle: Handle) -> None:
        super().__init__(bound.getsockname(), Connection, bind_and_activate=False)
        self.socket.close()
        self.socket = bound
        self.is_running = True
        self.accepted = 0
        self.over = threading.Event()
        self.errors: list[BaseException] = []
        self.handle_exchange = handle
        self._tls = tls
        self._open: set[socket.socket] = set()
        self._counting = threading.Lock()
        bound.listen(64)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.005,))
        self._thread.start()

    def stop(self) -> None:
        """Accept no more, and end what there is; may be called while an exchange is handled."""
        self.is_running = False
        self.shutdown()
        self.socket.close()
        self.hang_up()

    def join(self) -> None:
        """Wait for the end of everything that was handled."""
        self.over.set()
        self._thread.join()
        self.server_close()

    def hang_up(self) -> None:
        """End every connection."""
        with self._counting:
            for connection in self._open:
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Serve one connection."""
        if self._tls:
            request = self._tls.wrap_socket(
                request, server_side=True, do_handshake_on_connect=False
            )
        with self._counting:
            self._open.add(request)
            self.accepted += 1
        try:
            if not self.is_running:  # it hung up on the others after it had accepted this one
                return
            if self._tls:
                request.do_handshake()
            Connection(request, client_address, self)
        finally:
            with self._counting:
                self._open.discard(request)
            request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong here; that a client went away is its own business."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, OSError):
            self.errors.append(error)


class Connection(BaseHTTPRequestHandler):
    """One connection with the exchanges on it, one after the other: the Exchange of faults."""

    protocol_version = "HTTP/1.1"
    timeout = _KEEP_ALIVE_S
    server: Server
    request_read: Request

    def exchange(self) -> None:
        """Read a request, and have it answered."""
        if not self.path.isascii():
            self.send(Response(400))
            self.cut()
            return
        length = self.headers.get("Content-Length")
        body = None if length is None else self.rfile.read(int(length))
        if body is not None and len(body) < int(length or 0):
            self.cut()  # who asks went away in the middle: Node's body parser hands nothing on
            return
        headers = {name.title(): value for name, value in self.headers.items()}
        self.request_read = Request(self.command, self.path, headers, body)
        try:
            self.server.handle_exchange(self)
        except Silence:
            self.wait()

    do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = exchange
    do_DELETE = do_MOVE = do_COPY = do_OPTIONS = exchange

    def send(self, response: Response) -> None:
        """Answer as Node does."""
        headers = {
            "Date": formatdate(usegmt=True),
            "Connection": "keep-alive",
            "Keep-Alive": f"timeout={_KEEP_ALIVE_S}",
            **response.headers,
        }
        if response.status not in _WITHOUT_BODY:
            headers.setdefault("Content-Length", str(len(response.body)))
        lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        body = b"" if self.command == "HEAD" else response.body
        self.send_bytes("\r\n".join([*lines, "", ""]).encode() + body)

    def send_bytes(self, data: bytes) -> None:
        """Put bytes on the connection as they are."""
        self.wfile.write(data)

    def cut(self, *, reset: bool = False) -> None:
        """End the connection, in good order or with a reset."""
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _END_WITH_RESET)
        self.close_connection = True

    def wait(self, seconds: float | None = None) -> bool:
        """Wait, but not longer than the stand-in lives; whether it ended."""
        ended = self.server.over.wait(seconds)
        if ended:
            self.cut()
        return ended

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Say nothing."""

    def log_error(self, *args: Any) -> None:
        """Say nothing."""
