"""BM25+: how much the words of a question say for each document that has some of them.

K1, B, DELTA and the idf are those of the package rank_bm25 (`BM25Plus`). As in the paper behind it
(Lv and Zhai, "Lower-bounding term frequency normalization", 2011), and unlike the package, DELTA is
given only to documents that have the word, so that having it counts however long they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import log
from typing import TypeVar

K1 = 1.5
B = 0.75
DELTA = 1.0

Term = TypeVar("Term", bound=Hashable)
Key = TypeVar("Key", bound=Hashable)


def rarity(containing: int, count: int) -> float:
    """The idf of a word that `containing` of `count` documents have; positive even if all do."""
    return log((count + 1) / containing)


def damping(length: float, average: float) -> float:
    """How little each further time counts in a document, which is more the longer it is.

    Args:
        length: of the document, in words.
        average: the mean length.
    """
    return K1 * (1 - B) + K1 * B / (average or 1) * length


def gain(times: float, damped: float) -> float:
    """What a word of weight 1 counts for a document that has it `times` times.

    Args:
        times: more than 0.
        damped: the document's `damping`.
    """
    return DELTA + times * (K1 + 1) / (times + damped)


def scores(
    weights: Mapping[Term, float],
    postings: Mapping[Term, Mapping[Key, float]],
    lengths: Mapping[Key, float],
    average: float,
) -> dict[Key, float]:
    """The score of every document that has at least one of the terms.

    Args:
        weights: what each term of the question is worth, its rarity.
        postings: how often each document has a term; other terms do not matter.
        lengths: how many words each document has.
        average: the mean of all lengths.
    """
    found: dict[Key, float] = {}
    # `damping` and `gain` written out, for there may be a hundred thousand documents.
    fixed, by_length = K1 * (1 - B), K1 * B / (average or 1)
    for term, weight in weights.items():
        # A copy, because a writer may add to the posting meanwhile.
        for key, times in list(postings.get(term, {}).items()):
            damped = fixed + by_length * lengths.get(key, average)
            one = weight * (DELTA + times * (K1 + 1) / (times + damped))
            found[key] = found.get(key, 0.0) + one
    return found
