"""The client: requests to the Local REST API, over connections that are kept alive."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TypeVar

from echo_memory import tally
from echo_memory.rest.access import Access
from echo_memory.rest.answers import Answer
from echo_memory.rest.faults import Unanswered, no_answer, no_connection

CONNECT_TIMEOUT_S = 3.0
MAX_ERROR_BYTES = 100_000

# Node closes a connection on which nothing was asked for this long, unless it says otherwise.
_KEEP_ALIVE_S = 5.0
_MARGIN_S = 1.0

_GLANCE_S = 0.25

# A vault that was silent is not waited for in vain by everybody, until it answers again.
_IMPATIENT_S, _IMPATIENT_FOR_S = 2.0, 15.0

_REPEATABLE = {"GET", "HEAD", "POST"}  # what is posted here only asks
_ERRORS = 400

_T = TypeVar("_T")


class Client:
    """Asks the plugin; any number of threads may use it at the same time."""

    def __init__(self, access: Access, *, timeout: float, workers: int) -> None:
        """Nothing is asked yet.

        Args:
            access: whom to ask.
            timeout: seconds to wait for an answer.
            workers: how many requests `each` sends at the same time.
        """
        self._access = access
        self._timeout = timeout
        self._workers = max(workers, 1)
        self._pool = _Pool(self._workers)
        self._impatient_until = 0.0
        self._counting = threading.Lock()
        self.connections = 0

    def ask(
        self,
        method: str,
        target: str,
        *,
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
        limit: int,
        timeout: float | None = None,
    ) -> Answer:
        """Send a request and read what comes back, whatever it is.

        A request that changes nothing is sent again when a kept connection turns out to be dead.

        Args:
            method: PUT and DELETE are never sent twice.
            target: path and query, percent-encoded.
            headers: beside the key.
            body: sent with its length.
            limit: bytes of a body to read; a longer one is not whole.
            timeout: seconds to wait for this answer; fewer where none came a moment ago.

        Raises:
            Unanswered: it may have been handled, and no answer came.
            VaultUnreachable: nobody is there.
            Misconfigured: somebody else is there, or somebody who cannot be trusted.
        """
        request = _Request(method, self._access.prefix + target, headers or {}, body, limit)
        seconds = timeout or self._timeout
        if self.is_silent():
            seconds = min(seconds, _IMPATIENT_S)
        kept = self._pool.take()
        if kept is not None:
            try:
                return self._exchange(kept, request, seconds, fresh=False)
            except Unanswered as unanswered:
                if unanswered.late or method not in _REPEATABLE:
                    raise
        return self._exchange(self._connect(), request, seconds, fresh=True)

    def is_silent(self) -> bool:
        """Whether an answer did not come a moment ago, and none since."""
        return time.monotonic() < self._impatient_until

    def is_refused(self) -> bool:
        """Whether nobody listens, as far as that shows at once; no request is made to see it."""
        address = (self._access.host, self._access.port)
        try:
            socket.create_connection(address, timeout=_GLANCE_S).close()
        except TimeoutError:
            return False  # a far one may only be slow
        except OSError:
            return True
        return False

    def each(self, do: Callable[[str], _T], paths: Sequence[str]) -> list[_T]:
        """What a function that asks for one path gives for each of them, several at a time.

        The first error ends it.
        """
        if len(paths) < 2:
            return [do(path) for path in paths]
        context = copy_context()  # the threads work for this call

        def ask(path: str) -> _T:
            return context.copy().run(do, path)

        with ThreadPoolExecutor(min(self._workers, len(paths))) as threads:
            return list(threads.map(ask, paths))

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._pool.clear()

    def _connect(self) -> HTTPConnection:
        to, seconds = self._access, CONNECT_TIMEOUT_S
        connection = (
            HTTPSConnection(to.host, to.port, timeout=seconds, context=to.tls)
            if to.tls
            else HTTPConnection(to.host, to.port, timeout=seconds)
        )
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise no_connection(error, to) from error
        with self._counting:  # one that is not counted could be to another vault, and not be seen
            self.connections += 1
        return connection

    def _exchange(
        self, connection: HTTPConnection, request: _Request, seconds: float, *, fresh: bool
    ) -> Answer:
        kept_for = 0.0
        tally.count()
        try:
            connection.sock.settimeout(seconds)
            headers = {**self._access.headers, **request.headers}
            connection.request(request.method, request.target, request.body, headers)
            with connection.getresponse() as response:
                answer = _read(response, request.limit)
                kept_for = _keep_alive(response)
            self._impatient_until = 0.0
        except (OSError, HTTPException) as error:
            if isinstance(error, TimeoutError):
                self._impatient_until = time.monotonic() + _IMPATIENT_FOR_S
            raise no_answer(error, self._access, fresh=fresh) from error
        finally:
            self._pool.put(connection, kept_for)
        return answer


@dataclass(frozen=True)
class _Request:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes | None
    limit: int


class _Pool:
    """Connections that are not in use, the latest first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._idle: list[tuple[HTTPConnection, float]] = []

    def take(self) -> HTTPConnection | None:
        """A connection that still seems to stand."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                connection, until = self._idle.pop()
            if time.monotonic() < until and not _is_readable(connection):
                return connection
            connection.close()

    def put(self, connection: HTTPConnection, seconds: float) -> None:
        """Keep a connection for some seconds, or close it where there are none or enough."""
        with self._lock:
            if seconds > 0 and len(self._idle) < self._size:
                self._idle.append((connection, time.monotonic() + seconds))
                return
        connection.close()

    def clear(self) -> None:
        """Close them all."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()


def _is_readable(connection: HTTPConnection) -> bool:
    """Whether something came on a connection that nothing was asked on: mostly its end."""
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


def _read(response: HTTPResponse, limit: int) -> Answer:
    """Read a body that is known to be whole, up to the limit."""
    status, headers = response.status, response.headers
    size = response.length
    if headers.get("Content-Encoding", "identity") != "identity":
        raise HTTPException("a body in an encoding that was not asked for")
    if size is None and not response.chunked:
        raise HTTPException("a body that may end anywhere")
    if status >= _ERRORS:
        limit = MAX_ERROR_BYTES
    if size is not None and size > limit:
        return Answer(status, headers, whole=False)
    # Read by number, a body that ends early would pass for a whole one.
    body = response.read() if size is not None else response.read(limit + 1)
    return Answer(status, headers, body[:limit], whole=len(body) <= limit)


def _keep_alive(response: HTTPResponse) -> float:
    """Seconds for which a connection may be kept after an answer; 0 when it is used up."""
    if response.will_close or not response.isclosed():
        return 0.0
    _, _, said = response.headers.get("Keep-Alive", "").partition("timeout=")
    digits = said.partition(",")[0].strip()[:6]
    return (int(digits) if digits.isdecimal() else _KEEP_ALIVE_S) - _MARGIN_S
