"""Likeness: how much two names look like one name, and in what they differ.

The scores are an order, not a probability. What decides is on which side of a threshold a
difference falls:

GATE    A person would ask "is this not the same one?" before writing a second note. These
        differences leave the name whole: nothing in it says that it is another. To ask in vain
        costs a question; not to ask makes two notes of one person.
NEAR    Worth a glance, but people do bear such names side by side: Jan and Jana Novak, John and
        Joan Smith, a review and last year's review. They are told, and nothing stops.
LISTED  Helps whoever looked for a name and found none.

Names with different numbers (Sprint 12 and 13, Q1 and Q2, Python 2 and 3) never reach NEAR, and
a number on one side alone never reaches GATE.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from echo_memory.naming.nameparts import NameParts, acronym, without_kind
from echo_memory.naming.spelling import SWAP, alike, ending, is_dense, key, slip

GATE, NEAR, LISTED = 0.85, 0.65, 0.5
SLIP, FIRST, LAST = "typing slip", "first name, only one bears it", "last name, only one bears it"

_SPACING, _ORDER, _WORDS = (
    "same letters, other spacing",
    "same words in another order",
    "same words",
)
_ARTICLE, _COMPANY, _TITLE, _KIND = "article", "company suffix", "title or degree", "names its kind"
_SAME, _SPELLING, _PLURAL = "same", "another spelling", "one or many"
_INITIALS, _MIDDLE, _LEFT_OUT = "initials", "middle name dropped", "part of the name left out"
_ALIKE, _SIMILAR, _SHARED = "alike", "similar spelling", "shared words"
_INSIDE, _NUMBER, _NUMBERED = "part of it", "another number", "one has a number"

_SCORES = {
    _WORDS: 0.98, _SPACING: 0.97, _ORDER: 0.96, _ARTICLE: 0.95, _COMPANY: 0.95, _TITLE: 0.95,
    _SPELLING: 0.94, SLIP: 0.92, _INITIALS: 0.9, _PLURAL: 0.9, _MIDDLE: 0.89, _KIND: 0.88,
    _LEFT_OUT: 0.87, FIRST: 0.87, LAST: 0.86,
}  # fmt: skip
_EACH_FURTHER_REASON = 0.02
_MOST_BELOW_GATE = 0.8

# How much of a word a matched one is worth when names merely resemble each other, and what share
# of their words and letters has to match: more when each has words that the other lacks.
_WEIGHTS = {_SAME: 1.0, _SPELLING: 0.95, _PLURAL: 0.9, SLIP: 0.9, _ALIKE: 0.7, _INITIALS: 0.6}
_SHARE_OF_ONE, _SHARE_OF_BOTH = 0.6, 0.75
_LETTERS_INSIDE = 3
_ACRONYM_SCORE = 0.7

# A slip is believed in words so long that few others are a letter away. Given names lie close
# together (Marco and Mario, Marina and Martina), and a name of one word has nothing beside it
# that agrees. Swapped neighbours seldom make another word.
_LONG_WORD, _LONG_GIVEN, _LONG_ALONE = 6, 8, 7
_SWAPPED_WORD, _SWAPPED_ALONE = 4, 6
_VARIED_WORD, _VARIED_ALONE = 3, 5


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two names are.

    Attributes:
        score: 0 to 1.
        why: the differences, as a short phrase for a person.
        doubt: what only the other names of the vault can settle: SLIP (is the word not a word of
            its own?), FIRST or LAST (does nobody else bear it?), or nothing.
        word: the word in doubt, of the mention or of the shorter name.
    """

    score: float
    why: str
    doubt: str = ""
    word: str = ""

    def lowered(self, why: str) -> Likeness:
        """The same below the gate."""
        return Likeness(min(self.score, _MOST_BELOW_GATE), why)


@dataclass(frozen=True, slots=True)
class _Pair:
    """A word of each name that belong together; positions, and how they agree."""

    one: int
    two: int
    how: str


_Words = tuple[str, ...]
_Test = Callable[[str, str, bool, bool], bool]


def compare(
    mention: NameParts, other: NameParts, *, kind: str = "", mention_kind: str | None = None
) -> Likeness | None:
    """How alike a mention is to the name of a note; None when it is not.

    Args:
        mention: the name that came in.
        other: a name of the note.
        kind: the note's kind. Initials, names left out and first names alone count between
            persons only.
        mention_kind: the kind of what is mentioned, where it is known.
    """
    if not mention.words or not other.words:
        return None
    found = _compare(mention, other, kind, mention_kind)
    if found is None or mention.numbers == other.numbers:
        return found
    if mention.numbers and other.numbers:
        return Likeness(LISTED, _NUMBER) if found.score >= NEAR else None
    return found.lowered(_NUMBERED)


