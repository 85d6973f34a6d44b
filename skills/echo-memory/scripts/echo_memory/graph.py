"""The graph: which notes may point at which, kept as notes change."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from echo_memory.note import Note

# Reading a note's links exactly takes a hundred times as long as finding what may be one.
_TARGET = re.compile(r"\[\[([^\[\]|#^\n]+)|\]\(<?([^()<>\n]+)")


class Graph:
    """For each file name, the notes that may link to it; who wants to be sure reads their links.

    Values are immutable and replaced: one writer at a time, readers take no lock.
    """

    def __init__(self) -> None:
        self._sources: dict[str, frozenset[str]] = {}
        self._targets: dict[str, frozenset[str]] = {}

    def put(self, note: Note) -> None:
        """Take over what a note points at."""
        self.restore(note.path, _targets(note.text))

    def restore(self, path: str, targets: Iterable[str]) -> None:
        """Take over what a note is known to point at."""
        self.drop(path)
        self._targets[path] = frozenset(targets)
        for target in self._targets[path]:
            self._sources[target] = self._sources.get(target, frozenset()) | {path}

    def targets(self, path: str) -> frozenset[str]:
        """What a note may point at, as file names."""
        return self._targets.get(path, frozenset())

    def drop(self, path: str) -> None:
        """Forget what a note points at."""
        for target in self._targets.pop(path, ()):
            others = self._sources[target] - {path}
            if others:
                self._sources[target] = others
            else:
                del self._sources[target]

    def sources(self, path: str) -> frozenset[str]:
        """The notes that may link to the one at this path."""
        return self._sources.get(_name(path), frozenset())


def _targets(text: str) -> Iterator[str]:
    for found in _TARGET.finditer(text):
        yield _name(found[1] or unquote(found[2].partition("#")[0]))


def _name(target: str) -> str:
    """A target's file name, in the form in which links are compared."""
    name = unicodedata.normalize("NFC", target.strip().rpartition("/")[2]).lower()
    return name.removesuffix(".md")
