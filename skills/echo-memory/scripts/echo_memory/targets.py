"""Targets: the notes that a link can mean, as Obsidian finds them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from echo_memory.links import Link, relative

_DEPTH = 4  # names at the end of a path that are looked up at once; more are compared one by one


class Targets:
    """Finds notes by path, by the end of a path and by file name, whatever the case.

    A link to several notes is ambiguous, unless all but one of them are `background`: notes that
    nobody means when a path or name fits another one, too.
    """

    def __init__(self, paths: Iterable[str], *, background: Iterable[str] = ()) -> None:
        self._exact: dict[str, str] = {}
        self._ends: dict[str, list[str]] = {}
        self._background: dict[str, list[str]] = {}
        for path in paths:
            self._add(path, self._ends)
        for path in background:
            self._add(path, self._background)

    def of(self, link: Link, source: str) -> tuple[str, ...]:
        """The paths that a link in the note at `source` can mean: none, one, or several."""
        if not link.target:
            return (source,)
        name = link.target
        if link.markdown or name.startswith(("/", "./", "../")):
            place = relative(name, source)
            found = self._exact.get(_key(place)) if place else None
            if found or not place:
                return (found,) if found else ()
        return self.named(name.removeprefix("/"))

    def named(self, name: str) -> tuple[str, ...]:
        """The notes at this path, else those whose path ends in it; `.md` may be missing."""
        key = _key(name)
        if key in self._exact:
            return (self._exact[key],)
        for table in (self._ends, self._background):
            found = table.get("/".join(key.split("/")[-_DEPTH:]), [])
            if key.count("/") >= _DEPTH:
                found = [path for path in found if _key(path).endswith(f"/{key}")]
            if found:
                return tuple(found)
        return ()

    def _add(self, path: str, table: dict[str, list[str]]) -> None:
        key = _key(path)
        self._exact.setdefault(key, path)
        for end in _ends(key):
            table.setdefault(end, []).append(path)


def _key(path: str) -> str:
    """A path without `.md`, in the form in which Obsidian compares paths."""
    key = unicodedata.normalize("NFC", path.strip()).casefold()
    return key.removesuffix(".md")


def _ends(key: str) -> Iterator[str]:
    names = key.split("/")[-_DEPTH:]
    for first in range(len(names)):
        yield "/".join(names[first:])
