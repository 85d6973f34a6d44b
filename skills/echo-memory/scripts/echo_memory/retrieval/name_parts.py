"""A name-like part of a question: words that may be a name, though no note has exactly that one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from echo_memory.retrieval.words import telling_words

MAX_PARTS = 8
_LONGEST = 3
_LEAST_LETTERS = 4

_TOKEN = re.compile(r"[^\W_][\w'’.&-]*")


@dataclass(frozen=True)
class _Token:
    text: str
    is_word: bool
    is_odd: bool


def name_parts(question: str, knows: Callable[[str], bool]) -> list[str]:
    """The stretches of a question that may be names, at most eight, the longest first.

    A name has a word with a capital, or one that no note has, as it is when it is misspelt; stop
    words end it. The capital at the beginning of a question means nothing, but for one that is no
    more than a name.

    Args:
        question: what was asked.
        knows: whether any note has a word, given as a stem.
    """
    parts: dict[str, None] = {}
    found = _TOKEN.findall(question)
    is_bare = len(found) <= _LONGEST and all(text[0].isupper() for text in found)
    for run in _runs([_token(is_bare or at > 0, text, knows) for at, text in enumerate(found)]):
        for length in range(min(_LONGEST, len(run)), 0, -1):
            for start in range(len(run) - length + 1):
                window = run[start : start + length]
                if any(token.is_odd for token in window):
                    parts[" ".join(token.text for token in window)] = None
    return sorted(parts, key=lambda part: -part.count(" "))[:MAX_PARTS]


def _token(capital_tells: bool, text: str, knows: Callable[[str], bool]) -> _Token:
    stems = telling_words(text)
    is_unknown = len(text) >= _LEAST_LETTERS and not any(map(knows, stems))
    is_odd = is_unknown or (capital_tells and text[0].isupper())
    return _Token(text, bool(stems), bool(stems) and is_odd)


def _runs(tokens: list[_Token]) -> Iterator[list[_Token]]:
    run: list[_Token] = []
    for token in tokens:
        if token.is_word:
            run.append(token)
        else:
            yield run
            run = []
    yield run
