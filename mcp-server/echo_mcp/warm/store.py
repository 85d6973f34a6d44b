"""The store: the recall index of one vault on the disk, so that a start need not read all notes."""

from __future__ import annotations

import json
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from echo_mcp.warm.inverted import LiveInverted
from echo_memory import __version__
from echo_memory.acquaintance import key_of
from echo_memory.recall_index import Kept, Stored
from echo_memory.retrieval.documents import Facts

logger = logging.getLogger(__name__)

_FORMAT = f"1 {__version__}"  # another version may see other words in the same text
_DIGEST_BYTES = 32


class IndexStore:
    """Two files: the words, and beside them what else is kept of each note.

    The second names the first by its digest, for they are only good together.
    """

    def __init__(self, state_dir: Path, vault: str) -> None:
        """Nothing is touched yet.

        Args:
            state_dir: where they are kept.
            vault: its address; each has an index of its own.
        """
        self._words = state_dir / "index" / f"{key_of(vault)}.words"
        self._notes = self._words.with_suffix(".notes")

    def load(self) -> Stored | None:
        """See Store."""
        try:
            document = json.loads(self._notes.read_bytes())
            if (document["format"], document["words"]) != (_FORMAT, _digest(self._words)):
                return None
            kept = {path: _unpacked(row) for path, row in document["notes"].items()}
        except (OSError, ValueError, KeyError, TypeError):
            return None
        inverted = LiveInverted.load(self._words)
        return Stored(inverted, kept) if inverted is not None else None

    def empty(self) -> LiveInverted:
        """See Store."""
        return LiveInverted()

    def save(self, stored: Stored) -> None:
        """See Store."""
        if not isinstance(stored.inverted, LiveInverted):
            return
        try:
            self._words.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            stored.inverted.save(self._words)
            document = {
                "format": _FORMAT,
                "words": _digest(self._words),
                "notes": {path: _packed(kept) for path, kept in stored.kept.items()},
            }
            _replace(self._notes, json.dumps(document).encode())
        except OSError as error:
            logger.warning("the index was not kept: %s", error.strerror)


def _digest(path: Path) -> str:
    """What an index file ends with, by which it is known."""
    with path.open("rb") as file:
        file.seek(-_DIGEST_BYTES, os.SEEK_END)
        return file.read().hex()


def _packed(kept: Kept) -> list[Any]:
    facts = kept.facts
    row: list[Any] = [kept.signature, sorted(kept.targets)]
    return row if facts is None else [*row, dict(facts.days), list(facts.kinds), facts.day]


def _unpacked(row: list[Any]) -> Kept:
    signature, targets, *rest = row
    facts = None
    if rest:
        days, kinds, day = rest
        facts = Facts(days, tuple(kinds), day)
    return Kept(signature, facts, frozenset(targets))


def _replace(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.write(data)
        draft.replace(path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
