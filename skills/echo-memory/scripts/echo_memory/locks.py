"""Locks: one writer per path, among the threads and processes that share a state folder."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echo_memory.errors import Conflict, VaultIO
from echo_memory.text import file_key

MAX_WAIT_S = 30.0

_STRIPES = 256
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.001, 0.02


class _Held(threading.local):
    path: str | None = None


class PathLocks:
    """Locks on paths, kept as locks on a fixed set of files that many paths share.

    The kernel lets go of them when a process ends, however it ends, so none can be left behind.
    Two paths may share a file; they then only wait for one another.
    """

    def __init__(self, state_dir: str | os.PathLike[str], *, wait: float = MAX_WAIT_S) -> None:
        """Nothing is touched until the first lock is taken.

        Args:
            state_dir: the folder that all writers share; made, for its owner alone, when missing.
            wait: seconds until a lock that does not come free is a conflict.
        """
        self._folder = Path(state_dir) / "locks"
        self._wait = wait
        self._threads = [threading.Lock() for _ in range(_STRIPES)]
        self._held = _Held()

    @contextmanager
    def hold(self, path: str) -> Iterator[None]:
        """Be the only holder of a path until the block ends.

        Raises:
            Conflict: somebody else held it all the while.
            VaultIO: the state folder cannot be used.
            RuntimeError: this thread already holds a path; two at once could wait for one
                another for ever.
        """
        if self._held.path is not None:
            raise RuntimeError("a path is already held by this thread")
        until = time.monotonic() + self._wait
        stripe = _stripe(path)
        if not self._threads[stripe].acquire(timeout=max(self._wait, 0)):
            raise _busy(path)
        try:
            with self._file(stripe) as file:
                _lock(file, path, until)
                self._held.path = path
                try:
                    yield
                finally:
                    self._held.path = None
                    # Closing is not enough: a forked child may have the file open as well.
                    fcntl.flock(file, fcntl.LOCK_UN)
        finally:
            self._threads[stripe].release()

    @contextmanager
    def _file(self, stripe: int) -> Iterator[int]:
        try:
            file = self._open(f"{stripe:02x}.lock")
        except OSError as error:
            raise _unusable(error) from error
        try:
            yield file
        finally:
            os.close(file)

    def _open(self, name: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            return os.open(self._folder / name, flags, 0o600)
        except FileNotFoundError:
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
            return os.open(self._folder / name, flags, 0o600)


def _stripe(path: str) -> int:
    """Spellings that some file systems take for one name share a lock."""
    same = file_key(path).encode("utf-8", "surrogatepass")
    return hashlib.sha256(same).digest()[0] % _STRIPES


def _lock(file: int, path: str, until: float) -> None:
    # The kernel would wait without an end, so it is asked again and again.
    pause = _FIRST_PAUSE_S
    while not _locked(file):
        if time.monotonic() >= until:
            raise _busy(path)
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise _unusable(error) from error
    return True


class Busy(Conflict):
    """Somebody else held the lock all the while."""


def _busy(path: str) -> Busy:
    return Busy("Another process holds this note and did not let go of it. Try again.", path=path)


def _unusable(error: OSError) -> VaultIO:
    reason = os.strerror(error.errno or errno.EIO)
    return VaultIO(
        f"The state folder cannot be used: {reason}. Check ECHO_STATE_DIR and who may write there."
    )
