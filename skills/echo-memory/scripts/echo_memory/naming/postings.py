"""Postings: which notes have a key, and which words of the vault look like a given one."""

from __future__ import annotations

from collections.abc import Iterable

from echo_memory.multimap import Multimap
from echo_memory.naming.spelling import distance, similar_within

WORD = "w:"

_SHORTEST = 4
_LOOKED_THROUGH = 5_000


class Postings:
    """An inverted index from keys to paths that changes one note at a time.

    Keys that begin with `WORD` are words, and can be found by similar ones. Readers take no lock:
    they walk copies, which CPython makes in one step. There may be one writer at a time.
    """

    def __init__(self) -> None:
        self._paths = Multimap()
        self._words_by_end: dict[str, dict[str, None]] = {}

    def add(self, path: str, keys: Iterable[str]) -> None:
        """Note that a path has these keys, too."""
        for key in keys:
            if self._paths.add(key, path) and key.startswith(WORD):
                word = key[len(WORD) :]
                for end in _ends_to_keep(word):
                    self._words_by_end.setdefault(end, {})[word] = None

    def remove(self, path: str, keys: Iterable[str]) -> None:
        """Forget that a path has these keys."""
        for key in keys:
            if self._paths.remove(key, path) and key.startswith(WORD):
                word = key[len(WORD) :]
                for end in _ends_to_keep(word):
                    self._forget(end, word)

    def of(self, key: str) -> list[str]:
        """The paths that have a key, in no particular order."""
        return self._paths.of(key)

    def count(self, key: str) -> int:
        """How many paths have a key."""
        return self._paths.count(key)

    def similar(self, word: str) -> list[str]:
        """Words of the index a typing slip or two away, without the word itself.

        One slip leaves the first letters of a word whole or the last, so only words with the same
        ones are compared.
        """
        limit = similar_within(word)
        if len(word) < _SHORTEST or not limit:
            return []
        near = {
            other
            for end in _ends(word, 2 if len(word) < 8 else 3)
            for other in list(self._words_by_end.get(end, ()))[:_LOOKED_THROUGH]
            if abs(len(other) - len(word)) <= limit and distance(word, other, limit) <= limit
        }
        return sorted(near - {word})

    def _forget(self, end: str, word: str) -> None:
        words = self._words_by_end.get(end, {})
        words.pop(word, None)
        if not words:
            self._words_by_end.pop(end, None)


def _ends_to_keep(word: str) -> list[str]:
    """Under which ends a word is kept; two letters for short words, three for long ones.

    Words about as long as where this changes are kept under both: a slip may change the length.
    """
    if len(word) < _SHORTEST or not similar_within(word):
        return []
    return [
        *(_ends(word, 2) if len(word) <= 8 else ()),
        *(_ends(word, 3) if len(word) >= 7 else ()),
    ]


def _ends(word: str, letters: int) -> tuple[str, str]:
    return f"^{word[:letters]}", f"{word[-letters:]}$"
