"""Zips: an export that came as one file, read where it lies and never unpacked."""

from __future__ import annotations

import io
import stat
import zipfile
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from echo_archive.errors import Unreadable
from echo_archive.passing import may_pass
from echo_archive.safe_paths import inside

MAX_ENTRIES = 500_000
MAX_BYTES = 64 * 2**30
MAX_RATIO, RATIO_FROM = 200, 16 * 2**20
_UTF8_NAME, _ENCRYPTED = 0x800, 0x1
# LZMA is none of them: an entry says how much memory unpacking it takes, up to gigabytes.
_PACKINGS = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))


class ZipTree:
    """The files of a zip.

    Entries with hostile names, passwords, absurd sizes or packings are not among them, nor are
    those beyond the first half million; `refused` says how many those are.
    """

    def __init__(self, path: Path) -> None:
        self.title = path.name
        self.refused = 0
        self.closed: list[str] = []
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as problem:
            if may_pass(problem):
                raise
            raise Unreadable(
                f"The zip {path.name!r} is damaged or was cut short. Export or download it again."
            ) from problem
        self._entries = self._usable()
        self._names = sorted(self._entries)

    def _usable(self) -> dict[str, zipfile.ZipInfo]:
        entries: dict[str, zipfile.ZipInfo] = {}
        listed = self._zip.infolist()
        self.refused += max(0, len(listed) - MAX_ENTRIES)
        for entry in listed[:MAX_ENTRIES]:
            if entry.is_dir():
                continue
            name = inside(_name(entry))
            if name is None or name in entries or _absurd(entry):
                self.refused += 1
            else:
                entries[name] = entry
        return entries

    def names(self, folder: str = "") -> Iterator[str]:
        """Every usable entry, by name."""
        prefix = f"{folder}/" if folder else ""
        at = bisect_left(self._names, prefix)
        while at < len(self._names) and self._names[at].startswith(prefix):
            yield self._names[at]
            at += 1

    def size(self, name: str) -> int | None:
        """Bytes of an entry, unpacked."""
        entry = self._entries.get(inside(name) or "")
        return entry.file_size if entry else None

    def changed(self, name: str) -> float | None:
        """The entry's own time, which has no zone and is taken as UTC."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        try:
            return datetime(*entry.date_time, tzinfo=UTC).timestamp()
        except ValueError:
            return None

    def local(self, name: str) -> None:
        """Nothing: an entry is no file of its own."""

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """An entry, unpacked while it is read and never further than the zip says it goes."""
        entry = self._entries.get(inside(name) or "")
        if entry is None:
            raise FileNotFoundError("The zip does not hold that file.")
        return cast("BinaryIO", io.BufferedReader(self._zip.open(entry), 2**20))


@lru_cache(maxsize=4)
def _opened(path: Path, _size: int, _written: int) -> ZipTree:
    return ZipTree(path)


def zip_tree(path: Path) -> ZipTree:
    """The zip at a path, opened once for all that is read from it.

    Raises:
        Unreadable: It is damaged, was cut short or is no file.
    """
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        raise Unreadable(f"{path.name!r} is no file. Give the zip itself.")
    return _opened(path, state.st_size, state.st_mtime_ns)


def _name(entry: zipfile.ZipInfo) -> str:
    """The entry's name; many tools write UTF-8 without saying so."""
    if entry.flag_bits & _UTF8_NAME:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _absurd(entry: zipfile.ZipInfo) -> bool:
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _PACKINGS:
        return True
    if entry.file_size > MAX_BYTES:
        return True
    return entry.file_size > RATIO_FROM and entry.file_size > MAX_RATIO * max(
        entry.compress_size, 1
    )
