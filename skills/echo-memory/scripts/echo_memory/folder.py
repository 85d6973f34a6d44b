"""A folder held open: files in it are read, made and replaced whole, and no link is followed.

Every name is looked up in the open folder itself, so a folder that is swapped for a link meanwhile
cannot lead a read or a write elsewhere. A link met on the way is an OSError with ELOOP.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePath

from echo_memory.vault import MAX_NAME_BYTES

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_TEMPORARY = re.compile(r"\.echo-[0-9a-f]{16}\.tmp")
_ABANDONED_AFTER_S = 3600

_NO_HARD_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
_CANNOT_SYNC_FOLDERS = {errno.EINVAL, errno.EOPNOTSUPP}


class Folder:
    """One open folder; a context manager that closes it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Folder:
        """Open a folder by its path, links in it followed.

        Raises:
            OSError: it is not there, no folder, or not permitted.
        """
        return cls(os.open(path, _FOLDER))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def child(self, name: str, *, make: bool = False) -> Folder:
        """Open a folder in this one, made first where it is missing and may be made."""
        try:
            return self._child(name)
        except FileNotFoundError:
            if not make:
                raise
        self._make_folder(name)
        return self._child(name)

    def status(self, name: str) -> os.stat_result:
        """What the file system knows of a name, of the link itself where it is one."""
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def file_status(self, name: str) -> os.stat_result:
        """The same of a regular file only; anything else counts as missing.

        Raises:
            FileNotFoundError: no such file.
        """
        return _regular(self.status(name))

    def read(self, name: str, *, limit: int) -> bytes | None:
        """A regular file's bytes; None when there are more than the limit.

        Raises:
            FileNotFoundError: no such file.
        """
        try:
            file = os.open(name, _READ, dir_fd=self._fd)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a socket
                raise FileNotFoundError(errno.ENOENT, "not a file") from error
            raise
        try:
            size = _regular(os.fstat(file)).st_size
            data = b"" if size > limit else _read_all(file, size + 1, limit + 1)
            return None if max(size, len(data)) > limit else data
        finally:
            os.close(file)

    def create(self, name: str, data: bytes) -> bool:
        """Make a file with all of its content at once; False when the name is taken.

        Raises:
            IsADirectoryError: something that is no file has the name.
        """
        if self._is_taken(name):
            return False
        with self._temporary(data) as temporary:
            try:
                self._name(temporary, name)
            except FileExistsError:
                return False
        self._sync()
        return True

    def replace(self, name: str, data: bytes, *, expected: bytes) -> bool:
        """Put new content in a file's place, whole; False when it does not hold what is expected.

        Owner and mode stay. The old content is compared right before it is replaced.

        Raises:
            FileNotFoundError: no such file.
            PermissionError: the file is write-protected.
        """
        old = self.file_status(name)
        if not old.st_mode & 0o222 or not os.access(name, os.W_OK, dir_fd=self._fd):
            raise PermissionError(errno.EACCES, "write-protected")
        with self._temporary(data, like=old) as temporary:
            if self.read(name, limit=len(expected)) != expected:
                return False
            os.replace(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        self._sync()
        return True

    def adopt(self, source: Folder, name: str) -> str:
        """Move a name here from another folder, under a name that is free; returns that name."""
        for candidate in _numbered(name):
            with suppress(FileExistsError):
                self._claim(candidate)
                break
        try:
            os.replace(name, candidate, src_dir_fd=source._fd, dst_dir_fd=self._fd)
        except OSError:
            os.unlink(candidate, dir_fd=self._fd)
            raise
        self._sync()
        source._sync()
        return candidate

    def _child(self, name: str) -> Folder:
        try:
            return Folder(os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=self._fd))
        except NotADirectoryError:
            if stat.S_ISLNK(self.status(name).st_mode):
                raise _link() from None
            raise

    def _make_folder(self, name: str) -> None:
        with suppress(FileExistsError):  # somebody else made it meanwhile
            os.mkdir(name, dir_fd=self._fd)
        if os.geteuid() == 0:
            here = os.fstat(self._fd)
            with suppress(OSError):
                os.chown(name, here.st_uid, here.st_gid, dir_fd=self._fd, follow_symlinks=False)
        self._sync()

    def _is_taken(self, name: str) -> bool:
        try:
            mode = self.status(name).st_mode
        except FileNotFoundError:
            return False
        if stat.S_ISLNK(mode):
            raise _link()
        if not stat.S_ISREG(mode):
            raise IsADirectoryError(errno.EISDIR, "not a file")
        return True

    def _name(self, temporary: str, name: str) -> None:
        """Give a finished file its name, unless the name is taken."""
        try:
            os.link(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            self._claim(name)
            os.replace(temporary, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def _claim(self, name: str) -> None:
        os.close(os.open(name, _NEW, 0o666, dir_fd=self._fd))

    @contextmanager
    def _temporary(self, data: bytes, *, like: os.stat_result | None = None) -> Iterator[str]:
        """A hidden file with the content, on the disk; gone at the end, unless it was renamed."""
        name = f".echo-{secrets.token_hex(8)}.tmp"
        file = os.open(name, _NEW, 0o666, dir_fd=self._fd)
        try:
            try:
                self._hand_over(file, like)
                _write_all(file, data)
                os.fsync(file)
                now = os.fstat(file).st_mtime
            finally:
                os.close(file)
            self._clean(now)
            yield name
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._fd)

    def _hand_over(self, file: int, like: os.stat_result | None) -> None:
        """Give a new file the owner and the mode of the one it replaces.

        A server that runs as root must not leave notes that their person cannot edit, so what it
        creates belongs to the owner of the folder. File systems without owners or modes refuse.
        """
        with suppress(OSError):
            if like is not None:
                os.fchown(file, like.st_uid, like.st_gid)
            elif os.geteuid() == 0:
                here = os.fstat(self._fd)
                os.fchown(file, here.st_uid, here.st_gid)
        if like is not None:
            with suppress(OSError):
                os.fchmod(file, stat.S_IMODE(like.st_mode))

    def _clean(self, now: float) -> None:
        """Remove what a process that was killed left here."""
        with os.scandir(self._fd) as entries:
            left = [entry for entry in entries if _TEMPORARY.fullmatch(entry.name)]
            for entry in left:
                with suppress(FileNotFoundError):
                    if now - entry.stat(follow_symlinks=False).st_mtime > _ABANDONED_AFTER_S:
                        os.unlink(entry.name, dir_fd=self._fd)

    def _sync(self) -> None:
        try:
            os.fsync(self._fd)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC_FOLDERS:
                raise


def _link() -> OSError:
    return OSError(errno.ELOOP, "a link")


def _regular(status: os.stat_result) -> os.stat_result:
    if stat.S_ISLNK(status.st_mode):
        raise _link()
    if not stat.S_ISREG(status.st_mode):
        raise FileNotFoundError(errno.ENOENT, "not a file")
    return status


def _read_all(file: int, first: int, most: int) -> bytes:
    data = os.read(file, first)
    while len(data) < most and (more := os.read(file, most - len(data))):
        data += more
    return data


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _numbered(name: str) -> Iterator[str]:
    """A name, then the same with a number before its suffix, always short enough for a file."""
    yield name
    stem, suffix = PurePath(name).stem, PurePath(name).suffix
    number = 0
    while True:
        number += 1
        while len(f"{stem} {number}{suffix}".encode()) > MAX_NAME_BYTES:
            stem = stem[:-1]
        yield f"{stem} {number}{suffix}"
