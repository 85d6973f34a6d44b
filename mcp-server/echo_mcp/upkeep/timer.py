"""The timer: begins each job of upkeep when it is due, notes how it went, and survives it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from echo_mcp.upkeep.interpreter import give_back_memory
from echo_mcp.upkeep.schedule import Schedule, is_due, pause
from echo_memory.errors import Conflict, EchoError
from echo_memory.ledger import Ledger, Run, turn_of
from echo_memory.locks import Busy, PathLocks
from echo_memory.memory import Clock

logger = logging.getLogger(__name__)

LOOK_AGAIN_S = 60.0
"""How soon the clock is looked at again, in case that it was set."""


@dataclass(frozen=True)
class Job:
    """One thing that upkeep does.

    Attributes:
        name: in the ledger, the log and the command line.
        schedule: when it is due; None is only by hand.
        work: does it, and returns what it found in numbers.
    """

    name: str
    schedule: Schedule | None
    work: Callable[[], Mapping[str, int]]


class Timer:
    """Runs jobs one after the other; of several processes, one runs a job at a time."""

    def __init__(
        self,
        jobs: Sequence[Job],
        ledger: Ledger,
        turns: PathLocks,
        clock: Clock,
        stopping: threading.Event | None = None,
    ) -> None:
        """Nothing runs yet.

        Args:
            jobs: in the order in which they run when several are due.
            ledger: knows the last runs; what it cannot keep is remembered here.
            turns: who has one runs the job; should not wait.
            clock: the only source of time.
            stopping: set once no other job is to begin; one that runs may end early then.
        """
        self._jobs = jobs
        self._ledger = ledger
        self._turns = turns
        self._clock = clock
        self._own: dict[str, Run] = {}
        self._stopping = stopping or threading.Event()

    def step(self) -> float:
        """Run what is due; returns seconds until the clock is to be looked at again."""
        for job in self._jobs:
            if not self._stopping.is_set() and self._is_due(job):
                self._run(job)
        now = self._clock()
        pauses = [pause(job.schedule, now).total_seconds() for job in self._jobs if job.schedule]
        return max(1.0, min([LOOK_AGAIN_S, *pauses]))

    def stop(self) -> None:
        """Begin no other job, and have one that runs end early."""
        self._stopping.set()

    def run(self, name: str) -> Run:
        """Run one job now, due or not; returns how it went.

        Raises:
            Conflict: another process runs it.
        """
        job = next(job for job in self._jobs if job.name == name)
        try:
            with self._turns.hold(turn_of(name)):
                return self._ran(job)
        except Busy as error:
            raise Conflict("Another process runs this job just now. Try again later.") from error

    def _is_due(self, job: Job) -> bool:
        return job.schedule is not None and is_due(job.schedule, self._last(job), self._clock())

    def _run(self, job: Job) -> None:
        try:
            with self._turns.hold(turn_of(job.name)):
                if self._is_due(job):  # still, for another process may just have done it
                    self._ran(job)
        except Busy:
            logger.debug("upkeep is done elsewhere", extra={"fields": {"job": job.name}})
        except EchoError as error:  # of the state folder
            self._own[job.name] = replace(self._last(job), tried=self._clock(), error=error.code)

    def _ran(self, job: Job) -> Run:
        began = self._clock()
        before = self._last(job)
        try:
            run = Run(done=began, tried=began, found=job.work())
        except EchoError as error:
            logger.warning("upkeep: %s", error.message, extra={"fields": {"job": job.name}})
            run = replace(before, tried=began, error=error.code)
        except Exception:  # the other jobs are needed, whatever this was
            logger.exception("upkeep", extra={"fields": {"job": job.name}})
            run = replace(before, tried=began, error=EchoError.code)
        else:
            logger.info("upkeep", extra={"fields": {"job": job.name, **run.found}})
        give_back_memory()
        if not (run.error and self._stopping.is_set()):  # what was ended early did not fail
            self._keep(job.name, run)
        return run

    def _last(self, job: Job) -> Run:
        """The last run that anybody knows of."""
        own, kept = self._own.get(job.name, Run()), self._ledger.read().run(job.name)
        return max(own, kept, key=_tried)

    def _keep(self, name: str, run: Run) -> None:
        self._own[name] = run
        try:
            self._ledger.ran(name, run)
        except EchoError as error:
            logger.warning("upkeep: %s", error.message, extra={"fields": {"job": name}})


def _tried(run: Run) -> float:
    at = run.tried or run.done
    return at.timestamp() if isinstance(at, datetime) else float("-inf")
