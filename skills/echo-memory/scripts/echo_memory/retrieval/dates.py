"""A date named in a question: the days meant by "in March 2024", "last week" or "on Monday"."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from echo_memory.retrieval.date_words import (
    AGO,
    CUES,
    FRENCH,
    LAST,
    MONTHS,
    NEXT,
    NUMBERS,
    PHRASES,
    SHORT_MONTHS,
    THIS,
    UNITS,
    VERBS,
    WEEKDAYS,
)

_MAX_QUESTION = 1_000
_UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_EXACT_DAYS_AGO = 3

Days = tuple[date, date]
_Read = Callable[[re.Match[str], date], Iterable[Days]]
_Rule = tuple[re.Pattern[str], _Read, bool, re.Pattern[str]]


@dataclass(frozen=True)
class Span:
    """Days that a question names, as `YYYY-MM-DD`, the last one included.

    Attributes:
        first: the first day.
        last: the last day.
        said: offsets of the words that name them; equal where these may as well be something
            else, as a year alone.
        literal: a note may say the same words, as it may not if they point from today
            ("last week").
    """

    first: str
    last: str
    said: tuple[int, int] = (0, 0)
    literal: bool = False


def spans(question: str, today: date) -> list[Span]:
    """The days that a question names, as seen from today.

    A month, a day or a weekday without more is the last one, today included, and also the next one
    where that is as near.
    """
    found: list[Span] = []
    rest = question[:_MAX_QUESTION]
    for pattern, read, literal, needed in _RULES:
        for match in pattern.finditer(rest) if needed.search(rest) else ():
            meant = _meant(match, read, today, literal=literal)
            found += meant
            if meant:
                start, end = match.span()
                rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    return found


def is_named(day: str, named: Iterable[Span]) -> bool:
    """Whether a day, as `YYYY-MM-DD`, is in one of the spans."""
    return any(span.first <= day <= span.last for span in named)


def _meant(match: re.Match[str], read: _Read, today: date, *, literal: bool) -> list[Span]:
    try:
        ranges = list(read(match, today))
    except (ValueError, OverflowError):  # 31 February, or outside the calendar
        return []
    said = (0, 0) if read is _by_year else match.span()
    if match.string[: match.start()].rstrip().lower().endswith("since"):
        ranges = [(first, max(last, today)) for first, last in ranges if first <= today]
    return [Span(first.isoformat(), last.isoformat(), said, literal) for first, last in ranges]


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


def _by_day_and_month(match: re.Match[str], today: date) -> Iterable[Days]:
    """24.11."""
    return _nearest(int(match["number"]), match["day"], today)


def _by_characters(match: re.Match[str], today: date) -> Iterable[Days]:
    """2026年11月24日, 11月24日 or 11月."""
    month, day, year = int(match["number"]), match["day"], match["year"]
    return [_days(int(year), month, day)] if year else _nearest(month, day, today)


def _by_month(match: re.Match[str], today: date) -> Iterable[Days]:
    """In March, in Feb; but march and may are also verbs, and mar is something else."""
    name = match["month"].lower()
    before = match.string[: match.start()].rstrip().lower().split(" ")[-1]
    capital = match.start() > 0 and match["month"][0].isupper()
    plain = name not in SHORT_MONTHS or (name in VERBS and capital)
    if (not plain or (name in VERBS and not capital)) and before not in CUES:
        return []
    return _nearest(_month_number(match["month"]), None, today)


def _by_which_month(match: re.Match[str], today: date) -> Iterable[Days]:
    """Last March is before this month, next March after it."""
    month, step = _month_number(match["month"]), _step(match)
    if step > 0:
        return [_days(today.year + (month <= today.month), month)]
    return [_days(today.year - (step < 0 and month >= today.month), month)]


def _by_weekday(match: re.Match[str], today: date) -> Iterable[Days]:
    """On Monday; last Monday is before today, next Monday after it."""
    number, step = _place(match["weekday"], WEEKDAYS), _step(match)
    latest = today - timedelta((today.weekday() - number) % 7)
    if step > 0:
        return [_single(latest + timedelta(7))]
    if step < 0:
        return [_single(latest - timedelta(7 if latest == today else 0))]
    if match["which"]:
        return [_single(today + timedelta(number - today.weekday()))]
    return [_single(latest), _single(latest + timedelta(7))]


def _by_which_unit(match: re.Match[str], today: date) -> Iterable[Days]:
    """Last week is the calendar's; the past week, or the last two, are counted from today."""
    unit, count, step = _unit_name(match["unit"]), match["count"], _step(match)
    if count or match["which"].lower() == "past":
        length = timedelta(_number(count or "one") * _UNIT_DAYS[unit])
        return [(today, today + length) if step > 0 else (today - length, today)]
    return [_unit(unit, today, step)]


def _by_weekend(match: re.Match[str], today: date) -> Iterable[Days]:
    step = _step(match)
    saturday = today + timedelta(5 - today.weekday())
    if step < 0 or (not match["which"] and saturday > today):
        saturday -= timedelta(7)
    if step > 0:
        saturday += timedelta(7)
    return [(saturday, saturday + timedelta(1))]


