"""A signal: what speaks for a note beside how often it has the question's words.

A first stage scores all notes by their words (BM25+); the best of them are ranked again here, by
what would cost too much to find out of all. Passages and pairs are worth what served best on
LoCoMo (ten long conversations, each session a note); the rest is set by reason, and small.

PASSAGE  half of the best passage's score: an answer stands in one place, not all over a note
PAIR     two neighbouring words of the question are neighbours in the note: 0.2 of both words
DATED    a note is of a day that the question names: 2.0, as a word as rare, found once
EXTRA    scores from elsewhere: 3/7 of the best note's score, a mix of 0.7 to 0.3
STATUS   what is over comes after what is not, when both say the same
AGE      up to 4 % less as a note gets old, half of that in a year; not for references
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from echo_memory.retrieval import bm25
from echo_memory.retrieval.dates import Span, is_named, spans
from echo_memory.retrieval.documents import Document, days, names
from echo_memory.retrieval.passages import MEAN_WORDS, passages
from echo_memory.retrieval.words import is_telling, query_words, telling_words, words

POOL = 50
PASSAGE = 0.5
PAIR = 0.2
DATED = 2.0
EXTRA = 3 / 7
STATUS = {
    "superseded": 0.92, "obsolete": 0.92, "deprecated": 0.92, "archived": 0.94, "abandoned": 0.94,
    "cancelled": 0.94, "canceled": 0.94, "done": 0.96, "completed": 0.96, "closed": 0.96,
}  # fmt: skip
AGE = 0.04
AGE_HALF_DAYS = 365
AGELESS = frozenset({"reference"})
MAX_READ = 100_000  # characters of a candidate that are looked at; lint reports longer notes
_DIGITS = 6  # two engines that add up in another order agree on these

_Words = list[str]


@dataclass(frozen=True)
class Signals:
    """Which signals count; each can be left out, to see what it is good for."""

    passages: bool = True
    pairs: bool = True
    dates: bool = True
    names: bool = True
    status: bool = True
    age: bool = True


ALL = Signals()


@dataclass(frozen=True)
class Question:
    """A question taken apart: the words to look for, and the days that it names."""

    words: tuple[str, ...]
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Weights:
    """What the parts of a question are worth among the documents at hand: their rarity.

    Attributes:
        words: of each word that some document has.
        days: of being of a day that the question names.
    """

    words: Mapping[str, float]
    days: float = 0.0


class Hit(NamedTuple):
    """A document that answers a question; scores compare within one answer only."""

    key: str
    score: float


def ask(query: str, today: date, signals: Signals = ALL) -> Question:
    """Take a question apart.

    Words that only point from today ("last week") are not looked for, and of a question that names
    days, stop words are not either; unless nothing else is left.
    """
    named = spans(query, today) if signals.dates else []
    rest = query
    for start, end in {span.said for span in named}:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    asked = telling_words(rest)
    if not asked and not (named and rest.strip()):
        asked = query_words(query)
    return Question(tuple(asked), tuple(named))


def pool(scores: Mapping[str, float], *others: Iterable[str], size: int = POOL) -> dict[str, float]:
    """The best of a first stage's scores, and others that may not have any of the words."""
    least = nlargest(size, scores.values())[-1:]
    best = [key for key, score in scores.items() if score >= least[0]]
    best = sorted(best, key=lambda key: (-scores[key], key))[:size]
    return {key: scores.get(key, 0.0) for keys in (best, *others) for key in keys}


def rerank(
    question: Question,
    weights: Weights,
    candidates: Mapping[str, float],
    document_of: Callable[[str], Document | None],
    *,
    today: date,
    first: Sequence[str] = (),
    extra: Mapping[str, float] | None = None,
    signals: Signals = ALL,
) -> list[Hit]:
    """The candidates, best first; of equal ones the newer first.

    Args:
        question: what was asked.
        weights: what its words and days are worth.
        candidates: keys with their score in the first stage.
        document_of: a key's document; None where it is gone, which drops the candidate.
        today: for the age of notes.
        first: keys of notes that the question names; they come first, in this order.
        extra: scores from elsewhere, 0 to 1, such as similarities.
        signals: which of them count.
    """
    known = ((key, document_of(key)) for key in candidates)
    documents = {key: document for key, document in known if document is not None}
    scores = {key: candidates[key] for key in documents}
    top = max(scores.values(), default=0.0) or 1.0
    for gains in _gains(question, weights, documents, signals):
        for key, gain in gains.items():
            scores[key] += gain
    for key, document in documents.items():
        gain = EXTRA * top * (extra or {}).get(key, 0.0)
        adjustment = _adjustment(document, today, signals)
        scores[key] = round((scores[key] + gain) * adjustment, _DIGITS)
    ordered = sorted(documents)
    ordered.sort(key=lambda key: documents[key].updated, reverse=True)
    ordered.sort(key=lambda key: -scores[key])
    return _named_first(ordered, scores, first if signals.names else ())


