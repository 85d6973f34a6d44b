"""Copies as they are used: by somebody who knows all notes, and is asked for them when needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from echo_memory.copies import Copies, Copy
from echo_memory.note import Note
from echo_memory.vault import Stamp


class Seen(NamedTuple):
    """All notes, and when the vault was last compared with them."""

    notes: dict[str, Copy]
    at: float


def copy_of(stamp: Stamp, text: str) -> Copy:
    """A note in a version, of which nothing was read."""
    return Copy(stamp, text, None, Note("", text).signature)


class Followed(Copies):
    """Copies that take notes and the time of a comparison at once, and give all back."""

    known: dict[str, Copy]

    def load(self) -> Seen | None:
        """What was seen last; None where nothing was, or nothing of it can be read."""
        self.known = {}
        at = self.read(self.known.update)
        return None if at is None else Seen(dict(self.known), at)

    def see(
        self, changed: Mapping[str, Copy], gone: Iterable[str] = (), *, at: float | None = None
    ) -> None:
        """Take over notes, and that the vault was compared then."""
        known = vars(self).setdefault("known", {})
        known.update(changed)
        forgotten = list(gone)
        for path in forgotten:
            known.pop(path, None)
        self.update(changed, forgotten)
        if at is not None:
            self.compared(at, known.items)
