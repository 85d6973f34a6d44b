"""The reader: reads notes ahead, a few at a time, so that no recall has to wait for that."""

from __future__ import annotations

import gc

from echo_mcp.upkeep.loop import Loop
from echo_memory.memory import Memory

AT_ONCE, BREATH_S = 20, 0.02
READY_S, LOOK_AGAIN_S = 1.0, 10.0


class Reader:
    """Reads what the ranking looks at in a candidate, while nobody asks for it yet."""

    def __init__(self, memory: Memory) -> None:
        """Nothing runs yet."""
        self._memory = memory
        self._is_done = False
        self._loop = Loop("read", self.step)

    @property
    def is_failing(self) -> bool:
        """Whether the last step was ended by something unforeseen."""
        return self._loop.is_failing

    def start(self) -> None:
        """Begin."""
        self._loop.start()

    def stop(self) -> None:
        """End."""
        self._loop.stop()

    def step(self) -> float:
        """Read some notes; returns seconds until the next."""
        catalog = self._memory.catalog
        if not catalog.is_ready:
            return READY_S
        if catalog.read_ahead(AT_ONCE):
            return BREATH_S
        if not self._is_done:
            self._is_done = True
            # What was made so far mostly stays: looking through it for garbage takes long.
            gc.collect()
            gc.freeze()
        return LOOK_AGAIN_S
