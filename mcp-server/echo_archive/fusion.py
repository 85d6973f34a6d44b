"""Fusion: one ranking from two, by the ranks alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

CONSTANT = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """A message in the fused ranking; ranks count from 1, None where a list lacks it."""

    row_id: int
    score: float
    keyword_rank: int | None
    semantic_rank: int | None


def fused(keyword: Sequence[int], semantic: Sequence[int], semantic_weight: float) -> list[Fused]:
    """Reciprocal rank fusion: each list gives weight / (60 + rank).

    Args:
        keyword: Row ids by words, best first.
        semantic: Row ids by meaning, best first.
        semantic_weight: What the second list counts beside the first.
    """
    by_word = {row_id: rank for rank, row_id in enumerate(keyword, 1)}
    by_meaning = {row_id: rank for rank, row_id in enumerate(semantic, 1)}
    everything = []
    for row_id in by_word | by_meaning:
        word, meaning = by_word.get(row_id), by_meaning.get(row_id)
        score = (1 / (CONSTANT + word) if word else 0.0) + (
            semantic_weight / (CONSTANT + meaning) if meaning else 0.0
        )
        everything.append(Fused(row_id, score, word, meaning))
    return sorted(everything, key=lambda one: (-one.score, -one.row_id))
