"""A multimap: keys, and the paths of the notes that have each."""

from __future__ import annotations


class Multimap:
    """Paths by key; readers take no lock, they walk copies; one writer at a time.

    Most keys are those of one note, whose path then stands alone: that takes a tenth of the room.
    """

    def __init__(self) -> None:
        self._paths: dict[str, str | dict[str, None]] = {}

    def add(self, key: str, path: str) -> bool:
        """Note that a path has a key, too; whether it is the first one."""
        paths = self._paths.get(key)
        if paths is None:
            self._paths[key] = path
            return True
        if isinstance(paths, dict):
            paths[path] = None
        elif paths != path:
            self._paths[key] = {paths: None, path: None}
        return False

    def remove(self, key: str, path: str) -> bool:
        """Forget that a path has a key; whether it was the last one."""
        paths = self._paths.get(key)
        if isinstance(paths, dict):
            paths.pop(path, None)
        if paths is None or (paths and paths != path):
            return False
        del self._paths[key]
        return True

    def of(self, key: str) -> list[str]:
        """The paths that have a key, in no particular order."""
        paths = self._paths.get(key, {})
        return list(paths) if isinstance(paths, dict) else [paths]

    def count(self, key: str) -> int:
        """How many paths have a key."""
        paths = self._paths.get(key, {})
        return len(paths) if isinstance(paths, dict) else 1
