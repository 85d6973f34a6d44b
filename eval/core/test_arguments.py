"""Arguments: what is accepted from outside, and what is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_memory import arguments
from echo_memory.errors import BadRequest

CHECKS: dict[str, Callable[..., Any]] = {
    "text": partial(arguments.text, limit=10),
    "needed text": partial(arguments.text, required=True),
    "line": partial(arguments.line, limit=10),
    "needed line": partial(arguments.line, required=True),
    "reference": arguments.reference,
    "lines": partial(arguments.lines, most=3),
    "choice": partial(arguments.choice, choices=("a", "b")),
    "integer": partial(arguments.integer, low=1, high=9),
    "flag": arguments.flag,
    "day": arguments.day,
}


@pytest.mark.parametrize(
    ("check", "value", "accepted"),
    [
        ("text", "", ""),
        ("text", "a\r\nb\rc\n", "a\nb\nc\n"),
        ("text", "\ta 日😀", "\ta 日😀"),
        ("text", " x ", " x "),
        ("text", "1234567890", "1234567890"),
        ("line", "", ""),
        ("line", "  x y\n", "x y"),
        ("needed line", " x ", "x"),
        ("reference", " leading.md", " leading.md"),
        ("lines", [], ()),
        ("lines", (" b ", "b", "  "), ("b",)),
        ("choice", "a", "a"),
        ("integer", 1, 1),
        ("integer", 9, 9),
        ("flag", True, True),
        ("flag", False, False),
        ("day", "2024-02-29", "2024-02-29"),
        ("day", " 2026-03-14 ", "2026-03-14"),
    ],
)
def test_what_is_right_is_accepted(check: str, value: Any, accepted: Any) -> None:
    assert CHECKS[check](value, "it") == accepted


@pytest.mark.parametrize(
    ("check", "value", "field"),
    [
        *(
            (check, value, "it")
            for check in ("text", "line", "reference")
            for value in (None, 5, b"x", ["x"], "a\x00", "a\x1b", "\x7f", "\ud83d", "\udce9")
        ),
        ("text", "12345678901", "it"),
        ("line", "12345678901", "it"),
        *(
            (check, f"a{ending}b", "it")
            for check in ("line", "reference")
            for ending in ("\n", "\r", "\r\n", "\x85", "\u2028", "\u2029")
        ),
        *((check, " \n\t", "it") for check in ("needed text", "needed line", "reference")),
        ("lines", "abc", "it"),
        ("lines", {"a": 1}, "it"),
        ("lines", None, "it"),
        ("lines", ["a", "b", "c", "d"], "it"),
        ("lines", ["a", 5], "it[1]"),
        ("lines", ["a", "b", "x\ny"], "it[2]"),
        ("lines", ["x" * (arguments.MAX_LINE + 1)], "it[0]"),
        *(("choice", value, "it") for value in ("c", "", None, 5, ["a"], {})),
        *(("integer", value, "it") for value in (0, 10, "5", 5.0, None, True)),
        *(("flag", value, "it") for value in (0, 1, "true", None)),
        *(
            ("day", value, "it")
            for value in ("", "today", "2026-3-14", "2026-02-30", "20260314", "2026-W11-6", 5)
        ),
        ("day", "2026-03-14T00:00", "it"),
    ],
)
def test_what_is_wrong_is_refused_by_name(check: str, value: Any, field: str) -> None:
    with pytest.raises(BadRequest) as raised:
        CHECKS[check](value, "it")

    assert raised.value.details["field"] == field
    assert raised.value.message.startswith(field)


def test_a_choice_that_is_none_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadRequest) as raised:
        arguments.choice("c", "kind", ("a", "b"))

    assert raised.value.details["choices"] == ["a", "b"]


@given(st.text())
def test_a_text_that_is_accepted_can_be_stored_and_has_unix_line_endings(value: str) -> None:
    try:
        accepted = arguments.text(value, "it")
    except BadRequest:
        return

    assert "\r" not in accepted
    assert accepted.encode("utf-8").decode("utf-8") == accepted
