"""The recall index: how the notes rank and what they point at, as notes come and go.

It is made from the notes, which takes long when there are many, or taken up where an earlier
process left it: then only the notes that changed since are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from echo_memory.graph import Graph
from echo_memory.note import Note
from echo_memory.ranking import MAX_READINGS, Ranking
from echo_memory.recallable import document, is_recalled, readable
from echo_memory.retrieval.documents import Facts
from echo_memory.retrieval.inverted import DictInverted, Inverted
from echo_memory.retrieval.reading import Reading, reading
from echo_memory.shelf import Shelf

_AT_ONCE = 200  # notes that are restored at one step: it takes as long as reading one of them


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of one note, beside its words.

    Attributes:
        signature: of the note's text as it was then.
        facts: what ranks it; None for a note that recall does not find.
        targets: what it may point at, as file names.
    """

    signature: int
    facts: Facts | None
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Stored:
    """An index as an earlier process left it."""

    inverted: Inverted
    kept: Mapping[str, Kept]


class Readings(Protocol):
    """Where readings are kept, each for a note's text as its signature tells it."""

    def get(self, wanted: Mapping[str, int]) -> Mapping[str, Reading]:
        """Those that are kept, by path, for the signatures asked for."""
        ...

    def put(self, readings: Mapping[str, tuple[int, Reading]]) -> None:
        """Keep some, each with its signature; that they cannot be kept is no error."""
        ...

    def missing(self, wanted: Mapping[str, int]) -> list[str]:
        """Of all notes those of which none is kept; what is kept of others is forgotten."""
        ...

    def close(self) -> None:
        """Let go of what is open."""
        ...


class NoReadings:
    """Keeps none."""

    def get(self, wanted: Mapping[str, int]) -> Mapping[str, Reading]:
        """See Readings."""
        return {}

    def put(self, readings: Mapping[str, tuple[int, Reading]]) -> None:
        """See Readings."""

    def missing(self, wanted: Mapping[str, int]) -> list[str]:
        """See Readings: none is worth being read for nobody."""
        return []

    def close(self) -> None:
        """See Readings."""


class Store(Protocol):
    """Where an index is kept for the next process; it is derived, so that nothing of it is dear."""

    readings: Readings

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

    readings: Readings = NoReadings()

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

    def __init__(self, store: Store, shelf: Shelf) -> None:
        """Take up what is kept; what has changed since must be put.

        Args:
            store: where the index is kept.
            shelf: has the notes.
        """
        self._store = store
        self._shelf = shelf
        self._stored = store.load() or Stored(store.empty(), {})
        self._signatures: dict[str, int] = {}
        self._is_changed = False
        self._touched: set[str] = set()
        self._unread: dict[str, None] = {}
        self._knows_unread = False
        self.ranking = Ranking(self._stored.inverted, read=self._read)
        self.graph = Graph()

    @property
    def was_kept(self) -> bool:
        """Whether it began with what an earlier process left."""
        return bool(self._stored.kept)

    def begin(self) -> Iterator[None]:
        """Take the notes in, for some moments at each step, and forget what is no more."""
        kept, inverted = self._stored.kept, self._stored.inverted
        for path in [path for path in kept if path not in self._shelf]:
            inverted.drop(path)
            self._is_changed = True
        taken = 0
        for path in self._shelf.paths():
            if path in self._signatures:
                continue
            known = kept.get(path)
            if known is not None and known.signature == self._shelf.signature(path):
                self._restore(path, known)
                taken += 1
            elif note := self._shelf.get(path):
                inverted.drop(path)
                self.put(note)
                taken += _AT_ONCE
            if taken >= _AT_ONCE:
                taken = 0
                yield
        self._stored = Stored(inverted, {})

    def read_ahead(self, count: int) -> int:
        """Read so many notes, so that no question waits for that; returns how many it read."""
        if not self._knows_unread:  # not before: the first question would wait for it
            self._knows_unread = True
            said = dict(self._signatures)
            missing = self._store.readings.missing(said)
            self._unread |= dict.fromkeys(said if self._all_fit else missing)
        paths: list[str] = []
        while self._unread and len(paths) < count:
            paths.append(self._unread.popitem()[0])
        read = self.ranking.hold if self._all_fit else self._read
        read(paths)
        return len(paths)

    def reading(self, note: Note) -> Reading | None:
        """The reading of just this text of a note, where it is in memory."""
        is_this = self._signatures.get(note.path) == note.signature
        return self.ranking.held(note.path) if is_this else None

    def put(self, note: Note) -> None:
        """Take a note up, in the place of the one that has its path."""
        self._touched.add(note.path)
        # Before it is ranked: else a question keeps how it was as how it is.
        self._signatures[note.path] = note.signature
        self.graph.put(note.searchable)
        if is_recalled(note):
            self.ranking.put(note.path, document(note))
        else:
            self.ranking.drop(note.path)
        self._unread[note.path] = None
        self._is_changed = True

    def drop(self, path: str) -> None:
        """Forget a note."""
        self._touched.add(path)
        self.graph.drop(path)
        self.ranking.drop(path)
        self._signatures.pop(path, None)
        self._unread.pop(path, None)
        self._is_changed = True

    def save(self, writing: AbstractContextManager[object]) -> None:
        """Keep the index as it is now, unless it is kept already.

        What changes meanwhile is left out: nobody knows with which words it is kept.

        Args:
            writing: while it is entered, which is for a moment, nobody puts or drops.
        """
        with writing:
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

    @property
    def _all_fit(self) -> bool:
        """Whether the readings of all notes can be held in memory."""
        return len(self._signatures) <= MAX_READINGS

    def _restore(self, path: str, known: Kept) -> None:
        self.graph.restore(path, known.targets)
        if known.facts is not None:
            self.ranking.restore(path, known.facts)
        self._signatures[path] = known.signature

    def _read(self, paths: Sequence[str]) -> Mapping[str, Reading]:
        """The readings of notes, those that are kept and those that are made now and then kept."""
        said = {path: at for path in paths if (at := self._signatures.get(path)) is not None}
        found = dict(self._store.readings.get(said))
        made = {}
        for path in said.keys() - found.keys():
            note = self._shelf.get(path)
            if note is not None:
                found[path] = reading(document(note), readable(note))
                made[path] = note.signature, found[path]
            self._unread.pop(path, None)
        if made:
            self._store.readings.put(made)
        return found
