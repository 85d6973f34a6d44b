"""The graph: which notes may point at which, kept as notes change."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from echo_memory.multimap import Multimap
from echo_memory.note import Note

# Reading a note's links exactly takes a hundred times as long as finding what may be one.
_TARGET = re.compile(r"\[\[([^\[\]|#^\n]+)|\]\(<?([^()<>\n]+)")


class Graph:
    """For each file name, the notes that may link to it; who wants to be sure reads their links.

    One writer at a time, readers take no lock.
    """

    def __init__(self) -> None:
        self._sources = Multimap()
        self._targets: dict[str, tuple[str, ...]] = {}

    def put(self, note: Note) -> None:
        """Take over what a note points at."""
        self.restore(note.path, tuple(sorted(set(_targets(note.text)))))

    def restore(self, path: str, targets: tuple[str, ...]) -> None:
        """Take over what a note is known to point at, as `targets` gave it."""
        self.drop(path)
        if targets:
            self._targets[path] = targets
        for target in targets:
            self._sources.add(target, path)

    def targets(self, path: str) -> tuple[str, ...]:
        """What a note may point at, as file names in order."""
        return self._targets.get(path, ())

    def drop(self, path: str) -> None:
        """Forget what a note points at."""
        for target in self._targets.pop(path, ()):
            self._sources.remove(target, path)

    def sources(self, path: str) -> list[str]:
        """The notes that may link to the one at this path, in no particular order."""
        return self._sources.of(_name(path))


def _targets(text: str) -> Iterator[str]:
    for found in _TARGET.finditer(text):
        yield _name(found[1] or unquote(found[2].partition("#")[0]))


def _name(target: str) -> str:
    """A target's file name, in the form in which links are compared."""
    name = unicodedata.normalize("NFC", target.strip().rpartition("/")[2]).lower()
    return name.removesuffix(".md")
