"""Alerts: one message when something begins to be wrong, one when it is over, and no storm."""

from __future__ import annotations

import json
import random
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import NOW
from echo_mcp.upkeep import alerts
from echo_mcp.upkeep.alerts import AT_MOST_EVERY, Facts, Message
from echo_memory import alarms
from echo_memory.alarms import MEANINGS, Alarms

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


class Person:
    """Who is told: all messages, and when each came."""

    def __init__(self, *, state: Alarms | None = None, reachable: bool = True) -> None:
        self.state = state or Alarms()
        self.reachable = reachable
        self.messages: list[tuple[datetime, Message]] = []

    def see(self, facts: Facts) -> None:
        """Live through one look."""
        self.state = alerts.seen(self.state, facts)
        message = alerts.message(self.state, facts.now)
        if message:
            if self.reachable:
                self.messages.append((facts.now, message))
            self.state = alerts.posted(self.state, facts.now, arrived=self.reachable)

    @property
    def titles(self) -> list[str]:
        """What the messages are called."""
        return [message.title for _, message in self.messages]


def at(minutes: float, **how: Any) -> Facts:
    return Facts(now=NOW + minutes * MINUTE, **how)


WRONG = {
    alarms.OUTBOX: {"outbox": NOW - timedelta(hours=7)},
    alarms.BACKUP: {"backup_is_old": True},
    alarms.FINDINGS: {"new_findings": 2},
    alarms.DISK: {"free": 10, "needed": 100},
    alarms.FAILING: {"fails": True},
}


@pytest.mark.parametrize("name", WRONG)
def test_each_is_told_once_when_it_begins_and_once_when_it_ends(name: str) -> None:
    person = Person()

    for minute in range(600):
        person.see(at(minute, **WRONG[name]) if 100 <= minute < 400 else at(minute))

    begin, end = (message for _, message in person.messages)
    assert begin.title == "echo-mcp: 1 thing needs attention"
    assert begin.body == " ".join(MEANINGS[name])
    assert end == Message("echo-mcp: all is well again", f"Over: {MEANINGS[name][0]}")
    assert [when for when, _ in person.messages] == [NOW + 100 * MINUTE, NOW + 400 * MINUTE]


def test_a_vault_must_be_away_for_an_hour() -> None:
    person = Person()
    for minute in range(60):
        person.see(at(minute, away=True))
    quiet = list(person.messages)

    person.see(at(60, away=True))

    assert quiet == []
    assert list(person.state.active) == [alarms.AWAY]


def test_a_vault_that_comes_back_in_between_begins_anew() -> None:
    person = Person()

    for minute in range(300):
        person.see(at(minute, away=minute % 50 != 0))

    assert person.messages == []


def test_before_the_first_look_what_was_known_of_the_vault_stays() -> None:
    person = Person()
    person.see(at(0, away=True))
    person.see(at(61, away=True))

    person.see(at(62, away=None))

    assert alarms.AWAY in person.state.active


def test_what_ended_before_anybody_could_be_told_is_never_told() -> None:
    person = Person()
    person.see(at(0, fails=True))
    person.see(at(1, fails=True, backup_is_old=True))
    person.see(at(2, fails=True))

    person.see(at(90, fails=True))

    assert len(person.messages) == 1


def test_what_begins_soon_after_is_told_with_the_next_message() -> None:
    person = Person()

    for minute in range(120):
        wrong = {"fails": True, "backup_is_old": minute > 5, "new_findings": minute > 10}
        person.see(at(minute, **wrong))

    assert person.titles == [
        "echo-mcp: 1 thing needs attention",
        "echo-mcp: 3 things need attention",
    ]
    assert person.messages[1][1].body.count("\n") == 1


def test_a_message_that_did_not_arrive_is_sent_again_after_an_hour() -> None:
    person = Person(reachable=False)
    person.see(at(0, fails=True))
    person.reachable = True

    for minute in range(1, 200):
        person.see(at(minute, fails=True))

    assert [when for when, _ in person.messages] == [NOW + HOUR]


def test_a_restart_tells_nothing_twice() -> None:
    person = Person()
    person.see(at(0, fails=True))
    kept = json.loads(json.dumps(person.state.as_note()))

    again = Person(state=Alarms.of(kept))
    for minute in range(300):
        again.see(at(minute, fails=True))

    assert again.messages == []


@pytest.mark.parametrize(
    "note", [None, [], {}, "x", {"active": 1}, {"active": {"x": "y"}}, {"active": {}, "told": [[]]}]
)
def test_what_is_no_state_is_none(note: object) -> None:
    assert Alarms.of(note) == Alarms()


def test_a_year_of_flapping_is_never_more_than_a_message_an_hour() -> None:
    person, dice = Person(), random.Random(1)
    for step in range(365 * 24 * 6):
        person.see(at(step * 10, fails=dice.random() < 0.5, backup_is_old=dice.random() < 0.5))

    times = [when for when, _ in person.messages]
    assert all(b - a >= AT_MOST_EVERY for a, b in pairwise(times))
    assert len(times) <= 365 * 24


def test_a_disk_on_the_edge_does_not_begin_and_end_again_and_again() -> None:
    person = Person()

    for minute in range(0, 6000, 10):
        person.see(at(minute, free=99 if minute % 20 else 110, needed=100))

    assert len(person.messages) == 1


def test_a_clock_that_is_set_back_makes_nothing_begin_in_the_future() -> None:
    person = Person()
    person.see(at(0, away=True))
    person.see(at(-500_000, away=True))

    person.see(at(-500_000 + 60, away=True))

    assert alarms.AWAY in person.state.active
    assert len(person.messages) == 1


def test_a_clock_that_was_years_ahead_silences_nobody() -> None:
    person = Person()
    person.see(at(1_000_000, fails=True))

    person.see(at(0, fails=True, backup_is_old=True))

    assert len(person.messages) == 2


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(-90, 90), *(st.booleans() for _ in range(4))), max_size=60))
def test_whatever_happens_who_is_told_believes_what_is_so_an_hour_later(
    story: list[tuple[int, bool, bool, bool, bool]],
) -> None:
    person, minute = Person(), 0
    for passed, fails, old, found, full in story:
        minute += passed
        facts = {"fails": fails, "backup_is_old": old, "new_findings": int(found)}
        person.see(at(minute, **facts, free=0 if full else 9, needed=5))

    person.see(at(minute + 1_000_000, fails=True))
    person.see(at(minute + 1_000_060, fails=True))

    assert person.state.told == {alarms.FAILING}
