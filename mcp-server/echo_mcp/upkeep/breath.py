"""The breath: what goes through many notes beside the calls rests as long as it works, or longer.

A thread that gives the interpreter away for moments only, as at each read of a file, has it back
before another one has woken up: without a rest a call waits for it many times its own length.
"""

from __future__ import annotations

import time

WORK_S = 0.001
LONGEST_REST_S = 0.05


class Breath:
    """Is called between two steps of a long work, by one thread."""

    def __init__(self, *, rests: float = 1.0) -> None:
        """The work begins with the first call.

        Args:
            rests: how many times as long as it works.
        """
        self._rests = rests
        self._since = float("-inf")

    def __call__(self) -> None:
        """Rest, if it has worked for a while."""
        worked = time.monotonic() - self._since
        if worked >= WORK_S:
            time.sleep(min(self._rests * worked, LONGEST_REST_S))
            self._since = time.monotonic()
