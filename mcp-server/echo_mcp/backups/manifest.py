"""The manifest: what a backup holds, each file with its hash, as the last entry of the zip."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from echo_memory.errors import VaultIO

NAME = "manifest.json"
MAX_BYTES = 400_000_000
MAX_FILES = 1_000_000

_FORMAT = 1
_HASH = re.compile(r"[0-9a-f]{64}")
_MODES = 0o777


@dataclass(frozen=True)
class File:
    """One file of a vault.

    Attributes:
        path: where it stands in the vault; bytes that are not UTF-8 are lone surrogates.
        size: in bytes.
        digest: SHA-256 of its bytes, in hexadecimal.
        modified_ns: when it was last changed; None where the vault does not tell.
        mode: who may do what with it; 0 where the vault does not tell.
    """

    path: str
    size: int
    digest: str
    modified_ns: int | None = None
    mode: int = 0

    @property
    def entry(self) -> str:
        """The name of its entry in the zip."""
        return entry_of(self.path)


@dataclass(frozen=True)
class Manifest:
    """All that a backup holds.

    Attributes:
        made: when it was begun.
        program: which version made it.
        files: sorted by nothing in particular, each path once.
        folders: those without anything in them.
        left_out: how many files are not in it, by the reason.
    """

    made: datetime
    program: str
    files: tuple[File, ...]
    folders: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def to_bytes(self) -> bytes:
        """The manifest as JSON."""
        document = {
            "format": _FORMAT,
            "made": self.made.isoformat(),
            "program": self.program,
            "files": [[f.path, f.size, f.digest, f.modified_ns, f.mode] for f in self.files],
            "folders": list(self.folders),
            "left_out": dict(self.left_out),
        }
        return json.dumps(document).encode()


def entry_of(path: str) -> str:
    """The entry of a path: its name below `vault/`, or its hash where a zip cannot hold the name.

    A zip's names are Unicode; those of a disk are bytes.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"odd/{hashlib.sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()}"
    return f"vault/{path}"


def parse(data: bytes) -> Manifest:
    """Read a manifest that anybody may have written.

    Raises:
        VaultIO: it is none, or a path in it could leave the folder that it is restored into.
    """
    try:
        document = json.loads(data)
        manifest = _manifest(document)
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise damaged("its manifest cannot be read") from error
    if document["format"] != _FORMAT:
        raise damaged("its manifest is of another version")
    _require_a_tree(manifest)
    return manifest


def damaged(why: str) -> VaultIO:
    """The error of a backup that cannot be relied on."""
    return VaultIO(f"The backup cannot be used: {why}. Take another one, see `backup list`.")


def _manifest(document: Any) -> Manifest:
    made = datetime.fromisoformat(document["made"])
    if made.utcoffset() is None or len(document["files"]) > MAX_FILES:
        raise ValueError("no instant, or too many files")
    return Manifest(
        made=made,
        program=str(document["program"])[:80],
        files=tuple(_file(*row) for row in document["files"]),
        folders=tuple(_path(path) for path in document["folders"]),
        left_out={str(why): int(count) for why, count in document["left_out"].items()},
    )


def _file(path: object, size: object, digest: object, modified: object, mode: object) -> File:
    good = isinstance(digest, str) and _HASH.fullmatch(digest)
    if not good or not isinstance(size, int) or not isinstance(mode, int) or size < 0:
        raise ValueError("no file")
    if modified is not None and not isinstance(modified, int):
        raise ValueError("no time")
    return File(_path(path), size, str(digest), modified, mode & _MODES)


def _path(path: object) -> str:
    """A path that stays below the folder that it is joined to."""
    if not isinstance(path, str):
        raise TypeError("no path")
    names = path.split("/")
    if "\0" in path or not {"", ".", ".."}.isdisjoint(names):
        raise ValueError("a path that leads elsewhere")
    path.encode("utf-8", "surrogateescape")
    return path


def _require_a_tree(manifest: Manifest) -> None:
    """Each path is there once, and no file is where another one needs a folder."""
    files = [file.path for file in manifest.files]
    known = set(files)
    if len(known) < len(files):
        raise damaged("it names a file twice")
    if not known.isdisjoint(_above([*files, *manifest.folders])) or not known.isdisjoint(
        manifest.folders
    ):
        raise damaged("it names a file where a folder must be")


def _above(paths: Iterable[str]) -> set[str]:
    """All folders that paths are in."""
    found: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found
