"""The publisher: writes the shared index for all captures of a moment at once."""

from __future__ import annotations

import math
import threading

from echo_mcp.upkeep.loop import STOP_WITHIN_S, Loop
from echo_memory.memory import Memory
from echo_memory.shared_index import publish_now

GATHER_S = 0.5
RETRY_S = 5.0
_LONGEST_PAUSE_S = 60.0


class IndexPublisher(Loop):
    """Takes requests to publish, and does it within a second, or as soon as it is possible."""

    def __init__(self, memory: Memory) -> None:
        """Nothing runs yet.

        Args:
            memory: whose index it is; one that publishes by itself.
        """
        super().__init__("publish", self.step)
        self._memory = memory
        self._asked = False
        self._pause = RETRY_S / 2
        self._warnings: list[str] = []
        self._publishing = threading.Lock()

    def stop(self, *, within: float = STOP_WITHIN_S) -> None:
        """Publish what was asked for last, and end."""
        super().stop(within=within)
        mirror, vault = self._memory.mirror, self._memory.vault
        if mirror.trouble is None and not vault.seems_gone():  # else it would only be waited for
            self.step()

    def request(self) -> list[str]:
        """Have the index published soon; returns what went wrong with it the last time."""
        self._asked = True
        self.wake(after=GATHER_S)
        return list(self._warnings)

    def step(self) -> float:
        """Publish if that was asked for; returns seconds until it is to be tried again."""
        with self._publishing:
            if not self._asked:
                return math.inf
            self._asked, failed = False, True
            try:
                self._warnings = publish_now(self._memory)
                failed = bool(self._warnings)
            finally:
                if failed:  # only then: a request that came meanwhile must not be taken back
                    self._asked = True
            self._pause = min(2 * self._pause, _LONGEST_PAUSE_S) if failed else RETRY_S / 2
        return self._pause if failed else math.inf
