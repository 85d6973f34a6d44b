"""The recall index: how the notes rank and what they point at, as notes come and go.

It is made from the notes, which takes long when there are many, or taken up where an earlier
process left it: then only the notes that changed since are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from echo_memory.graph import Graph
from echo_memory.note import Note
from echo_memory.ranking import Ranking, Source
from echo_memory.recallable import document, is_recalled
from echo_memory.retrieval.documents import Facts
from echo_memory.retrieval.inverted import DictInverted, Inverted


@dataclass(frozen=True)
class Kept:
    """What is kept of one note, beside its words.

    Attributes:
        signature: of the note's text as it was then.
        facts: what ranks it; None for a note that recall does not find.
        targets: what it may point at, as file names.
    """

    signature: str
    facts: Facts | None
    targets: frozenset[str]


@dataclass(frozen=True)
class Stored:
    """An index as an earlier process left it."""

    inverted: Inverted
    kept: Mapping[str, Kept]


class Store(Protocol):
    """Where an index is kept for the next process; it is derived, so that nothing of it is dear."""

    def load(self) -> Stored | None:
        """The index that was kept last; None where there is none that can be used."""
        ...

    def empty(self) -> Inverted:
        """An index without documents."""
        ...

    def save(self, inverted: Inverted, kept: Callable[[], Mapping[str, Kept]]) -> None:
        """Keep an index; that it cannot be kept is no error.

        Args:
            inverted: the words.
            kept: asked once these are kept, what of the notes goes with them.
        """
        ...

    def discard(self) -> None:
        """Forget what is kept, for it is damaged."""
        ...


class NoStore:
    """Keeps nothing."""

    def load(self) -> Stored | None:
        """See Store."""
        return None

    def empty(self) -> Inverted:
        """See Store."""
        return DictInverted()

    def save(self, inverted: Inverted, kept: Callable[[], Mapping[str, Kept]]) -> None:
        """See Store."""

    def discard(self) -> None:
        """See Store."""


class RecallIndex:
    """Ranking and links of all notes; one writer at a time, readers take no lock."""

    def __init__(self, store: Store, source: Source) -> None:
        """Take up what is kept; what has changed since must be put.

        Args:
            store: where the index is kept.
            source: gives a note's document, by its path.
        """
        self._store = store
        self._stored = store.load() or Stored(store.empty(), {})
        self._signatures: dict[str, str] = {}
        self._is_changed = False
        self._touched: set[str] = set()
        self.ranking = Ranking(self._stored.inverted, source=source)
        self.graph = Graph()

    @property
    def was_kept(self) -> bool:
        """Whether it began with what an earlier process left."""
        return bool(self._stored.kept)

    def begin(self, notes: Mapping[str, Note]) -> Iterator[None]:
        """Take the notes in, one at each step, and forget what is no more."""
        kept, inverted = self._stored.kept, self._stored.inverted
        for path in [path for path in kept if path not in notes]:
            inverted.drop(path)
            self._is_changed = True
        for path in list(notes):
            note = notes.get(path)
            if note is not None and path not in self._signatures:
                known = kept.get(path)
                if known is not None and known.signature == signature(note):
                    self._restore(path, known)
                else:
                    inverted.drop(path)
                    self.put(note)
            yield
        self._stored = Stored(inverted, {})

    def put(self, note: Note) -> None:
        """Take a note up, in the place of the one that has its path."""
        self._touched.add(note.path)
        self.graph.put(note.searchable)
        if is_recalled(note):
            self.ranking.put(note.path, document(note))
        else:
            self.ranking.drop(note.path)
        self._signatures[note.path] = signature(note)
        self._is_changed = True
        self._touched.add(note.path)

    def drop(self, path: str) -> None:
        """Forget a note."""
        self._touched.add(path)
        self.graph.drop(path)
        self.ranking.drop(path)
        self._signatures.pop(path, None)
        self._is_changed = True

    def save(self) -> None:
        """Keep the index as it is now, unless it is kept already.

        What changes meanwhile is left out: nobody knows with which words it is kept.
        """
        if not self._is_changed:
            return
        self._is_changed = False
        self._touched = set()
        kept = {
            path: Kept(said, self.ranking.facts(path), self.graph.targets(path))
            for path, said in list(self._signatures.items())
        }

        def untouched() -> Mapping[str, Kept]:
            return {path: one for path, one in kept.items() if path not in self._touched}

        self._store.save(self._stored.inverted, untouched)

    def _restore(self, path: str, known: Kept) -> None:
        self.graph.restore(path, known.targets)
        if known.facts is not None:
            self.ranking.restore(path, known.facts)
        self._signatures[path] = known.signature


def signature(note: Note) -> str:
    """What two texts of a note have in common only when they are the same."""
    data = note.text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()
