"""The query language: what a person or an assistant types, as terms of the index.

Plain words are alternatives. `"a phrase"`, `-word`, `+word` and `word*` are the only operators;
everything else is text to look for, so that no query is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echo_archive.words import beginning, placed, stem, words

LONGEST, MOST_TERMS = 1_000, 24
_QUOTES = str.maketrans("“”„«»", '"""""')
_ITEM = re.compile(r'([+-]?)"([^"]*)"?|(\S+)')
_SAYING_NOTHING = """
    a about am an and any are as at be been being but by can could did do does doing dont for
    from had has have he her hers him his how i if in into is it its just me my no not of on or
    our ours over she should so some such than that the their them then there these they this
    those to too us very was we were what when where which who whom whose why will with would
    you your yours
"""
_STOP = frozenset(map(stem, _SAYING_NOTHING.split()))


@dataclass(frozen=True, slots=True)
class Term:
    """What one word, phrase or beginning of a word asks of the index.

    Attributes:
        words: One word, or several that stand next to one another.
        beginning: Whether the last word is only the beginning of one.
    """

    words: tuple[str, ...]
    beginning: bool = False

    def expression(self) -> str:
        """The term in the index's own language, every word of it quoted."""
        quoted = " ".join(self.words).replace('"', '""')
        if not self.beginning:
            return f'"{quoted}"'
        whole = stem(quoted)
        return f'"{quoted}" *' if whole.startswith(quoted) else f'("{quoted}" * OR "{whole}")'

    def starts(self, said: Sequence[str]) -> list[int]:
        """Where the term begins in the words of a text."""
        first = self.words[0]
        if self.beginning and len(self.words) == 1:
            whole = stem(first)
            return [at for at, one in enumerate(said) if one.startswith(first) or one == whole]
        if len(self.words) == 1:
            return [at for at, one in enumerate(said) if one == first] if first in said else []
        return self._phrase_starts(said)

    def _phrase_starts(self, said: Sequence[str]) -> list[int]:
        first, size, wanted = self.words[0], len(self.words), list(self.words)
        return [
            at
            for at, one in enumerate(said)
            if one == first and list(said[at : at + size]) == wanted
        ]


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart: alternatives to rank by, what must be there, what must not."""

    optional: tuple[Term, ...]
    required: tuple[Term, ...]
    excluded: tuple[Term, ...]

    @property
    def ranked(self) -> tuple[Term, ...]:
        """What a message is scored by."""
        return _unique((*self.required, *self.optional))

    def allows(self, said: Sequence[str]) -> bool:
        """Whether a text has all that is required and nothing that is excluded."""
        return all(term.starts(said) for term in self.required) and not any(
            term.starts(said) for term in self.excluded
        )


def parse(text: str) -> Query:
    """Take a query apart; what holds no letter, digit or emoji is left out."""
    optional: list[Term] = []
    required: list[Term] = []
    excluded: list[Term] = []
    for sign, phrase, item in _items(text):
        if not item:
            (excluded if sign == "-" else required).extend(_phrase(phrase))
        elif item[0] in "+-" and len(item) > 1:
            (required if item[0] == "+" else excluded).extend(_strict(item[1:]))
        else:
            optional.extend(_plain(item))
    return Query(_telling(optional), _some(required), _some(excluded))


def meaning(text: str) -> str:
    """A query without its operators and what they exclude, for a model to understand."""
    kept = (phrase or item.strip("+*") for sign, phrase, item in _items(text) if sign != "-")
    said = " ".join(item for item in kept if not (item.startswith("-") and len(item) > 1))
    return said.strip() or text


def _items(text: str) -> list[tuple[str, str, str]]:
    return _ITEM.findall(text[:LONGEST].translate(_QUOTES))


def _phrase(text: str) -> list[Term]:
    said = words(text)
    if len(said) > 1 and len(said[-1]) == 1 and said[-2].endswith(said[-1]) and len(said[-2]) == 2:
        said.pop()
    if not said:
        return []
    alone = len(said) == 1 and _is_single_spaceless(said[0])
    return [Term(tuple(said), beginning=alone)]


def _strict(item: str) -> list[Term]:
    return _beginning(item) if item.endswith("*") else _phrase(item)


def _plain(item: str) -> list[Term]:
    if item.endswith("*"):
        return _beginning(item)
    found = list(placed(item))  # several pieces where a hyphen or a script changes inside it
    terms = []
    for start, end, word in found:
        pairs_end = end - start == 1 and any(b == end and b - a == 2 for a, b, _ in found)
        if not pairs_end:
            terms.append(Term((word,), beginning=_is_single_spaceless(word)))
    return terms


def _beginning(item: str) -> list[Term]:
    """The beginning of a word; words before it in the same item are words."""
    said = words(item)
    if not said:
        return []
    tail = beginning(item) or said[-1]
    return [*(Term((word,)) for word in said[:-1] if word != tail), Term((tail,), True)]


def _is_single_spaceless(word: str) -> bool:
    """A single Han, kana or Thai character stands in the index only as the begin of a pair."""
    return len(word) == 1 and "\u0e01" <= word <= "\uff9f" and word.isalpha()


def _telling(terms: list[Term]) -> tuple[Term, ...]:
    """Without the words that say nothing, unless there are no others."""
    telling = [term for term in terms if term.beginning or term.words[0] not in _STOP]
    return _some(telling or terms)


def _some(terms: Iterable[Term]) -> tuple[Term, ...]:
    return _unique(terms)[:MOST_TERMS]


def _unique(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(terms))
