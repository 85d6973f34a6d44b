"""The tally: how many times a call asked the vault, and waited for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Tally:
    """A count, shared by the threads that work for one call."""

    count: int = 0
    _adding: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self) -> None:
        """Count one more."""
        with self._adding:
            self.count += 1


_current: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextmanager
def counting() -> Iterator[Tally]:
    """Count the round trips of this call until the block ends."""
    token = _current.set(tally := Tally())
    try:
        yield tally
    finally:
        _current.reset(token)


def count() -> None:
    """Count one round trip, if this call counts them."""
    tally = _current.get()
    if tally is not None:
        tally.add()
