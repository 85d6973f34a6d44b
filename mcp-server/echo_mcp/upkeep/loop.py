"""The loop: one thing done again and again in a thread of its own."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

AFTER_A_CRASH_S = 60.0
STOP_WITHIN_S = 5.0


class Loop:
    """Runs a step at once, and whenever it is due; what one step raises does not end it."""

    def __init__(self, name: str, step: Callable[[], float], *, after: float = 0.0) -> None:
        """Nothing runs yet.

        Args:
            name: for the log.
            step: returns the seconds after which it is due again; infinity is when it is woken.
            after: seconds from now until the first step.
        """
        self.is_failing = False
        self._name = name
        self._step = step
        self._due = time.monotonic() + after if after else 0.0
        self._stopping = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name=f"echo-{name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self, *, after: float = 0.0) -> None:
        """Have the step run in some seconds at the latest."""
        with self._changed:
            self._due = min(self._due, time.monotonic() + after)
            self._changed.notify()

    def stop(self, *, within: float = STOP_WITHIN_S) -> None:
        """Let a step that runs come to its end, within some seconds, and run no other."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(within)

    def _run(self) -> None:
        while self._is_due():
            self.wake(after=self._tried())

    def _is_due(self) -> bool:
        """Wait until the step is due; false when it is to stop."""
        with self._changed:
            while not self._stopping and (left := self._due - time.monotonic()) > 0:
                self._changed.wait(None if left == math.inf else left)
            self._due = math.inf
            return not self._stopping

    def _tried(self) -> float:
        try:
            pause = self._step()
        except Exception:  # the thread is needed again, whatever this was
            self.is_failing = True
            logger.exception("upkeep", extra={"fields": {"job": self._name}})
            return AFTER_A_CRASH_S
        self.is_failing = False
        return pause
