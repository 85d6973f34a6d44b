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
SLIPS    a word that no note has counts as the one that it is a slip of
OTHER    words of the title of a note that is named by another name: 0.3 of a word
EXTRA    scores from elsewhere: 3/7 of the best note's score, a mix of 0.7 to 0.3
STATUS   what is over comes after what is not, when both say the same; what something else has
         replaced is no longer so, and comes after it also when it says it in its title; but
         who asks for what was before looks for just that
AGE      up to 4 % less as a note gets old, half of that in a year; of facts and working memories,
         which tell how things are, up to 20 %; not for references
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from echo_memory.retrieval import bm25
from echo_memory.retrieval.inverted import Scores
from echo_memory.retrieval.marks import mark, marks
from echo_memory.retrieval.passages import best
from echo_memory.retrieval.question import Question
from echo_memory.retrieval.reading import Reading
from echo_memory.retrieval.words import STOP_STEMS, is_telling

POOL = 50
PASSAGE = 0.5
PAIR = 0.2
DATED, DATED_SHARE = 2.0, 0.5
KIND, KIND_SHARE = 2.0, 1 / 3
LEAST_RARITY = 1.0  # a vault that began last month has notes of little else
NAMING, OTHER_NAME = 0.2, 0.3
EXTRA = 3 / 7
STATUS = {
    "superseded": 0.78, "obsolete": 0.78, "deprecated": 0.78, "archived": 0.94, "abandoned": 0.94,
    "cancelled": 0.94, "canceled": 0.94, "done": 0.96, "completed": 0.96, "closed": 0.96,
}  # fmt: skip
AGE = 0.04
AGE_OF_KIND = {"semantic": 0.2, "working": 0.2, "reference": 0.0}
AGE_HALF_DAYS = 365
_STOP_MARKS = frozenset(map(mark, STOP_STEMS))
_DIGITS = 6  # two engines that add up in another order agree on these

_Pair = tuple[str, str]


@dataclass(frozen=True)
class Signals:
    """Which signals count; each can be left out, to see what it is good for."""

    passages: bool = True
    pairs: bool = True
    dates: bool = True
    kinds: bool = True
    names: bool = True
    near_names: bool = True
    slips: bool = True
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


@dataclass(frozen=True)
class Candidates:
    """The documents that are looked at, by key.

    Attributes:
        scores: what each has in the first stage.
        readings: of those that there are.
        having: those that have each of the words that are worth something.
    """

    scores: Mapping[str, float]
    readings: Mapping[str, Reading]
    having: Mapping[str, Set[str]]


def pool(scores: Scores, *others: Iterable[str], size: int = POOL) -> dict[str, float]:
    """The best of a first stage's scores, and others that may not have any of the words."""
    return {key: scores.get(key) for keys in (scores.best(size), *others) for key in keys}


def rerank(
    question: Question,
    weights: Weights,
    candidates: Candidates,
    *,
    today: date,
    dated: Mapping[str, float],
    extra: Mapping[str, float],
    signals: Signals = ALL,
) -> dict[str, float]:
    """The scores of the candidates, all signals counted.

    Args:
        question: what was asked.
        weights: what its words, days and kinds are worth.
        candidates: the documents.
        today: for the age of notes.
        dated: how much documents are of a day that the question names.
        extra: scores from elsewhere, 0 to 1, such as similarities.
        signals: which of them count.
    """
    readings = candidates.readings
    scores = {key: candidates.scores[key] for key in readings}
    top = max(scores.values(), default=0.0) or 1.0
    for gains in _gains(question, weights, candidates, signals):
        for key, gain in gains.items():
            scores[key] += gain
    scores |= _bonuses(question, weights, scores, readings, dated)
    for key, one in readings.items():
        gain = EXTRA * top * extra.get(key, 0.0)
        adjustment = _over(one, question) if signals.status else 1.0
        if signals.age and weights.words and not question.is_of_past:
            adjustment *= 1 - AGE_OF_KIND.get(one.kind, AGE) * _oldness(one.updated, today)
        scores[key] = round((scores[key] + gain) * adjustment, _DIGITS)
    return scores


