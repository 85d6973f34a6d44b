"""The order of hits: notes that the question names first, what says next to nothing left out.

Who names Anna wants to see the note on Anna first; but not before a note that has the name in its
title and answers far better or is named in full, or that is of the kind or day asked for. Who says
the title of a note and nothing else names it, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from echo_memory.retrieval.dates import is_named
from echo_memory.retrieval.question import Question
from echo_memory.retrieval.reading import Reading

BETTER = 1.3
LEAST = 0.18
RARE = 0.5

Has = Callable[[str, str], bool]


class Hit(NamedTuple):
    """A document that answers a question; scores compare within one answer only."""

    key: str
    score: float


@dataclass(frozen=True)
class Found:
    """What is known of the candidates when they are put in order.

    Attributes:
        scores: of each.
        readings: of each.
        weights: what each word of the question is worth.
        having: those that have each of these words.
        has: whether a document, by its key, has a word.
        kept: candidates that are no chance hits whatever words they have.
    """

    scores: Mapping[str, float]
    readings: Mapping[str, Reading]
    weights: Mapping[str, float]
    having: Mapping[str, Set[str]]
    has: Has
    kept: frozenset[str] = frozenset()


def arranged(found: Found, question: Question, first: Sequence[str]) -> list[Hit]:
    """The hits, best first; of equal ones the newer first; scores never rise down the list.

    Args:
        found: the candidates.
        question: what was asked.
        first: keys of the notes that the question names, in order.
    """
    scores = found.scores
    ordered = sorted(scores)
    ordered.sort(key=lambda key: found.readings[key].day, reverse=True)
    ordered.sort(key=lambda key: -scores[key])
    titled = [key for key in ordered if _is_title_of(found.readings[key], question)]
    named = [key for key in dict.fromkeys(first) if key in scores and key not in titled]
    placed = {*titled, *named}
    others = [key for key in ordered if key not in placed and scores[key] > 0]
    before = _before(found, question, named, others)
    rest = [key for key in _telling(found, others) if key not in before]
    least, hits = 0.0, []
    for key in reversed([*titled, *before, *named, *rest]):
        least = max(least, scores[key])
        hits.append(Hit(key, least))
    return hits[::-1]


def _telling(found: Found, keys: Sequence[str]) -> list[str]:
    """Without those that are far below the best and share only common words with the question."""
    top = found.scores[keys[0]] if keys else 0.0
    bar = RARE * max(found.weights.values(), default=0.0)
    rare = (found.having[word] for word, weight in found.weights.items() if weight >= bar)
    with_a_rare_word = frozenset().union(*rare)
    return [
        key
        for key in keys
        if found.scores[key] >= LEAST * top or key in found.kept or key in with_a_rare_word
    ]


def _before(
    found: Found, question: Question, named: Sequence[str], others: Sequence[str]
) -> list[str]:
    """The notes that come even before those that the question names."""
    asked = {key: _name_words(found.readings[key], question) for key in named}
    asked = {key: name for key, name in asked.items() if name}
    asked_kinds = question.kinds - {found.readings[key].kind for key in named}
    return [
        key
        for key in others
        if any(
            all(found.has(key, word) for word in name)
            and (
                not asked_kinds.isdisjoint(found.readings[key].kinds)
                or any(is_named(own, question.spans) for own in found.readings[key].dates)
                or _is_longer(found.readings[key], name, question)
                or _answers_better(found, key, other, name)
            )
            for other, name in asked.items()
        )
    ]


def _is_title_of(one: Reading, question: Question) -> bool:
    """Whether the question is a note's title and no more."""
    title, said = one.ways[0], question.said
    return bool(said) and len(title) >= len(said) and frozenset(title) == said


def _is_longer(one: Reading, name: frozenset[str], question: Question) -> bool:
    """Whether the question has a name of the note whole, with another name in it."""
    return name < _name_words(one, question)


def _answers_better(found: Found, key: str, named: str, name: frozenset[str]) -> bool:
    if found.scores[key] < BETTER * found.scores[named]:
        return False
    return any(name <= title for title in found.readings[key].names)


def _name_words(one: Reading, question: Question) -> frozenset[str]:
    """The longest of a note's names that the question has whole, else what it has of its title."""
    whole = [name for name in one.names if name <= question.said]
    return max(whole, key=len, default=one.names[0] & question.said)
