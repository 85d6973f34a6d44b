"""The vocabulary: the word that a mistyped one may be, among the words that notes have."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.retrieval.vocabulary import MIN_LETTERS, Vocabulary

KNOWN = Counter(["passport", "passport", "humid", "varnish", "varnishes", "clavichord", "公司名称"])
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def vocabulary(known: Counter[str]) -> Vocabulary:
    return Vocabulary(lambda letter: [word for word in known if word.startswith(letter)])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("pasport", "passport"),
        ("passprot", "passport"),
        ("passpört", "passport"),
        ("humud", "humid"),
        ("clavikord", "clavichord"),
        ("varnishe", "varnish"),
    ],
)
def test_a_slip_is_the_word_that_is_nearest(written: str, meant: str) -> None:
    assert vocabulary(KNOWN).near(written, KNOWN.__getitem__) == meant


@pytest.mark.parametrize(
    "written",
    ["assport", "pssprt", "hum", "passpor7", "pass-port", "umid", "公司名", "", "zyzzyva"],
)
def test_what_is_no_slip_is_no_other_word(written: str) -> None:
    assert vocabulary(KNOWN).near(written, KNOWN.__getitem__) == ""


def test_of_words_as_near_it_is_the_one_that_most_notes_have_and_then_the_first() -> None:
    known = Counter({"planet": 1, "planed": 2, "planer": 2})

    assert vocabulary(known).near("planex", known.__getitem__) == "planed"


def test_words_that_come_are_known_and_those_of_no_note_are_not_meant() -> None:
    known = Counter(["humid"])
    words = vocabulary(known)
    assert words.near("passprot", known.__getitem__) == ""

    known["passport"] = 1
    words.add(["passport", "other"])
    known["humid"] = 0

    assert words.near("passprot", known.__getitem__) == "passport"
    assert words.near("humud", known.__getitem__) == ""


@settings(max_examples=100, deadline=None)
@given(st.text(LETTERS, min_size=MIN_LETTERS + 1, max_size=20), st.integers(1, 20))
def test_a_letter_that_is_missing_or_swapped_after_the_first_is_always_found(
    word: str, place: int
) -> None:
    at = place % (len(word) - 1) + 1
    missing = word[:at] + word[at + 1 :]
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]

    for written in {missing, swapped} - {word}:
        assert vocabulary(Counter([word])).near(written, {word: 1}.__getitem__) == word
