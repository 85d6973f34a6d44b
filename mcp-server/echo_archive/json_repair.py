"""JSON repair: the faults that exporters are known to write, put right in one value."""

from __future__ import annotations

import json
import re

MAX_REPAIRED = 2**20  # characters of a value; one that is larger is no message
_MAX_BARE = 200  # characters of a value without quotes
# A string without an end is one token: else each quote in it begins another search for the end.
_STRING = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
_TOKEN = re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL)
_HEX_ESCAPE = re.compile(r"(\\\\)|\\x([0-9A-Fa-f]{2})")
_PIECE = re.compile(
    rf'{_STRING}|(?<=:)(\s{{0,64}})([^\s"{{}}\[\],][^\n"{{}}\[\]]{{0,{_MAX_BARE}}}?)(?=\s{{0,64}}[,}}\]\n])',
    re.DOTALL,
)


def end_of_value(text: str, start: int) -> int | None:
    """Where the object or list that begins at `start` ends, or None where the text ends before it.

    Only brackets and strings are looked at, so that what is wrong inside does not matter.
    """
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth <= 0:
                return token.end()
    return None


def repaired(text: str) -> object:
    r"""A value with control characters written as `\x1F` and values without quotes put right.

    Raises:
        ValueError: Something else is wrong with it, or it is too large for a message.
    """
    if len(text) > MAX_REPAIRED:
        raise ValueError("it is too large to be put right")
    escaped = _HEX_ESCAPE.sub(lambda found: found[1] or "\\u00" + found[2], text)
    quoted = _PIECE.sub(_quoted, escaped)
    return json.loads(quoted, strict=False)


def _quoted(found: re.Match[str]) -> str:
    bare = found[2]
    if bare is None:
        return found[0]
    try:
        json.loads(bare)
    except ValueError:
        return found[1] + json.dumps(bare.rstrip())
    return found[0]