def _bonuses(
    question: Question,
    weights: Weights,
    scores: Mapping[str, float],
    readings: Mapping[str, Reading],
    dated: Mapping[str, float],
) -> dict[str, float]:
    """The scores with what being of the day and of the kind adds to them."""
    day, kind = DATED * weights.days, KIND * weights.kinds
    made = {}
    for key, one in readings.items():
        strength = dated.get(key, 0.0)
        fits = not question.kinds.isdisjoint(one.kinds)
        share = 1 + DATED_SHARE * strength + KIND_SHARE * fits
        made[key] = scores[key] * share + day * strength + kind * fits
    return made


def _gains(
    question: Question, weights: Weights, candidates: Candidates, signals: Signals
) -> Iterator[Mapping[str, float]]:
    """What each signal adds to the scores."""
    if signals.passages:
        yield _passage_scores(candidates, weights.words)
    if signals.pairs:
        yield _pair_scores(question, candidates, weights.words)


def _passage_scores(candidates: Candidates, weights: Mapping[str, float]) -> dict[str, float]:
    """What the passage of each that says most about the words is worth."""
    wanted: dict[str, list[tuple[str, float]]] = {key: [] for key in candidates.readings}
    for word, weight in weights.items():
        worth = mark(word), weight
        for key in candidates.having[word]:
            wanted[key].append(worth)
    readings = candidates.readings.items()
    return {key: PASSAGE * best(one.lines, wanted[key])[1] for key, one in readings}


def _pair_scores(
    question: Question, candidates: Candidates, weights: Mapping[str, float]
) -> dict[str, float]:
    """Pairs are as rare as both words together would be if they met by chance."""
    worth = {
        pair: PAIR * (weights[pair[0]] + weights[pair[1]])
        for pair in pairwise(question.words)
        if pair[0] in weights and pair[1] in weights
    }
    readings, having = candidates.readings, candidates.having
    postings: dict[_Pair, dict[str, float]] = {}
    for pair in worth:
        times = _times_plain(pair) if _is_plain(pair) else _times_odd(pair)
        postings[pair] = {
            key: count
            for key in having[pair[0]] & having[pair[1]]
            if (count := times(readings[key]))
        }
    return bm25.scores(worth, postings, {}, 1.0)


def _is_plain(pair: _Pair) -> bool:
    """Whether a pair is found by its marks alone: neither word is a stop word."""
    return all(map(is_telling, pair))


def _times_plain(pair: _Pair) -> Callable[[Reading], float]:
    needle = marks(pair)

    def times(one: Reading) -> float:
        found: float = one.telling.count(needle)
        for _, telling, weight in one.called:
            if needle in telling:
                found += weight * telling.count(needle)
        return found

    return times


def _times_odd(pair: _Pair) -> Callable[[Reading], float]:
    """How often one word follows another: other stop words stand between no two words."""
    wanted = mark(pair[0]), mark(pair[1])

    def times(one: Reading) -> float:
        called: float = sum(weight * _follows(wanted, said) for said, _, weight in one.called)
        return called + sum(_follows(wanted, line) for line in one.lines)

    return times


def _follows(pair: _Pair, said: str) -> int:
    row = (one for one in said if one in pair or one not in _STOP_MARKS)
    return sum(neighbours == pair for neighbours in pairwise(row))


def _over(one: Reading, question: Question) -> float:
    """What a note's score is multiplied by because of its status."""
    factor = STATUS.get(one.status.lower(), 1.0)
    return 1 / factor if question.is_of_past else factor


def _oldness(updated: str, today: date) -> float:
    """How old a note is, from 0 (today) to 1; a note without a date is a year old."""
    try:
        passed = max(0, (today - date.fromisoformat(updated)).days)
    except ValueError:
        passed = AGE_HALF_DAYS
    return passed / (passed + AGE_HALF_DAYS)
