"""A date named in a question: the days meant by "in March 2024", "last week" or "on Monday"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

_MAX_QUESTION = 1_000

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBERS = {
    "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "an": 1, "a": 1, "one": 1, "two": 2,
    "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_EXACT_DAYS_AGO = 3
_LAST, _NEXT = ("last", "previous", "past"), ("next", "coming")
_VERBS = ("march", "may")
_CUES = ("in", "of", "since", "during", "until", "from", "before", "after", "by", "around")

Days = tuple[date, date]
_Read = Callable[[re.Match[str], date], Iterable[Days]]


@dataclass(frozen=True)
class Span:
    """Days that a question names, as `YYYY-MM-DD`, the last one included.

    Attributes:
        first: the first day.
        last: the last day.
        said: offsets of words by which no note can be found, because they only point from today
            ("last week") or are the bare number of a day; equal where there are none.
    """

    first: str
    last: str
    said: tuple[int, int] = (0, 0)


def spans(question: str, today: date) -> list[Span]:
    """The days that an English question names, as seen from today.

    A month, a day or a weekday without more is the last one, today included, and also the next one
    where that is as near.
    """
    found: list[Span] = []
    rest = question[:_MAX_QUESTION]
    for pattern, read in _RULES:
        for match in pattern.finditer(rest):
            meant = _meant(match, read, today)
            found += meant
            if meant:
                start, end = match.span()
                rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    return found


def is_named(day: str, named: Iterable[Span]) -> bool:
    """Whether a day, as `YYYY-MM-DD`, is in one of the spans."""
    return any(span.first <= day <= span.last for span in named)


class Calendar:
    """Which notes are of which day."""

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, None]] = {}

    def put(self, key: str, days: Iterable[str]) -> None:
        """Note that a key is of some days, beside those that it has."""
        for day in days:
            self._keys.setdefault(day, {})[key] = None

    def drop(self, key: str, days: Iterable[str]) -> None:
        """Note that a key is of some days no more."""
        for day in days:
            keys = self._keys.get(day, {})
            keys.pop(key, None)
            if not keys:
                self._keys.pop(day, None)

    def within(self, named: Sequence[Span]) -> set[str]:
        """The keys that are of a day in one of the spans."""
        days = list(self._keys.items()) if named else []
        return {key for day, keys in days if is_named(day, named) for key in list(keys)}


def _meant(match: re.Match[str], read: _Read, today: date) -> list[Span]:
    try:
        ranges = list(read(match, today))
    except (ValueError, OverflowError):  # 31 February, or outside the calendar
        return []
    groups = match.groupdict()
    said = match.span("said") if groups.get("said") else (0, 0)
    since = match.string[: match.start()].rstrip().lower().endswith("since")
    if since:
        ranges = [(first, max(last, today)) for first, last in ranges if first <= today]
    return [Span(first.isoformat(), last.isoformat(), said) for first, last in ranges]


def _by_number(match: re.Match[str], today: date) -> Iterable[Days]:
    """2024-03-05, 5.3.2024 or 2024-03."""
    return [_days(int(match["year"]), int(match["number"]), match.groupdict().get("day"))]


def _by_name(match: re.Match[str], today: date) -> Iterable[Days]:
    """5 March 2024, March 5th or March 2024."""
    groups = match.groupdict()
    month, day, year = _month_number(match["month"]), groups.get("day"), groups.get("year")
    return [_days(int(year), month, day)] if year else _nearest(month, day, today)


def _by_year(match: re.Match[str], today: date) -> Iterable[Days]:
    return [_year(int(match["year"]))]


def _by_month(match: re.Match[str], today: date) -> Iterable[Days]:
    """In March, in Feb; but march and may are also verbs, and mar is something else."""
    name = match["month"].lower()
    before = match.string[: match.start()].rstrip().lower().split(" ")[-1]
    capital = match.start() > 0 and match["month"][0].isupper()
    plain = name in _MONTHS and (name not in _VERBS or capital)
    if not plain and before not in _CUES:
        return []
    return _nearest(_month_number(match["month"]), None, today)


def _by_which_month(match: re.Match[str], today: date) -> Iterable[Days]:
    """Last March is before this month, next March after it."""
    month, which = _month_number(match["month"]), match["which"].lower()
    if which in _NEXT:
        return [_days(today.year + (month <= today.month), month)]
    return [_days(today.year - (which in _LAST and month >= today.month), month)]


def _by_weekday(match: re.Match[str], today: date) -> Iterable[Days]:
    """On Monday; last Monday is before today, next Monday after it."""
    number, which = _WEEKDAYS.index(match["weekday"].lower()), (match["which"] or "").lower()
    latest = today - timedelta((today.weekday() - number) % 7)
    if which in _NEXT:
        return [_single(latest + timedelta(7))]
    if which in _LAST:
        return [_single(latest - timedelta(7 if latest == today else 0))]
    if which:
        return [_single(today + timedelta(number - today.weekday()))]
    return [_single(latest), _single(latest + timedelta(7))]


def _by_which_unit(match: re.Match[str], today: date) -> Iterable[Days]:
    """Last week is the calendar's; the past week, or the last two, are counted from today."""
    which, unit, count = match["which"].lower(), match["unit"].lower(), match["count"]
    if count or which == "past":
        length = timedelta(_number(count or "one") * _UNIT_DAYS[unit])
        return [(today, today + length) if which in _NEXT else (today - length, today)]
    step = -1 if which in _LAST else int(which in _NEXT)
    return [_unit(unit, today, step)]


