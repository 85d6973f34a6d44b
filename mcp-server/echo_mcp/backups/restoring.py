"""Restoring: a backup into an empty folder, byte for byte, or into the vault, note by note."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from echo_mcp.backups.archive import Archive, verify
from echo_mcp.backups.manifest import File, Manifest
from echo_memory.errors import BadRequest, VaultIO
from echo_memory.memory import marker_path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MODE = 0o666
_ROOM = 10_000_000


def into_folder(backup: Path, target: Path) -> Manifest:
    """Put all files of a backup into a folder that is empty or is made.

    Every name is made in a folder that is held open, new, and never through a link, so whatever
    the backup says, nothing outside the folder is touched and nothing in it is replaced. The
    vault's marker comes last: what broke off is not taken for a vault.

    Raises:
        BadRequest: the folder is not empty, or none.
        VaultIO: the backup is damaged, or the disk refused.
    """
    verify(backup)
    with Archive.opened(backup) as archive:
        manifest = archive.manifest
        with _target(target, manifest.size) as root:
            for folder in manifest.folders:
                os.close(_made(root, folder))
            last = marker_path()
            for file in sorted(manifest.files, key=lambda file: file.path == last):
                _put(root, archive, file)
            os.sync()
    return manifest


@contextmanager
def _target(target: Path, size: int) -> Iterator[int]:
    """The folder, open; what the disk refuses inside the block is told as VaultIO."""
    if target.exists() and not target.is_dir():
        raise BadRequest(
            "What is to be restored into is no folder. Give an empty or a new one.", field="to"
        )
    try:
        target.mkdir(parents=True, exist_ok=True)
        root = os.open(target.resolve(), _FOLDER)
        try:
            if _is_filled(root):
                raise BadRequest(
                    "The folder to restore into is not empty. Give an empty or a new one.",
                    field="to",
                )
            if shutil.disk_usage(root).free < size + _ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            yield root
        finally:
            os.close(root)
    except OSError as error:
        if error.errno == errno.EEXIST:
            raise VaultIO(
                "The disk takes two of the backup's names for one. Restore it on a disk that tells"
                " upper and lower case apart."
            ) from error
        reason = os.strerror(error.errno or errno.EIO)
        raise VaultIO(
            f"The folder cannot be restored into: {reason}. Mend that, empty it, and try again."
        ) from error


def _is_filled(folder: int) -> bool:
    with os.scandir(folder) as entries:
        return any(True for _ in entries)


def _put(root: int, archive: Archive, file: File) -> None:
    folder, _, name = file.path.rpartition("/")
    here = _made(root, folder)
    try:
        new = os.open(name, _NEW, file.mode or _MODE, dir_fd=here)
        with os.fdopen(new, "wb") as opened:
            for chunk in archive.chunks(file):
                opened.write(chunk)
            opened.flush()
            _dress(root, new, file)
    finally:
        os.close(here)


def _dress(root: int, new: int, file: File) -> None:
    """Give a file its time and mode, and the owner of the folder where root restores."""
    with suppress(OSError):  # a disk without owners or modes
        if os.geteuid() == 0:
            owner = os.fstat(root)
            os.fchown(new, owner.st_uid, owner.st_gid)
        if file.mode:
            os.fchmod(new, file.mode)
    if file.modified_ns is not None:
        with suppress(OSError, OverflowError):
            os.utime(new, ns=(file.modified_ns, file.modified_ns))


def _made(root: int, folder: str) -> int:
    """A folder below the root, open, with those above it made; the root itself where it is ""."""
    here = os.dup(root)
    for name in folder.split("/") if folder else ():
        above = here
        try:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
                if os.geteuid() == 0:
                    owner = os.fstat(root)
                    with suppress(OSError):
                        os.chown(name, owner.st_uid, owner.st_gid, dir_fd=above)
            here = os.open(name, _FOLDER, dir_fd=above)
        finally:
            os.close(above)
    return here
