"""The staff: everything that runs beside the calls, started and ended together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from echo_mcp.upkeep.follower import Follower
from echo_mcp.upkeep.interpreter import set_for_a_server
from echo_mcp.upkeep.publisher import IndexPublisher
from echo_mcp.upkeep.reader import Reader
from echo_mcp.upkeep.watcher import Watcher
from echo_memory.memory import Memory

LONGEST_LOOK_S = 30.0
"""How long a comparison of a large vault may take before it counts as away."""


class Staff:
    """Works for a memory; `memory` is the one that calls are to use then."""

    def __init__(self, memory: Memory, *, every: float) -> None:
        """Nothing runs yet.

        Args:
            memory: as it was opened.
            every: seconds between two comparisons of the vault.
        """
        self._publisher = IndexPublisher(replace(memory, compares=False))
        self.memory = replace(
            memory,
            compares=False,
            stale_s=2 * every + LONGEST_LOOK_S,
            publisher=self._publisher,
        )
        # A folder is compared in moments, so that an edit shows soon, until watching it proves good.
        folder = memory.config.vault if isinstance(memory.config.vault, Path) else None
        self._follower = Follower(self.memory, every=every, often=folder is not None)
        self._watcher = Watcher(folder, self._follower.changed) if folder is not None else None
        self._reader = Reader(self.memory)
        self.memory.on_queued = self._follower.wake

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Run until the block ends."""
        with ExitStack() as ending:
            ending.enter_context(set_for_a_server())
            ending.callback(self.memory.close)
            ending.callback(self.memory.catalog.save_recall)
            ending.callback(self._publisher.stop)
            ending.callback(self._follower.stop)
            ending.callback(self._reader.stop)
            self._publisher.start()
            self._follower.start()
            self._reader.start()
            if self._watcher is not None:
                ending.callback(self._watcher.stop)
                self._watcher.start()
            yield
