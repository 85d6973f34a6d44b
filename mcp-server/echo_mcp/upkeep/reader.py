"""The reader: reads notes ahead, a few at a time, so that no recall has to wait for that."""

from __future__ import annotations

import gc
import time

from echo_mcp.upkeep.interpreter import give_back_memory
from echo_mcp.upkeep.loop import Loop
from echo_memory.memory import Memory

AT_ONCE, SLICE_S, BREATH_S = 10, 0.015, 0.02
READY_S, LOOK_AGAIN_S = 1.0, 10.0


class Reader(Loop):
    """Reads what the ranking looks at in a candidate, while nobody asks for it yet."""

    def __init__(self, memory: Memory) -> None:
        """Nothing runs yet."""
        super().__init__("read", self.step)
        self._memory = memory
        self._is_done = False

    def step(self) -> float:
        """Read for a moment; returns seconds until the next."""
        catalog = self._memory.catalog
        if not catalog.is_ready:
            return READY_S
        until = time.monotonic() + SLICE_S
        while catalog.read_ahead(AT_ONCE):
            if time.monotonic() >= until:
                return BREATH_S
        if not self._is_done:
            self._is_done = True
            gc.collect()
            give_back_memory()
            gc.freeze()  # it mostly stays: looking through it for garbage takes long
        return LOOK_AGAIN_S
