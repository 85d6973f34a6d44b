"""WhatsApp's headers: how a phone writes the date and time before a message."""

from __future__ import annotations

import re
from dataclasses import dataclass

MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_LETTERS = {
    **{0x660 + digit: str(digit) for digit in range(10)},
    **{0x6F0 + digit: str(digit) for digit in range(10)},
    0x60C: ",",
    0x202F: " ",
    0xA0: " ",
    0x2013: "-",
    0x2014: "-",
}
_NO_MARKS = dict.fromkeys(map(ord, MARKS))
_M = f"[{MARKS}]*"
_DATE = rf"(\d{{1,4}}){_M} ?([/.-]){_M} ?(\d{{1,2}}){_M} ?\2{_M} ?(\d{{1,4}})\.?{_M}"
_BEFORE = r"(?:[^\W\d_][^\W\d_.]{0,7}\.? ?)?"
_AFTER = r"[^\W\d_](?:[^\W\d_]{0,3}|\. ?[^\W\d_]\.?|[^\W\d_]\. ?[^\W\d_]\.?)"
_TIME = rf"{_M}({_BEFORE}){_M}(\d{{1,2}})[:.](\d\d)(?:[:.](\d\d))?{_M}(?: ?({_AFTER}))?{_M}"
_STYLES = (
    ("ios", re.compile(rf"{_M}\[{_DATE}[, ]{{1,2}}{_TIME}\] ?")),
    ("android", re.compile(rf"{_M}{_DATE}[, ]{{1,2}}{_TIME} - ")),
    ("old", re.compile(rf"{_M}{_DATE}[, ]{{1,2}}{_TIME}: ")),
)
_MORNING = frozenset(
    ["am", "ص", "قظ", "午前", "上午", "오전", "πμ", "de", "fm", "sa", "öö", "pg", "pd", "dop", "ap"]
)
_AFTERNOON = frozenset(
    [
        "pm",
        "م",
        "بظ",
        "午後",
        "下午",
        "오후",
        "μμ",
        "du",
        "em",
        "ch",
        "ös",
        "ptg",
        "md",
        "odp",
        "ip",
    ]
)
_NO_MARK = frozenset(["klo", "um", "kl", "às", "à", "at", "alle", "om", "в", "lúc", "pukul", "ora"])


@dataclass(frozen=True, slots=True)
class Shape:
    """What all headers of one file have in common.

    Attributes:
        style: `ios` with brackets, `android` with a dash, `old` with a colon.
        year_first: Whether the year stands before the other parts.
        year_width: Digits of the year.
        half_days: Whether it is a clock of twelve hours.
    """

    style: str
    separator: str
    year_first: bool
    year_width: int
    half_days: bool
    seconds: bool


@dataclass(frozen=True, slots=True)
class Header:
    """One header as found.

    Attributes:
        written: Date and time as written, without marks of direction.
        date: The three parts in their written order.
        end: Where it ends in the line.
    """

    shape: Shape
    written: str
    date: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    end: int


def header_of(line: str, style: str | None = None) -> Header | None:
    """The header that a line begins with, of any style or of one.

    Digits, blanks and commas of other scripts count as ours, one for one.
    """
    head = line[:64]
    if not head or not any(letter.isdigit() for letter in head[:8]):
        return None
    plain = head if head.isascii() else head.translate(_LETTERS)
    for name, pattern in _STYLES:
        if style in (None, name) and (found := pattern.match(plain)):
            return _header(name, found)
    return None


def _header(style: str, found: re.Match[str]) -> Header | None:
    first, separator, middle, last, before, hour, minute, second, after = found.groups()
    half = _half(before, after)
    if half is None:
        return None
    year_first = len(first) > 2
    year = first if year_first else last
    if len(year) not in (2, 4) or len(middle) > 2 or (year_first and len(last) > 2):
        return None
    shape = Shape(style, separator, year_first, len(year), half != "none", second is not None)
    hours = int(hour)
    if half != "none" and hours <= 12:
        hours = hours % 12 + (12 if half == "pm" else 0)
    text = found[0].translate(_NO_MARKS).strip("[]:- ")
    date = (int(first), int(middle), int(last))
    return Header(shape, text, date, hours, int(minute), int(second or 0), found.end())


def _half(before: str, after: str | None) -> str | None:
    """`am`, `pm` or `none`; None when a word stands there that is no mark of half a day."""
    words = (_plain(before), _plain(after or ""))
    if words[0] in _NO_MARK:
        words = ("", words[1])
    if not any(words):
        return "none"
    if all(words):
        return None
    word = words[0] or words[1]
    return "am" if word in _MORNING else "pm" if word in _AFTERNOON else None


def _plain(mark: str) -> str:
    return mark.replace(".", "").replace(" ", "").casefold()
