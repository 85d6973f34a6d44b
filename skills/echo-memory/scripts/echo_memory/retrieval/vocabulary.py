"""The vocabulary: the words that notes have, and which of them a mistyped one may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from echo_memory.naming.spelling import distance, is_dense, similar_within

MIN_LETTERS = 5
"""Shorter words have too many neighbours."""


_ENDS = 2

_Ends = tuple[str, str]
_Table = dict[_Ends, dict[str, None]]


class Vocabulary:
    """Words by how they begin and end; those of a first letter are taken up when it is needed.

    A writer may add words while readers look; a word that no document has any more is harmless.
    """

    def __init__(self, beginning: Callable[[str], Iterable[str]]) -> None:
        """Nothing is taken up yet.

        Args:
            beginning: gives the words that begin with a letter.
        """
        self._beginning = beginning
        self._tables: dict[str, _Table] = {}

    def add(self, words: Iterable[str]) -> None:
        """Take up words that a document has."""
        for word in words:
            table = self._tables.get(word[:1])
            if table is not None:
                _put(table, word)

    def near(self, word: str, containing: Callable[[str], int]) -> str:
        """The word that is one slip away, two from nine letters on; empty if there is none.

        Of several the nearest, of these the one that most documents have. Typists seldom miss the
        first letter, so that it must be the same, and so must be nearly half of the word, at its
        beginning or its end. Numbers and codes mean themselves.

        Args:
            word: one that no document has, as a stem.
            containing: how many documents have a word.
        """
        limit = similar_within(word)
        if len(word) < MIN_LETTERS or not word.isalpha() or is_dense(word):
            return ""
        kept = (len(word) - 1) // 2 if limit == 1 else len(word) // 2 - 1
        head, tail = word[:kept], word[-kept:]
        found = [
            (far, -documents, other)
            for other in self._like(word)
            if abs(len(other) - len(word)) <= limit
            if other.startswith(head) or other.endswith(tail)
            if (far := distance(word, other, limit)) <= limit and (documents := containing(other))
        ]
        return min(found)[-1] if found else ""

    def _like(self, word: str) -> list[str]:
        """The words with the same first letter, and the same beginning or the same end."""
        letter = word[0]
        if letter not in self._tables:
            # Before it is filled, so that what a writer adds meanwhile is not missed.
            table = self._tables.setdefault(letter, {})
            for other in self._beginning(letter):
                _put(table, other)
        return [other for ends in _ends(word) for other in list(self._tables[letter].get(ends, ()))]


def _put(table: _Table, word: str) -> None:
    for ends in _ends(word):
        table.setdefault(ends, {})[word] = None


def _ends(word: str) -> tuple[_Ends, _Ends]:
    return (word[:_ENDS], ""), ("", word[-_ENDS:])
