"""The shelf: the folder of backups, where each is drafted, gets its name, and is rotated out."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import IO

from echo_memory.acquaintance import key_of
from echo_memory.config import Config
from echo_memory.errors import BadRequest, VaultIO

FOLDER = "backups"
KEPT = 30
LATEST = "latest"

_KEY_LENGTH = 8
_NAME = re.compile(r"echo-(\d{8}T\d{6}Z)-([0-9a-f]{8})(?:-(\d{1,6}))?\.zip")
_DRAFT = re.compile(r"\.draft-[0-9a-f]{16}\.zip")
_INSTANT = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True)
class Kept:
    """A backup on the shelf.

    Attributes:
        path: the file.
        made: the instant that it is of, as its name says.
        number: counts those of one second.
        size: of the zip, in bytes.
    """

    path: Path
    made: datetime
    number: int
    size: int


class Shelf:
    """The backups of one vault; others' in the same folder are left alone."""

    def __init__(self, state_dir: Path, vault: str) -> None:
        """Nothing is touched yet.

        Args:
            state_dir: whose folder `backups` they are in.
            vault: the vault's address.
        """
        self.folder = state_dir / FOLDER
        self._key = key_of(vault)[:_KEY_LENGTH]

    @classmethod
    def of(cls, config: Config) -> Shelf:
        """The shelf of the vault that a configuration names."""
        return cls(config.state_dir, str(config.vault))

    def kept(self) -> list[Kept]:
        """The backups, the newest first."""
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - names, of which most are no paths
        except OSError:
            return []
        found = filter(None, map(self._known, names))
        return sorted(found, key=lambda one: (one.made, one.number), reverse=True)

    def newest(self, now: datetime) -> Kept | None:
        """The newest backup that was made by now; a clock that was ahead made none."""
        return next((one for one in self.kept() if one.made <= now), None)

    def find(self, name: str) -> Path:
        """The backup that is meant: a name on the shelf, `latest`, or the path of a zip.

        Raises:
            BadRequest: there is none.
        """
        kept = self.kept()
        if name == LATEST and kept:
            return kept[0].path
        for one in kept:
            if name in (one.path.name, one.path.stem):
                return one.path
        if "/" in name and Path(name).is_file():
            return Path(name)
        raise BadRequest(
            "There is no such backup. See `backup list`, or give the path of a zip.", field="name"
        )

    @contextmanager
    def drafted(self) -> Iterator[tuple[IO[bytes], Path]]:
        """A new file and its path; gone at the end of the block, unless it was taken up.

        Raises:
            VaultIO: the disk of the state folder refused.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = self.folder / f".draft-{secrets.token_hex(8)}.zip"
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(path, flags, 0o600), "w+b") as file:
                try:
                    yield file, path
                finally:
                    with suppress(FileNotFoundError):
                        path.unlink()
        except OSError as error:
            raise _refused(error) from error

    def take_up(self, draft: IO[bytes], path: Path, made: datetime) -> Kept:
        """Give a draft, which is good, the name of a backup.

        Raises:
            OSError: the disk refused.
        """
        draft.flush()
        os.fsync(draft.fileno())
        instant = made.astimezone(UTC).strftime(_INSTANT)
        for number in count(1):
            suffix = f"-{number}" if number > 1 else ""
            target = self.folder / f"echo-{instant}-{self._key}{suffix}.zip"
            if not target.exists():  # only one process at a time makes backups
                break
        path.replace(target)
        _sync(self.folder)
        kept = self._known(target.name)
        if kept is None:
            raise OSError("the backup is gone")
        return kept

    def rotate(self, new: Kept) -> int:
        """Remove all but the newest, never the one that was just made; returns how many.

        Those of a clock that was ahead are the first to go.
        """
        others = [one for one in self.kept() if one.path != new.path]
        by_age = sorted(others, key=lambda one: (one.made <= new.made, one.made, one.number))
        removed = 0
        for one in by_age[: max(0, len(others) + 1 - KEPT)]:
            with suppress(
                OSError
            ):  # it stays, which costs less than the new one, and is next again
                one.path.unlink()
                removed += 1
        return removed

    def clean(self) -> None:
        """Remove the drafts of processes that were killed; only whoever makes backups may."""
        with suppress(OSError):
            for entry in list(os.scandir(self.folder)):
                if _DRAFT.fullmatch(entry.name):
                    Path(entry.path).unlink(missing_ok=True)

    def _known(self, name: str) -> Kept | None:
        found = _NAME.fullmatch(name)
        if not found or found[2] != self._key:
            return None
        try:
            made = datetime.strptime(found[1], _INSTANT).replace(tzinfo=UTC)
            size = (self.folder / name).stat().st_size
        except (ValueError, OSError):
            return None
        return Kept(self.folder / name, made, int(found[3] or 1), size)


def _sync(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # a disk that cannot sync folders
            os.fsync(file)
    finally:
        os.close(file)


def _refused(error: OSError) -> VaultIO:
    reason = error.strerror or "it refused"
    return VaultIO(
        f"The disk of the state folder cannot hold the backup: {reason}. Make room there, or set"
        " ECHO_STATE_DIR to another disk."
    )
