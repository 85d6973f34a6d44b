"""The inverted index: which documents have a word and how often, and how well they answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest
from typing import Protocol

from echo_memory.retrieval import bm25


class DamagedIndex(Exception):
    """What an index that is read piece by piece raises when a piece of it is damaged."""


class Scores(Protocol):
    """What documents score for the words of a question; those that have none of them score 0."""

    def __bool__(self) -> bool:
        """Whether any document scores."""
        ...

    def get(self, key: str) -> float:
        """What one document scores."""
        ...

    def best(self, size: int) -> list[str]:
        """The keys of the best, best first; of equal ones those that come first by their keys."""
        ...

    def any_of(self, keys: Iterable[str]) -> bool:
        """Whether any of these documents scores."""
        ...

    def having(self, keys: Iterable[str]) -> dict[str, set[str]]:
        """Which of these documents have each word of the question, in the question's order."""
        ...


class Inverted(Protocol):
    """An inverted index, whatever it is made of.

    Readers need no lock: they see a document that is being replaced as the old one, the new one or
    something between. Writers take turns.
    """

    def __len__(self) -> int:
        """How many documents there are."""
        ...

    def put(self, key: str, counts: Mapping[str, float]) -> None:
        """Add a document, or replace the one of this key.

        Args:
            key: whose words they are.
            counts: how often it has each of its words; multiples of a half.
        """
        ...

    def drop(self, key: str) -> None:
        """Forget a document; an unknown key is no error."""
        ...

    def containing(self, word: str) -> int:
        """How many documents have a word."""
        ...

    def beginning(self, letter: str) -> list[str]:
        """The words that begin with a letter; some may be those of documents that are no more."""
        ...

    def has(self, key: str, word: str) -> bool:
        """Whether a document has a word."""
        ...

    def scores(self, weights: Mapping[str, float]) -> Scores:
        """BM25+ scores of the documents.

        Args:
            weights: what each word of the question is worth.
        """
        ...


class DictScores:
    """Scores in a dictionary of the documents that have any of the words."""

    def __init__(
        self, scores: Mapping[str, float], postings: Mapping[str, Mapping[str, float]]
    ) -> None:
        """The scores for a question.

        Args:
            scores: of the documents.
            postings: of each word of the question how often each document has it.
        """
        self._scores = scores
        self._postings = postings

    def __bool__(self) -> bool:
        return bool(self._scores)

    def get(self, key: str) -> float:
        """See Scores."""
        return self._scores.get(key, 0.0)

    def best(self, size: int) -> list[str]:
        """See Scores."""
        scores = self._scores
        least = nlargest(size, scores.values())[-1:]
        best = [key for key, score in scores.items() if score >= least[0]]
        return sorted(best, key=lambda key: (-scores[key], key))[:size]

    def any_of(self, keys: Iterable[str]) -> bool:
        """See Scores."""
        return any(key in self._scores for key in keys)

    def having(self, keys: Iterable[str]) -> dict[str, set[str]]:
        """See Scores."""
        asked = list(keys)
        return {
            word: {key for key in asked if key in posting}
            for word, posting in self._postings.items()
        }


class DictInverted:
    """An inverted index of dictionaries; changing a document costs as much as it has words."""

    def __init__(self) -> None:
        self._counts: dict[str, Mapping[str, float]] = {}
        self._postings: dict[str, dict[str, float]] = {}
        self._lengths: dict[str, float] = {}
        self._total = 0.0

    def __len__(self) -> int:
        return len(self._lengths)

    def __contains__(self, key: str) -> bool:
        return key in self._counts

    def put(self, key: str, counts: Mapping[str, float]) -> None:
        """See Inverted."""
        known = self._counts.get(key, {})
        for word, times in counts.items():
            self._postings.setdefault(word, {})[key] = times
        self._forget(key, known.keys() - counts.keys())
        length = sum(counts.values())
        self._total += length - self._lengths.get(key, 0.0)
        self._lengths[key] = length
        self._counts[key] = counts

    def drop(self, key: str) -> None:
        """See Inverted."""
        counts = self._counts.pop(key, None)
        if counts is not None:
            self._forget(key, counts)
            self._total -= self._lengths.pop(key)

    def containing(self, word: str) -> int:
        """See Inverted."""
        return len(self._postings.get(word, ()))

    def beginning(self, letter: str) -> list[str]:
        """See Inverted."""
        return [word for word in list(self._postings) if word.startswith(letter)]

    def has(self, key: str, word: str) -> bool:
        """See Inverted."""
        return key in self._postings.get(word, {})

    def scores(self, weights: Mapping[str, float]) -> DictScores:
        """See Inverted."""
        average = self._total / max(1, len(self._lengths))
        postings = {word: self._postings.get(word, {}) for word in weights}
        return DictScores(bm25.scores(weights, postings, self._lengths, average), postings)

    def posting(self, word: str) -> Mapping[str, float]:
        """How often each document has a word."""
        return self._postings.get(word, {})

    def length(self, key: str) -> float:
        """How many words a document has; 0 for an unknown key."""
        return self._lengths.get(key, 0.0)

    def words(self) -> list[str]:
        """All words."""
        return list(self._postings)

    def _forget(self, key: str, words: Iterable[str]) -> None:
        for word in words:
            posting = self._postings[word]
            del posting[key]
            if not posting:
                del self._postings[word]
