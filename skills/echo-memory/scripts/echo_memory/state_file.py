"""A state file: one file of the state folder, replaced whole, for its owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from echo_memory import scratch


def write(path: Path, data: bytes, *, lasting: bool = True) -> None:
    """Put a file with this content in the place of the one at a path; see `replacing`.

    Raises:
        OSError: it cannot be written; the file is what it was.
    """
    with replacing(path, lasting=lasting) as draft:
        draft.write_bytes(data)


@contextmanager
def replacing(path: Path, *, lasting: bool = True) -> Iterator[Path]:
    """An empty file of another name, which takes the place of `path` at the end of the block.

    What killed processes left is removed.

    Args:
        path: of the file that is replaced.
        lasting: whether it is wholly on the disk by then, which other writers may have to wait for;
            what can be told to be damaged, and made anew, need not be.

    Raises:
        OSError: the file cannot be made or replaced; it is what it was then.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with scratch.temporary(folder, b"") as name:
            draft = path.with_name(name)
            with suppress(OSError):  # a disk without modes
                draft.chmod(0o600)
            yield draft
            if lasting:
                _sync(draft)
            os.rename(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        if lasting:
            with suppress(OSError):  # some folders cannot be; the file before is as good
                os.fsync(folder)
    finally:
        os.close(folder)


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
