"""The likely note: which one a broken link may have meant, before a rename or a move."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

from echo_memory.text import fold

_COMMON = 100  # a word of more names than this tells none of them apart
_COMPARED = 20
_ALIKE = 0.8
_LONGEST = 120  # what is longer is no name that somebody mistyped


class LikelyNotes:
    """Notes by their names: id, title and aliases, compared folded."""

    def __init__(self, notes: Iterable[tuple[str, Iterable[str]]]) -> None:
        """Notes, by path and names."""
        self._by_name: dict[str, set[str]] = defaultdict(set)
        self._by_word: dict[str, set[str]] = defaultdict(set)
        self._answers: dict[str, str] = {}
        for path, names in notes:
            for name in names:
                if folded := _folded(name):
                    self._by_name[folded].add(path)
        for name in self._by_name:
            for word in name.split():
                self._by_word[word].add(name)

    def of(self, target: str) -> str:
        """The path of the one note that a link's target is near to; empty if none or several are.

        The note has that name, in whatever folder it stands; or it shares half of the name's words
        or nearly all of its letters, and no other note is as near.
        """
        wanted = _folded(target.rpartition("/")[2].removesuffix(".md"))
        if wanted not in self._answers:
            self._answers[wanted] = _only(self._by_name.get(wanted) or self._nearest(wanted))
        return self._answers[wanted]

    def _nearest(self, wanted: str) -> set[str]:
        if len(wanted) > _LONGEST:
            return set()
        shared: Counter[str] = Counter()
        for word in set(wanted.split()):
            names = self._by_word.get(word, set())
            if len(names) <= _COMMON:
                shared.update(names)
        scores = {
            name: score
            for name, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:_COMPARED]
            if (score := _nearness(wanted, name))
        }
        return _best(scores, self._by_name)


def _best(scores: Mapping[str, float], paths: Mapping[str, set[str]]) -> set[str]:
    highest = max(scores.values(), default=0.0)
    return {path for name, score in scores.items() if score == highest for path in paths[name]}


def _nearness(wanted: str, name: str) -> float:
    """How near two names are that share a word; 0 where they are not."""
    one, other = set(wanted.split()), set(name.split())
    words = len(one & other) / len(one | other)
    letters = SequenceMatcher(None, wanted, name[:_LONGEST], autojunk=False).ratio()
    return max(words, letters) if words >= 0.5 or letters >= _ALIKE else 0.0


def _only(paths: set[str]) -> str:
    return next(iter(paths)) if len(paths) == 1 else ""


def _folded(name: str) -> str:
    return fold(name.replace("-", " ").replace("_", " "))
