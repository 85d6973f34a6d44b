"""The folder vault: notes as files below one folder."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TypeVar

from echo_memory.errors import (
    BadRequest,
    EchoError,
    NotFound,
    VaultIO,
    VaultUnreachable,
)
from echo_memory.folder import Folder
from echo_memory.scratch import is_scratch
from echo_memory.vault import (
    MAX_NOTE_BYTES,
    TRASH,
    Stamp,
    conflict,
    to_bytes,
    to_text,
)
from echo_memory.vault_paths import is_safe, safe_path

# A file that is written twice within one tick of its file system's clock has the same times after
# both; FAT's tick is the longest, two seconds.
_TICK_NS = 3_000_000_000

_T = TypeVar("_T")

_MISSING = {errno.ENOENT, errno.ENOTDIR}
_DENIED = {errno.EACCES, errno.EPERM}
_UNREACHABLE = {
    errno.ESTALE,
    errno.ENOTCONN,
    errno.ETIMEDOUT,
    errno.EHOSTDOWN,
    errno.EHOSTUNREACH,
}
_REFUSALS = {
    errno.EACCES: "Permission was denied. Check who may read and write the vault's folder.",
    errno.EPERM: "Permission was denied. Check who may read and write the vault's folder.",
    errno.EROFS: "The vault is mounted read-only. Mount it so that it can be written.",
    errno.ENOSPC: "The disk of the vault is full. Make room and try again.",
    errno.EDQUOT: "The disk quota of the vault is used up. Make room and try again.",
    errno.EFBIG: "The disk of the vault takes no file of this size. Make room and try again.",
    errno.ENAMETOOLONG: "The vault's disk takes no name of this length. Choose a shorter one.",
    errno.EISDIR: "Something that is not a note has this name. Choose another one.",
    errno.ENOTDIR: "A file stands where the path needs a folder. Choose another folder.",
}


class FolderVault:
    """A vault that is a folder; any number of threads may use it.

    A link inside the vault is followed while its end is inside, too, and visible. The folder
    itself is never made: a share that is not mounted must not pass for an empty vault.

    Against programs that write a note at the same time it does what `folder` tells. All that it
    remembers is where `stamps` met what a killed process left, for the next write to clean up.
    """

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self._root = Path(root).absolute()
        self._littered: set[str] = set()
        self._opened = count(1)

    def stamps(self) -> dict[str, Stamp]:
        """See Vault. Links to folders are not walked: what is in them is listed where it is."""
        found: dict[str, Stamp] = {}
        littered: set[str] = set()
        folders = [""]
        while folders:
            prefix = folders.pop()
            with _told(prefix):
                for entry in self._entries(prefix):
                    if is_scratch(entry.name):
                        littered.add(prefix)
                    if not _is_visible(prefix, entry):
                        continue
                    path = prefix + entry.name
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{path}/")
                    elif path[-3:].lower() == ".md" and (stamp := self._entry_stamp(entry, path)):
                        found[path] = stamp
        self._littered = littered
        return found

    def stamp(self, path: str) -> Stamp:
        """See Vault."""
        return self._at(path, _stamp)

    def read(self, path: str) -> str:
        """See Vault."""
        data = self._at(path, lambda folder, name: folder.read(name, limit=MAX_NOTE_BYTES))
        if data is None:
            raise VaultIO(
                f"The note is larger than {MAX_NOTE_BYTES:,} bytes and is not read. Divide it.",
                path=path,
            )
        return to_text(data)

    def read_many(self, paths: Iterable[str]) -> dict[str, str]:
        """See Vault."""
        texts = {}
        for path in paths:
            safe_path(path)
            try:
                texts[path] = self.read(path)
            except (NotFound, BadRequest, VaultIO):  # one bad note must not hide the others
                continue
        return texts

    def write(self, path: str, text: str, *, expected: str | None) -> None:
        """See Vault."""
        data = to_bytes(text)
        old = None if expected is None else to_bytes(expected)

        def put(folder: Folder, name: str) -> bool:
            if old is None:
                done = folder.create(name, data)
            else:
                done = folder.replace(name, data, expected=old)
            self._clean(folder, name)
            return done

        try:
            done = self._at(path, put, make=old is None)
        except NotFound as error:
            if old is None:
                raise VaultIO(_REFUSALS[errno.ENOTDIR], path=path) from error
            done = False
        if not done:
            raise conflict(path)

    def trash(self, path: str, *, expected: str) -> str:
        """See Vault. Of a note that is a link, the link is moved."""

        def move(folder: Folder, name: str) -> str:
            if self.read(path) != expected:
                raise conflict(path)
            with self._open() as root, root.child(TRASH, make=True) as trash:
                return trash.adopt(folder, name)

        folders, slash, name = safe_path(path).rpartition("/")
        place = self._resolve(folders) if folders else ""
        return f"{TRASH}/{self._at(f'{place}{slash}{name}', move)}"

    def probe(self) -> None:
        """See Vault."""
        self._entries("")

    @property
    def connections(self) -> int:
        """See Vault: a folder is opened anew each time, and may be another by then."""
        return next(self._opened)

    def seems_gone(self) -> bool:
        """See Vault."""
        return not self._root.is_dir()

    def close(self) -> None:
        """See Vault: nothing is kept open."""

    def _open(self) -> Folder:
        try:
            return Folder.at(self._root)
        except OSError as error:
            raise _translated(error) from error

    def _at(self, path: str, action: Callable[[Folder, str], _T], *, make: bool = False) -> _T:
        """Do something in the folder that a note is in, with the note's name there."""
        safe_path(path)
        with _told(path):
            try:
                return self._walk(path, action, make)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
            return self._walk(self._resolve(path), action, make)

    def _walk(self, path: str, action: Callable[[Folder, str], _T], make: bool) -> _T:
        *folders, name = path.split("/")
        folder = self._open()
        for step in folders:
            with folder:
                folder = folder.child(step, make=make)
        with folder:
            return action(folder, name)

    def _resolve(self, path: str) -> str:
        """The path without links: what follows it meets no link, or one that was just made."""
        root = Path(os.path.realpath(self._root))
        real = Path(os.path.realpath(root / path))
        if not real.is_relative_to(root):
            raise _leads_out(path)
        return safe_path(real.relative_to(root).as_posix())

    def _entries(self, prefix: str) -> list[os.DirEntry[str]]:
        """What a folder holds; nothing when it went away or is closed to us."""
        try:
            with os.scandir(f"{self._root}/{prefix}") as entries:
                return list(entries)
        except OSError as error:
            if prefix and error.errno in _MISSING | _DENIED:
                return []
            raise _translated(error, prefix) from error

    def _clean(self, folder: Folder, name: str) -> None:
        """Clean the folders that need it, given a note that was written now."""
        littered, self._littered = self._littered, set()
        with suppress(OSError, EchoError):  # the note is written all the same
            now = folder.status(name).st_mtime if littered else 0
            for prefix in littered:
                self._at(f"{prefix}{name}", lambda there, _: there.clean(now))

    def _entry_stamp(self, entry: os.DirEntry[str], path: str) -> Stamp | None:
        try:
            if entry.is_symlink():
                return self.stamp(path)
            if entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                return self.stamp(path) if _is_fresh(status) else _times(status)
        except (FileNotFoundError, PermissionError, NotFound, BadRequest, VaultIO):
            return None  # gone since, closed to us, or a link to nothing that we may see
        return None


