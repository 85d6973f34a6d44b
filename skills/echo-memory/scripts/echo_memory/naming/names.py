"""Names: what a vault's entities are called, found word by word in running text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from echo_memory.multimap import Multimap
from echo_memory.naming.nameparts import parse
from echo_memory.text import fold

MIN_LETTERS = 3
MAX_WORDS = 32

_SEPARATOR = "\n"

# Scripts that write no space between words: a name may stand anywhere in them, so that each
# character is a word. Katakana is not among them, for it spells words that end where it ends.
_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7a3"
_THAI_AND_LAO = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0edf"
_MYANMAR_AND_KHMER = "\u1000-\u109f\u1780-\u17d3\u17d7\u17dc-\u17dd"
_UNSPACED = f"{_HAN}{_HIRAGANA}\u3105-\u312f{_THAI_AND_LAO}{_MYANMAR_AND_KHMER}"
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"

# A syllable or an idea in one character says as much as two letters: 中村 and 김구 are whole names.
_DENSE = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}]")

# Blocks with combining marks, which Python's \w leaves out although they are parts of words.
_MARKED_BLOCKS = (
    (0x0300, 0x20F1), (0x2CEF, 0x3100), (0xA66F, 0xABEE), (0xFB1E, 0xFB1F), (0xFE00, 0xFE30),
    (0x101FD, 0x11F60), (0x1E000, 0x1E950),
)  # fmt: skip
_UNSEEN = "\u00ad\u200c\u200d\u2060"

# What may stand between two words of a mention in place of what the name has there.
_JOINERS = frozenset("-‐‑'’.&/+·‧・=＝")
_UNSAFE_GAP = re.compile(r"[()\[\]{}<>|\\`]")


class Word(NamedTuple):
    """A word of a text: its range, and its folded form."""

    start: int
    end: int
    folded: str


class Form(NamedTuple):
    """How a name may be written in a text; see `Name`."""

    gaps: frozenset[str]
    capital: bool


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is recognised in a text.

    Attributes:
        key: the entity that bears it; None when several do.
        gaps: what stands between its words, as it is written.
        capital: whether only a mention with a capital letter is one ("Mark" is not "mark").
    """

    key: str | None
    gaps: frozenset[str]
    capital: bool

    def fits(self, text: str, words: list[Word]) -> bool:
        """Whether these words of a text, which fold to the name, are a mention of it."""
        first = text[words[0].start]
        if self.capital and first == first.lower():
            return False
        gaps = (text[one.end : other.start] for one, other in pairwise(words))
        return all(gap in self.gaps or _is_loose(gap) for gap in gaps)


class Names:
    """The names of all entities, kept as they change.

    A lookup costs the same however many names there are. The values in the tables are immutable
    and replaced on change: one writer at a time, readers take no lock.
    """

    def __init__(self) -> None:
        self._forms: dict[str, tuple[str, ...]] = {}
        self._shared: dict[str, dict[str, Name]] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self._names: dict[str, Name] = {}
        self._spans: dict[str, tuple[int, ...]] = {}
        self._ends: dict[str, tuple[str, ...]] = {}
        self._persons = Multimap()

    def put(self, key: str, found: Mapping[str, Form], ends: tuple[str, ...]) -> None:
        """Take over the names of an entity in place of those that it had.

        Args:
            key: what identifies the entity: its path, or its id.
            found: how they are written, as `forms_of` gives them. Those too short, too long or too
                odd to be told from other words are never found in a text.
            ends: the first and last names of a person, who may share them, as `ends_of` gives them.
        """
        before = self._forms.get(key)
        self._forms[key] = tuple(found)
        if before:
            for form in set(before) - found.keys():
                self._remove(key, form)
        for form, written in found.items():
            self._add(key, form, Name(key, *written))
        self._bear(key, ends)

    def drop(self, key: str) -> None:
        """Forget an entity; one that is not known changes nothing."""
        for form in self._forms.pop(key, ()):
            self._remove(key, form)
        self._bear(key, ())

    def is_shared(self, key: str, word: str) -> bool:
        """Whether a folded word is a first or last name of this person and of another, too."""
        return self._persons.count(word) > 1 and key in self._persons.of(word)

    def spans(self, first: str) -> tuple[int, ...]:
        """How many words the names that begin with this folded word have, longest first."""
        return self._spans.get(first, ())

    def find(self, words: Iterable[Word]) -> Name | None:
        """The name that consists of just these words."""
        return self._names.get(_form(words))

    def _add(self, key: str, form: str, name: Name) -> None:
        known, bearers = self._names.get(form), self._shared.get(form)
        if known is None:
            self._count(form, 1)
        if known is None or known.key == key:
            self._names[form] = name
            return
        if bearers is None:
            bearers = self._shared[form] = {known.key: known} if known.key else {}
        bearers[key] = name
        capital = known.capital and name.capital
        self._names[form] = Name(None, same_gaps(known.gaps | name.gaps), capital)

    def _remove(self, key: str, form: str) -> None:
        bearers = self._shared.get(form)
        if bearers is None:
            del self._names[form]
            self._count(form, -1)
            return
        del bearers[key]
        if len(bearers) == 1:
            self._names[form] = next(iter(bearers.values()))
            del self._shared[form]

    def _bear(self, key: str, ends: tuple[str, ...]) -> None:
        before = self._ends.pop(key, ())
        if ends:
            self._ends[key] = ends
        for word in before:
            if word not in ends:
                self._persons.remove(word, key)
        for word in ends:
            if word not in before:
                self._persons.add(word, key)

    def _count(self, form: str, change: int) -> None:
        first, length = form.partition(_SEPARATOR)[0], form.count(_SEPARATOR) + 1
        before = self._counts.pop((first, length), 0)
        count = before + change
        if count:
            self._counts[first, length] = count
        if before and count:
            return
        lengths = {length} ^ set(self._spans.get(first, ()))
        if lengths:
            self._spans[first] = tuple(sorted(lengths, reverse=True))
        else:
            del self._spans[first]


