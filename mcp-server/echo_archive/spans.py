"""Spans: the times that `start` and `end` name, and how an instant is written in an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from echo_archive.errors import BadArgument
from echo_archive.wall_clock import epoch_ms, zone_named

ACCEPTED = "a day (2024-05-31), a month (2024-05), a year (2024) or a time (2024-05-31T18:00:00Z)"
_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ].+", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """From a millisecond since 1970 up to, not with, another; None where it is open."""

    start: int | None
    end: int | None


def find_span(start: str | None, end: str | None, zone: tzinfo) -> Span:
    """The span two arguments name; a day, month or year that ends it belongs to it.

    Args:
        start: One of the accepted forms, or None.
        end: The same.
        zone: Where times without a zone are read.

    Raises:
        BadArgument: One of them is no date, or the end is before the start.
    """
    first = None if start is None else _moments(start, "start", zone)[0]
    last = None if end is None else _moments(end, "end", zone)[1]
    if first is not None and last is not None and first >= last:
        raise BadArgument(
            "`end` is before `start`. Exchange them, or leave one of them out.", field="end"
        )
    return Span(first, last)


@dataclass(frozen=True, slots=True)
class Clock:
    """A zone by its IANA name, whose clocks answers show beside UTC."""

    name: str
    zone: tzinfo

    def shows(self, milliseconds: int) -> str:
        """An instant on these clocks, with its distance from UTC."""
        return local_text(milliseconds, self.zone)


def clock_of(name: str) -> Clock:
    """The clocks of a zone; those of UTC where this machine does not know it."""
    return Clock(name, find_zone(name))


@lru_cache(maxsize=256)
def find_zone(name: str) -> tzinfo:
    """A zone by its IANA name; UTC where this machine does not know it."""
    try:
        return zone_named(name)
    except BadArgument:
        return UTC


def instant_text(milliseconds: int) -> str:
    """An instant as ISO 8601 in UTC, with milliseconds only where there are any."""
    return _clock(_moment(milliseconds)) + _fraction(milliseconds) + "Z"


def local_text(milliseconds: int, zone: tzinfo) -> str:
    """The same instant on the clocks of a zone, with its distance from UTC."""
    try:
        local = _moment(milliseconds).astimezone(zone)
    except (OverflowError, ValueError):
        local = _moment(milliseconds)
    clock, offset = _clock(local), local.strftime("%z")
    return f"{clock}{_fraction(milliseconds)}{offset[:3]}:{offset[3:5]}"


def _clock(moment: datetime) -> str:
    return moment.replace(tzinfo=None, microsecond=0).isoformat()


def _fraction(milliseconds: int) -> str:
    rest = milliseconds % 1000
    return f".{rest:03d}" if rest else ""


def _moment(milliseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return (
            datetime.max.replace(tzinfo=UTC)
            if milliseconds > 0
            else datetime.min.replace(tzinfo=UTC)
        )


def _moments(text: str, field: str, zone: tzinfo) -> tuple[int, int]:
    """First millisecond of what a text names, and the first after it."""
    said = text.strip()
    try:
        partial = _PARTIAL.fullmatch(said)
        if partial:
            begin, after = _calendar(partial, zone)
        else:
            begin = _time(said, zone)
            after = begin + timedelta(milliseconds=1 if begin.microsecond else 1000)
        return epoch_ms(begin), epoch_ms(after)
    except (ValueError, OverflowError) as problem:
        raise BadArgument(
            f"`{field}` is “{text[:40]}”, which is no date. Give {ACCEPTED}.",
            field=field,
            accepted=ACCEPTED,
        ) from problem


def _calendar(partial: re.Match[str], zone: tzinfo) -> tuple[datetime, datetime]:
    year, month, day = partial.groups()
    begin = datetime(int(year), int(month or 1), int(day or 1), tzinfo=zone)
    if day:
        following = begin + timedelta(days=1)
    elif month:
        following = (begin + timedelta(days=32)).replace(day=1)
    else:
        following = begin.replace(year=begin.year + 1)
    return begin, following


def _time(said: str, zone: tzinfo) -> datetime:
    """A day with a time; Python reads more forms, some of them as a midnight that nobody meant."""
    if not _TIME.fullmatch(said):
        raise ValueError(said)
    moment = datetime.fromisoformat(said)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)
