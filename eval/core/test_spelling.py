"""Spelling: variants of one word, typing slips, and words that only look alike."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.naming.spelling import EDIT, SWAP, alike, distance, key, slip

WORDS = st.text("abco", max_size=7)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("catherine", "katherine"),
        ("christian", "kristian"),
        ("philip", "filip"),
        ("philipp", "philip"),
        ("sarah", "sara"),
        ("john", "jon"),
        ("thomas", "tomas"),
        ("meyer", "meier"),
        ("mueller", "muller"),
        ("schmidt", "schmitt"),
        ("elizabeth", "elisabeth"),
        ("wiktor", "viktor"),
        ("marc", "mark"),
        ("alexander", "aleksander"),
        ("colour", "color"),
        ("hoffmann", "hofman"),
        ("コンピューター", "コンピュータ"),
        ("やまだ", "ヤマダ"),
    ],
)
def test_spellings_of_one_word_share_a_key(one, two):
    assert key(one) == key(two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("jan", "ian"), ("jan", "jana"), ("simon", "simone"), ("ann", "anne"), ("anna", "hanna"),
        ("joe", "jo"), ("marco", "mario"), ("lee", "leigh"), ("張偉", "張瑋"), ("q1", "q2"),
    ],
)  # fmt: skip
def test_different_words_do_not_share_a_key(one, two):
    assert key(one) != key(two)


@pytest.mark.parametrize(
    ("one", "two", "what"),
    [
        ("lovelace", "lovelase", EDIT),
        ("lovelace", "lovlace", EDIT),
        ("lovelace", "lovvelace", EDIT),
        ("lovelace", "lovelcae", SWAP),
        ("john", "jhon", SWAP),
        ("jan", "jana", ""),
        ("maria", "marie", ""),
        ("hanna", "anna", ""),
        ("christian", "christina", ""),
        ("sprint12", "sprint13", ""),
        ("김철수", "김천수", ""),
        ("lovelace", "lovelace", ""),
        ("lovelace", "lavelase", ""),
    ],
)
def test_a_slip_is_one_edit_between_the_first_and_the_last_letter(one, two, what):
    assert slip(one, two) == what
    assert slip(two, one) == what


def test_words_look_alike_within_one_edit_or_two_when_long():
    assert alike("john", "joan")
    assert alike("onboarding", "offboarding")
    assert not alike("alpha", "beta")
    assert not alike("smith", "smooth")
    assert not alike("jan", "ian")
    assert not alike("review2024", "review2025")
    assert not alike("same", "same")


@settings(max_examples=300)
@given(WORDS, WORDS, st.integers(1, 3))
def test_the_distance_is_symmetric_and_counts_no_further_than_the_limit(one, two, limit):
    found = distance(one, two, limit)

    assert found == distance(two, one, limit)
    assert (found == 0) == (one == two)
    assert found <= limit + 1
    assert found == min(distance(one, two, 99), limit + 1)


@settings(max_examples=300)
@given(WORDS, st.integers(0, 7), st.sampled_from("abco"))
def test_one_letter_more_is_one_edit(word, place, letter):
    assert distance(word, word[:place] + letter + word[place:], 2) == 1


def test_swapped_neighbours_are_one_edit():
    assert distance("abcd", "abdc", 2) == 1
    assert distance("abcd", "badc", 2) == 2
    assert distance("ca", "abc", 3) == 3
