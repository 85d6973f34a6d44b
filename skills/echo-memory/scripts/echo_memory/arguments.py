"""Arguments: what an operation accepts from outside, checked the same way at every door."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date

from echo_memory.errors import BadRequest

MAX_LINE = 1_000
MAX_REFERENCE = 2_000
MAX_TEXT = 500_000

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BREAK = re.compile(r"[\r\n\x85\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def text(value: object, field: str, *, limit: int = MAX_TEXT, required: bool = False) -> str:
    """A string of any number of lines, with LF line endings; at most `limit` characters.

    Raises:
        BadRequest: another type, too long, a control character or half a surrogate pair, or empty
            where it is required.
    """
    if not isinstance(value, str):
        raise BadRequest(f"{field} is not text. Give it as a string.", field=field)
    if len(value) > limit:
        raise BadRequest(
            f"{field} has {len(value)} characters. At most {limit} are accepted.", field=field
        )
    if _CONTROL.search(value) or _SURROGATE.search(value):
        raise BadRequest(
            f"{field} holds a control character or half of a character pair. Send plain text.",
            field=field,
        )
    if required and not value.strip():
        raise BadRequest(f"{field} is empty. Say something in it.", field=field)
    return value.replace("\r\n", "\n").replace("\r", "\n")


def line(value: object, field: str, *, limit: int = MAX_LINE, required: bool = False) -> str:
    """A string on one line, without space around it."""
    words = text(value, field, limit=limit, required=required).strip()
    if _BREAK.search(words):
        raise BadRequest(f"{field} has a line break. Give one line.", field=field)
    return words


def reference(
    value: object, field: str, *, limit: int = MAX_REFERENCE, required: bool = True
) -> str:
    """A path, an id or a name; space around it stays, for a file's name may begin with it."""
    words = text(value, field, limit=limit, required=required)
    if _BREAK.search(words):
        raise BadRequest(f"{field} has a line break. Give one line.", field=field)
    return words


def lines(value: object, field: str, *, most: int) -> tuple[str, ...]:
    """A list of one-line strings; empty ones and repeats are left out."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise BadRequest(f"{field} is not a list. Give a list of strings.", field=field)
    if len(value) > most:
        raise BadRequest(
            f"{field} has {len(value)} items. At most {most} are accepted.", field=field
        )
    items = [line(item, f"{field}[{at}]") for at, item in enumerate(value)]
    return tuple(dict.fromkeys(item for item in items if item))


def choice(value: object, field: str, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise BadRequest(
            f"{field} is none of the accepted values. Use one of: {', '.join(choices)}.",
            field=field,
            choices=list(choices),
        )
    return value


def integer(value: object, field: str, *, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise BadRequest(
            f"{field} is out of range. Give a whole number from {low} to {high}.", field=field
        )
    return value


def flag(value: object, field: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise BadRequest(f"{field} is neither true nor false. Give one of them.", field=field)
    return value


def day(value: object, field: str) -> str:
    """A date as `YYYY-MM-DD`."""
    written = line(value, field)
    try:
        parsed = date.fromisoformat(written)
    except ValueError:
        parsed = None
    if parsed is None or parsed.isoformat() != written:
        raise BadRequest(f"{field} is not a date. Write it as YYYY-MM-DD.", field=field)
    return written