def _compare(
    one: NameParts, two: NameParts, kind: str, mention_kind: str | None
) -> Likeness | None:
    kinds = {kind, mention_kind or kind}
    if kinds == {"person"}:
        return _persons(one, two)
    company = "company" in kinds or mention_kind is None
    a, b = (one.company, two.company) if company else (one.words, two.words)
    dressed = [_COMPANY] if _stripped(one.words, a) != _stripped(two.words, b) else []
    if one.article != two.article:
        dressed.append(_ARTICLE)
    bare_a, bare_b = without_kind(a, kind), without_kind(b, kind)
    if (bare_a == a) != (bare_b == b):
        a, b = bare_a, bare_b
        dressed.append(_KIND)
    return _judge(a, b, dressed, person=False)


def _persons(one: NameParts, two: NameParts) -> Likeness | None:
    a, b = one.personal, two.personal
    dressed = [_TITLE] if _stripped(one.words, a) != _stripped(two.words, b) else []
    return _judge(_spread(a, b), _spread(b, a), dressed, person=True)


def _stripped(words: _Words, rest: _Words) -> list[str]:
    return sorted(set(words) - set(rest))


def _spread(words: _Words, others: _Words) -> _Words:
    """Initials written together ("JRR Tolkien") as letters, where the other name has them."""
    first = words[0]
    letters = len(first)
    if not 1 < letters <= 3 or len(others) <= letters or not set(first).isdisjoint("aeiou"):
        return words
    fits = all(other.startswith(letter) for letter, other in zip(first, others, strict=False))
    return (*first, *words[1:]) if fits else words


def _judge(a: _Words, b: _Words, dressed: list[str], *, person: bool) -> Likeness | None:
    if a == b:
        return _scored([] if dressed else [_WORDS], dressed)
    if "".join(a) == "".join(b):
        return _scored([_SPACING], dressed)
    if not person and (acronym(a) == "".join(b) or acronym(b) == "".join(a)):
        return Likeness(_ACRONYM_SCORE, _INITIALS)
    pairs = _align(a, b, person=person)
    reasons = _reasons(a, b, pairs, person=person)
    if not reasons:
        return _resembling(a, b, pairs)
    likeness = _scored(reasons, dressed)
    doubt = next((reason for reason in reasons if reason in (SLIP, FIRST, LAST)), "")
    word = next((a[pair.one] for pair in pairs if doubt != SLIP or pair.how == SLIP), "")
    return replace(likeness, doubt=doubt, word=word) if doubt else likeness


def _scored(reasons: list[str], dressed: list[str]) -> Likeness:
    score = min(_SCORES[reason] for reason in [*reasons, *dressed])
    further = max(len(reasons) - 1, 0)
    why = ", ".join([*reasons, *dressed])
    return Likeness(round(score - _EACH_FURTHER_REASON * further, 2), why)


def _align(a: _Words, b: _Words, *, person: bool) -> list[_Pair]:
    """Pair the words of two names, each way of agreeing in turn, the surest first."""
    alone = len(a) == len(b) == 1
    open_a, open_b = list(range(len(a))), list(range(len(b)))
    pairs: list[_Pair] = []
    for how, test in _PERSON_TESTS if person else _TESTS:
        for i in list(open_a):
            given = person and (i < len(a) - 1 or alone)
            for j in open_b:
                if test(a[i], b[j], given, alone):
                    pairs.append(_Pair(i, j, how))
                    open_a.remove(i)
                    open_b.remove(j)
                    break
    return sorted(pairs, key=lambda pair: pair.one)


def _is_same(x: str, y: str, given: bool, alone: bool) -> bool:
    return x == y


def _is_spelling(x: str, y: str, given: bool, alone: bool) -> bool:
    least = _VARIED_ALONE if alone else _VARIED_WORD
    return min(len(x), len(y)) >= _VARIED_WORD and max(len(x), len(y)) >= least and key(x) == key(y)


def _is_last_name(x: str, y: str, given: bool, alone: bool) -> bool:
    return not given and min(len(x), len(y)) >= _VARIED_WORD and ending(x) == ending(y)


def _is_initial(x: str, y: str, given: bool, alone: bool) -> bool:
    return (len(x) == 1) != (len(y) == 1) and x[0] == y[0] and not alone and not is_dense(x + y)


