"""The wall clock: times written without a zone, as instants."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from echo_archive.errors import BadArgument

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_NAIVE = datetime.combine(_EPOCH.date(), time())
_MILLISECOND = timedelta(milliseconds=1)
_HOUR = timedelta(hours=1)


def zone_named(name: str) -> ZoneInfo:
    """The IANA zone of that name.

    Raises:
        BadArgument: There is none.
    """
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as problem:
        raise BadArgument(
            f"There is no time zone called {name[:60]!r}. Use an IANA name such as Europe/Berlin.",
            field="timezone",
        ) from problem


def epoch_ms(moment: datetime) -> int:
    """Milliseconds since 1970 of a moment with a zone."""
    return (moment - _EPOCH) // _MILLISECOND


class WallClock:
    """One conversation's clock on the wall.

    Times come in the order of the file, so that the second pass through the hour that autumn
    repeats is told from the first: it begins where the times go back.
    """

    def __init__(self, zone: str) -> None:
        self.mark = f"assumed:{zone}"
        self.in_gap = False
        self._zone = zone_named(zone)
        self._last: datetime | None = None
        self._second_pass = False
        self._offsets: dict[tuple[int, int, int, int, int], tuple[int, int]] = {}

    def instant_ms(self, local: datetime) -> int:
        """Milliseconds since 1970; `in_gap` says whether spring leaves out that time of day.

        Such a time is moved forward by what was left out.
        """
        first, second = self._offsets_of(local)
        self.in_gap = first < second
        if first > second:
            self._second_pass = self._in_second_pass(local, timedelta(milliseconds=first - second))
            offset = second if self._second_pass else first
        else:
            self._second_pass = False
            offset = first
        self._last = local
        return (local - _EPOCH_NAIVE) // _MILLISECOND - offset

    def _in_second_pass(self, local: datetime, repeated: timedelta) -> bool:
        if self._second_pass:
            return True
        if self._last is None or local >= self._last:
            return False
        return self._last - local < repeated

    def _offsets_of(self, local: datetime) -> tuple[int, int]:
        """The offset in milliseconds before and after a change, by the quarter of an hour."""
        quarter = (local.year, local.month, local.day, local.hour, local.minute // 15)
        known = self._offsets.get(quarter)
        if known is None:
            if len(self._offsets) > 50_000:
                self._offsets.clear()
            known = self._offsets[quarter] = (self._offset(local, 0), self._offset(local, 1))
        return known

    def _offset(self, local: datetime, fold: int) -> int:
        offset = local.replace(tzinfo=self._zone, fold=fold).utcoffset()
        return (offset or timedelta(0)) // _MILLISECOND
