"""A ranking: an index of documents that tells which of them answer a question best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from heapq import nlargest

from echo_memory.recent import Recent
from echo_memory.retrieval import bm25
from echo_memory.retrieval.calendar import Calendar
from echo_memory.retrieval.documents import Document, Facts, counts, facts
from echo_memory.retrieval.inverted import Inverted, Scores
from echo_memory.retrieval.order import Found, Hit, arranged
from echo_memory.retrieval.question import Question, ask
from echo_memory.retrieval.reading import Reading
from echo_memory.retrieval.signals import (
    ALL,
    LEAST_RARITY,
    NAMING,
    OTHER_NAME,
    POOL,
    Candidates,
    Signals,
    Weights,
    pool,
    rerank,
)
from echo_memory.retrieval.vocabulary import Vocabulary
from echo_memory.retrieval.words import query_words

__all__ = ["Document", "Hit", "Ranking", "Signals"]

Read = Callable[[Sequence[str]], Mapping[str, Reading]]
"""Gives the readings of documents by their keys, of those that there are."""

MAX_TERMS = 64
MAX_READINGS = 16_384
"""Readings that are held in memory: about 3 kB each."""
MAX_HELD_WORDS = 4_096
"""The reading of a note with more words is not held, so that all of them take no more room."""
MAX_SLIPS = 8
"""Words of a question that may be mistyped; to look for one takes about a millisecond."""


class Ranking:
    """Documents by key, in memory; changing one costs as much as it has words.

    Scores are those of an index built anew from the same documents. Readers need no lock: they
    see a document that is being replaced as the old one, the new one or something between. Writers
    take turns.
    """

    def __init__(self, inverted: Inverted, *, read: Read) -> None:
        """No documents yet.

        Args:
            inverted: the index of words to use; it may have the words of documents that are
                restored later.
            read: gives readings of documents.
        """
        self._facts: dict[str, Facts] = {}
        self._read = read
        self._words = inverted
        self._readings = Recent[Reading](MAX_READINGS)
        self._vocabulary = Vocabulary(self._words.beginning)
        self._calendar = Calendar()
        self._kinds: dict[str, dict[str, None]] = {}

    def __len__(self) -> int:
        return len(self._facts)

    def __contains__(self, key: str) -> bool:
        return key in self._facts

    def put(self, key: str, document: Document) -> None:
        """Add a document, or replace the one of this key."""
        self._forget(key)
        counted = counts(document)
        self._words.put(key, counted)
        self._vocabulary.add(counted)
        self._know(key, facts(document))

    def restore(self, key: str, known: Facts) -> None:
        """Add a document that the index of words has already."""
        self._forget(key)
        self._know(key, known)

    def drop(self, key: str) -> None:
        """Forget a document; an unknown key is no error."""
        self._forget(key)
        self._words.drop(key)

    def facts(self, key: str) -> Facts | None:
        """What is known of a document beside its words."""
        return self._facts.get(key)

    def hold(self, keys: Iterable[str]) -> None:
        """Have the readings of some documents in memory, so that no question waits for them."""
        self._readings_of(keys)

    def held(self, key: str) -> Reading | None:
        """The reading of a document, where it is in memory."""
        return self._readings.get(key)

    def knows(self, word: str) -> bool:
        """Whether any document has a word, given as a stem."""
        return self._words.containing(word) > 0

    def meant(self, words: Iterable[str]) -> tuple[str, ...]:
        """The words of a question; for one that no document has, the one that it is a slip of."""
        asked = tuple(words)
        unknown = [word for word in dict.fromkeys(asked) if not self.knows(word)][:MAX_SLIPS]
        near = {word: self._vocabulary.near(word, self._words.containing) for word in unknown}
        return tuple(near.get(word) or word for word in asked)

    def weights(self, times: Mapping[str, float]) -> dict[str, float]:
        """What each word of a question is worth here: its rarity, as often as it is asked.

        Of a long question only the 64 rarest words count; words that no document has are left out.
        """
        known: list[tuple[float, str]] = []
        for word in times:
            containing = self._words.containing(word)
            if containing:
                known.append((bm25.rarity(containing, len(self._words)), word))
        return {word: rarity * times[word] for rarity, word in nlargest(MAX_TERMS, known)}

    def first_stage(self, words: Iterable[str]) -> Scores:
        """BM25+ scores of the documents for these words, and nothing else."""
        return self._words.scores(self.weights(Counter(words)))

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
        question = ask(query, today, dates=signals.dates, kinds=signals.kinds)
        if signals.slips:
            question = replace(question, words=self.meant(question.words))
        dated, extra = self._calendar.within(question.spans), extra or {}
        of_kind = [key for kind in question.kinds for key in list(self._kinds.get(kind, ()))]
        first = first if signals.names else ()
        weights = self._weights(query, question, dated, of_kind, self._other_names(question, first))
        scores = self._words.scores(weights.words)
        telling = of_kind and self._words.scores(
            {word: weights.words.get(word, 0.0) for word in question.words}
        )
        listed = () if telling and telling.any_of(of_kind) else of_kind
        pooled = pool(
            scores,
            self._newest(dated, scores),
            self._newest(listed, scores),
            nlargest(POOL, sorted(extra), key=extra.__getitem__),
            first,
            size=max(POOL, limit),
        )
        readings = self._readings_of(pooled)
        having = scores.having(readings)
        ranked = rerank(
            question,
            weights,
            Candidates(pooled, readings, having),
            today=today,
            dated=dated,
            extra=extra,
            signals=signals,
        )
        kept = frozenset((*dated, *extra, *(() if telling else of_kind)))
        found = Found(ranked, readings, weights.words, having, self._words.has, kept)
        return arranged(found, question, first)[:limit]

    def _other_names(self, question: Question, first: Iterable[str]) -> set[str]:
        """The words of titles of which the question has none: who asks for Tom means Tomas."""
        titles = [one.names[0] for one in self._readings_of(first).values()]
        return {word for title in titles if title.isdisjoint(question.said) for word in title}

    def _weights(
        self,
        query: str,
        question: Question,
        dated: Mapping[str, float],
        of_kind: Sequence[str],
        other_names: Iterable[str],
    ) -> Weights:
        """What the parts of a question are worth; what names no note of a day or kind is words."""
        times: dict[str, float] = dict(Counter(question.words))
        listing = not times and bool(of_kind)
        for words, names_notes in ((question.date_words, dated), (question.kind_words, of_kind)):
            for word in () if listing and names_notes else words:
                times[word] = times.get(word, 0.0) + (NAMING if names_notes else 1.0)
        if not times and not dated and not of_kind:
            times = dict(Counter(query_words(query)))
        times |= dict.fromkeys(other_names, OTHER_NAME)
        own = sum(strength == 1.0 for strength in dated.values()) or len(dated)
        count = len(self._words)
        return Weights(
            words=self.weights(times),
            days=max(LEAST_RARITY, bm25.rarity(max(1, own), count)),
            kinds=max(LEAST_RARITY, bm25.rarity(max(1, len(of_kind)), count)),
        )

    def _readings_of(self, keys: Iterable[str]) -> dict[str, Reading]:
        """Readings of documents that are there, in the order of the keys."""
        found = {key: self._readings.get(key) for key in keys if key in self._facts}
        missing = [key for key, one in found.items() if one is None]
        if missing:
            before = {key: self._facts.get(key) for key in missing}
            read = self._read(missing)
            for key, one in read.items():
                self._hold(key, one, before[key])
            found |= read
        return {key: one for key, one in found.items() if one is not None}

    def _hold(self, key: str, one: Reading, known: Facts | None) -> None:
        """Keep a reading in memory, unless it is large or the document has changed since."""
        if sum(map(len, one.lines)) > MAX_HELD_WORDS:
            return
        self._readings.put(key, one)
        if self._facts.get(key) is not known:
            self._readings.pop(key)

    def _newest(self, keys: Iterable[str], scores: Scores) -> list[str]:
        """Of some documents those with the best scores, and of equal ones the newest."""

        def rank(key: str) -> tuple[float, str]:
            known = self._facts.get(key)
            return scores.get(key), known.day if known else ""

        return nlargest(POOL, sorted(keys), key=rank)

    def _know(self, key: str, known: Facts) -> None:
        self._calendar.put(key, known.days)
        for kind in known.kinds:
            self._kinds.setdefault(kind, {})[key] = None
        self._facts[key] = known

    def _forget(self, key: str) -> None:
        """Take all out that is known of a document but its words."""
        self._readings.pop(key)
        known = self._facts.pop(key, None)
        if known is not None:
            self._calendar.drop(key, known.days)
            for kind in known.kinds:
                self._kinds[kind].pop(key, None)
