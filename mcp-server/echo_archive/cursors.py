"""Cursors: where the next page of an answer begins, good only for the question it came from."""

from __future__ import annotations

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from echo_archive.errors import BadArgument
from echo_archive.keys import text_digest

LONGEST = 4_000


def cursor_of(question: Mapping[str, object], place: Any) -> str:
    """The cursor that leads to a place in the answer to a question."""
    packed = json.dumps([_mark(question), place], separators=(",", ":"))
    return urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def place_of(question: Mapping[str, object], cursor: object) -> Any:
    """The place a cursor leads to, None without one.

    Raises:
        BadArgument: It is no cursor, or comes from another question.
    """
    if cursor is None:
        return None
    if not isinstance(cursor, str) or len(cursor) > LONGEST:
        raise wrong_cursor()
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        mark, place = json.loads(urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, TypeError, RecursionError, binascii.Error) as problem:
        raise wrong_cursor() from problem
    if mark != _mark(question):
        raise wrong_cursor()
    return place


def row_of(question: Mapping[str, object], cursor: str | None) -> int | None:
    """The same, where a place is one row."""
    match place_of(question, cursor):
        case None:
            return None
        case int(row):
            return row
    raise wrong_cursor()


def pair_of(question: Mapping[str, object], cursor: str | None) -> tuple[int, int] | None:
    """The same, where a place is a row and a number."""
    match place_of(question, cursor):
        case None:
            return None
        case [int(row), int(number)]:
            return row, number
    raise wrong_cursor()


def _mark(question: Mapping[str, object]) -> str:
    return text_digest(json.dumps(question, sort_keys=True, default=str)).hex()


def wrong_cursor() -> BadArgument:
    """The error for a cursor that leads nowhere, or belongs elsewhere."""
    return BadArgument(
        "`cursor` does not belong to this question. "
        "Give `next_cursor` of the last answer with the same other arguments, or leave it out.",
        field="cursor",
    )