def _by_distance(match: re.Match[str], today: date) -> Iterable[Days]:
    """Three weeks ago is that week; ten days ago is about that day."""
    number, unit = _number(match["count"]), _unit_name(match["unit"])
    if unit != "day":
        return [_unit(unit, today, -number)]
    day, slack = today - timedelta(number), timedelta(number > _EXACT_DAYS_AGO)
    return [(day - slack, day + slack)]


def _by_phrase(unit: str, step: int) -> _Read:
    """Yesterday, or last month in other languages."""
    return lambda _, today: [_unit(unit, today, step)]


def _by_hier(match: re.Match[str], today: date) -> Iterable[Days]:
    is_french = re.search(FRENCH, match.string, re.IGNORECASE)
    return [_unit("day", today, -1)] if is_french else []


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
    return _place(name, MONTHS) + 1


def _place(name: str, patterns: Sequence[str]) -> int:
    """Which of some patterns a name fits."""
    return next(at for at, one in enumerate(patterns) if re.fullmatch(one, name, re.IGNORECASE))


def _unit_name(written: str) -> str:
    return tuple(UNITS)[_place(written, tuple(UNITS.values()))]


def _step(match: re.Match[str]) -> int:
    """Which way "last", "this" or "next" points."""
    which = match["which"] or ""
    if re.fullmatch(LAST, which, re.IGNORECASE):
        return -1
    return int(re.fullmatch(NEXT, which, re.IGNORECASE) is not None)


def _number(count: str) -> int:
    return int(count) if count.isdigit() else NUMBERS[" ".join(count.lower().split())]


def _rule(pattern: str, read: _Read, *, literal: bool = False, needs: str = "") -> _Rule:
    """A rule; it is not tried, for that takes long, where what it needs is not in the question."""
    pattern = pattern.replace(" ", r"\s+")
    return re.compile(pattern, re.IGNORECASE), read, literal, re.compile(needs)


def _in_numbers(pattern: str, read: _Read, *, literal: bool = True) -> _Rule:
    return _rule(pattern, read, literal=literal, needs=r"\d")


def _phrase(unit: str, step: int, spaced: str, unspaced: str) -> _Rule:
    alone = rf"(?<!\w)(?:{spaced})(?!\w)"
    return _rule(f"{alone}|{unspaced}" if unspaced else alone, _by_phrase(unit, step))


_MONTH = rf"\b(?P<month>{'|'.join(MONTHS)})\b\.?"
_DAY = r"\b(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.|-?го)?(?!\w)"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_NUMBER = r"(?P<number>\d{1,2})"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)})"
_WHICH = rf"(?P<which>{LAST}|{THIS}|{NEXT})"
_UNIT = rf"(?P<unit>{'|'.join(UNITS.values())})"
_NOT_INSIDE, _NOR_BEFORE = r"(?<![\w.,:/-])", r"(?![\w/-]|[.,:]\d)"
_CHARACTERS = (
    r"(?<!\d)(?:(?P<year>(?:19|20)\d\d)\s*[年년]\s*)?(?P<number>\d{1,2})\s*[月월]"
    r"(?:\s*(?P<day>\d{1,2})\s*[日号號일])?"
)

# The most telling first: what one rule has read, the next ones do not see.
_RULES = (
    _in_numbers(rf"{_NOT_INSIDE}{_YEAR}-{_NUMBER}-(?P<day>\d\d){_NOR_BEFORE}", _by_number),
    _in_numbers(rf"{_NOT_INSIDE}(?P<day>\d{{1,2}})\.{_NUMBER}\.{_YEAR}{_NOR_BEFORE}", _by_number),
    _in_numbers(rf"{_NOT_INSIDE}{_YEAR}-{_NUMBER}{_NOR_BEFORE}", _by_number),
    _in_numbers(_CHARACTERS, _by_characters),
    _in_numbers(rf"{_DAY}(?: of| de)? {_MONTH}(?:,?(?: de| года)? {_YEAR})?", _by_name),
    _in_numbers(rf"{_MONTH} {_DAY}(?:,? {_YEAR})?", _by_name),
    _in_numbers(rf"{_MONTH}(?: of| de|,)? {_YEAR}", _by_name),
    _in_numbers(rf"{_NOT_INSIDE}(?P<day>\d{{1,2}})\.{_NUMBER}\.(?!\w)", _by_day_and_month),
    *(_rule(rf"\b{one.format(count=_COUNT, unit=_UNIT)}(?!\w)", _by_distance) for one in AGO[:2]),
    _rule(AGO[2].format(count=_COUNT, unit=_UNIT), _by_distance, needs=AGO[2][-1]),
    *(_phrase(*entry) for entry in PHRASES),
    _rule(r"\bhier\b", _by_hier),
    _rule(rf"\b{_WHICH}(?: {_COUNT})? {_UNIT}\b", _by_which_unit),
    _rule(rf"\b(?:{_WHICH} )?weekend\b", _by_weekend),
    _rule(rf"(?:\b{_WHICH} )?\b(?P<weekday>{'|'.join(WEEKDAYS)})\b", _by_weekday),
    _rule(rf"\b{_WHICH} {_MONTH}", _by_which_month),
    _rule(_MONTH, _by_month, literal=True),
    _in_numbers(rf"{_NOT_INSIDE}{_YEAR}{_NOR_BEFORE}", _by_year, literal=False),
)
