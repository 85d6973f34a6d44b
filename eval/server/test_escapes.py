"""Escapes: half a surrogate pair does not cost the whole message."""

from __future__ import annotations

import io
import json

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echo_mcp.escapes import RepairedLines, repaired


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r'"a\ud83db"', "a\0b"),
        (r'"\uDE00\uD83D"', "\0\0"),
        (r'"\ud83d\ud83d\ude00"', "\0😀"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\\0"),
        (r'"\ud7ff\ue000"', "\ud7ff\ue000"),
        (r'"\"\ud83d\n"', '"\0\n'),
    ],
)
def test_only_a_half_is_replaced(written: str, read: str) -> None:
    assert json.loads(repaired(written)) == read


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters()))
@example("\\\ud83d\\ud83d\\\\\ude00")
def test_every_half_and_nothing_else_becomes_a_nul(text: str) -> None:
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    expected = "".join(
        "\0" if "\ud800" <= letter <= "\udfff" else letter for letter in _joined(text)
    )

    assert len(whole) == len(expected)
    assert json.loads(repaired(json.dumps(text))) == expected


def test_an_adversarial_megabyte_is_no_trouble() -> None:
    for unit in (r"\ud800", "\\", r"\u", r"\ud83d\u"):
        repaired(unit * 200_000)


def test_lines_are_repaired_as_they_are_read() -> None:
    async def read() -> list[str]:
        return [line async for line in RepairedLines(io.StringIO('{"a":"\\ud800"}\n{"b":1}\n'))]

    assert anyio.run(read) == ['{"a":"\\u0000"}\n', '{"b":1}\n']


def _joined(text: str) -> str:
    """A text as a JSON reader sees it: a high half and a low one after it are one letter."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
