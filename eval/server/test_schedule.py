"""The schedule: the right number of runs in a year, whatever becomes of the clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from itertools import pairwise
from time import tzset
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_mcp.upkeep.schedule import RETRY, Daily, Every, Schedule, is_due, pause
from echo_memory.ledger import Run

HOURLY = Every(timedelta(hours=1), timedelta(minutes=40))
PARIS, HAVANA, LORD_HOWE, APIA = map(
    ZoneInfo, ("Europe/Paris", "America/Havana", "Australia/Lord_Howe", "Pacific/Apia")
)
MINUTE = timedelta(minutes=1)
START = datetime(2026, 1, 1, 12, tzinfo=UTC)

Instants = Iterator[datetime]


def nightly(zone: ZoneInfo) -> Daily:
    return Daily(time(3, 10), zone)


def clock(start: datetime, until: datetime, step: timedelta) -> Instants:
    while start < until:
        yield start
        start += step


def runs(schedule: Schedule, instants: Instants, *, run: Run | None = None) -> list[datetime]:
    """When a job that always succeeds begins, with the clock looked at again and again."""
    known, begun = run or Run(), []
    for now in instants:
        if is_due(schedule, known, now):
            known = Run(done=now, tried=now)
            begun.append(now)
    return begun


@pytest.mark.parametrize("zone", [UTC, PARIS, HAVANA, LORD_HOWE, ZoneInfo("Asia/Kathmandu")])
def test_a_year_has_a_backup_on_every_day_of_the_operators_calendar(zone: ZoneInfo) -> None:
    instants = clock(START, START + timedelta(days=365), 21 * MINUTE)

    begun = runs(nightly(zone), instants, run=Run(done=START))

    days = [at.astimezone(zone).date() for at in begun]
    assert days == [date(2026, 1, 2) + timedelta(days=day) for day in range(len(days))]
    assert len(days) == 365
    assert all(at.astimezone(zone).strftime("%H:%M") < "04:20" for at in begun)


def test_a_year_has_as_many_sweeps_as_hours_and_none_of_them_drifts() -> None:
    instants = clock(START, START + timedelta(days=365), timedelta(minutes=2, seconds=7))

    begun = runs(HOURLY, instants, run=Run(done=START))

    assert len(begun) == 365 * 24
    assert all(at.minute in (40, 41, 42) for at in begun)


def test_a_year_has_a_decay_pass_every_sunday() -> None:
    sundays = Daily(time(4, 20), PARIS, 6)

    begun = runs(sundays, clock(START, START + timedelta(days=364), 40 * MINUTE), run=Run(START))

    assert len(begun) == 52
    assert {at.astimezone(PARIS).weekday() for at in begun} == {6}


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        (PARIS, time(2, 30), date(2026, 3, 29)),  # does not exist
        (PARIS, time(2, 30), date(2026, 10, 25)),  # exists twice
        (HAVANA, time(0, 30), date(2026, 3, 8)),
        (HAVANA, time(0, 30), date(2026, 11, 1)),
    ],
)
def test_a_time_that_a_day_has_twice_or_not_at_all_comes_once(
    zone: ZoneInfo, at: time, day: date
) -> None:
    noon = datetime.combine(day, time(12), zone).astimezone(UTC) - timedelta(days=1)

    begun = runs(Daily(at, zone), clock(noon, noon + timedelta(days=1), MINUTE), run=Run(noon))

    assert len(begun) == 1


def test_a_day_that_a_zone_skips_makes_no_run_more() -> None:
    start = datetime(2011, 12, 28, 12, tzinfo=UTC)

    begun = runs(nightly(APIA), clock(start, start + timedelta(days=4), MINUTE), run=Run(start))

    assert len(begun) in (3, 4)
    assert all(b - a >= timedelta(minutes=1) for a, b in pairwise(begun))


def test_many_missed_nights_are_caught_up_by_one_run() -> None:
    later = START + timedelta(days=9)

    assert runs(nightly(PARIS), iter([later, later + MINUTE]), run=Run(START)) == [later]


def test_what_never_ran_is_due_at_once_and_once() -> None:
    assert runs(nightly(PARIS), iter([START, START + MINUTE])) == [START]


@pytest.mark.parametrize("back", [timedelta(minutes=30), timedelta(hours=1), timedelta(hours=20)])
def test_a_clock_that_is_set_back_a_little_repeats_nothing(back: timedelta) -> None:
    ran = datetime(2026, 5, 5, 3, 11, tzinfo=PARIS)
    instants = clock(ran - back, ran + timedelta(hours=23), MINUTE)

    assert runs(nightly(PARIS), instants, run=Run(done=ran)) == []


def test_a_clock_that_was_years_ahead_stops_nothing() -> None:
    begun = runs(
        nightly(PARIS),
        clock(START, START + timedelta(days=3), 10 * MINUTE),
        run=Run(done=START + timedelta(days=3000)),
    )

    assert len(begun) == 4  # one at once, and one a night


def test_a_run_that_failed_is_tried_again_after_a_while_until_it_succeeds() -> None:
    tried, known = [], Run(done=START - timedelta(days=1))
    for now in clock(START, START + timedelta(hours=2), MINUTE):
        if is_due(nightly(PARIS), known, now):
            tried.append(now)
            known = replace(known, tried=now, error="vault-unreachable")

    assert len(tried) == 8
    assert all(b - a == RETRY for a, b in pairwise(tried))


def test_a_failure_of_an_hour_ago_does_not_hold_up_the_next() -> None:
    failed = Run(done=START - timedelta(hours=2), tried=START - timedelta(hours=1), error="x")

    assert is_due(HOURLY, failed, START)


@settings(max_examples=200, deadline=None)
@given(
    now=st.integers(0, 4_000_000_000),
    at=st.times(),
    weekday=st.sampled_from([None, 0, 6]),
    zone=st.timezones(),
)
def test_now_is_always_between_the_last_slot_and_the_next(
    now: int, at: time, weekday: int | None, zone: ZoneInfo
) -> None:
    instant = datetime.fromtimestamp(now, UTC)
    for schedule in (Daily(at, zone, weekday), HOURLY):
        last, following = schedule.around(instant)

        assert last <= instant < following
        assert following - last <= schedule.period + timedelta(days=1)
        assert timedelta() < pause(schedule, instant) <= following - last


def test_without_a_zone_the_machines_clock_counts(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    request.addfinalizer(tzset)
    request.addfinalizer(monkeypatch.undo)
    tzset()

    last, _ = Daily(time(3, 10)).around(START)

    assert last.astimezone(timezone(timedelta(hours=9))).time() == time(3, 10)
