"""The staff: everything that runs beside the calls, started and ended together."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from echo_mcp.backups import making
from echo_mcp.upkeep import jobs
from echo_mcp.upkeep.alarm import Alarm
from echo_mcp.upkeep.breath import Breath
from echo_mcp.upkeep.follower import Follower
from echo_mcp.upkeep.interpreter import set_for_a_server
from echo_mcp.upkeep.loop import Loop
from echo_mcp.upkeep.notifier import Notifier
from echo_mcp.upkeep.publisher import IndexPublisher
from echo_mcp.upkeep.reader import Reader
from echo_mcp.upkeep.watcher import Watcher
from echo_memory.alarms import Alarms
from echo_memory.errors import EchoError
from echo_memory.ledger import Ledger
from echo_memory.memory import Memory

logger = logging.getLogger(__name__)

FIRST_JOB_AFTER_S = 60.0
"""How long after the start what was missed is caught up: the first calls come before it."""

SOON_S = 2.0
"""How long the end waits for a job; what is not done by then is done after the next start."""

LONGEST_LOOK_S = 30.0
"""How long a comparison of a large vault may take before it counts as away."""


class Staff:
    """Works for a memory; `memory` is the one that calls are to use then."""

    def __init__(
        self,
        memory: Memory,
        *,
        every: float,
        alert_url: str = "",
        outbox_limit: timedelta = timedelta(hours=6),
    ) -> None:
        """Nothing runs yet.

        Args:
            memory: as it was opened.
            every: seconds between two comparisons of the vault.
            alert_url: where a person is told of what is wrong; empty tells nobody.
            outbox_limit: how long a write may wait before that is wrong.
        """
        self._publisher = IndexPublisher(replace(memory, compares=False))
        self.memory = replace(
            memory,
            compares=False,
            stale_s=2 * every + LONGEST_LOOK_S,
            publisher=self._publisher,
        )
        # A folder is compared in moments, so that an edit shows soon, until watching proves good.
        folder = memory.config.vault if isinstance(memory.config.vault, Path) else None
        self._follower = Follower(self.memory, every=every, often=folder is not None)
        self._watcher = Watcher(folder, self._follower.changed) if folder is not None else None
        self._reader = Reader(self.memory)
        self.memory.on_queued = self._follower.look_again
        self._timer = jobs.timer(replace(self.memory, breathe=Breath()))
        self._jobs = Loop("jobs", self._timer.step, after=FIRST_JOB_AFTER_S)
        self._alarm = Alarm(
            self.memory,
            Notifier(alert_url),
            outbox_limit=outbox_limit,
            crashed=lambda: bool(self.failing),
        )
        self._alarms = Loop("alarms", self._alarm.step)

    @property
    def alarms(self) -> Alarms:
        """What is wrong, as it was last seen."""
        return self._alarm.state

    @property
    def failing(self) -> bool:
        """Whether something unforeseen ended the last step of one that works here."""
        loops = (self._follower, self._publisher, self._reader, self._jobs, self._alarms)
        return any(loop.is_failing for loop in loops)

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
            ending.callback(self._alarm.stop)
            ending.callback(self._alarms.stop, within=SOON_S)
            ending.callback(self._jobs.stop, within=SOON_S)
            ending.callback(self._timer.stop)
            self._begin()
            self._publisher.start()
            self._follower.start()
            self._reader.start()
            if self._watcher is not None:
                ending.callback(self._watcher.stop)
                self._watcher.start()
            self._alarms.start()
            self._jobs.start()
            yield

    def _begin(self) -> None:
        """Note that upkeep begins here, and clean up after a process that was killed."""
        try:
            Ledger.of(self.memory.config).begin(self.memory.clock())
            making.clean(self.memory)
        except EchoError as error:
            logger.warning("upkeep: %s", error.message)
