"""The attempt: one try of an operation, and what it may have written before it broke off.

When a vault takes a write and dies before it answers, nobody knows whether the write was made. The
texts before and after it tell, once the vault is back; they are kept as hashes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from echo_memory.errors import Conflict

Record = dict[str, Any]
Change = Callable[[str | None], str]


def _keep_nothing(_: Record) -> None:
    """For a try whose process need not remember it."""


class Attempt:
    """One try of an operation whose change of a note must not be made twice."""

    def __init__(
        self, earlier: Mapping[str, Any] | None = None, save: Callable[[Record], None] | None = None
    ) -> None:
        """Begin a try.

        Args:
            earlier: what an earlier try of the same operation may have written, by path.
            save: called before each write with what there will be to remember.
        """
        self._earlier = dict(earlier or {})
        self._save = save or _keep_nothing
        self._expected: Record = {}
        self._written: Record = {}

    @property
    def record(self) -> Record:
        """What the next try has to know."""
        return self._expected | self._written

    def forget(self) -> None:
        """Nothing of this try was written."""
        self._written = {}
        self._save(self._earlier)

    def expect(self, path: str, before: str | None, after: str) -> None:
        """Remember what a change was meant to replace, should it have to wait.

        Args:
            path: whose text it is.
            before: the text as it is known.
            after: the whole new text.
        """
        self._expected = {path: {"before": _hash(before), "after": _hash(after)}}

    def once(self, path: str, change: Change) -> Change:
        """The change of a note, left out where an earlier try has made it.

        Raises:
            Conflict: the note has been changed by others since, so that nobody can tell.
        """
        earlier = self._earlier.get(path)

        def guarded(text: str | None) -> str:
            if earlier and text is not None and _hash(text) == earlier["after"]:
                return text
            if earlier and _hash(text) != earlier["before"]:
                raise Conflict(
                    "The note changed since an earlier try, which may have written already. Look"
                    " at the note, then retry or drop this.",
                    path=path,
                )
            after = change(text)
            self._written = {path: {"before": _hash(text), "after": _hash(after)}}
            self._save(self.record)
            return after

        return guarded


def _hash(text: str | None) -> str:
    data = b"" if text is None else text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()
