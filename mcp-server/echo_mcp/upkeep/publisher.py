"""The publisher: writes the shared index for all captures of a moment at once."""

from __future__ import annotations

import math
import threading

from echo_mcp.upkeep.loop import Loop
from echo_memory.memory import Memory
from echo_memory.shared_index import publish_now

GATHER_S = 0.5
RETRY_S = 5.0


class IndexPublisher:
    """Takes requests to publish, and does it within a second, or as soon as it is possible."""

    def __init__(self, memory: Memory) -> None:
        """Nothing runs yet.

        Args:
            memory: whose index it is; one that publishes by itself.
        """
        self._memory = memory
        self._asked = False
        self._warnings: list[str] = []
        self._publishing = threading.Lock()
        self._loop = Loop("publish", self.step)

    def start(self) -> None:
        """Begin."""
        self._loop.start()

    def stop(self) -> None:
        """Publish what was asked for last, and end."""
        self._loop.stop()
        self.step()

    def request(self) -> list[str]:
        """Have the index published soon; returns what went wrong with it the last time."""
        self._asked = True
        self._loop.wake(after=GATHER_S)
        return list(self._warnings)

    def step(self) -> float:
        """Publish if that was asked for; returns seconds until it is to be tried again."""
        with self._publishing:
            if not self._asked:
                return math.inf
            self._asked = False
            self._warnings = publish_now(self._memory)
            if self._warnings:
                self._asked = True
                return RETRY_S
        return math.inf
