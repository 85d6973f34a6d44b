"""The index store: what recall needs of one vault on the disk, so that a start reads few notes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from echo_memory import __version__, state_file
from echo_memory.acquaintance import key_of
from echo_memory.recall_index import Kept, Readings, Stored
from echo_memory.retrieval.documents import Facts
from echo_memory.retrieval.inverted import Inverted

_FORMAT = f"3 {__version__}"  # another version may see other words in the same text


class Words(Protocol):
    """How an inverted index is kept in a file; `suffix` is its name's."""

    suffix: str

    def readings(self, path: Path) -> Readings:
        """Where readings are kept."""
        ...

    def empty(self) -> Inverted:
        """An index without documents."""
        ...

    def load(self, path: Path) -> tuple[Inverted, str] | None:
        """The index in a file and what it is called by; None where it cannot be used."""
        ...

    def save(self, inverted: Inverted, path: Path) -> str | None:
        """Keep an index; what it is called by, None where the one that is kept will do.

        Raises:
            OSError: it cannot be written.
        """
        ...


class IndexStore:
    """Two files: the words, and beside them what else is kept of each note.

    The second says what the first is called by, for they are only good together. Facts that many
    notes have in common stand in it once.
    """

    def __init__(
        self, state_dir: Path, vault: str, words: Words, *, notify: Callable[[str], None]
    ) -> None:
        """Nothing is touched yet.

        Args:
            state_dir: where they are kept.
            vault: its address; each has an index of its own.
            words: how the words are kept.
            notify: told when they cannot be.
        """
        folder, name = state_dir / "index", key_of(vault)
        self._kind = words
        self._words = folder / f"{name}.{words.suffix}"
        self._notes = folder / f"{name}.{words.suffix}.json"
        self._notify = notify
        self.readings = words.readings(folder / f"{name}.readings.sqlite")

    def load(self) -> Stored | None:
        """See Store."""
        try:
            document = json.loads(self._notes.read_bytes())
            said, notes = document["words"], document["notes"]
            if document["format"] != _FORMAT:
                return None
            facts = [Facts.known(*row) for row in document["facts"]]
            kept = {path: _unpacked(row, facts) for path, row in notes.items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None
        loaded = self._kind.load(self._words)
        return Stored(loaded[0], kept) if loaded and loaded[1] == said else None

    def empty(self) -> Inverted:
        """See Store."""
        return self._kind.empty()

    def discard(self) -> None:
        """See Store."""
        with suppress(OSError):
            self._notes.unlink(missing_ok=True)

    def save(self, inverted: Inverted, kept: Callable[[], Mapping[str, Kept]]) -> None:
        """See Store."""
        try:
            said = self._kind.save(inverted, self._words)
            if said is not None:
                state_file.write(self._notes, _json(said, kept()), lasting=False)
        except OSError as error:
            self._notify(f"the index was not kept: {error.strerror or 'its disk refused'}")


def _json(words: str, kept: Mapping[str, Kept]) -> bytes:
    """The second file, made row by row: while a row is made, no other thread runs."""
    facts: dict[Facts, int] = {}
    rows = [f"{json.dumps(path)}: {json.dumps(_packed(one, facts))}" for path, one in kept.items()]
    head = {
        "format": _FORMAT,
        "words": words,
        "facts": [(one.days, one.kinds, one.day) for one in facts],
    }
    return f'{json.dumps(head)[:-1]}, "notes": {{{", ".join(rows)}}}}}'.encode()


def _packed(kept: Kept, facts: dict[Facts, int]) -> list[Any]:
    """A row of the second file; it tells the facts by their number, which new ones get now."""
    row: list[Any] = [kept.signature, kept.targets]
    return row if kept.facts is None else [*row, facts.setdefault(kept.facts, len(facts))]


def _unpacked(row: list[Any], facts: Sequence[Facts]) -> Kept:
    signature, targets, *rest = row
    return Kept(signature, facts[rest[0]] if rest else None, tuple(targets))
