"""Progress: how far long work is, for a person, on stderr, and no more often than one can read."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

_TERMINAL_S, _LOG_S = 0.5, 10.0


class Progress:
    """Says how far it is: on a terminal in one line that changes, else in a line now and then.

    Args:
        stream: where to.
        clock: seconds, from any beginning.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._in_place = stream.isatty()
        self._every = _TERMINAL_S if self._in_place else _LOG_S
        self._last = clock()
        self._width = 0

    def say(self, words: str) -> None:
        """Show the words if it is time to."""
        now = self._clock()
        if now - self._last < self._every:
            return
        self._last = now
        if self._in_place:
            print(f"\r{words:<{self._width}}", end="", file=self._stream, flush=True)
            self._width = len(words)
        else:
            print(words, file=self._stream, flush=True)

    def done(self) -> None:
        """Leave a clean line."""
        if self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=self._stream, flush=True)
            self._width = 0
