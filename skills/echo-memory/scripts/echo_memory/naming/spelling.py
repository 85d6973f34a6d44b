"""Spelling: whether two folded words may be one word, written differently or mistyped."""

from __future__ import annotations

import re
from functools import lru_cache

SWAP, EDIT = "swap", "edit"

_SHORT, _LONG = 4, 9

_DENSE = re.compile("[\u3400-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")
_DIGIT = re.compile(r"\d")
_HIRAGANA = {code: code + 0x60 for code in range(0x3041, 0x3097)} | {ord("ー"): None}

# Spellings of one sound, in this order. Only such as would seldom make one of two names that
# people take for different: no j=y (Jan, Ian), no final e (Simon, Simone).
_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"),
        ("ch(?=r)", "k"),
        ("ck|c(?![ehiy])|q", "k"),
        ("x", "ks"),
        ("z", "s"),
        ("w", "v"),
        ("y", "i"),
        ("dt$", "t"),
        ("th", "t"),
        ("(?<=[aeiou])h(?![aeiou])", ""),
        ("([aou])e(?=.)", r"\1"),
        ("(?<=..)our$", "or"),
        (r"(.)\1+", r"\1"),
    )
)

_LAST_SOUND = re.compile("(?:(?<=i)e)?d$")


@lru_cache(maxsize=1 << 16)
def key(word: str) -> str:
    """What the spellings of one word have in common: Katharina and Catarina, Meyer and Meier.

    Latin letters by sound, hiragana as katakana without the long-vowel mark; others as they are.
    """
    if not word.isascii():
        return word.translate(_HIRAGANA) or word
    if not word.isalpha():
        return word
    sounds = word
    for pattern, sound in _SOUNDS:
        sounds = pattern.sub(sound, sounds)
    return sounds


def ending(word: str) -> str:
    """The key of a last name, whose end is heard more loosely: Schmidt is Schmid and Schmied."""
    return _LAST_SOUND.sub("t", key(word))


def is_dense(word: str) -> bool:
    """Whether a letter is a whole syllable or word here (Chinese, Korean), so that one counts."""
    return _DENSE.search(word) is not None


def slip(one: str, two: str) -> str:
    """`SWAP` or `EDIT` when a single slip of the fingers tells two words apart, else "".

    The first and the last letter must be the same: typists seldom miss the first, and the last
    one tells Jan from Jana, Maria from Marie, Ivanov from Ivanova, one from many.
    """
    if one[0] != two[0] or one[-1] != two[-1] or distance(one, two, 1) != 1:
        return ""
    if is_dense(one + two) or _DIGIT.search(one + two):
        return ""
    return SWAP if len(one) == len(two) and sorted(one) == sorted(two) else EDIT


@lru_cache(maxsize=1 << 16)
def similar_within(word: str) -> int:
    """How many edits away a similar word may be: none with a digit, two in a long word."""
    if _DIGIT.search(word):
        return 0
    return 2 if len(word) >= _LONG else 1


def alike(one: str, two: str) -> bool:
    """Whether two words look similar."""
    limit = min(similar_within(one), similar_within(two))
    return max(len(one), len(two)) >= _SHORT and 0 < distance(one, two, limit) <= limit


def distance(one: str, two: str, limit: int) -> int:
    """Letters added, dropped, replaced or swapped with their neighbour; more than `limit`: limit+1.

    Costs are those of the part in which the two differ.
    """
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    if (_letters(one) ^ _letters(two)).bit_count() > 2 * limit:  # an edit changes two of them
        return limit + 1
    start, end = _common(one, two)
    one, two = one[start : len(one) - end], two[start : len(two) - end]
    if min(len(one), len(two)) == 0:
        return max(len(one), len(two))
    before: list[int] = []
    row = list(range(len(two) + 1))
    for at in range(1, len(one) + 1):
        before, row = row, _next_row(one, two, at, before, row)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


@lru_cache(maxsize=1 << 16)
def _letters(word: str) -> int:
    """Which letters a word has, as bits; some share one."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def _common(one: str, two: str) -> tuple[int, int]:
    shorter = min(len(one), len(two))
    start = 0
    while start < shorter and one[start] == two[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == two[-1 - end]:
        end += 1
    return start, end


def _next_row(one: str, two: str, at: int, before: list[int], row: list[int]) -> list[int]:
    letter, fresh = one[at - 1], [at]
    for place in range(1, len(two) + 1):
        other = two[place - 1]
        cost = min(row[place] + 1, fresh[-1] + 1, row[place - 1] + (letter != other))
        if at > 1 and place > 1 and letter == two[place - 2] and one[at - 2] == other:
            cost = min(cost, before[place - 2] + 1)
        fresh.append(cost)
    return fresh
