"""Words: what a message is found by, the same for what is stored and for what is asked.

Letters are folded and lightly stemmed. Scripts that put no space between words become overlapping
pairs of characters, an emoji is a word, and an identifier is itself and its parts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

# Scripts without spaces: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul.
_SPACELESS = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
# Combining marks are no letters to `re`, yet belong to the word they stand in.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
_EMOJI = (
    "\u203c\u2049\u231a-\u23ff\u25aa-\u27bf\u2b05-\u2b55"
    "\U0001f004\U0001f0cf\U0001f170-\U0001f19a\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
)
_LETTER = rf"(?:[^\W{_SPACELESS}]|[{_MARKS}])"
_ASCII_PIECE = re.compile(r"\w+(?:\.\d+\w*|'\w+)*", re.ASCII)
_PIECE = re.compile(
    rf"[{_SPACELESS}]+|{_LETTER}+(?:\.\d+{_LETTER}*|['’]{_LETTER}+)*"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]"
)
_SPACELESS_START = re.compile(rf"[{_SPACELESS}]")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_UNDECOMPOSED = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
_DOUBLED = frozenset("bdgmnprt")
_KEPT = 100_000
VERSION = 1  # raised when a text gives other words than it did, so that indexes are made anew
_LONGEST = 64


class _Remembered(dict[str, str]):
    """What stands between two spaces → its words, joined; people write the same again and again."""

    def __missing__(self, written: str) -> str:
        if written.isascii() and written.isalpha() and written.islower():
            found = stem(written)[:_LONGEST]  # what `placed` makes of it, found more quickly
        else:
            found = " ".join([word for _, _, word in placed(written)])
        if len(written) <= _LONGEST:
            if len(self) >= _KEPT:
                self.clear()
            self[written] = found
        return found


_REMEMBERED = _Remembered()


def words(text: str) -> list[str]:
    """The words of a text in order."""
    return indexed(text).split()


def indexed(text: str) -> str:
    """The words of a text, joined by spaces, as the index takes them."""
    return " ".join(map(_REMEMBERED.__getitem__, text.split()))


def placed(text: str) -> Iterator[tuple[int, int, str]]:
    """Each word of a text with where it stands: first and last-but-one character, and the word."""
    plain = text.isascii()
    for found in (_ASCII_PIECE if plain else _PIECE).finditer(text):
        piece, start = found.group(), found.start()
        made = _words_of_piece(piece)
        if not plain and _SPACELESS_START.match(piece) and len(made) == len(piece):
            for offset, word in enumerate(made):
                yield start + offset, min(start + offset + 2, found.end()), word
        else:
            for word in made:
                yield start, found.end(), word


def beginning(text: str) -> str:
    """What the last word of a text, which goes on, begins with in the index; "" without one."""
    piece = next(reversed(_PIECE.findall(text)), "")
    if _SPACELESS_START.match(piece):
        return unicodedata.normalize("NFKC", piece)[-2:]
    if "'" in piece or "’" in piece:
        return _around_apostrophe(piece, lambda word: word)[-1]
    return fold(piece).replace(".", "_")[:_LONGEST]


def fold(text: str) -> str:
    """A text without case, accents and the differences of writing that nobody types."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_UNDECOMPOSED)
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", bare)


def stem(word: str) -> str:
    """An English word without its ending, anything else as it is: walks, walked, walking → walk."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _without_last_vowel(_without_ending(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word
    if word.endswith(("ses", "xes", "zes", "hes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "su" else word


def _without_ending(word: str) -> str:
    for ending in ("ing", "edly", "ed", "ly"):
        rest = word.removesuffix(ending)
        if len(rest) > 2 and rest != word:
            return rest[:-1] if len(rest) > 3 and _ends_doubled(rest) else rest
    return word


def _ends_doubled(word: str) -> bool:
    return word[-1] == word[-2] and word[-1] in _DOUBLED


def _without_last_vowel(word: str) -> str:
    if len(word) > 3 and word[-1] == "y":
        return word[:-1] + "i"
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


@lru_cache(maxsize=_KEPT)
def _words_of_piece(piece: str) -> tuple[str, ...]:
    if _SPACELESS_START.match(piece):
        return _pairs(piece)
    if "'" in piece or "’" in piece:
        return _around_apostrophe(piece)
    whole = stem(fold(piece).replace(".", "_"))[:_LONGEST]
    parts = (
        _PART.findall(piece) if (piece.isascii() and not piece.islower()) or "_" in piece else []
    )
    if len(parts) < 2:
        return (whole,) if whole.strip("_") else ()
    return whole, *(stem(part.lower())[:_LONGEST] for part in parts)


def _pairs(run: str) -> tuple[str, ...]:
    """Overlapping pairs and the last character alone, so that every character begins one."""
    plain = unicodedata.normalize("NFKC", run)
    return tuple(plain[at : at + 2] for at in range(len(plain)))


def _around_apostrophe(piece: str, end: Callable[[str], str] = stem) -> tuple[str, ...]:
    """Ada's → ada, don't → dont, l'eau → l eau."""
    first, *others = [fold(part) for part in re.split("['’]", piece) if part]
    if others == ["s"] or not others:
        return (end(first)[:_LONGEST],)
    if len(first) <= 2:
        return first, *(end(part)[:_LONGEST] for part in others)
    return ((first + "".join(others))[:_LONGEST],)
