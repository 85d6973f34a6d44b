"""The words of a live index in a file, as an index store keeps them."""

from __future__ import annotations

import os
from pathlib import Path

from echo_mcp.warm.inverted import LiveInverted
from echo_memory.retrieval.inverted import Inverted

_DIGEST_BYTES = 32


class LiveWords:
    """Reads and writes such files, for an index store."""

    suffix = "words"

    def empty(self) -> LiveInverted:
        """An index without documents."""
        return LiveInverted()

    def load(self, path: Path) -> tuple[LiveInverted, str] | None:
        """The index in a file and what it is called by; None where it cannot be used."""
        try:
            said = _digest(path)
        except OSError:
            return None
        inverted = LiveInverted.load(path)
        return (inverted, said) if inverted is not None else None

    def save(self, inverted: Inverted, path: Path) -> str | None:
        """Keep an index; what it is called by, None where it is of another kind.

        Raises:
            OSError: it cannot be written.
        """
        if not isinstance(inverted, LiveInverted):
            return None
        inverted.save(path)
        return _digest(path)


def _digest(path: Path) -> str:
    """What an index file ends with, by which it is known."""
    with path.open("rb") as file:
        file.seek(-_DIGEST_BYTES, os.SEEK_END)
        return file.read().hex()
