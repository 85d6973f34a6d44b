"""The tree: the files of an export, whether they lie in a folder or in a zip."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from echo_archive.safe_paths import inside

MAX_NAMES = 2_000_000


class Tree(Protocol):
    """Files by their path from the export's root, with `/` between the parts."""

    title: str

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
        self._root = root.resolve()

    def names(self, folder: str = "") -> Iterator[str]:
        """Every file; links to folders are not followed."""
        top = self.local(folder) if folder else self._root
        for place, folders, files in os.walk(top or self._root):
            folders.sort()
            start = os.path.relpath(place, self._root)
            prefix = "" if start == "." else start.replace(os.sep, "/") + "/"
            yield from (prefix + name for name in sorted(files))

    def size(self, name: str) -> int | None:
        """Bytes of a file."""
        path = self.local(name)
        return path.stat().st_size if path and path.is_file() else None

    def changed(self, name: str) -> float | None:
        """When the file was last written."""
        path = self.local(name)
        return path.stat().st_mtime if path and path.is_file() else None

    def local(self, name: str) -> Path | None:
        """The file's path, links followed, or None when it leaves the export."""
        safe = inside(name)
        if safe is None:
            return None
        path = (self._root / safe).resolve()
        return path if path.is_relative_to(self._root) else None

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file for reading."""
        path = self.local(name)
        if path is None:
            raise FileNotFoundError("The export names a file outside itself.")
        return path.open("rb")
