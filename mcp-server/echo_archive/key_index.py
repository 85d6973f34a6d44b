"""The key index: which keys an archive holds, made last where an empty archive is filled.

Keys are in no order, and putting each into its place takes longer than sorting all of them once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from echo_archive.key_filter import KeyFilter

_NAME = "message_hash"
_CREATE = f"create unique index {_NAME} on message(hash)"


class KeyIndex:
    """The index as one import sees it; to be used within the import's transaction.

    While an empty archive is filled there is none: a filter says of nearly all keys that they are
    new. The first that may be there already has the index made.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._filter: KeyFilter | None = None
        if not database.execute("select 1 from message limit 1").fetchone():
            self._filter = KeyFilter()
            database.execute(f"drop index {_NAME}")

    def ask(self, keys: Sequence[bytes]) -> Sequence[bytes]:
        """Those of the keys that may be stored; they can be looked up then."""
        if self._filter is None or not keys:
            return keys
        seen = self._filter.seen(keys)
        if seen:
            self.complete()
        return seen

    def add(self, keys: Sequence[bytes]) -> None:
        """Take note of keys that are stored now."""
        if self._filter is not None and keys:
            self._filter.add(keys)

    def complete(self) -> None:
        """See to it that the index is there."""
        if self._filter is not None:
            self._filter = None
            self._database.execute(_CREATE)
