"""Connections: how long one may wait for a whole request, and how many may at the same time.

uvicorn bounds neither: its keep-alive timeout begins after the first answer and any byte stops it,
and its limit of concurrency answers 503 to requests, of which an idle connection sends none.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 20.0
"""Seconds for the first request's head, from when the connection was made."""
BODY_S = 60.0
"""Seconds for a request's body, from when its head was there."""
MOST_WAITING = 256
"""Connections that wait for a request or the rest of one; beyond them the longest waiting goes."""


class BoundedH11(H11Protocol):
    """HTTP/1.1 on connections that are closed when no whole request comes in time."""

    head_s = HEAD_S
    body_s = BODY_S
    most_waiting = MOST_WAITING

    _deadline: asyncio.TimerHandle | None = None
    _since = 0.0
    _is_reading = False

    # As uvicorn has it, which is narrower than its own base.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait(self.head_s)
        waiting = [
            other
            for other in self.connections
            if isinstance(other, BoundedH11) and other._deadline is not None
        ]
        if len(waiting) > self.most_waiting:
            min(waiting, key=lambda other: other._since).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take what came; a head or a whole request changes how long is waited, a byte does not."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._wait(self.body_s)
            self._is_reading = True
        if self._is_reading and not self.cycle.more_body:
            self._stop()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request, which may have come already."""
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._wait(self.timeout_keep_alive)

    def _wait(self, seconds: float) -> None:
        self._stop()
        self._since = self.loop.time()
        self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        self._is_reading = False
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
