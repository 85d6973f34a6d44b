"""The folder source: every file below a vault's folder, the hidden ones and attachments included.

Folders and files are opened from the folder above, so that none that is swapped for a link
meanwhile leads elsewhere. A link to a file of the vault counts as that file.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from echo_mcp.backups.sources import BROKEN, CHUNK, IN_MEMORY, Found
from echo_memory.errors import VaultIO, VaultUnreachable
from echo_memory.scratch import is_scratch

LINK, SPECIAL, UNREADABLE = "link", "special", "unreadable"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CLOSED = {errno.EACCES, errno.EPERM}
_TRIES = 3


class FolderSource:
    """See Source."""

    def __init__(self, root: Path, *, without: Collection[str], beside: Path) -> None:
        """Nothing is read yet.

        Args:
            root: the vault's folder.
            without: paths in it that are no part of it.
            beside: a folder that is left out where it is in the vault, and on whose disk a large
                file waits while it is read.
        """
        self._root = root
        self._without = without
        self._beside = beside
        self.folders: list[str] = []
        self.left_out: Counter[str] = Counter()

    @contextmanager
    def files(self) -> Iterator[Iterator[Found]]:
        """See Source."""
        try:
            root = os.open(self._root, _FOLDER)
        except OSError as error:
            raise VaultUnreachable(
                "The vault's folder cannot be opened. Check that it is mounted and may be read."
            ) from error
        try:
            yield self._walk(root)
        finally:
            os.close(root)

    def _walk(self, root: int) -> Iterator[Found]:
        for where, folders, files, fd in os.fwalk(".", dir_fd=root, onerror=self._closed):
            prefix = "" if where == "." else f"{where.removeprefix('./')}/"
            real = [name for name in folders if not self._is_left_out(prefix + name, fd, name)]
            if prefix and not folders and not files:
                self.folders.append(prefix[:-1])
            folders[:] = real
            for name in sorted(files):
                path = prefix + name
                if path in self._without or is_scratch(name):
                    continue
                with self._spool() as spool:
                    found = self._read(root, fd, name, path, spool)
                    if found is not None:
                        yield found

    def _closed(self, error: OSError) -> None:
        """A folder that is closed to us is counted; a disk that fails ends it."""
        if error.errno in _CLOSED:
            self.left_out[UNREADABLE] += 1
        elif error.errno not in (errno.ENOENT, errno.ENOTDIR):
            raise _broken(error)

    def _is_left_out(self, path: str, fd: int, name: str) -> bool:
        """Whether a folder is a link, whose files are where it points, or is our own."""
        try:
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            own = self._beside.stat()
        except OSError:
            return False
        if stat.S_ISLNK(status.st_mode):
            if self._inside(path) is None:
                self.left_out[LINK] += 1
            return True
        return (status.st_dev, status.st_ino) == (own.st_dev, own.st_ino)

    def _read(self, root: int, fd: int, name: str, path: str, spool: IO[bytes]) -> Found | None:
        try:
            mode = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                return self._linked(root, path, spool)
            if not stat.S_ISREG(mode):
                self.left_out[SPECIAL] += 1
                return None
            return self._copied(os.open(name, _READ, dir_fd=fd), path, spool)
        except FileNotFoundError:
            return None  # gone since
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise  # our own disk
            self.left_out[UNREADABLE if error.errno in _CLOSED else BROKEN] += 1
            return None

    def _linked(self, root: int, path: str, spool: IO[bytes]) -> Found | None:
        inside = self._inside(path)
        if inside is None or inside in self._without:
            self.left_out[LINK] += 1
            return None
        return self._copied(_opened(root, inside), path, spool)

    def _inside(self, path: str) -> str | None:
        """The path that a link stands for; None where that is not in the vault."""
        root = os.path.realpath(self._root)
        real = os.path.realpath(f"{root}/{path}")
        return os.path.relpath(real, root) if real.startswith(f"{root}/") else None

    def _copied(self, file: int, path: str, spool: IO[bytes]) -> Found | None:
        """A file that nobody wrote to while it was read; the last try counts in any case."""
        try:
            for _ in range(_TRIES):
                before = os.fstat(file)
                if not stat.S_ISREG(before.st_mode):
                    self.left_out[SPECIAL] += 1
                    return None
                size = _copy(file, spool, before.st_size)
                after = os.fstat(file)
                if (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, size):
                    break
            spool.seek(0)
            mode = stat.S_IMODE(after.st_mode) & 0o777
            return Found(path, spool, size, after.st_mtime_ns, mode)
        finally:
            os.close(file)

    def _spool(self) -> IO[bytes]:
        """What holds a file while it is read: memory, and the disk from some size on."""
        return tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(self._beside))


def _opened(root: int, path: str) -> int:
    """A file by its path, no link in it followed."""
    *folders, name = path.split("/")
    here = os.dup(root)
    try:
        for folder in folders:
            above, here = here, os.open(folder, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
            os.close(above)
        return os.open(name, _READ, dir_fd=here)
    finally:
        os.close(here)


def _copy(file: int, spool: IO[bytes], size: int) -> int:
    """Copy a file as far as it went when it was opened; returns how many bytes there were."""
    spool.seek(0)
    spool.truncate()
    done = 0
    while done < size and (chunk := os.pread(file, min(CHUNK, size - done), done)):
        spool.write(chunk)
        done += len(chunk)
    return done


def _broken(error: OSError) -> VaultIO:
    reason = os.strerror(error.errno or errno.EIO)
    return VaultIO(f"The vault's disk reports: {reason}. Check the disk and try again.")