def _is_visible(prefix: str, entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder has a path in the vault."""
    return entry.name[0] != "." and is_safe(prefix + entry.name)


def _stamp(folder: Folder, name: str) -> Stamp:
    status = folder.file_status(name)
    if not _is_fresh(status):
        return _times(status)
    try:
        data = folder.read(name, limit=MAX_NOTE_BYTES) or b""
    except PermissionError:  # a note that is closed to us is listed all the same
        data = b""
    return f"{_times(status)}-{hashlib.blake2b(data, digest_size=8).hexdigest()}"


def _times(status: os.stat_result) -> Stamp:
    # Not the inode: some network and FUSE file systems give a file another one at every look.
    return f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}"


def _is_fresh(status: os.stat_result) -> bool:
    """Whether the file may be written once more without a change of its times."""
    return time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _TICK_NS


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _translated(error, path) from error


def _translated(error: OSError, path: str = "") -> EchoError:
    """What an error of the file system means for a note; for the vault, where no path is given."""
    number = error.errno or errno.EIO
    if number in _UNREACHABLE or (number in _MISSING and not path):
        return VaultUnreachable(
            "The vault's folder is not there. Check that it is mounted and that ECHO_BASE is right."
        )
    if number in _MISSING:
        return NotFound("There is no such note. Check the path.", path=path)
    if number == errno.ELOOP:
        return _leads_out(path)
    other = f"The vault's disk reports: {os.strerror(number)}. Check the disk and try again."
    details = {"path": path} if path else {}
    return VaultIO(_REFUSALS.get(number, other), **details)


def _leads_out(path: str) -> BadRequest:
    return BadRequest(
        "The path runs through a link that does not end inside the vault. Use the note's own path.",
        field="path",
        path=path,
    )
