"""The tables: what the notes of a vault are found by, their kinds, their paths and their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from echo_memory.entities import Entities
from echo_memory.groups import Groups
from echo_memory.naming.handles import Handles
from echo_memory.naming.names import Names
from echo_memory.note import Note
from echo_memory.paths import Paths
from echo_memory.recallable import group_of


class Listed(NamedTuple):
    """A note with all that the tables have of it.

    Attributes:
        note: the note.
        group: the kind that it stands with, if any.
        handles: what it is found by, where it is an entity.
    """

    note: Note
    group: str | None
    handles: Handles | None

    @classmethod
    def of(cls, note: Note) -> Self:
        """Read a note, as far as the tables need it."""
        return cls(note, group_of(note), note.handles)


class Tables:
    """Four tables that are kept in step; readers take no lock, one writer at a time.

    Attributes:
        groups: the notes by kind.
        paths: the notes by path and file name.
        entities: the entity index.
        names: the entities as a text names them.
    """

    def __init__(self) -> None:
        """No notes yet."""
        self.groups = Groups()
        self.paths = Paths()
        self.entities = Entities()
        self.names = Names()

    def put(self, notes: Sequence[Listed]) -> None:
        """Take notes up, each in the place of the one that has its path.

        Many of them go through one table after the other: so much of a single table stays in the
        processor's cache, and of all together does not.
        """
        for note, group, _ in notes:
            self.groups.put(note.path, group, note.entity)
        for note, _, _ in notes:
            self.paths.put(note.path)
        for note, _, handles in notes:
            if handles is None:
                self.entities.drop(note.path)
            else:
                self.entities.put(note.entity(), handles.keys)
        for note, _, handles in notes:
            if handles is None:
                self.names.drop(note.path)
            else:
                self.names.put(note.path, handles.forms, handles.ends)

    def drop(self, path: str) -> None:
        """Forget a note; one that is not known changes nothing."""
        self.groups.drop(path)
        self.paths.drop(path)
        self.entities.drop(path)
        self.names.drop(path)
