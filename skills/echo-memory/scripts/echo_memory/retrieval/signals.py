"""A signal: what speaks for a note beside how often it has the question's words.

A first stage scores all notes by their words (BM25+); the best of them are ranked again here, by
what would cost too much to find out of all. Passages and pairs are worth what served best on
LoCoMo (ten long conversations, each session a note); the rest is set by reason, and small.

PASSAGE  half of the best passage's score: an answer stands in one place, not all over a note
PAIR     two neighbouring words of the question are neighbours in the note: 0.2 of both words
DATED    a note is of a day that the question names: 2.0, as a word as rare, found once, and half
         as much again as its words say; less if it only tells of the day or was changed on it
KIND     a note is of a kind that the question asks for: the same, with 2.0 and a third
NAMING   words that name the day or the kind are worth 0.2 of a word: those notes have the thing
OTHER    words of the title of a note that is named by another name: 0.3 of a word
EXTRA    scores from elsewhere: 3/7 of the best note's score, a mix of 0.7 to 0.3
STATUS   what is over comes after what is not, when both say the same
AGE      up to 4 % less as a note gets old, half of that in a year; not for references
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from echo_memory.retrieval import bm25
from echo_memory.retrieval.documents import Document, kinds, names
from echo_memory.retrieval.inverted import Scores
from echo_memory.retrieval.passages import MEAN_WORDS, passages
from echo_memory.retrieval.question import Question
from echo_memory.retrieval.words import is_telling, words

POOL = 50
PASSAGE = 0.5
PAIR = 0.2
DATED, DATED_SHARE = 2.0, 0.5
KIND, KIND_SHARE = 2.0, 1 / 3
LEAST_RARITY = 1.0  # a vault that began last month has notes of little else
NAMING, OTHER_NAME = 0.2, 0.3
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

_Pair = tuple[str, str]


class Part(NamedTuple):
    """A passage, its words each between two spaces, so that they are counted without a loop.

    Attributes:
        said: its words, and those of the heading that it stands under.
        telling: its own words without the stop words.
        length: how many words `said` has.
    """

    said: str
    telling: str
    length: int


@dataclass(frozen=True)
class Reading:
    """A document's words as they stand in it.

    Attributes:
        parts: its passages.
        names: the words of each of its names and tags, as in a part, with what they count.
    """

    parts: tuple[Part, ...]
    names: tuple[tuple[Part, float], ...]


@dataclass(frozen=True)
class Signals:
    """Which signals count; each can be left out, to see what it is good for."""

    passages: bool = True
    pairs: bool = True
    dates: bool = True
    kinds: bool = True
    names: bool = True
    near_names: bool = True
    status: bool = True
    age: bool = True


ALL = Signals()


@dataclass(frozen=True)
class Weights:
    """What the parts of a question are worth among the documents at hand: their rarity.

    Attributes:
        words: of each word that some document has.
        days: of being of a day that the question names.
        kinds: of being of a kind that it asks for.
    """

    words: Mapping[str, float]
    days: float = 0.0
    kinds: float = 0.0


def pool(scores: Scores, *others: Iterable[str], size: int = POOL) -> dict[str, float]:
    """The best of a first stage's scores, and others that may not have any of the words."""
    return {key: scores.get(key) for keys in (scores.best(size), *others) for key in keys}


def rerank(
    question: Question,
    weights: Weights,
    candidates: Mapping[str, float],
    documents: Mapping[str, Document],
    *,
    read: Callable[[str, Document], Reading],
    today: date,
    dated: Mapping[str, float],
    extra: Mapping[str, float],
    signals: Signals = ALL,
) -> dict[str, float]:
    """The scores of the candidates, all signals counted.

    Args:
        question: what was asked.
        weights: what its words, days and kinds are worth.
        candidates: keys with their score in the first stage.
        documents: those of them that there are.
        read: gives a document's words, by its key.
        today: for the age of notes.
        dated: how much documents are of a day that the question names.
        extra: scores from elsewhere, 0 to 1, such as similarities.
        signals: which of them count.
    """
    scores = {key: candidates[key] for key in documents}
    top = max(scores.values(), default=0.0) or 1.0
    for gains in _gains(question, weights, documents, read, signals):
        for key, gain in gains.items():
            scores[key] += gain
    scores |= _bonuses(question, weights, scores, documents, dated)
    for key, document in documents.items():
        gain = EXTRA * top * extra.get(key, 0.0)
        adjustment = _adjustment(document, today, signals, listing=not weights.words)
        scores[key] = round((scores[key] + gain) * adjustment, _DIGITS)
    return scores


