"""Paths: the paths of a vault's notes, as links name them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

from echo_memory.links import Link, relative


class Paths:
    """Where the links of a vault lead.

    A path or a file name is known whatever its case and normal form, with or without `.md`. The
    tables' values are immutable and replaced on change: one writer at a time, readers take no lock.
    """

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._by_name: dict[str, tuple[str, ...]] = {}
        for path in paths:
            self.put(path)

    def put(self, path: str) -> None:
        """Add a vault path; one that is there already changes nothing."""
        name = _name(_same(path))
        known = self._by_name.get(name, ())
        if path not in known:
            self._by_name[name] = (*known, path)

    def drop(self, path: str) -> None:
        """Forget a vault path; one that is not there changes nothing."""
        name = _name(_same(path))
        others = tuple(other for other in self._by_name.get(name, ()) if other != path)
        if others:
            self._by_name[name] = others
        else:
            self._by_name.pop(name, None)

    def __contains__(self, name: object) -> bool:
        """Whether a note has this file name, without `.md`."""
        return isinstance(name, str) and bool(self.named(name))

    def named(self, name: str) -> tuple[str, ...]:
        """The paths that a file name, or the last folders with it, may mean."""
        return self._ending(_same(name))

    def find(self, link: Link, source: str) -> tuple[str, ...]:
        """The paths that a link in the note at `source` may mean: none, one, or several.

        As Obsidian resolves it: the exact path (of a Markdown link, first from the note's folder),
        else every file of that name.
        """
        if not link.target:
            return (source,)
        beside = relative(link.target, source)
        if link.target.startswith(("./", "../")):
            return self._exact(beside)
        tries = [beside] if link.markdown else []
        for target in (*tries, link.target):
            found = self._exact(target)
            if found:
                return found
        return () if link.target.startswith("/") else self._first(self._ending, link.target)

    def resolve(self, link: Link, source: str) -> str | None:
        """The one path that a link in the note at `source` means; None if none or several."""
        found = self.find(link, source)
        return found[0] if len(found) == 1 else None

    def _exact(self, target: str | None) -> tuple[str, ...]:
        found = self._first(self._whole, target) if target else ()
        wanted = _without_suffix(target or "").strip("/")
        return tuple(path for path in found if _without_suffix(path) == wanted) or found

    def _first(self, among: Callable[[str], tuple[str, ...]], target: str) -> tuple[str, ...]:
        # `[[a.md]]` is the note `a`, or else the one in the file `a.md.md`.
        return among(_same(target)) or among(_same(f"{target}.md"))

    def _whole(self, path: str) -> tuple[str, ...]:
        known = self._by_name.get(_name(path), ())
        return tuple(other for other in known if _same(other) == path)

    def _ending(self, end: str) -> tuple[str, ...]:
        known = self._by_name.get(_name(end), ()) if end else ()
        if "/" not in end:
            return known
        return tuple(path for path in known if f"/{_same(path)}".endswith(f"/{end}"))


def _same(path: str) -> str:
    """What two paths have in common that Obsidian takes for the same."""
    composed = unicodedata.normalize("NFC", path.replace("\u00a0", " "))
    return _without_suffix(composed.lower()).strip("/")


def _without_suffix(path: str) -> str:
    return path[:-3] if path[-3:].lower() == ".md" else path


def _name(path: str) -> str:
    return path.rpartition("/")[2]
