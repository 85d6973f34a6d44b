"""Freshness: which findings of a sweep are new, and since when."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

MAX_MARKS = 20_000
"""So many findings are told apart; of more, the rest is never new."""


@dataclass(frozen=True)
class Marks:
    """Findings by their marks.

    Attributes:
        known: those of the last sweep in which none was new; None before the first one.
        new: those that came since, and are there still.
    """

    known: frozenset[str] | None = None
    new: frozenset[str] = frozenset()

    def after(self, found: Collection[str]) -> Marks:
        """The marks once a sweep has found these; the first one finds nothing new."""
        there = frozenset(sorted(found)[:MAX_MARKS])
        if self.known is None:
            return Marks(there)
        new = there - self.known
        return Marks(self.known & there, new) if new else Marks(there)

    def as_note(self) -> dict[str, list[str]]:
        """The marks as JSON carries them."""
        return {"known": sorted(self.known or ()), "new": sorted(self.new)}

    @classmethod
    def of(cls, note: Any) -> Marks:
        """The marks that were kept; none where they are not what `as_note` gave."""
        if not isinstance(note, dict):
            return cls()
        known, new = (note.get(key) for key in ("known", "new"))
        if not isinstance(known, list) or not isinstance(new, list):
            return cls()
        return cls(frozenset(map(str, known)), frozenset(map(str, new)))


def mark(parts: Iterable[str]) -> str:
    """What a finding is known by from one sweep to the next, and that shows nothing of it."""
    whole = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(whole, digest_size=6).hexdigest()