def _is_slip(x: str, y: str, given: bool, alone: bool) -> bool:
    least = _LONG_GIVEN if given else _LONG_ALONE if alone else _LONG_WORD
    swapped = _SWAPPED_ALONE if alone else _SWAPPED_WORD
    shorter = min(len(x), len(y))
    if shorter < min(least, swapped):
        return False
    what = slip(x, y)
    return shorter >= (swapped if what == SWAP else least) and what != ""


def _is_plural(x: str, y: str, given: bool, alone: bool) -> bool:
    shorter, longer = sorted((x, y), key=len)
    return not alone and len(shorter) >= 3 and longer in (f"{shorter}s", f"{shorter}es")


def _is_alike(x: str, y: str, given: bool, alone: bool) -> bool:
    return alike(x, y) and not (alone and max(len(x), len(y)) < _VARIED_ALONE)


def _sounds_alike(x: str, y: str, given: bool, alone: bool) -> bool:
    # Nair and Nayar, Schmidt and Schmitz; among other words it is Bahn and Bank.
    return _is_alike(x, y, given, alone) or _is_alike(key(x), key(y), given, alone)


_TESTS: tuple[tuple[str, _Test], ...] = (
    (_SAME, _is_same), (_SPELLING, _is_spelling), (_PLURAL, _is_plural), (SLIP, _is_slip),
    (_ALIKE, _is_alike),
)  # fmt: skip
_PERSON_TESTS: tuple[tuple[str, _Test], ...] = (
    (_SAME, _is_same), (_SPELLING, _is_spelling), (_SPELLING, _is_last_name),
    (_INITIALS, _is_initial), (SLIP, _is_slip), (_ALIKE, _sounds_alike),
)  # fmt: skip


def _reasons(a: _Words, b: _Words, pairs: list[_Pair], *, person: bool) -> list[str]:
    """Why two names may be one; empty when they only resemble each other."""
    hows = [pair.how for pair in pairs]
    sure = sum(_is_sure(a, b, pair) for pair in pairs)
    missing = len(a) + len(b) - 2 * len(pairs)
    if _ALIKE in hows or hows.count(SLIP) > 1 or (len(a) > len(pairs) < len(b)):
        return []
    if not sure and max(len(a), len(b)) > 1:
        return []
    left_out = _left_out(a, b, pairs, sure) if missing and person else ""
    # Two doubts about one name are one too many.
    if (missing and not left_out) or (SLIP in hows and (left_out or _INITIALS in hows)):
        return []
    reasons = [how for how in (_SPELLING, SLIP, _PLURAL, _INITIALS) if how in hows]
    if any(one.two > two.two for one, two in pairwise(pairs)):
        reasons.append(_ORDER)
    return [*reasons, left_out] if left_out else reasons


def _is_sure(a: _Words, b: _Words, pair: _Pair) -> bool:
    return pair.how in (_SAME, _SPELLING) and min(len(a[pair.one]), len(b[pair.two])) > 1


def _left_out(a: _Words, b: _Words, pairs: list[_Pair], sure: int) -> str:
    """What the shorter name of a person lacks; "" when it is too little to know the other by."""
    longer = max(len(a), len(b))
    places = {pair.one if len(a) == longer else pair.two for pair in pairs}
    if min(len(a), len(b)) == 1:
        return FIRST if places == {0} else LAST if places == {longer - 1} else ""
    if {0, longer - 1} <= places:
        return _MIDDLE
    return _LEFT_OUT if sure > 1 else ""


def _resembling(a: _Words, b: _Words, pairs: list[_Pair]) -> Likeness | None:
    if not pairs:
        return None
    hows = {pair.how for pair in pairs}
    words = 2 * sum(_WEIGHTS[pair.how] for pair in pairs) / (len(a) + len(b))
    letters = sum(_WEIGHTS[pair.how] * len(a[pair.one] + b[pair.two]) for pair in pairs)
    share = min(words, letters / len("".join(a + b)))
    needed = _SHARE_OF_BOTH if len(a) > len(pairs) < len(b) else _SHARE_OF_ONE
    if share >= needed:
        why = _SIMILAR if hows & {_ALIKE, SLIP} else _SHARED
        return Likeness(round(LISTED + (_MOST_BELOW_GATE - LISTED) * share, 2), why)
    whole = len(pairs) == min(len(a), len(b)) and _ALIKE not in hows
    agreeing = sum(min(len(a[pair.one]), len(b[pair.two])) for pair in pairs)
    inside = whole and agreeing >= _LETTERS_INSIDE
    return Likeness(LISTED, _INSIDE) if inside else None
