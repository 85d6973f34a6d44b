"""The first: which of several processes with one state folder does what one is enough for."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path


class First:
    """A place that one process holds until it ends, however it ends."""

    def __init__(self, path: Path) -> None:
        """Nothing is touched yet.

        Args:
            path: a file that stands for the place; made, with its folder, when it is missing.
        """
        self._path = path
        self._file: int | None = None

    def holds(self) -> bool:
        """Whether this process has the place, or gets it now."""
        if self._file is not None:
            return True
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            file = os.open(self._path, flags, 0o600)
        except OSError:
            return True  # of a folder that cannot be used, nobody can tell
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def leave(self) -> None:
        """Let another process have it."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                os.close(file)
