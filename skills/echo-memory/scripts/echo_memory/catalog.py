"""The catalogue: what all notes say, and what they are found by."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from echo_memory.entities import Candidate, Entities
from echo_memory.links import Link, wikilink
from echo_memory.mentions import Added, link_mentions, mentioned
from echo_memory.naming.entity import Entity
from echo_memory.naming.likeness import GATE
from echo_memory.note import Note
from echo_memory.recall_index import NoStore, RecallIndex, Store
from echo_memory.recallable import PLAIN
from echo_memory.retrieval.inverted import DamagedIndex
from echo_memory.retrieval.name_parts import name_parts
from echo_memory.retrieval.order import Hit
from echo_memory.retrieval.signals import ALL, Signals
from echo_memory.shelf import Shelf
from echo_memory.tables import Listed, Tables

# So many notes may be meant by a name that none of them bears just so.
_MEANT = 3
_MANY = 2_000  # notes through which looking takes seconds
_OVER = object()


class Catalog:
    """What the notes say, held in memory.

    Readers take no lock: values in the tables are immutable, one writer at a time replaces them,
    and whoever walks a table walks a copy of it. What only recall needs is built by the first one.
    """

    def __init__(
        self,
        store: Store | None = None,
        *,
        shelf: Shelf | None = None,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        """No notes yet.

        Args:
            store: where what recall needs is kept for the next process.
            shelf: where the notes are held; None to hold them in memory.
            notify: told of what takes long.
        """
        self._notify = notify
        self._store: Store = store or NoStore()
        self._writing = threading.Lock()
        self._shelf = Shelf() if shelf is None else shelf
        self._making_recall = threading.Lock()
        self._recall: RecallIndex | None = None
        self._recall_being_made: RecallIndex | None = None
        self._tables = Tables()
        self.paths = self._tables.paths
        self.entities = self._tables.entities
        self.names = self._tables.names

    @property
    def note_count(self) -> int:
        """How many notes are known."""
        return len(self._shelf)

    def put(self, note: Note) -> None:
        """Take a note up, in the place of the one that has its path."""
        self.put_all([note])

    def put_all(self, notes: Iterable[Note]) -> None:
        """Take notes up, each in the place of the one that has its path.

        Many at once take half the time, and a writer that comes meanwhile waits for all of them.
        """
        listed = list(map(Listed.of, notes))  # what may fail does so before anything is changed
        with self._writing:
            fresh = [one for one in listed if self._shelf.put(one.note)]
            self._tables.put(fresh)
            for recall in self._recalls():
                for one in fresh:
                    recall.put(one.note)

    def drop(self, path: str) -> None:
        """Forget a note."""
        with self._writing:
            self._drop(path)

    def get(self, path: str) -> Note | None:
        """The note at exactly this path."""
        return self._shelf.get(path)

    def __contains__(self, path: object) -> bool:
        """Whether there is a note at exactly this path."""
        return path in self._shelf

    def notes(self) -> Iterator[Note]:
        """All notes, in no particular order; each is read when its turn comes."""
        return iter(self._shelf)

    def all_paths(self) -> list[str]:
        """Their paths, in no particular order."""
        return self._shelf.paths()

    def key_of(self, path: str) -> str:
        """What a link says to mean a note: its id, or its path where others share the id."""
        whole = path[: -len(".md")]
        note_id = whole.rpartition("/")[2]
        return note_id if len(self.paths.named(note_id)) < 2 else whole

    def link_to(self, entity: Entity) -> str:
        """A wikilink that means this note and shows its title."""
        return wikilink(self.key_of(entity.path), entity.title)

    def linked(self, text: str, path: str) -> tuple[str, list[Added]]:
        """A text that becomes part of the note at `path`, with its mentions linked."""
        return link_mentions(text, self.names, exclude={path}, key_of=self.key_of)

    def of_kind(self, kind: str, *, since: str = "") -> list[Note]:
        """The notes of a kind, in no particular order.

        Args:
            kind: its name.
            since: leaves out those that are of an earlier day by their names (`YYYY-MM-DD`).
        """
        paths = self._tables.groups.paths(kind, since=since)
        return [note for path in paths if (note := self.get(path))]

    def named(self, kind: str, *, day: str = "") -> Entities:
        """The notes of a kind as things with names, or only those of one day.

        Whoever asks first for a kind waits for its index.
        """
        if day:
            notes = self.of_kind(kind, since=day)
            return Entities(note.entity() for note in notes if note.date == day)
        known = self._tables.groups.named(kind)
        if known is None:
            with self._writing:
                known = self._tables.groups.name(
                    kind, (note.entity() for note in self.of_kind(kind))
                )
        return known

    @property
    def plain(self) -> Entities:
        """The notes of no kind, as things with names."""
        return self.named(PLAIN)

    def near_plain(self, mention: str, *, kind: str | None = None) -> list[Candidate]:
        """Notes of no kind that a mention may mean, best first; exact ones lead with score 1."""
        return [
            replace(
                candidate,
                entity=replace(candidate.entity, slug=self.key_of(candidate.entity.path)),
                why=f"{candidate.why}; a plain note outside the memory's folders",
            )
            for candidate in self.plain.candidates(mention, kind=kind)
        ]

    def prepare_recall(self) -> None:
        """Make what only recall needs, so that the first recall does not wait for it."""
        _ = self.recall

    @property
    def is_ready(self) -> bool:
        """Whether what only recall needs has been made."""
        return self._recall is not None

    def save_recall(self) -> None:
        """Keep what only recall needs for the next process, where it has been made."""
        if self._recall is not None:
            self._recall.save(self._writing)

    def read_ahead(self, count: int) -> int:
        """Read so many notes for recall, so that no question waits; returns how many it read."""
        return self._recall.read_ahead(count) if self._recall is not None else 0

    def close(self) -> None:
        """Let go of what is open for recall; it is opened again when it is needed."""
        self._store.readings.close()

    @property
    def recall(self) -> RecallIndex:
        """What recall needs; whoever comes first makes it, and writers go on meanwhile."""
        recall = self._recall
        if recall is None:
            with self._making_recall:
                recall = self._recall or self._made_recall()
        return recall

    def search(self, query: str, *, today: date, limit: int, signals: Signals = ALL) -> list[Hit]:
        """The notes that answer a question best; those that it names come first."""
        try:
            return self._search(query, today, limit, signals)
        except DamagedIndex:
            self._store.discard()
            self._recall = None
        return self._search(query, today, limit, signals)

    def _search(self, query: str, today: date, limit: int, signals: Signals) -> list[Hit]:
        first = mentioned(query, self.names)
        near = self._near_names(query, first) if signals.near_names else {}
        meant = [path for path, score in near.items() if score >= GATE][:_MEANT]
        return self.recall.ranking.search(
            query,
            today=today,
            limit=limit,
            first=[*first, *meant],
            extra={path: score for path, score in near.items() if path not in meant},
            signals=signals,
        )

    def ties(self, hits: Sequence[Hit], *, limit: int) -> list[Hit]:
        """The notes that hits link to or that link to them, by the strength of the tie.

        A tie is as strong as the hits at its other end, each link counted.
        """
        ranking = self.recall.ranking
        own = {hit.key for hit in hits}
        strength: dict[str, float] = {}
        for hit in hits:
            for path in self._neighbours(hit.key):
                if path in ranking and path not in own:
                    strength[path] = strength.get(path, 0.0) + hit.score
        ranked = sorted(strength.items(), key=lambda tie: (-tie[1], tie[0]))
        return [Hit(path, score) for path, score in ranked[:limit]]

    def resolve(self, link: Link, source: str) -> str | None:
        """The path of the one note that a link means."""
        return self.paths.resolve(link, source)

    def _near_names(self, query: str, exact: Sequence[str]) -> dict[str, float]:
        """The notes whose names the question may mean though it has them otherwise, best first."""
        found: dict[str, float] = {}
        for part in name_parts(query, self.recall.ranking.knows):
            for candidate in self.entities.candidates(part, limit=_MEANT):
                path = candidate.entity.path
                if candidate.is_near and path not in exact:
                    found[path] = max(candidate.score, found.get(path, 0.0))
        return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))

    def _neighbours(self, path: str) -> Iterable[str]:
        """The other end of each link from and to a note."""
        graph = self.recall.graph
        note = self.get(path) if graph.targets(path) else None
        for link in note.searchable.links if note else ():
            target = self.resolve(link, path)
            if target:
                yield target
        for source in graph.sources(path):
            other = self.get(source)
            if other is not None and source != path:
                yield from (
                    source for link in other.searchable.links if self.resolve(link, source) == path
                )

    def _made_recall(self) -> RecallIndex:
        try:
            return self._make_recall()
        except Exception:  # what was kept may be damaged in any way
            self._store.discard()
            return self._make_recall()

    def _make_recall(self) -> RecallIndex:
        made = self._recall_being_made = RecallIndex(self._store, self._shelf)
        if self._notify and not made.was_kept and len(self._shelf) >= _MANY:
            self._notify(f"looking through {len(self._shelf):,} notes, this once")
        steps = made.begin()
        going = True
        while going:
            with self._writing:
                going = next(steps, _OVER) is not _OVER
        with self._writing:
            self._recall, self._recall_being_made = made, None
        return made

    def _drop(self, path: str) -> None:
        if not self._shelf.drop(path):
            return
        self._tables.drop(path)
        for recall in self._recalls():
            recall.drop(path)

    def _recalls(self) -> list[RecallIndex]:
        """What recall needs, and what is being made for it."""
        return [recall for recall in (self._recall, self._recall_being_made) if recall is not None]
