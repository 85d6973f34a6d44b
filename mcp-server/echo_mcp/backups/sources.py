"""The source of a backup: every file that a vault can give, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Protocol

CHUNK = 1 << 20
IN_MEMORY = 10_000_000
"""Bytes of one file that are held in memory; a larger one waits on the disk."""

BROKEN = "disk-error"
"""The reason of a file that is there, that we may read, and that did not come."""


@dataclass(frozen=True)
class Found:
    """A file as it was read, whole; who goes on to the next one has lost it.

    Attributes:
        path: where it stands in the vault.
        content: its bytes, to be read once.
        size: how many there are.
        modified_ns: when it was last changed; None where the vault does not tell.
        mode: who may do what with it; 0 where the vault does not tell.
    """

    path: str
    content: IO[bytes]
    size: int
    modified_ns: int | None = None
    mode: int = 0


class Source(Protocol):
    """What can be backed up."""

    folders: list[str]
    """Folders without anything in them, once all files were walked."""

    left_out: Counter[str]
    """How many files could not be given, by the reason, once all were walked."""

    def files(self) -> AbstractContextManager[Iterator[Found]]:
        """Walk the files, in no particular order.

        Raises:
            VaultUnreachable: the vault is away.
            VaultIO: it cannot be read.
        """
        ...