def _bonuses(
    question: Question,
    weights: Weights,
    scores: Mapping[str, float],
    documents: Mapping[str, Document],
    dated: Mapping[str, float],
) -> dict[str, float]:
    """The scores with what being of the day and of the kind adds to them."""
    day, kind = DATED * weights.days, KIND * weights.kinds
    made = {}
    for key, document in documents.items():
        strength = dated.get(key, 0.0)
        fits = not question.kinds.isdisjoint(kinds(document)) if question.kinds else False
        share = 1 + DATED_SHARE * strength + KIND_SHARE * fits
        made[key] = scores[key] * share + day * strength + kind * fits
    return made


def _gains(
    question: Question,
    weights: Weights,
    documents: Mapping[str, Document],
    read: Callable[[str, Document], Reading],
    signals: Signals,
) -> Iterator[Mapping[str, float]]:
    """What each signal adds to the scores."""
    if weights.words and (signals.passages or signals.pairs):
        readings = {key: read(key, document) for key, document in documents.items()}
        if signals.passages:
            yield _passage_scores(readings, weights.words)
        if signals.pairs:
            yield _pair_scores(question, readings, weights.words)


def reading(document: Document) -> Reading:
    """The words of a document, as far as a candidate's are looked at."""
    body = document.body[:MAX_READ]
    parts = (_part(body[part.start : part.end], part.heading) for part in passages(body))
    return Reading(
        tuple(parts), tuple((_part(text, ""), weight) for text, weight in names(document))
    )


def _part(text: str, heading: str) -> Part:
    own = words(text)
    said = own + words(heading)
    return Part(_spaced(said), _spaced(filter(is_telling, own)), len(said))


def _spaced(said: Iterable[str]) -> str:
    return "".join(f" {word} " for word in said)


def _passage_scores(
    readings: Mapping[str, Reading], weights: Mapping[str, float]
) -> dict[str, float]:
    postings: dict[str, dict[tuple[str, int], int]] = {word: {} for word in weights}
    lengths: dict[tuple[str, int], int] = {}
    needles = [(f" {word} ", postings[word]) for word in weights]
    for key, found in readings.items():
        for at, part in enumerate(found.parts):
            for needle, posting in needles:
                times = part.said.count(needle)
                if times:
                    posting[key, at] = times
                    lengths[key, at] = part.length
    best: dict[str, float] = {}
    for (key, _), score in bm25.scores(weights, postings, lengths, MEAN_WORDS).items():
        best[key] = max(best.get(key, 0.0), PASSAGE * score)
    return best


def _pair_scores(
    question: Question, readings: Mapping[str, Reading], weights: Mapping[str, float]
) -> dict[str, float]:
    """Pairs are as rare as both words together would be if they met by chance."""
    worth = {
        pair: PAIR * (weights[pair[0]] + weights[pair[1]])
        for pair in pairwise(question.words)
        if pair[0] in weights and pair[1] in weights
    }
    postings: dict[_Pair, dict[str, float]] = {pair: {} for pair in worth}
    plain = [(f" {a}  {b} ", postings[a, b]) for a, b in worth if _is_plain((a, b))]
    odd = [pair for pair in worth if not _is_plain(pair)]
    for key, found in readings.items():
        for part, weight in (*found.names, *((part, 1.0) for part in found.parts)):
            for needle, posting in plain:
                times = part.telling.count(needle)
                if times:
                    posting[key] = posting.get(key, 0.0) + times * weight
            for pair in odd:
                times = _times(pair, part)
                if times:
                    postings[pair][key] = postings[pair].get(key, 0.0) + times * weight
    return bm25.scores(worth, postings, {}, 1.0)


def _is_plain(pair: _Pair) -> bool:
    """Whether a pair is found by its letters: two words, neither of them a stop word."""
    return pair[0] != pair[1] and all(map(is_telling, pair))


def _times(pair: _Pair, part: Part) -> int:
    """How often one word follows another: other stop words stand between no two words."""
    row = (word for word in part.said.split() if word in pair or is_telling(word))
    return sum(neighbours == pair for neighbours in pairwise(row))


def _adjustment(document: Document, today: date, signals: Signals, *, listing: bool) -> float:
    factor = STATUS.get(document.status.lower(), 1.0) if signals.status else 1.0
    if signals.age and not listing and document.kind not in AGELESS:
        factor *= 1 - AGE * _oldness(document.updated, today)
    return factor


def _oldness(updated: str, today: date) -> float:
    """How old a note is, from 0 (today) to 1; a note without a date is a year old."""
    try:
        passed = max(0, (today - date.fromisoformat(updated)).days)
    except ValueError:
        passed = AGE_HALF_DAYS
    return passed / (passed + AGE_HALF_DAYS)
