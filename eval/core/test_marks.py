"""Marks: words as single characters, by which a text is searched for a word."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from echo_memory.retrieval.marks import mark, marks

words = st.text(min_size=1, max_size=12)


@given(words)
def test_a_mark_is_one_character_that_ends_no_line_and_can_be_written_as_utf_8(word: str) -> None:
    one = mark(word)

    assert len(one) == 1
    assert one.splitlines() == [one]
    assert one.encode().decode() == one


@given(st.lists(words))
def test_a_row_of_words_has_a_mark_for_each(row: list[str]) -> None:
    assert list(marks(row)) == [mark(word) for word in row]


def test_the_same_word_has_the_same_mark_in_every_process() -> None:
    assert [ord(mark(word)) for word in ("engine", "naïve", "\udc80")] == [
        0x91A8D,
        0x108166,
        0x1D5FB,
    ]


def test_the_words_of_a_language_hardly_share_any() -> None:
    row = [
        f"{first}{second}{third}" for first in "bdfg" for second in "aeiou" for third in range(99)
    ]

    assert len(set(marks(row))) >= len(row) - 5
