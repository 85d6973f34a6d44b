"""The schedule: when a job is due, from the clock and from what is known of its last run.

A job has slots, instants that the calendar fixes, so that no run drifts however long others took.
It is due when a slot has come since its last run, once, however many were missed. Instants are
compared in UTC: the hour that a zone has twice in autumn, or not at all in spring, makes no run
more and none less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise

from echo_memory.ledger import Run

RETRY = timedelta(minutes=15)
"""How long after a run that failed the next one begins."""

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Every:
    """A slot again and again, whatever the hour is called.

    Attributes:
        period: from one to the next.
        offset: of the first one in a period.
    """

    period: timedelta
    offset: timedelta = timedelta()

    def around(self, now: datetime) -> tuple[datetime, datetime]:
        """The slot that came last, and the next one."""
        passed = (now.astimezone(UTC) - _EPOCH - self.offset) // self.period
        last = _EPOCH + self.offset + passed * self.period
        return last, last + self.period


@dataclass(frozen=True)
class Daily:
    """A slot on every day, or on one day of every week, by the operator's clock.

    Attributes:
        at: the time of day.
        zone: whose clock; None is the machine's.
        weekday: 0 is Monday; None is every day.
    """

    at: time
    zone: tzinfo | None = None
    weekday: int | None = None

    @property
    def period(self) -> timedelta:
        """From one slot to the next, as a rule."""
        return timedelta(days=1 if self.weekday is None else 7)

    def around(self, now: datetime) -> tuple[datetime, datetime]:
        """The slot that came last, and the next one."""
        instant = now.astimezone(UTC)
        slots = sorted(self._near(now.astimezone(self.zone).date()))
        return next((a, b) for a, b in pairwise(slots) if a <= instant < b)

    def _near(self, today: date) -> Iterator[datetime]:
        reach = self.period.days + 1
        for days in range(-reach, reach + 1):
            day = today + timedelta(days=days)
            if self.weekday in (None, day.weekday()):
                yield datetime.combine(day, self.at, self.zone).astimezone(UTC)


Schedule = Every | Daily


def is_due(schedule: Schedule, run: Run, now: datetime) -> bool:
    """Whether a job is to begin.

    Args:
        schedule: when its slots are.
        run: what is known of it; a run in the future is of a clock that was ahead, and is not
            believed when it is further off than a period.
        now: aware.
    """
    last, _ = schedule.around(now)
    done, tried = (_believed(at, schedule, now) for at in (run.done, run.tried))
    if done is not None and done >= last:
        return False
    if run.error and tried is not None and tried <= now:
        return now - tried >= RETRY
    return True


def pause(schedule: Schedule, now: datetime) -> timedelta:
    """How long it is to the next slot."""
    return schedule.around(now)[1] - now


def _believed(at: datetime | None, schedule: Schedule, now: datetime) -> datetime | None:
    return None if at is None or at - now > schedule.period else at
