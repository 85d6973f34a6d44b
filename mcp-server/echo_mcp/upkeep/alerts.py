"""Alerts: from how things are to what a person is told of it, and when; nothing is done here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from echo_memory import alarms
from echo_memory.alarms import MEANINGS, Alarms

AWAY_FOR = timedelta(hours=1)
AT_MOST_EVERY = timedelta(hours=1)
SEEN_EVERY = timedelta(minutes=30)

_RELIEF = 1.25  # a disk on the edge does not begin and end again and again


@dataclass(frozen=True)
class Facts:
    """How things are at one moment.

    Attributes:
        now: that moment.
        away: whether the vault does not answer; None where nobody has looked yet.
        outbox: since when its oldest write waits; None where none does.
        outbox_limit: how long one may.
        backup_is_old: whether a backup should have been made by now.
        new_findings: how many the last sweep has.
        free: bytes on the fullest disk.
        needed: bytes that should be.
        fails: whether a job or a loop of upkeep does.
    """

    now: datetime
    away: bool | None = False
    outbox: datetime | None = None
    outbox_limit: timedelta = timedelta(hours=6)
    backup_is_old: bool = False
    new_findings: int = 0
    free: int = 1
    needed: int = 0
    fails: bool = False


@dataclass(frozen=True)
class Message:
    """What a person is told; no text, path or title of a note is in it."""

    title: str
    body: str


def seen(before: Alarms, facts: Facts) -> Alarms:
    """The alarms after a look at how things are."""
    now = facts.now
    away = before.away if facts.away is not False else None
    if facts.away:
        away = min(away or now, now)
    names = set(_wrong(facts, before, away))
    # A clock that was set back must not make an alarm begin in the future.
    active = {name: min(before.active.get(name, now), now) for name in sorted(names)}
    stale = before.looked is None or abs(now - before.looked) >= SEEN_EVERY
    return replace(before, active=active, away=away, looked=now if stale else before.looked)


def message(state: Alarms, now: datetime) -> Message | None:
    """What there is to tell now; None where that is nothing, or too soon after the last."""
    if state.posted is not None and abs(now - state.posted) < AT_MOST_EVERY:
        return None
    begun = sorted(state.active.keys() - state.told)
    over = sorted(state.told - state.active.keys())
    if not begun and not over:
        return None
    lines = [f"{what} {fix}" for what, fix in (MEANINGS[name] for name in begun)]
    lines += [f"Over: {MEANINGS[name][0]}" for name in over]
    left = len(state.active)
    state_of_it = "1 thing needs attention" if left == 1 else f"{left} things need attention"
    return Message(f"echo-mcp: {state_of_it if left else 'all is well again'}", "\n".join(lines))


def posted(state: Alarms, now: datetime, *, arrived: bool) -> Alarms:
    """The alarms after a message was tried."""
    return replace(state, posted=now, told=frozenset(state.active) if arrived else state.told)


def _wrong(facts: Facts, before: Alarms, away: datetime | None) -> Iterator[str]:
    now = facts.now
    if facts.outbox is not None and now - facts.outbox > facts.outbox_limit:
        yield alarms.OUTBOX
    if away is not None and now - away >= AWAY_FOR:
        yield alarms.AWAY
    if facts.backup_is_old:
        yield alarms.BACKUP
    if facts.new_findings:
        yield alarms.FINDINGS
    if facts.free < facts.needed * (_RELIEF if alarms.DISK in before.active else 1):
        yield alarms.DISK
    if facts.fails:
        yield alarms.FAILING
