"""The words of a live index in a file, as an index store keeps them."""

from __future__ import annotations

from pathlib import Path

from echo_mcp.warm.inverted import LiveInverted
from echo_mcp.warm.readings_file import ReadingsFile
from echo_memory.retrieval.inverted import Inverted


class LiveWords:
    """Reads and writes such files, for an index store."""

    suffix = "words"

    def readings(self, path: Path) -> ReadingsFile:
        """Where readings are kept."""
        return ReadingsFile(path)

    def empty(self) -> LiveInverted:
        """An index without documents."""
        return LiveInverted()

    def load(self, path: Path) -> tuple[LiveInverted, str] | None:
        """The index in a file and what it is called by; None where it cannot be used."""
        inverted = LiveInverted.load(path)
        return (inverted, inverted.digest) if inverted is not None else None

    def save(self, inverted: Inverted, path: Path) -> str | None:
        """Keep an index; what it is called by, None where it is of another kind.

        Raises:
            OSError: it cannot be written.
        """
        if not isinstance(inverted, LiveInverted):
            return None
        return inverted.save(path)
