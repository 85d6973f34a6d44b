"""The tree: the files of an export, whether they lie in a folder or in a zip."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from echo_archive.passing import may_pass
from echo_archive.safe_paths import inside

MAX_NAMES = 2_000_000


class Tree(Protocol):
    """Files by their path from the export's root, with `/` between the parts.

    Attributes:
        title: What the export is called by.
        closed: Folders and files that could not be looked at, for a reason that may pass.
    """

    title: str
    closed: list[str]

    def names(self, folder: str = "") -> Iterator[str]:
        """Every file, or those in and below a folder, in a fixed order."""

    def size(self, name: str) -> int | None:
        """Bytes of a file, or None when it is not there or leaves the export."""

    def changed(self, name: str) -> float | None:
        """When a file was written, in seconds since 1970, where that is known."""

    def local(self, name: str) -> Path | None:
        """Where a file lies on the disk, or None when it is only part of another."""

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file for reading.

        Raises:
            OSError: It is not there or cannot be read.
        """


class FolderTree:
    """An export that is a folder, or a file in it with what lies beside it."""

    def __init__(self, root: Path) -> None:
        self.title = root.name
        self.closed: list[str] = []
        self._root = root.resolve()
        self._folders: dict[str, Path | None] = {}

    def names(self, folder: str = "") -> Iterator[str]:
        """Every file; links to folders are not followed."""
        top = self.local(folder) if folder else self._root
        for place, folders, files in os.walk(top, onerror=self._note) if top else ():
            folders.sort()
            start = os.path.relpath(place, self._root)
            prefix = "" if start == "." else start.replace(os.sep, "/") + "/"
            yield from (prefix + name for name in sorted(files))

    def size(self, name: str) -> int | None:
        """Bytes of a file."""
        seen = self._seen(name)
        return seen.st_size if seen else None

    def changed(self, name: str) -> float | None:
        """When the file was last written."""
        seen = self._seen(name)
        return seen.st_mtime if seen else None

    def local(self, name: str) -> Path | None:
        """The file's path, links followed; None when its folder is not there or it leaves."""
        safe = inside(name)
        if safe is None:
            return None
        folder, _, own = safe.rpartition("/")
        place = self._folder(folder)
        if place is None:
            return None
        path = place / own
        return self._within(path.resolve()) if path.is_symlink() else path

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file for reading."""
        path = self.local(name)
        if path is None:
            raise FileNotFoundError("The export names a file outside itself or that is not there.")
        return os.fdopen(_opened(path), "rb")

    def _folder(self, folder: str) -> Path | None:
        """Where a folder lies; an export names thousands of files in the same few."""
        if folder not in self._folders:
            place = self._within((self._root / folder).resolve())
            self._folders[folder] = place if place and place.is_dir() else None
        return self._folders[folder]

    def _note(self, problem: OSError, name: str | None = None) -> None:
        if may_pass(problem):
            place = name or os.path.relpath(os.fsdecode(problem.filename or "."), self._root)
            self.closed.append(place.replace(os.sep, "/"))

    def _within(self, path: Path) -> Path | None:
        return path if path.is_relative_to(self._root) else None

    def _seen(self, name: str) -> os.stat_result | None:
        """The state of a file, None where there is none or its name is longer than any."""
        try:
            path = self.local(name)
            seen = path.stat() if path else None
        except OSError as problem:
            self._note(problem, name)
            return None
        return seen if seen and stat.S_ISREG(seen.st_mode) else None


def _opened(path: Path) -> int:
    """A file opened; a pipe or a device, which would keep its reader waiting or never end, is not.

    Raises:
        OSError: It is no file or cannot be read.
    """
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return opened
    os.close(opened)
    raise FileNotFoundError("The export holds a pipe or a device where a file belongs.")
