"""A folder held open: files in it are read, made and replaced whole, and no link is followed.

Every name is looked up in the open folder itself, so a folder that is swapped for a link meanwhile
cannot lead a read or a write elsewhere. A link met on the way is an OSError with ELOOP.

A program that saves in place writes into the file that it opened, whatever the name has come to
mean since. So a file that was replaced keeps a second, hidden name until it has been looked at once
more, and gets its own name back if somebody was at it. No call replaces a file on a condition,
so two instants remain in which a program's text is lost: when it gives its own new file the name
between that second naming and our rename, which is tens of microseconds; and, only where
`writers.is_held` cannot tell, when it opens the file before our rename and writes after the look.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from echo_memory import scratch, writers
from echo_memory.vault_paths import numbered

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

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
        with self._opened(name) as file:
            return _content(file, limit)

    def create(self, name: str, data: bytes) -> bool:
        """Make a file with all of its content at once; False when the name is taken.

        Raises:
            IsADirectoryError: something that is no file has the name.
        """
        if self._is_taken(name):
            return False
        with scratch.temporary(self._fd, data) as temporary:
            try:
                self._name(temporary, name)
            except FileExistsError:
                return False
        self._sync()
        return True

    def replace(self, name: str, data: bytes, *, expected: bytes) -> bool:
        """Put new content in a file's place, whole; False when it does not hold what is expected.

        Owner and mode stay. The old content is compared right before it is replaced, once nobody
        is in the midst of writing it, and right after. A file that another program holds open
        for writing for longer than a second is not replaced.

        Raises:
            FileNotFoundError: no such file.
            PermissionError: the file is write-protected.
        """
        old = self.file_status(name)
        if not old.st_mode & 0o222 or not os.access(name, os.W_OK, dir_fd=self._fd):
            raise PermissionError(errno.EACCES, "write-protected")
        with scratch.temporary(self._fd, data, like=old) as temporary:
            with self._opened(name) as file:
                if not writers.settle(file, self.status(temporary).st_mtime_ns):
                    return False
            if self.read(name, limit=len(expected)) != expected:
                return False
            return self._exchange(name, temporary, data, expected)

    def clean(self, now: float) -> None:
        """Remove what a process that was killed left here; `now` is by the clock of the disk."""
        scratch.clean(self._fd, now)

    def adopt(self, source: Folder, name: str) -> str:
        """Move a name here from another folder, under a name that is free; returns that name."""
        for candidate in numbered(name):
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

    def _exchange(self, name: str, temporary: str, data: bytes, expected: bytes) -> bool:
        """Give a new file the name of an old one, unless somebody was still at the old one."""
        with (
            scratch.second_name(self._fd, name) as kept,
            self._opened(kept or name) as old,
        ):
            self._rename(temporary, name)
            self._sync()  # before the look, so that slow programs are seen, too
            # In this order: whoever closes it in between has written before it is read.
            if not writers.is_held(old) and _content(old, len(expected)) == expected:
                return True
            self._put_back(name, data, kept, old)
        return False

    def _put_back(self, name: str, data: bytes, kept: str | None, old: int) -> None:
        """Undo a replacement, unless somebody replaced that in turn; wait until old is written."""
        if kept is None:
            self._put_back_copy(name, data, old)
        elif self.read(name, limit=len(data)) == data:
            self._rename(kept, name)
            self._sync()
            writers.settle(old)

    def _put_back_copy(self, name: str, data: bytes, old: int) -> None:
        """The best that a disk without hard links allows, once its writer seems to be done."""
        writers.settle(old)
        status = os.fstat(old)
        text = _read_all(old, status.st_size, status.st_size)
        with scratch.temporary(self._fd, text, like=status) as copy:
            if self.read(name, limit=len(data)) == data:
                self._rename(copy, name)
                self._sync()

    def _rename(self, source: str, name: str) -> None:
        os.replace(source, name, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    @contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        """A regular file, open for reading."""
        try:
            file = os.open(name, _READ, dir_fd=self._fd)
        except OSError as error:
            if error.errno == errno.ENXIO:  # a socket
                raise FileNotFoundError(errno.ENOENT, "not a file") from error
            raise
        try:
            _regular(os.fstat(file))
            yield file
        finally:
            os.close(file)

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
            if error.errno not in scratch.NO_HARD_LINKS:
                raise
            self._claim(name)
            self._rename(temporary, name)

    def _claim(self, name: str) -> None:
        os.close(os.open(name, scratch.NEW, 0o666, dir_fd=self._fd))

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


def _content(file: int, limit: int) -> bytes | None:
    """All that an open file holds; None when that is more than the limit."""
    size = os.fstat(file).st_size
    data = b"" if size > limit else _read_all(file, size + 1, limit + 1)
    return None if max(size, len(data)) > limit else data


def _read_all(file: int, first: int, most: int) -> bytes:
    data = os.pread(file, first, 0)
    while len(data) < most and (more := os.pread(file, most - len(data), len(data))):
        data += more
    return data
