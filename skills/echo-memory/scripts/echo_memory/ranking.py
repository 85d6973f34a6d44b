"""A ranking: an index of documents that tells which of them answer a question best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import date
from heapq import nlargest

from echo_memory.retrieval import bm25
from echo_memory.retrieval.dates import Calendar
from echo_memory.retrieval.documents import Document, counts, days
from echo_memory.retrieval.signals import ALL, POOL, Hit, Signals, Weights, ask, pool, rerank

__all__ = ["Document", "Hit", "Ranking", "Signals"]

MAX_TERMS = 64


class Ranking:
    """Documents by key, in memory; changing one costs as much as it has words.

    Scores are those of an index built anew from the same documents. Readers need no lock: they
    see a document that is being replaced as the old one, the new one or something between. Writers
    take turns.
    """

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._postings: dict[str, dict[str, float]] = {}
        self._lengths: dict[str, float] = {}
        self._total = 0.0
        self._calendar = Calendar()

    def __len__(self) -> int:
        return len(self._documents)

    def __contains__(self, key: str) -> bool:
        return key in self._documents

    def get(self, key: str) -> Document | None:
        """The document of a key."""
        return self._documents.get(key)

    def put(self, key: str, document: Document) -> None:
        """Add a document, or replace the one of this key."""
        known = self._documents.get(key)
        if known == document:
            return
        counted = counts(document)
        if known is not None:
            self._forget(key, known, keep=counted.keys())
        for word, times in counted.items():
            self._postings.setdefault(word, {})[key] = times
        self._lengths[key] = sum(counted.values())
        self._total += self._lengths[key]
        self._calendar.put(key, days(document))
        self._documents[key] = document

    def drop(self, key: str) -> None:
        """Forget a document; an unknown key is no error."""
        document = self._documents.pop(key, None)
        if document is not None:
            self._forget(key, document)
            del self._lengths[key]

    def weights(self, words: Iterable[str]) -> dict[str, float]:
        """What each word of a question is worth here: its rarity, as often as it is asked.

        Of a long question only the 64 rarest words count; words that no document has are left out.
        """
        known: list[tuple[float, str]] = []
        asked = Counter(words)
        for word in asked:
            posting = self._postings.get(word)
            if posting:
                known.append((bm25.rarity(len(posting), len(self._lengths)), word))
        return {word: rarity * asked[word] for rarity, word in nlargest(MAX_TERMS, known)}

    def first_stage(self, words: Iterable[str]) -> dict[str, float]:
        """BM25+ scores of the documents that have any of the words, by key."""
        average = self._total / max(1, len(self._lengths))
        return bm25.scores(self.weights(words), self._postings, self._lengths, average)

    def search(
        self,
        query: str,
        *,
        today: date,
        limit: int,
        first: Sequence[str] = (),
        extra: Mapping[str, float] | None = None,
        signals: Signals = ALL,
    ) -> list[Hit]:
        """The documents that answer a question best, at most `limit`.

        Args:
            query: a question or some words; words are ORed.
            today: what "last week" and the age of notes are counted from.
            limit: most hits.
            first: keys of the notes that the question names; they come first.
            extra: scores from elsewhere, 0 to 1, such as similarities; they can add documents.
            signals: which signals count.
        """
        question = ask(query, today, signals)
        scores = self.first_stage(question.words)
        dated = self._calendar.within(question.spans)
        weights = Weights(
            words=self.weights(question.words),
            days=bm25.rarity(max(1, len(dated)), len(self._lengths)),
        )
        candidates = pool(
            scores,
            self._newest(dated, scores),
            nlargest(POOL, sorted(extra or {}), key=(extra or {}).__getitem__),
            first,
            size=max(POOL, limit),
        )
        ranked = rerank(
            question,
            weights,
            candidates,
            self.get,
            today=today,
            first=first,
            extra=extra,
            signals=signals,
        )
        return ranked[:limit]

    def _newest(self, keys: Iterable[str], scores: Mapping[str, float]) -> list[str]:
        """Of some documents those with the best scores, and of equal ones the newest."""

        def rank(key: str) -> tuple[float, str]:
            document = self.get(key)
            return scores.get(key, 0.0), document.updated if document else ""

        return nlargest(POOL, sorted(keys), key=rank)

    def _forget(self, key: str, document: Document, keep: Container[str] = ()) -> None:
        """Take a document out, but for the words to keep, whose counts are about to be replaced."""
        for word in counts(document):
            if word not in keep:
                posting = self._postings[word]
                del posting[key]
                if not posting:
                    del self._postings[word]
        self._total -= self._lengths[key]
        self._calendar.drop(key, days(document))
