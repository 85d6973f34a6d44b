"""An archive: the zip of one backup, written in one go, and read without trust.

Whoever reads one may have been given it by somebody else, so no name in it is believed, no size,
and nothing of what the zip says about an entry but where its bytes are.
"""

from __future__ import annotations

import hashlib
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from echo_mcp.backups import manifest
from echo_mcp.backups.manifest import File, Manifest, damaged
from echo_mcp.backups.sources import CHUNK, Found, Source
from echo_memory import __version__

_ENCRYPTED = 0x1
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LARGE = 1 << 30
_FIRST_YEAR, _LAST_YEAR = 1980, 2107
_LATEST_S = datetime(_LAST_YEAR, 12, 31, tzinfo=UTC).timestamp()
# Packed already: to try again takes time and saves nothing.
_DENSE = re.compile(
    r"\.(?:7z|avif|docx|gif|gz|heic|jpe?g|m4a|mov|mp[34]|ogg|pdf|png|web[mp]|xlsx|xz|zip|zst)",
    re.IGNORECASE,
)

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,  # a compression or a feature that is not ours
    RuntimeError,  # encrypted
    ValueError,
    OverflowError,
)


def _always() -> None:
    """The check of who never ends early."""


def write(
    file: IO[bytes], source: Source, made: datetime, check: Callable[[], None] = _always
) -> Manifest:
    """Write all that a source has, and the manifest last.

    Args:
        file: where; empty, and can be sought in.
        source: what is backed up.
        made: the instant that the backup is of.
        check: raises between two files when it is to end early.

    Raises:
        OSError: the disk refused.
    """
    files = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with source.files() as walk:
            for found in walk:
                check()
                files.append(_add(archive, found))
                if len(files) > manifest.MAX_FILES:
                    raise damaged("the vault has too many files for one")
        whole = Manifest(
            made, __version__, tuple(files), tuple(source.folders), dict(source.left_out)
        )
        archive.writestr(_info(manifest.NAME, made.astimezone(UTC)), whole.to_bytes())
    return whole


def verify(path: Path, check: Callable[[], None] = _always) -> Manifest:
    """Read a whole backup back: every entry's checksum, and every file's hash.

    Raises:
        VaultIO: it is damaged, incomplete, or was made to do harm.
    """
    with Archive.opened(path) as archive:
        for file in archive.manifest.files:
            check()
            for _ in archive.chunks(file):
                pass
        return archive.manifest


class Archive:
    """A backup that is open for reading; its files are those of its manifest, and no others."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the manifest, and see that the entries are those that it names.

        Raises:
            VaultIO: they are not, or it has no manifest.
        """
        self._archive = archive
        entries = archive.infolist()
        names = {entry.filename for entry in entries}
        if len(names) < len(entries):
            raise damaged("it has two entries of one name")
        if any(entry.flag_bits & _ENCRYPTED for entry in entries) or any(
            entry.compress_type not in _COMPRESSIONS for entry in entries
        ):
            raise damaged("it has an entry that no backup has")
        if manifest.NAME not in names:
            raise damaged("it has no manifest, so it is no backup of this program")
        self.manifest = manifest.parse(self._manifest_bytes())
        if names != {manifest.NAME, *(file.entry for file in self.manifest.files)}:
            raise damaged("its entries are not those of its manifest")

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Archive]:
        """Open a backup.

        Raises:
            VaultIO: it cannot be read, or is none.
        """
        with ExitStack() as open_ones:
            with _told():
                file = open_ones.enter_context(path.open("rb"))
                opened = cls(open_ones.enter_context(zipfile.ZipFile(file)))
            yield opened

    def chunks(self, file: File) -> Iterator[bytes]:
        """A file's bytes; all of them are given before a wrong one is told.

        Raises:
            VaultIO: they are not those that were backed up.
        """
        digest, left = hashlib.sha256(), file.size
        with ExitStack() as open_ones:
            with _told():
                entry = open_ones.enter_context(self._archive.open(file.entry))
            while chunk := _read(entry):
                left -= len(chunk)
                if left < 0:
                    break
                digest.update(chunk)
                yield chunk
        if left or digest.hexdigest() != file.digest:
            raise damaged("a file in it is not the one that was backed up")

    def _manifest_bytes(self) -> bytes:
        with self._archive.open(manifest.NAME) as entry:
            data = entry.read(manifest.MAX_BYTES + 1)
        if len(data) > manifest.MAX_BYTES:
            raise damaged("its manifest is too large")
        return data


@contextmanager
def _told() -> Iterator[None]:
    """What is found to be wrong with a zip, or with the disk that it is on, as VaultIO."""
    try:
        yield
    except _BROKEN as error:
        raise damaged("it is damaged") from error
    except OSError as error:
        raise damaged(f"its disk reports {error.strerror or 'an error'}") from error


def _read(entry: IO[bytes]) -> bytes:
    with _told():
        return entry.read(CHUNK)


def _add(archive: zipfile.ZipFile, found: Found) -> File:
    modified = found.modified_ns
    # A disk may hold a time that no calendar has; the manifest has it as it is.
    seconds = min(max(modified / 1e9, 0.0), _LATEST_S) if modified else None
    instant = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    info = _info(manifest.entry_of(found.path), instant, found.mode)
    digest = hashlib.sha256()
    with archive.open(info, "w", force_zip64=found.size >= _LARGE) as entry:
        while chunk := found.content.read(CHUNK):
            digest.update(chunk)
            entry.write(chunk)
    return File(found.path, found.size, digest.hexdigest(), modified, found.mode)


def _info(name: str, instant: datetime, mode: int = 0) -> zipfile.ZipInfo:
    year = min(max(instant.year, _FIRST_YEAR), _LAST_YEAR)
    info = zipfile.ZipInfo(name, (year, *instant.timetuple()[1:6]))
    info.compress_type = zipfile.ZIP_DEFLATED
    if _DENSE.fullmatch(Path(name).suffix):
        info.compress_type = zipfile.ZIP_STORED
    info.external_attr = (stat.S_IFREG | (mode or 0o644)) << 16
    return info
