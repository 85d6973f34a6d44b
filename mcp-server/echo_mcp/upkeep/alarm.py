"""The alarm: looks at how things are, and tells a person when that begins or ends to be wrong."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from echo_mcp.backups.shelf import Shelf
from echo_mcp.upkeep import alerts
from echo_mcp.upkeep.alerts import Facts
from echo_mcp.upkeep.first import First
from echo_mcp.upkeep.notifier import Notifier
from echo_memory.alarms import NOTE, Alarms
from echo_memory.errors import Conflict, EchoError, NotBootstrapped, VaultUnreachable
from echo_memory.freshness import Marks
from echo_memory.ledger import BACKUP, FOLDER, SWEEP, Ledger, Page
from echo_memory.memory import Memory
from echo_memory.ops.health import MIN_FREE_BYTES

logger = logging.getLogger(__name__)

LEADER = "alarms.first"
LOOK_EVERY_S = 60.0

# Failures of jobs that have an alarm of their own, or that are no fault.
_TOLD_OTHERWISE = {VaultUnreachable.code, Conflict.code, NotBootstrapped.code}


class Alarm:
    """Remembers in the ledger what it has told, so that a restart tells nothing twice.

    Of several processes, the first one looks and tells, and the others know what it saw.
    """

    def __init__(
        self,
        memory: Memory,
        notifier: Notifier,
        *,
        outbox_limit: timedelta,
        crashed: Callable[[], bool],
    ) -> None:
        """Nothing is looked at yet.

        Args:
            memory: what is watched.
            notifier: tells a person.
            outbox_limit: how long a write may wait.
            crashed: whether a loop of the server does.
        """
        self._memory = memory
        self._notifier = notifier
        self._outbox_limit = outbox_limit
        self._crashed = crashed
        self._ledger = Ledger.of(memory.config)
        self._first = First(memory.config.state_dir / FOLDER / LEADER)
        self._is_kept = True
        self.state = self._kept()

    def step(self) -> float:
        """Look once, and tell what there is to be told; returns seconds until the next look."""
        first = self._first.holds()
        if self._is_kept or not first:
            self.state = self._kept()
        if first:
            self._look()
        return LOOK_EVERY_S

    def stop(self) -> None:
        """Let another process look."""
        self._first.leave()

    def _kept(self) -> Alarms:
        return Alarms.of(self._ledger.read().notes.get(NOTE))

    def _look(self) -> None:
        facts = self._facts(self._ledger.read())
        before, self.state = self.state, alerts.seen(self.state, facts)
        for name in sorted(self.state.active.keys() ^ before.active.keys()):
            what = "begins" if name in self.state.active else "ends"
            logger.warning("alarm", extra={"fields": {"alarm": name, "it": what}})
        message = alerts.message(self.state, facts.now)
        if message is not None:
            self._keep(alerts.posted(self.state, facts.now, arrived=False))
            arrived = self._notifier.send(message)
            self.state = alerts.posted(self.state, facts.now, arrived=arrived)
        if self.state != before:
            self._keep(self.state)

    def _keep(self, state: Alarms) -> None:
        try:
            self._ledger.note(NOTE, state.as_note())
        except EchoError:  # a full disk: it is remembered here, as long as this process lives
            self._is_kept = False
        else:
            self._is_kept = True

    def _facts(self, page: Page) -> Facts:
        memory, now = self._memory, self._memory.clock()
        mirror = memory.mirror
        outbox = None
        with suppress(EchoError):  # health tells of an outbox that cannot be read
            outbox = memory.outbox.status().oldest
        failing = [run for run in page.runs.values() if run.error not in ("", *_TOLD_OTHERWISE)]
        newest = Shelf.of(memory.config).newest(now)
        return Facts(
            now=now,
            away=None if mirror.trouble is None and not mirror.is_current else bool(mirror.trouble),
            outbox=outbox,
            outbox_limit=self._outbox_limit,
            backup_is_old=page.backup_is_old(now) or self._backups_are_gone(page),
            new_findings=len(Marks.of(page.notes.get(SWEEP)).new),
            free=self._free(),
            needed=max(MIN_FREE_BYTES, 2 * newest.size if newest else 0),
            fails=bool(failing) or self._crashed(),
        )

    def _backups_are_gone(self, page: Page) -> bool:
        return page.run(BACKUP).done is not None and not Shelf.of(self._memory.config).kept()

    def _free(self) -> int:
        """Bytes that are free on the fullest disk."""
        config = self._memory.config
        vault = [config.vault] if isinstance(config.vault, Path) else []
        free = []
        for folder in (config.state_dir, *vault):
            with suppress(OSError):
                free.append(shutil.disk_usage(folder).free)
        return min(free, default=MIN_FREE_BYTES)
