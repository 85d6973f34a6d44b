"""Routing: which kinds of notes there are and where each stands, as routing.json says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

_DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:-(.+))?")


@dataclass(frozen=True)
class Kind:
    """What is true of every note of one kind, or of one fixed note.

    Attributes:
        name: the frontmatter `type`.
        path: template of the vault path, with `{slug}`, `{date}` and `{domain}` where they apply.
        title: what a fixed note is called.
        entity: others refer to it by name: it is gated, linked and in the entity index.
        recall: recall finds it.
        archive: folder of the notes that are done, if the kind has one.
        planned: its date may lie ahead.
        requires: frontmatter keys that a note of this kind must have, beside those of its path.
        sections: level-two headings that a new note gets.
        unindexed: sections that recall does not look into.
        keys: frontmatter keys of a fixed note, in order.
        domains: what `{domain}` may be; the first is the default.
        cues: words in an inbox line that speak for this kind.
        asked: words in a question that ask for notes of this kind, in lower case.
        bootstrap: a fixed note that a new vault gets at once.
    """

    name: str
    path: str
    title: str = ""
    entity: bool = False
    recall: bool = True
    planned: bool = False
    archive: str = ""
    requires: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    unindexed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    bootstrap: bool = False

    @property
    def dated(self) -> bool:
        """Whether the note's name begins with a date."""
        return "{date}" in self.path

    @property
    def folder(self) -> str:
        """The part of the path above the file name, up to the first placeholder."""
        return self.path.rpartition("/")[0].split("/{", maxsplit=1)[0]

    def path_for(self, slug: str, *, date: str = "", domain: str = "") -> str:
        """The vault path of a note with this slug; `date` is `YYYY-MM-DD`."""
        return self.path.format(slug=slug, date=date, domain=domain)

    def holds(self, path: str) -> bool:
        """Whether a vault path stands where notes of this kind belong."""
        if "{" not in self.path:
            return path == self.path
        return any(
            path.startswith(f"{folder}/") for folder in (self.folder, self.archive) if folder
        )


@dataclass(frozen=True)
class Routing:
    """The whole table: kinds by name, fixed notes by name, fixed files, and the date keys."""

    schema_version: int
    kinds: Mapping[str, Kind]
    fixed: Mapping[str, Kind]
    files: Mapping[str, str]
    date_keys: tuple[str, ...]

    def kind_at(self, path: str) -> Kind | None:
        """The kind whose place this path is: a fixed note first, else the kind's folder."""
        places, place = self._places, path
        while place:
            kind = places.get(place)
            if kind is not None:
                return kind
            # The next folder around it, as it stands in the table: with a slash at its end.
            place = place[: place.rfind("/", 0, len(place) - 1) + 1]
        return None

    @cached_property
    def _places(self) -> Mapping[str, Kind]:
        """The kinds by their paths, or by their folders with a slash at the end."""
        places: dict[str, Kind] = {}
        for kind in (*self.fixed.values(), *self.kinds.values()):
            own = (kind.folder, kind.archive) if "{" in kind.path else ()
            for place in (f"{folder}/" for folder in own if folder) if own else (kind.path,):
                places.setdefault(place, kind)
        return places

    def is_fixed(self, kind: Kind) -> bool:
        """Whether it is that of a fixed note."""
        return id(kind) in self._fixed_ids

    @cached_property
    def _fixed_ids(self) -> frozenset[int]:
        return frozenset(map(id, self.fixed.values()))

    @property
    def types(self) -> tuple[str, ...]:
        """What the frontmatter `type` may say: the kinds, then the fixed notes' own."""
        named = (kind.name for table in (self.kinds, self.fixed) for kind in table.values())
        return tuple(dict.fromkeys(named))

    def kind_of(self, path: str, note_type: object) -> Kind | None:
        """What a note is: a fixed place decides, then the frontmatter `type`, then the folder."""
        place = self.kind_at(path)
        if place is not None and self.is_fixed(place):
            return place
        named = self.kinds.get(note_type) if isinstance(note_type, str) else None
        return named or place


def _kind(name: str, entry: Mapping[str, Any]) -> Kind:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    return Kind(name=values.pop("type", name), **values)


def parse(text: str) -> Routing:
    """Read a routing table from the text of routing.json."""
    table = json.loads(text)
    kinds = {name: _kind(name, entry) for name, entry in table["kinds"].items()}
    fixed = {name: _kind(name, entry) for name, entry in table["fixed"].items()}
    return Routing(
        schema_version=table["schema_version"],
        kinds=kinds,
        fixed=fixed,
        files=table["files"],
        date_keys=tuple(table["date_keys"]),
    )


@cache
def table() -> Routing:
    """The routing table that is shipped with the package."""
    return parse(resources.files("echo_memory").joinpath("routing.json").read_text("utf-8"))


def dated_name(stem: str) -> tuple[str, str]:
    """Split a name such as `2026-11-30-kickoff` into date and slug; either may be empty."""
    found = _DATED_NAME.fullmatch(stem)
    return (found[1], found[2] or "") if found else ("", stem)
