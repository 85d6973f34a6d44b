"""A word: what a text is found by.

Documents and questions are taken apart by the same rules, so that both get the same words.
"""

from __future__ import annotations

import re
from itertools import chain

from echo_memory.retrieval.stems import stem
from echo_memory.retrieval.stop_words import STOP_WORDS, stop_words_of
from echo_memory.text import fold

MAX_WORD = 64

# Scripts that are written without spaces between words (Thai to Burmese, Khmer, kana, Chinese
# characters), and Korean, whose words carry their particles with them.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17d3\u3005-\u3007\u3031-\u3035\u3040-\u309f"
    "\u30a1-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
# Marks that Python's \w leaves out though they stand inside words, and what is invisible there.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0816-\u082d\u0900-\u0963\u0966-\u0df3"
    "\u0e31-\u0e4e\u0eb1-\u0ece\u0f71-\u0f84\u102b-\u103e\u135d-\u135f\u17b4-\u17d3\u180b-\u180d"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
)
_EMOJI = (
    "\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\u3297\u3299\U0001f000-\U0001f1e5"
    "\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_LETTERS = rf"[\w{_MARKS}]+"
_PICTURE = rf"[\U0001f1e6-\U0001f1ff]{{2}}|[{_EMOJI}]"
_TOKEN = re.compile(
    rf"{_LETTERS}(?:(?:[-.'’‐‑]|(?<=\d)[,:](?=\d)){_LETTERS})*(?:[+#]++(?!\w))?"
    rf"|{_PICTURE}"
)
# The same for a text without other letters, in half the time.
_ASCII_TOKEN = re.compile(r"\w++(?:(?:[-.']|(?<=\d)[,:](?=\d))\w++)*+(?:[+#]++(?!\w))?", re.ASCII)
_SYMBOL = re.compile(_PICTURE)
_WORDLIKE = re.compile(r"[^\W_]")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SCRIPTS = re.compile(f"([{_UNSPACED}]+)|[^{_UNSPACED}]+")
_SEPARATOR = re.compile(r"([-'.,:_]+)")
_PLAIN_SEPARATORS = str.maketrans("’‐‑", "'--")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LABEL = re.compile(r"[A-Za-z]{3,}\d+")
_INITIALS_PLURAL = re.compile("[A-Z]{2,}s")
_ISO_DATE = re.compile(r"((?:19|20)\d\d)-(?:0\d|1[012])(?:-[0-3]\d)?")
_VERSION = re.compile(r"v\d[\d.]*\.")

# Whole identifiers are worth a word; a path or a sentence that is joined up is not.
_MOST_PARTS = 8
_MOST_HYPHENATED = 3

_CONTRACTED = {"can't": "can", "won't": "will", "shan't": "shall"}
_CONTRACTIONS = ("n't", "'ll", "'re", "'ve", "'s", "'m", "'d")


def words(text: str) -> list[str]:
    """The words of a document in order: folded, and English ones as stems.

    An identifier (`snake_case`, `camelCase`, `v2.1`, `e-mail`) is one word and then also gives its
    parts; a date also gives its month and its year. Scripts without spaces give overlapping pairs
    of characters, then single characters. An emoji is a word. No word is longer than 64 characters.
    """
    return list(chain.from_iterable(map(_STEMS.__getitem__, _tokens(text))))


def query_words(text: str) -> list[str]:
    """The words of a question: as of a document, but without stop words unless there are no others.

    A stop word that is capitalised inside the question is a name and stays (Will, US, IT). In
    scripts without spaces a character is a word of its own only where it stands alone.
    """
    return telling_words(text) or [stem(word) for token in _tokens(text) for word in _read(token)]


def telling_words(text: str) -> list[str]:
    """The words of a question that are no stop words; there may be none."""
    read = [(at, token, _read(token)) for at, token in enumerate(_tokens(text))]
    stop_words = stop_words_of(word for _, _, found in read for word in found)
    return [
        stem(word)
        for at, token, found in read
        for word in found
        if word not in stop_words or (word in STOP_WORDS and _is_name(at, token))
    ]


def is_telling(word: str) -> bool:
    """Whether a document's word, as a stem, is more than a stop word."""
    return word not in STOP_STEMS


def _tokens(text: str) -> list[str]:
    found: list[str] = (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
    return found


def _is_name(at: int, token: str) -> bool:
    return at > 0 and len(token) > 1 and token[0].isupper()


class _Stems(dict[str, tuple[str, ...]]):
    """The words of each token that was read lately, looked up without a call."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        found = tuple(stem(word) for word in _read(token, singles=True))
        if len(self) >= _MOST_STEMS:
            self.clear()
        if len(token) <= MAX_WORD:
            self[token] = found
        return found


_MOST_STEMS = 1 << 16
_STEMS = _Stems()


def _read(token: str, *, singles: bool = False) -> list[str]:
    """The words that one token gives; `singles`: also each character of unspaced scripts."""
    if token.isascii() and token.islower() and token.isalpha():
        return [token[:MAX_WORD]]
    if not _WORDLIKE.search(token):
        return [token] if _SYMBOL.fullmatch(token) else []
    if date := _ISO_DATE.fullmatch(token):
        return list(dict.fromkeys((token, token[:7], date[1])))
    plain = _uncontracted(token.translate(_PLAIN_SEPARATORS))
    bare = plain.rstrip("+#")
    pieces = _SEPARATOR.split(bare.strip("-'.,:_"))
    parts, between = pieces[::2], pieces[1::2]
    if set(between) == {"."} and all(len(part) == 1 and part.isalpha() for part in parts):
        return ["".join(parts).lower()[:MAX_WORD]]
    signed = [fold(bare) + plain[len(bare) :]] if len(bare) < len(plain) else []
    found = [word[:MAX_WORD] for word in (*signed, *_whole(parts, between))]
    for part in parts:
        found += _of_part(part, singles=singles)
    return found


def _uncontracted(token: str) -> str:
    if "'" not in token:
        return token
    lower = token.lower()
    if lower in _CONTRACTED:
        return _CONTRACTED[lower]
    ending = next((end for end in _CONTRACTIONS if lower.endswith(end)), "")
    return token[: len(token) - len(ending)]


def _whole(parts: list[str], between: list[str]) -> list[str]:
    """An identifier in one piece: `a_b` and `a.b` as they are, `e-mail` as email, 1,000 as 1000."""
    most = _MOST_HYPHENATED if "-" in between else _MOST_PARTS
    if not 2 <= len(parts) <= most or sum(map(len, parts)) > MAX_WORD:
        return []
    folded = [part.lower() if part.isascii() else fold(part) for part in parts]
    if any(" " in part or _IS_UNSPACED.search(part) for part in folded):
        return []
    kept = [sign if sign in "._:" else "" for sign in between]
    whole = "".join(part + sign for part, sign in zip(folded, [*kept, ""], strict=True))
    return [whole, whole[1:]] if _VERSION.match(whole) else [whole]


def _of_part(part: str, *, singles: bool) -> list[str]:
    if not part.isascii():
        return [
            word
            for name in fold(part).split()
            for run in _SCRIPTS.finditer(name)
            for word in (_pairs(run[1], singles=singles) if run[1] else [run[0][:MAX_WORD]])
        ]
    if part.isdigit() or (part.islower() and part.isalpha()):
        return [part[:MAX_WORD]]
    if _INITIALS_PLURAL.fullmatch(part):
        part = part[:-1]
    return [part.lower()[:MAX_WORD], *_humps(part)]


def _humps(part: str) -> list[str]:
    """The parts of `camelCase` and of `room12`; a long jumble of cases is no identifier."""
    plain = part.islower() or part.isupper() or part.istitle()
    if len(part) > MAX_WORD or (plain and not _LABEL.fullmatch(part)):
        return []
    humps = _HUMP.findall(part.lower() if plain else part)
    return [hump.lower() for hump in humps] if 2 <= len(humps) <= _MOST_PARTS else []


def _pairs(run: str, *, singles: bool) -> list[str]:
    if len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return [*pairs, *run] if singles else pairs


STOP_STEMS = frozenset(stem(word) for word in STOP_WORDS)
