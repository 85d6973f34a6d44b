"""The acquaintance: which vaults this state folder has seen with their marker.

A share that is not mounted, or a link that points elsewhere, looks like a vault that is empty. Who
has known the vault before can tell the two apart.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path


def key_of(vault: str) -> str:
    """What the state folder calls a vault, by its address."""
    return hashlib.sha256(vault.encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Acquaintance:
    """Whether one vault has been seen with its marker, as a file in the state folder says."""

    def __init__(self, state_dir: Path, vault: str) -> None:
        self._path = state_dir / "vaults" / key_of(vault)
        self._made = False

    def make(self) -> None:
        """Remember the vault; a state folder that cannot be written only means that it is not."""
        if not self._made:
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._path.touch()
            self._made = True

    def is_made(self) -> bool:
        """Whether the vault was ever remembered."""
        # unlike Path.exists, which raises where a folder on the way is closed
        return self._made or os.path.exists(self._path)  # noqa: PTH110