def _by_weekend(match: re.Match[str], today: date) -> Iterable[Days]:
    which = (match["which"] or "").lower()
    saturday = today + timedelta(5 - today.weekday())
    if which in _LAST or (not which and saturday > today):
        saturday -= timedelta(7)
    if which in _NEXT:
        saturday += timedelta(7)
    return [(saturday, saturday + timedelta(1))]


def _by_distance(match: re.Match[str], today: date) -> Iterable[Days]:
    """Three weeks ago is that week; ten days ago is about that day."""
    number, unit = _number(match["count"]), match["unit"].lower()
    if unit != "day":
        return [_unit(unit, today, -number)]
    day, slack = today - timedelta(number), timedelta(number > _EXACT_DAYS_AGO)
    return [(day - slack, day + slack)]


def _by_today(match: re.Match[str], today: date) -> Iterable[Days]:
    word = match["said"].lower()
    ahead = {"tomorrow": 1, "yesterday": -1}.get(word, -2 if " " in word else 0)
    return [_single(today + timedelta(ahead))]


def _single(day: date) -> Days:
    return day, day


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def _days(year: int, month: int, day: str | None = None) -> Days:
    if day:
        return _single(date(year, month, int(day)))
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _unit(unit: str, today: date, step: int) -> Days:
    """The week, month or year that is `step` of them from today's."""
    if unit == "day":
        return _single(today + timedelta(step))
    if unit == "week":
        monday = today + timedelta(7 * step - today.weekday())
        return monday, monday + timedelta(6)
    if unit == "year":
        return _year(today.year + step)
    year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
    return _days(year, month + 1)


def _nearest(month: int, day: str | None, today: date) -> list[Days]:
    """The last time, and the next where that is nearer."""
    times = [
        _days(year, month, day)
        for year in range(max(1, today.year - 4), min(9999, today.year + 4) + 1)
        if not (day and int(day) > monthrange(year, month)[1])
    ]
    past = [time for time in times if time[0] <= today][-1:]
    ahead = [time for time in times if time[0] > today][:1]
    nearer = past and ahead and ahead[0][0] - today < today - past[0][1]
    return past + ahead if nearer else past


def _month_number(name: str) -> int:
    return next(at for at, full in enumerate(_MONTHS, 1) if full.startswith(name.lower()[:3]))


def _number(count: str) -> int:
    return int(count) if count.isdigit() else _NUMBERS[count.lower()]


def _rule(pattern: str, read: _Read) -> tuple[re.Pattern[str], _Read]:
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), read


_MONTH = rf"\b(?P<month>{'|'.join(_MONTHS)}|sept|{'|'.join(name[:3] for name in _MONTHS)})\b\.?"
_DAY = r"\b(?P<said>(?P<day>\d{1,2})(?:st|nd|rd|th)?)\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_NUMBER = r"(?P<number>\d{1,2})"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_WHICH = r"(?P<which>last|previous|past|this|current|next|coming)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_NOT_INSIDE, _NOR_BEFORE = r"(?<![\w.,:/-])", r"(?![\w/-]|[.,:]\d)"

# The most telling first: what one rule has read, the next ones do not see.
_RULES = (
    _rule(rf"{_NOT_INSIDE}{_YEAR}-{_NUMBER}-(?P<day>\d\d){_NOR_BEFORE}", _by_number),
    _rule(rf"{_NOT_INSIDE}(?P<day>\d{{1,2}})\.{_NUMBER}\.{_YEAR}{_NOR_BEFORE}", _by_number),
    _rule(rf"{_NOT_INSIDE}{_YEAR}-{_NUMBER}{_NOR_BEFORE}", _by_number),
    _rule(rf"{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?", _by_name),
    _rule(rf"{_MONTH} {_DAY}(?:,? {_YEAR})?", _by_name),
    _rule(rf"{_MONTH}(?: of|,)? {_YEAR}", _by_name),
    _rule(rf"(?P<said>\b{_COUNT} {_UNIT} ago)\b", _by_distance),
    _rule(rf"(?P<said>\b{_WHICH}(?: {_COUNT})? {_UNIT})\b", _by_which_unit),
    _rule(rf"(?P<said>\b(?:{_WHICH} )?weekend)\b", _by_weekend),
    _rule(
        r"(?P<said>\b(?:the day before yesterday|yesterday|today|tonight|tomorrow))\b", _by_today
    ),
    _rule(rf"(?:(?P<said>\b{_WHICH}) )?\b(?P<weekday>{'|'.join(_WEEKDAYS)})\b", _by_weekday),
    _rule(rf"(?P<said>\b{_WHICH}) {_MONTH}", _by_which_month),
    _rule(_MONTH, _by_month),
    _rule(rf"{_NOT_INSIDE}{_YEAR}{_NOR_BEFORE}", _by_year),
)
