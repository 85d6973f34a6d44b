"""The groups: which notes are of which kind, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from echo_memory.entities import Entities
from echo_memory.naming.entity import Entity
from echo_memory.note import day_of


class Groups:
    """Paths by the kind of their notes; readers take no lock, one writer at a time."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, None]] = {}
        self._named: dict[str, Entities] = {}

    def put(self, path: str, kind: str | None, entity: Callable[[], Entity]) -> None:
        """Take a note up, and out of the group that it was in.

        Args:
            path: its vault path.
            kind: the name of its kind; None where it belongs to none.
            entity: gives what it is called, where somebody has asked for the names of its kind.
        """
        self._take_out(path, but=kind)
        if kind is not None:
            self._paths.setdefault(kind, {})[path] = None
            if kind in self._named:
                self._named[kind].put(entity())

    def drop(self, path: str) -> None:
        """Forget a note."""
        self._take_out(path)

    def paths(self, kind: str, *, since: str = "") -> list[str]:
        """The notes of a kind, in no particular order.

        Args:
            kind: its name.
            since: leaves out those that are of an earlier day by their names (`YYYY-MM-DD`).
        """
        paths = list(self._paths.get(kind, ()))
        return [path for path in paths if (day_of(path) or since) >= since] if since else paths

    def named(self, kind: str) -> Entities | None:
        """The notes of a kind as things with names; None where they have not been named yet."""
        return self._named.get(kind)

    def name(self, kind: str, entities: Iterable[Entity]) -> Entities:
        """Take up what the notes of a kind are called, unless that is known."""
        if kind not in self._named:
            self._named[kind] = Entities(entities)
        return self._named[kind]

    def _take_out(self, path: str, *, but: str | None = None) -> None:
        for kind, paths in self._paths.items():
            if kind != but and path in paths:
                del paths[path]
                if kind in self._named:
                    self._named[kind].drop(path)
