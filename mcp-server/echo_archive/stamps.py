"""Stamps: whether an export is the same as when it was imported last."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from echo_archive.characters import well_formed
from echo_archive.records import Export, Options

_DATA = frozenset({".json", ".jsonl", ".txt", ".md"})
_PIECE = 2**20
READING = 1  # raised when importers read more than they did, so that exports are read anew
Entries = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Stamp:
    """How the data files of an export look from outside: names, sizes, times.

    Attributes:
        name: What the export is known by: where it lies and what in it.
        told: What the person said about it, which changes what is read.
        files: The files; for an export in a zip, the zip.
        inside: What of a zip it is, "" where it lies in a folder.
    """

    name: str
    look: str
    told: str
    files: tuple[Path, ...]
    inside: str = ""

    def digest(self) -> str:
        """What is in the files.

        Raises:
            OSError: They cannot be read.
        """
        total = blake2b(digest_size=16)
        if self.inside:
            total.update(repr(_within(self.files[0], self.look, self.inside)).encode())
            return total.hexdigest()
        for file in self.files:
            total.update(_bytes(file.name) + b"\0")
            with file.open("rb") as opened:
                while piece := opened.read(_PIECE):
                    total.update(piece)
        return total.hexdigest()


def stamp_of(export: Export, options: Options) -> Stamp:
    """The stamp of an export as it lies there now.

    Raises:
        OSError: It cannot be looked at.
    """
    zipped = export.path.is_file() and bool(export.inside)
    files = (export.path,) if zipped else tuple(_data_files(export.path / export.inside))
    look = blake2b(digest_size=16)
    for file in files:
        seen = file.stat()
        if not stat.S_ISREG(seen.st_mode):
            raise FileNotFoundError("There is a pipe or a device where a file belongs.")
        look.update(_bytes(f"{file.name}\0{seen.st_size}\0{seen.st_mtime_ns}\0"))
    told = json.dumps([READING, options.timezone, sorted(options.owner), options.date_order])
    name = f"{export.path.resolve()}\n{export.inside}\n{export.format}"
    return Stamp(
        well_formed(name),
        look.hexdigest(),
        told,
        files,
        export.inside if zipped else "",
    )


def _data_files(path: Path) -> Iterator[Path]:
    """A file and its log where it is a database, or the data files that lie in a folder."""
    if path.is_dir():
        for file in sorted(path.iterdir()):
            if file.suffix.lower() in _DATA and file.is_file():
                yield file
        return
    yield path
    log = path.with_name(f"{path.name}-wal")
    if log.is_file():
        yield log


def _within(zipped: Path, look: str, inside: str) -> Entries:
    """Name, size and checksum of the entries of a zip that an export is."""
    folder = f"{inside}/"
    return tuple(
        entry
        for entry in _entries(zipped, look)
        if entry[0] == inside
        or (entry[0].startswith(folder) and Path(entry[0]).suffix.lower() in _DATA)
    )


@lru_cache(maxsize=4)
def _entries(zipped: Path, look: str) -> Entries:
    """All entries of a zip that looks like that; many exports may lie in one."""
    del look
    with zipfile.ZipFile(zipped) as opened:
        return tuple((one.filename, one.file_size, one.CRC) for one in opened.infolist())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
