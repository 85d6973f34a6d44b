"""Scratch files: what a folder holds for a moment under a hidden name, and what of it was left.

A folder is given by its open descriptor.
"""

from __future__ import annotations

import errno
import math
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}

_NAME = re.compile(r"\.echo-[0-9a-f]{16}\.tmp")
_ABANDONED_AFTER_S = 3600
_MANY = 10_000

_cleaned: dict[tuple[int, int], float] = {}  # when each folder was looked through last


def is_scratch(name: str) -> bool:
    """Whether a name is one that this module gives."""
    return bool(_NAME.fullmatch(name))


@contextmanager
def temporary(folder: int, data: bytes, *, like: os.stat_result | None = None) -> Iterator[str]:
    """A file with the content, on the disk; gone at the end, unless it was renamed.

    What a killed process left in the folder is removed.

    Args:
        folder: where.
        data: the content.
        like: the file whose owner and mode it gets.
    """
    with _name(folder) as name:
        file = os.open(name, NEW, 0o666, dir_fd=folder)
        try:
            _hand_over(folder, file, like)
            _write_all(file, data)
            os.fsync(file)
            now = os.fstat(file).st_mtime
        finally:
            os.close(file)
        clean(folder, now)
        yield name


@contextmanager
def second_name(folder: int, name: str) -> Iterator[str | None]:
    """Another name for a file, gone at the end; None on a disk without hard links."""
    with _name(folder) as other:
        try:
            os.link(name, other, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            yield None
        else:
            yield other


def clean(folder: int, now: float) -> None:
    """Remove what a process that was killed left in a folder, unless that was done lately.

    To look through a folder of thousands of notes takes longer than to write one.

    Args:
        folder: where.
        now: the time by the clock of the folder's disk, in seconds.
    """
    status = os.fstat(folder)
    which = status.st_dev, status.st_ino
    if 0 <= now - _cleaned.get(which, -math.inf) < _ABANDONED_AFTER_S:
        return
    if len(_cleaned) >= _MANY:
        _cleaned.clear()
    _cleaned[which] = now
    with os.scandir(folder) as entries:
        left = [entry for entry in entries if is_scratch(entry.name)]
    for entry in left:
        with suppress(OSError):  # gone since, or somebody else's
            # A second name has its file's time of writing, but that of linking as its change.
            if now - entry.stat(follow_symlinks=False).st_ctime > _ABANDONED_AFTER_S:
                os.unlink(entry.name, dir_fd=folder)


@contextmanager
def _name(folder: int) -> Iterator[str]:
    name = f".echo-{secrets.token_hex(8)}.tmp"
    try:
        yield name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _hand_over(folder: int, file: int, like: os.stat_result | None) -> None:
    """Give a new file the owner and the mode of the one it replaces.

    A server that runs as root must not leave notes that their person cannot edit, so what it
    creates belongs to the owner of the folder. File systems without owners or modes refuse.
    """
    with suppress(OSError):
        if like is not None:
            os.fchown(file, like.st_uid, like.st_gid)
        elif os.geteuid() == 0:
            here = os.fstat(folder)
            os.fchown(file, here.st_uid, here.st_gid)
    if like is not None:
        with suppress(OSError):
            os.fchmod(file, stat.S_IMODE(like.st_mode))


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]