def _gains(
    question: Question, weights: Weights, documents: Mapping[str, Document], signals: Signals
) -> Iterator[Mapping[str, float]]:
    """What each signal adds to the scores."""
    if signals.dates and question.spans:
        yield {
            key: DATED * weights.days
            for key, document in documents.items()
            if any(is_named(day, question.spans) for day in days(document))
        }
    if weights.words and (signals.passages or signals.pairs):
        read = {key: _read(document) for key, document in documents.items()}
        if signals.passages:
            yield _passage_scores(read, weights.words)
        if signals.pairs:
            yield _pair_scores(question, documents, read, weights.words)


def _read(document: Document) -> list[tuple[_Words, _Words]]:
    """Each passage's words, and those of the heading that it stands under."""
    body = document.body[:MAX_READ]
    return [(words(body[part.start : part.end]), words(part.heading)) for part in passages(body)]


def _passage_scores(
    read: Mapping[str, list[tuple[_Words, _Words]]], weights: Mapping[str, float]
) -> dict[str, float]:
    postings: dict[str, dict[tuple[str, int], int]] = {word: {} for word in weights}
    lengths: dict[tuple[str, int], int] = {}
    for key, parts in read.items():
        for at, (text, heading) in enumerate(parts):
            found = text + heading
            lengths[key, at] = len(found)
            for word in weights.keys() & set(found):
                postings[word][key, at] = found.count(word)
    best: dict[str, float] = {}
    for (key, _), score in bm25.scores(weights, postings, lengths, MEAN_WORDS).items():
        best[key] = max(best.get(key, 0.0), PASSAGE * score)
    return best


def _pair_scores(
    question: Question,
    documents: Mapping[str, Document],
    read: Mapping[str, list[tuple[_Words, _Words]]],
    weights: Mapping[str, float],
) -> dict[str, float]:
    """Pairs are as rare as both words together would be if they met by chance."""
    worth = {
        pair: PAIR * (weights[pair[0]] + weights[pair[1]])
        for pair in pairwise(question.words)
        if pair[0] in weights and pair[1] in weights
    }
    if not worth:
        return {}
    postings: dict[tuple[str, str], dict[str, float]] = {pair: {} for pair in worth}
    for key, document in documents.items():
        texts = [(words(text), weight) for text, weight in names(document)]
        texts += [(text, 1.0) for text, _ in read[key]]
        for text, weight in texts:
            for pair in _neighbours(text, weights):
                if pair in postings:
                    postings[pair][key] = postings[pair].get(key, 0.0) + weight
    return bm25.scores(worth, postings, {}, 1.0)


def _neighbours(text: _Words, weights: Mapping[str, float]) -> Iterable[tuple[str, str]]:
    """The pairs of a text that may be in the question: stop words stand between no two words."""
    if len(weights.keys() & set(text)) < 2:
        return ()
    return pairwise(word for word in text if word in weights or is_telling(word))


def _adjustment(document: Document, today: date, signals: Signals) -> float:
    factor = STATUS.get(document.status.lower(), 1.0) if signals.status else 1.0
    if signals.age and document.kind not in AGELESS:
        factor *= 1 - AGE * _oldness(document.updated, today)
    return factor


def _oldness(updated: str, today: date) -> float:
    """How old a note is, from 0 (today) to 1; a note without a date is a year old."""
    try:
        passed = max(0, (today - date.fromisoformat(updated)).days)
    except ValueError:
        passed = AGE_HALF_DAYS
    return passed / (passed + AGE_HALF_DAYS)


def _named_first(
    ordered: Sequence[str], scores: Mapping[str, float], first: Sequence[str]
) -> list[Hit]:
    """The hits, the named ones first and with scores that are not lower than those below."""
    named = [key for key in dict.fromkeys(first) if key in scores]
    rest = [Hit(key, scores[key]) for key in ordered if key not in named and scores[key] > 0]
    hits, least = rest, rest[0].score if rest else 0.0
    for key in reversed(named):
        least = max(least, scores[key])
        hits = [Hit(key, least), *hits]
    return hits
