"""The acquaintance: which vaults this state folder has seen with their marker.

A share that is not mounted, or a link that points elsewhere, looks like a vault that is empty; and
where Obsidian opens another vault, that one answers at the same address. Who has known the vault
before can tell them apart.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from echo_memory import state_file


def key_of(vault: str) -> str:
    """What the state folder calls a vault, by its address."""
    return hashlib.sha256(vault.encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Acquaintance:
    """Whether one vault has been seen with its marker, and with which, as the state folder says."""

    def __init__(self, state_dir: Path, vault: str) -> None:
        self._path = state_dir / "vaults" / key_of(vault)
        self._known: str | None = None

    def make(self, marker: str) -> None:
        """Remember the vault by the text of its marker note, unless it is known already.

        A state folder that cannot be written only means that it is not remembered for long.
        """
        if self._read() in (None, ""):
            self.renew(marker)

    def renew(self, marker: str) -> None:
        """Remember the vault by this marker, whatever was known before."""
        self._known = key_of(marker)
        with suppress(OSError):
            state_file.write(self._path, self._known.encode("ascii"))

    def is_made(self) -> bool:
        """Whether the vault was ever remembered."""
        return self._read() is not None

    def is_of_another(self, marker: str) -> bool:
        """Whether this is the marker of a vault that is not the one which is remembered."""
        said, before = key_of(marker), self._read()
        if before and before != said:
            self._known = None  # another process may have been told that it is the same
            self._known = self._read() or before
        return bool(self._known) and self._known != said

    def _read(self) -> str | None:
        """By what the vault is known: empty where it is not told, None where it is not known."""
        if self._known is None:
            with suppress(OSError, UnicodeDecodeError):
                self._known = self._path.read_text("ascii")
        return self._known
