"""YAML values: what a plain scalar means, and how a value is written so that all read it alike.

Two readers matter: PyYAML with its YAML 1.1 rules, and Obsidian with YAML 1.2. Reading follows the
first, but that dates, times and numbers that JSON lacks stay as they are written. Writing quotes
whatever either of them would take for something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date

MAX_DEPTH = 50

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0b(?P<two>[01_]+)|0x(?P<sixteen>[0-9a-fA-F_]+)"
    r"|0(?P<eight>[0-7_]+)|(?P<ten>0|[1-9][0-9_]*))"
)
_MAX_DIGITS = 1000
_BASES = {"two": 2, "eight": 8, "ten": 10, "sixteen": 16}
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
)
_KEYWORDS = ("<<", "=")

_RESERVED = frozenset(("y", "yes", "n", "no", "on", "off", "true", "false", "null"))
_NUMBERLIKE = re.compile(r"(?:[0-9]|[eE][0-9])[-+.,:_0-9a-fA-FxXoOtTzZ ]*")
_BARE = re.compile(r"[^\W]|[/(]")
_BREAKS_BARE = re.compile(r":(?= |$)| #")
_FLOW_MARKS = re.compile(r"[][{},?:]")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UNPRINTABLE = re.compile(
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def resolve(plain: str) -> str | int | float | bool | None:
    """What an unquoted scalar means.

    Raises:
        ValueError: it looks like a number and is none, or it is one of YAML 1.1's operators.
    """
    if plain in _WORDS:
        return _WORDS[plain]
    if plain in _KEYWORDS:
        raise ValueError(plain)
    found = _INTEGER.fullmatch(plain)
    if found:
        return _integer(found)
    if _FLOAT.fullmatch(plain):
        number = float(plain.replace("_", ""))
        return number if math.isfinite(number) else plain
    return plain


def _integer(found: re.Match[str]) -> int:
    base = found.lastgroup or ""
    digits = found[base].replace("_", "")
    if base == "eight" and not digits:
        return 0
    if len(digits) > _MAX_DIGITS:
        raise ValueError("a number that is too long")
    return int(found["sign"] + digits, _BASES[base])


def write(value: object, *, flow: bool = False, as_date: bool = False) -> str:
    """A value on one line, lists and maps in brackets.

    Args:
        value: what JSON can say: text, number, bool, None, and lists and maps of these.
        flow: it stands within brackets, where more characters have a meaning.
        as_date: text that is a date, `YYYY-MM-DD`, stays bare.

    Raises:
        ValueError: it cannot be written: not a value of JSON, not Unicode text, nested too deep.
    """
    return _write(value, flow=flow, as_date=as_date, depth=0)


def _write(value: object, *, flow: bool, as_date: bool = False, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    if isinstance(value, str):
        return value if as_date and _is_date(value) else _write_text(value, flow=flow)
    if isinstance(value, Mapping):
        pairs = (
            f"{write_key(k, flow=True)}: {_write(v, flow=True, depth=depth + 1)}"
            for k, v in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_write(v, flow=True, depth=depth + 1) for v in value) + "]"
    return _write_constant(value)


def write_key(key: object, *, flow: bool = False) -> str:
    """A map's key.

    Raises:
        ValueError: it is not text.
    """
    if not isinstance(key, str):
        raise ValueError("a key that is not text")  # noqa: TRY004
    return _write_text(key, flow=flow)


def _write_constant(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        # YAML 1.1 wants a point in the mantissa: `1e-07` would be read as text.
        mantissa, mark, exponent = repr(value).partition("e")
        return (mantissa if "." in mantissa else f"{mantissa}.0") + mark + exponent
    raise ValueError("not a value that JSON knows")


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _write_text(text: str, *, flow: bool) -> str:
    if _SURROGATE.search(text):
        raise ValueError("not Unicode text")
    if _UNPRINTABLE.search(text):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + _UNPRINTABLE.sub(_escape, escaped) + '"'
    if _stays_bare(text) and not (flow and _FLOW_MARKS.search(text)):
        return text
    if '"' in text or "\\" in text:
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'


def _stays_bare(text: str) -> bool:
    return bool(
        _BARE.match(text)
        and text == text.strip()
        and text.lower() not in _RESERVED
        and not _NUMBERLIKE.fullmatch(text)
        and not _BREAKS_BARE.search(text)
    )


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    return _ESCAPES.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
