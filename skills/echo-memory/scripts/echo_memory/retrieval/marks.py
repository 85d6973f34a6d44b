"""A mark: a word as one character, so that a text is searched for it as fast as for a letter.

Any two words have the same mark once in a million times. Where that would matter, whoever searches
knows from elsewhere whether a text has the word at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

# All characters beyond the first plane: there is no line end among them, and no surrogate.
_FIRST, _COUNT = 1 << 16, 1 << 20
_MOST_KNOWN = 1 << 16


class _Marks(dict[str, str]):
    """The marks of words that were read lately, looked up without a call."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        made = chr(_FIRST + crc32(word.encode("utf-8", "surrogatepass")) % _COUNT)
        self[word] = made
        return made


_MARKS = _Marks()


def mark(word: str) -> str:
    """The mark of a word: the last 20 bits of its CRC-32, as one of a million characters."""
    return _MARKS[word]


def marks(words: Iterable[str]) -> str:
    """The marks of words in a row."""
    return "".join(map(_MARKS.__getitem__, words))
