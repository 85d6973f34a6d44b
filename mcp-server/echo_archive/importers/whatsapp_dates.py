"""WhatsApp's dates: which part is the day and which the month, and never guessed in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from echo_archive.importers.whatsapp_header import Header

DMY, MDY, YMD = "dmy", "mdy", "ymd"
_MONTHS = 12
_CENTURY = 2000
_MEDIA_DATE = re.compile(
    r"(?:(?:IMG|VID|AUD|PTT|STK|DOC)-(\d{4})(\d\d)(\d\d)-WA|-(?:PHOTO|VIDEO|AUDIO|GIF|STICKER)-(\d{4})-(\d\d)-(\d\d)-)"
)
_SLACK = timedelta(days=1)


@dataclass(slots=True)
class DateOrder:
    """What the headers of a file say about the order of day and month, gathered row by row.

    Attributes:
        with_dots: Whether dots stand between the parts, as nobody writes who begins with the month.
    """

    year_first: bool = False
    with_dots: bool = False
    _big_first: int = 0
    _big_second: int = 0
    _media: dict[str, int] = field(default_factory=lambda: {DMY: 0, MDY: 0})
    _steps_back: dict[str, int] = field(default_factory=lambda: {DMY: 0, MDY: 0})
    _latest: dict[str, date] = field(default_factory=dict)
    _last: dict[str, date] = field(default_factory=dict)
    _seen: tuple[int, int, int] | None = None

    def take(self, header: Header, rest: str) -> None:
        """Look at a row."""
        if header.shape.year_first:
            self.year_first = True
            return
        self.with_dots = header.shape.separator == "."
        first, second, _ = header.date
        if "-" in rest:
            self._compare_media(first, second, rest)
        if header.date == self._seen:
            return
        self._seen = header.date
        self._big_first += first > _MONTHS
        self._big_second += second > _MONTHS
        for order in (DMY, MDY):
            day = day_of(header.date, order)
            if day is None:
                continue
            self._steps_back[order] += order in self._last and day < self._last[order]
            self._last[order] = day
            self._latest[order] = max(day, self._latest.get(order, day))

    def _compare_media(self, first: int, second: int, rest: str) -> None:
        found = _MEDIA_DATE.search(rest)
        if not found:
            return
        month, day = int(found[2] or found[5]), int(found[3] or found[6])
        self._media[DMY] += (first, second) == (day, month) and day != month
        self._media[MDY] += (first, second) == (month, day) and day != month

    def settle(self, asked: str | None, written: float | None, doubt: Callable[[str], None]) -> str:
        """The order; what was only likely is said.

        Args:
            asked: What the person said.
            written: When the export was written, in seconds since 1970.
            doubt: Takes what the person should know.
        """
        if self.year_first:
            return YMD
        sure = self._by_size(doubt)
        if sure:
            if asked in (DMY, MDY) and asked != sure:
                doubt("the dates are not in the order that was asked for; a part above 12 shows it")
            return sure
        if asked in (DMY, MDY, YMD):
            return asked
        if self.with_dots:
            return DMY
        likely = self._by_media() or self._by_steps() or self._by_end(written)
        if likely:
            return likely
        doubt(
            "day and month cannot be told apart in this file and were read as day/month;"
            " import again with --date-order mdy if that is wrong"
        )
        return DMY

    def _by_size(self, doubt: Callable[[str], None]) -> str | None:
        if self._big_first and self._big_second:
            doubt("some dates are written day first and some month first; rows may be missing")
        if self._big_first > self._big_second:
            return DMY
        return MDY if self._big_second else None

    def _by_media(self) -> str | None:
        return _fewer(self._media[MDY], self._media[DMY])

    def _by_steps(self) -> str | None:
        return _fewer(self._steps_back[DMY], self._steps_back[MDY])

    def _by_end(self, written: float | None) -> str | None:
        """The order under which nothing was written after the file was."""
        if written is None or len(self._latest) < len((DMY, MDY)):
            return None
        end = datetime.fromtimestamp(written, UTC).date() + _SLACK
        late = {order: day > end for order, day in self._latest.items()}
        return _fewer(late[DMY], late[MDY])


def _fewer(dmy: int, mdy: int) -> str | None:
    if dmy == mdy:
        return None
    return DMY if dmy < mdy else MDY


def day_of(parts: tuple[int, int, int], order: str) -> date | None:
    """The day that three parts mean in an order, or None when there is no such day."""
    first, second, third = parts
    if order == YMD:
        year, month, day = first, second, third
    else:
        year = third
        day, month = (first, second) if order == DMY else (second, first)
    try:
        return date(year if year > 99 else year + _CENTURY, month, day)
    except ValueError:
        return None
