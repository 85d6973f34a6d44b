"""Times without a zone become instants, also on the two days when clocks change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from echo_archive.safe_paths import inside
from echo_archive.wall_clock import WallClock

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.sampled_from(ZONES), st.datetimes(datetime(1990, 1, 1), datetime(2037, 1, 1)))  # noqa: DTZ001
def test_the_wall_shows_at_the_instant_what_was_written(zone: str, local: datetime) -> None:
    clock = WallClock(zone)

    instant = EPOCH + timedelta(milliseconds=clock.instant_ms(local))

    shown = instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    written = local.replace(microsecond=local.microsecond // 1000 * 1000)
    assert shown == written or (
        clock.in_gap and timedelta() < shown - written <= timedelta(hours=1)
    )


@given(st.sampled_from(ZONES), st.integers(1, 90))
def test_rows_in_order_stay_in_order_through_both_changes(zone: str, minutes: int) -> None:
    clock = WallClock(zone)
    start = datetime(2024, 10, 26, tzinfo=UTC)
    instants = [start + timedelta(minutes=minutes * number) for number in range(400)]
    written = [one.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for one in instants]

    read = [clock.instant_ms(one) for one in written]

    assert read == sorted(read)


@given(st.text(alphabet="./\\~a:\x00%", max_size=20))
def test_a_path_that_is_inside_stays_inside(text: str) -> None:
    path = inside(text)

    assert path is None or (
        inside(path) == path
        and not path.startswith(("/", "~", "a:"))
        and ".." not in path.split("/")
        and "\\" not in path
    )
