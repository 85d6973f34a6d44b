"""The follower: keeps what is known in step with the vault, and replays what waited for it."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Collection

from echo_mcp.upkeep.breath import Breath
from echo_mcp.upkeep.loop import Loop
from echo_memory.errors import EchoError
from echo_memory.memory import Memory
from echo_memory.queueing import flush

logger = logging.getLogger(__name__)

SOON_S, _SHARE = 1.0, 25
_RESTS = 3.0  # how many times as long as it takes changed notes in
SAVE_EVERY_S = 300.0
RETRY_S = 5.0
"""How soon a vault that was away, or an outbox that is not empty, is looked at again."""


class Follower(Loop):
    """Compares the vault again and again, so that no call has to."""

    def __init__(self, memory: Memory, *, every: float, often: bool = False) -> None:
        """Nothing runs yet.

        Args:
            memory: what is kept in step.
            every: seconds between two comparisons, at most.
            often: whether to compare as often as takes a small part of the time.
        """
        super().__init__("follow", self.step)
        self._often = often
        self._has_compared = False
        self._rests_until = self._compares_at = self._saved = -math.inf
        self._naming = threading.Lock()
        self._named: set[str] = set()
        self._memory = memory
        self._breathe = Breath(rests=_RESTS)
        self._every = every
        self._was_away = self._outbox_fails = False

    def look_again(self) -> None:
        """A write has to wait: look soon whether the vault is back."""
        after = min(RETRY_S, self._every)
        self._compares_at = min(self._compares_at, time.monotonic() + after)
        self.wake(after=after)

    def changed(self, paths: Collection[str]) -> None:
        """Somebody watches the vault, and these have changed in it.

        From then on it is told what to look at, and compares all by itself as seldom as it may.

        Args:
            paths: of notes, and of whatever else there is in the vault.
        """
        self._often = False
        with self._naming:
            self._named |= set(paths)
        self.wake()

    def step(self) -> float:
        """Look at what changed, or compare the whole vault, and replay what waits.

        Returns:
            Seconds until the next comparison is due.
        """
        with self._naming:
            named, self._named = self._named, set()
        if named and time.monotonic() < self._compares_at:
            known = self._memory.catalog.entities.changes
            if self._follow(named):
                self._taken_in(known)
            else:
                self._compares_at = min(self._compares_at, self._rests_until)
            return max(0.0, self._compares_at - time.monotonic())
        pause = self._compare()
        self._compares_at = time.monotonic() + pause
        return pause

    def _follow(self, paths: Collection[str]) -> bool:
        """Take in what changed, note by note; whether that was all there is."""
        for path in paths:
            if not self._memory.mirror.follow([path]):
                return False
            self._breathe()
        return True

    def _compare(self) -> float:
        """Compare the vault once and replay what waits; returns seconds until the next time."""
        began, known = time.monotonic(), self._memory.catalog.entities.changes
        try:
            self._memory.mirror.refresh()
            self._memory.acquaint()
        except EchoError as error:
            if not self._was_away:
                logger.warning("vault away: %s", error.message)
            self._was_away = True
            return min(RETRY_S, self._every)
        took = time.monotonic() - began
        if self._was_away:
            logger.info("vault back")
        waiting = self._flush()
        self._memory.catalog.prepare_recall()
        self._taken_in(known)
        self._was_away = False
        rest = max(SOON_S, took * _SHARE)
        self._rests_until = time.monotonic() + rest
        pause = min(self._every, rest) if self._often else self._every
        return min(RETRY_S, pause) if waiting else pause

    def _taken_in(self, known: int) -> None:
        """See to what follows from what was taken in.

        Args:
            known: how many changes of entities there had been before.
        """
        if self._has_compared and self._memory.catalog.entities.changes != known:
            self._publish()
        self._has_compared = True
        if time.monotonic() - self._saved >= SAVE_EVERY_S:
            self._memory.catalog.save_recall()
            self._saved = time.monotonic()

    def _publish(self) -> None:
        """Have the shared index follow what others did to the vault."""
        if self._memory.publisher is not None:
            self._memory.publisher.request()

    def _flush(self) -> int:
        """Replay what waits; returns how many writes wait still."""
        try:
            flushed = flush(self._memory)
        except EchoError as error:
            if not self._outbox_fails:
                logger.warning("outbox: %s", error.message)
            self._outbox_fails = True
            return 1
        self._outbox_fails = False
        if flushed.done or flushed.parked:
            fields = {"done": flushed.done, "parked": flushed.parked, "left": flushed.left}
            logger.info("outbox", extra={"fields": fields})
        return flushed.left
