"""Scoring: how well a message's own words answer a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from echo_archive.query import Term

_SATURATION, _BY_LENGTH = 0.6, 0.2
_ALL_WEIGHT, _PAIR_WEIGHT = 0.5, 0.2

Group = tuple[int, ...]
Hit = tuple[int, float]


def weighed(lists: Mapping[Group, Sequence[int]], weights: Sequence[float]) -> dict[int, float]:
    """What the words that each message is known to hold weigh together.

    Args:
        lists: Row ids of messages by the numbers of the words that all of them hold.
        weights: What each word tells.
    """
    scores: dict[int, float] = defaultdict(float)
    for group, row_ids in lists.items():
        weight = sum(weights[number] for number in group)
        if len(group) == 1:
            for row_id in row_ids:
                scores[row_id] += weight
        else:
            for row_id in row_ids:
                scores[row_id] = max(scores[row_id], weight)
    return scores


def by_score(scores: Mapping[int, float]) -> list[Hit]:
    """The best first, of equal ones the newest; there are few scores, as there are few words."""
    equal: dict[float, list[int]] = defaultdict(list)
    for row_id, score in scores.items():
        equal[score].append(row_id)
    return [
        (row_id, score)
        for score in sorted(equal, reverse=True)
        for row_id in sorted(equal[score], reverse=True)
    ]


def score_of(
    terms: Sequence[Term], weights: Sequence[float], spoken: list[str], usual: float
) -> float:
    """The score of one message; having all words, or some side by side, counts on its own.

    Args:
        terms: The query's.
        weights: What each tells.
        spoken: The message's words in order.
        usual: How many words such messages have on average.
    """
    length = 1 - _BY_LENGTH + _BY_LENGTH * len(spoken) / usual
    starts = [term.starts(spoken) for term in terms]
    score = sum(
        weight * len(at) * (_SATURATION + 1) / (len(at) + _SATURATION * length)
        for weight, at in zip(weights, starts, strict=True)
    )
    if len(terms) > 1:
        if all(starts):
            score += _ALL_WEIGHT * sum(weights)
        for number in range(len(terms) - 1):
            following = {at + len(terms[number].words) for at in starts[number]}
            if following & set(starts[number + 1]):
                score += _PAIR_WEIGHT * (weights[number] + weights[number + 1])
    return score
