"""The other writers of a file: whether one is at it, and waiting until it is done.

An editor that saves in place empties the file first and writes it then; in between, the file holds
no text that its person ever wrote.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time

if sys.platform == "linux":
    import fcntl

_PATIENCE_S = 1.0
_PAUSE_S = 0.005

# How long a file must have stood still to count as written; how recent a change makes one doubt.
_STILL_S = 0.05
_STILL_WHEN_EMPTY_S = 0.25
_RECENT_NS = 250_000_000


def is_held(file: int) -> bool:
    """Whether any program of this machine has an open file open for writing, too.

    Only Linux tells, only of files on its own disks, and only their owner or root; False where it
    cannot be known. The kernel grants a read lease on exactly those files that nobody can write.
    """
    if sys.platform == "linux":
        try:
            # Whoever opens the file while the lease is held makes a signal; SIGIO would be deadly.
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN
    return False


def settle(file: int, now_ns: int | None = None) -> bool:
    """Wait, a second at most, while somebody seems to be in the midst of writing an open file.

    Args:
        file: its descriptor.
        now_ns: the time by the clock of the file's disk; None where somebody is known to have
            written just now.

    Returns:
        Whether nobody is known to hold it any more.
    """
    end = time.monotonic() + _PATIENCE_S
    while is_held(file):
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE_S)
    if now_ns is None or _may_be_half(os.fstat(file), now_ns):
        _stand_still(file)
    return True


def _stand_still(file: int) -> None:
    """Wait until an open file has not changed for a moment, a second at most."""
    since = start = time.monotonic()
    seen = _look(file)
    while time.monotonic() < min(since + _enough(seen), start + _PATIENCE_S):
        time.sleep(_PAUSE_S)
        if (now := _look(file)) != seen:
            seen, since = now, time.monotonic()


def _may_be_half(status: os.stat_result, now_ns: int) -> bool:
    """Whether a file is empty or was just changed, other than by being given its name whole.

    Writing sets both times; a rename afterwards, such as ours, moves the second one on. So our own
    edits of one note need not wait for one another.
    """
    if status.st_ctime_ns > status.st_mtime_ns:
        return False
    return not status.st_size or now_ns - status.st_mtime_ns < _RECENT_NS


def _enough(seen: tuple[int, int]) -> float:
    size, _ = seen
    return _STILL_S if size else _STILL_WHEN_EMPTY_S


def _look(file: int) -> tuple[int, int]:
    status = os.fstat(file)
    return status.st_size, status.st_mtime_ns
