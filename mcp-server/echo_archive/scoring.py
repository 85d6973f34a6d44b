"""Scoring: how well a message's own words answer a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from echo_archive.query import Term

_SATURATION, _BY_LENGTH = 0.6, 0.2
_ALL_WEIGHT, _PAIR_WEIGHT = 0.5, 0.2

Group = tuple[int, ...]
Hit = tuple[int, float]


def weighed(lists: Mapping[Group, Sequence[int]], weights: Sequence[float]) -> dict[int, float]:
    """What the words that each message is known to hold weigh together.

    Args:
        lists: Row ids of messages by the numbers of the words that all of them hold; single words
            before several.
        weights: What each word tells.
    """
    scores: dict[int, float] = {}
    for group, row_ids in lists.items():
        weight = sum(weights[number] for number in group)
        held = dict.fromkeys(row_ids, weight)
        for row_id in scores.keys() & held.keys():
            known = scores[row_id]
            held[row_id] = known + weight if len(group) == 1 else max(known, weight)
        scores.update(held)
    return scores


def by_score(scores: Mapping[int, float]) -> list[Hit]:
    """The best first, of equal ones the newest."""
    newest = sorted(scores, reverse=True)
    newest.sort(key=scores.__getitem__, reverse=True)
    return [(row_id, scores[row_id]) for row_id in newest]


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
    held = ((weight, len(at)) for weight, at in zip(weights, starts, strict=True) if at)
    score = sum(
        (
            weight * times * (_SATURATION + 1) / (times + _SATURATION * length)
            for weight, times in held
        ),
        0.0,
    )
    if len(terms) > 1:
        if all(starts):
            score += _ALL_WEIGHT * sum(weights)
        for number in range(len(terms) - 1):
            size, after = len(terms[number].words), starts[number + 1]
            if after and any(at + size in after for at in starts[number]):
                score += _PAIR_WEIGHT * (weights[number] + weights[number + 1])
    return score