def words(text: str) -> Iterator[Word]:
    """The words of a text, in order; in scripts without spaces each character is one."""
    folded = _Folded()
    for match in _word().finditer(text):
        word = match[0]
        plain = word.isascii() and "_" not in word
        yield Word(match.start(), match.end(), word.lower() if plain else folded[word])


class _Folded(dict[str, str]):
    def __missing__(self, word: str) -> str:
        self[word] = value = fold(word)
        return value


@cache
def _word() -> re.Pattern[str]:
    blocks = (chr(code) for first, end in _MARKED_BLOCKS for code in range(first, end))
    marks = _UNSEEN + "".join(char for char in blocks if unicodedata.category(char)[0] == "M")
    # ASCII comes first, because going through the ranges of the others takes ten times as long.
    letter = rf"[0-9A-Za-z]++|[^\W_{_UNSPACED}{_KATAKANA}]"
    letters = rf"(?:{letter})(?:{letter}|[{marks}])*+"
    return re.compile(
        rf"{letters}(?:_++{letters})*+(?:[+#]++(?!\w))?"
        rf"|[{_UNSPACED}][{marks}]*+"
        rf"|[{_KATAKANA}][{_KATAKANA}{marks}]*+"
        rf"|[{_PICTURES}][{_PICTURES}{marks}]*+"
    )


def forms_of(names: Iterable[str]) -> dict[str, Form]:
    """How each name that can be told from other words is written, by its folded words."""
    found: dict[str, Form] = {}
    for written in names:
        text = " ".join(written.split())
        parts = list(words(text))
        if not _is_recognisable(text, parts):
            continue
        form = _form(parts)
        gaps = {text[one.end : other.start] for one, other in pairwise(parts)}
        first = text[parts[0].start]
        capital = len(parts) == 1 and first != first.lower()
        if form in found:
            gaps |= found[form].gaps
            capital = capital and found[form].capital
        found[form] = Form(same_gaps(frozenset(gaps)), capital)
    return found


def _is_recognisable(text: str, parts: list[Word]) -> bool:
    if not 0 < len(parts) <= MAX_WORDS or _UNSAFE_GAP.search(text[parts[0].start : parts[-1].end]):
        return False
    letters = "".join(part.folded for part in parts).replace(" ", "")
    # Where words see only a part of a name (not the $ of "A$AP"), that part alone would be found.
    if letters != fold(text).replace(" ", ""):
        return False
    return len(letters) + len(_DENSE.findall(letters)) >= MIN_LETTERS


@lru_cache(maxsize=1024)
def same_gaps(gaps: frozenset[str]) -> frozenset[str]:
    """One object for equal gaps: nearly all names have a space between their words."""
    return gaps


def ends_of(names: Iterable[str]) -> tuple[str, ...]:
    """The first and last names of a person."""
    parsed = (parse(name).personal for name in names)
    ends = (word for parts in parsed if parts for word in (parts[0], parts[-1]))
    return tuple(dict.fromkeys(ends))


def _form(parts: Iterable[Word]) -> str:
    return _SEPARATOR.join([part.folded for part in parts])


def _is_loose(gap: str) -> bool:
    """Whether any two words of a name may have this between them: nothing, a joiner, or space."""
    if len(gap) < 2:
        return not gap or gap in _JOINERS or (gap.isspace() and gap not in "\r\n")
    return len(gap) <= 4 and gap.isspace() and not {"\n", "\r"} & set(gap)
