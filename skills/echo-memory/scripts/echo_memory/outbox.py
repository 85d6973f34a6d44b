"""The outbox: writes that were accepted and are not in the vault yet, in the order they came.

It keeps them and knows nothing of what they mean. An entry waits to be replayed, or it is parked:
out of the way of the others until a person retries or drops it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from echo_memory.errors import Conflict, VaultIO
from echo_memory.locks import PathLocks
from echo_memory.outbox_entry import Entry, as_bytes, entry_of, packed
from echo_memory.outbox_file import WORKSHOP, OutboxFile

_MAX_ID = 2**63 - 1


@dataclass(frozen=True)
class Status:
    """How many entries wait and how many are parked; when the first that waits was accepted."""

    waiting: int
    parked: int
    oldest: datetime | None


class Outbox:
    """The entries of one vault, in a file that all vaults of a state folder share.

    Any number of threads and processes may use it at once. Whatever changes an entry is on the
    disk when it returns, and does nothing where there is no such entry. Everything raises VaultIO
    when the file cannot be used; a file that cannot be read is left as it is.
    """

    def __init__(self, state_dir: Path, vault: str) -> None:
        """Nothing is touched until it is used, and no file is made until something is added.

        Args:
            state_dir: the folder; made, for its owner alone, when missing.
            vault: the vault's address.
        """
        self._state_dir = state_dir
        self._vault = as_bytes(vault)
        self._file = OutboxFile(state_dir)

    def add(
        self,
        op: str,
        arguments: Mapping[str, Any],
        accepted: datetime,
        *,
        in_doubt: Mapping[str, Any] | None = None,
    ) -> int:
        """Keep a write, as the last to be replayed.

        Returns:
            Its id, greater than that of any entry before it.

        Raises:
            VaultIO: it is not kept.
            ValueError: the instant has no offset from UTC.
        """
        if accepted.utcoffset() is None:
            raise ValueError("the instant must have an offset from UTC")
        return self._file.insert(
            "INSERT INTO entries (vault, op, arguments, accepted, in_doubt, outcome)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            self._vault,
            op,
            packed(arguments),
            accepted.isoformat(),
            packed(in_doubt or {}),
            packed({}),
        )

    def waiting(self) -> int:
        """The number of entries to be replayed."""
        found = self._file.ask(
            "SELECT count(*) FROM entries WHERE vault = ? AND parked = 0", self._vault
        )
        return sum(number for (number,) in found)

    def next(self) -> Entry | None:
        """The first that waits."""
        return _first(
            self._entries(
                "SELECT * FROM entries WHERE vault = ? AND parked = 0 ORDER BY id LIMIT 1",
                self._vault,
            )
        )

    def get(self, entry_id: int) -> Entry | None:
        """One entry, waiting or parked."""
        return _first(
            self._entries("SELECT * FROM entries WHERE vault = ? AND id = ?", *self._this(entry_id))
        )

    def entries(self, *, limit: int = 100) -> list[Entry]:
        """The first entries, waiting and parked, in the order they came."""
        return self._entries(
            "SELECT * FROM entries WHERE vault = ? ORDER BY id LIMIT ?",
            self._vault,
            min(max(limit, 0), _MAX_ID),
        )

    def status(self) -> Status:
        """The figures of the outbox."""
        counted = dict(
            self._file.ask(
                "SELECT parked, count(*) FROM entries WHERE vault = ? GROUP BY parked", self._vault
            )
        )
        first = self.next()
        return Status(
            waiting=counted.get(0, 0),
            parked=counted.get(1, 0),
            oldest=first.accepted if first else None,
        )

    def elsewhere(self) -> dict[str, int]:
        """How many entries there are of other vaults, by their addresses."""
        found = self._file.ask(
            "SELECT vault, count(*) FROM entries WHERE vault != ? GROUP BY vault", self._vault
        )
        return {vault.decode("utf-8", "surrogatepass"): number for vault, number in found}

    def adopt(self, vault: str) -> int:
        """Take over the entries of another address, in the order they came.

        Returns:
            How many there were.
        """
        return self._file.change(
            "UPDATE entries SET vault = ? WHERE vault = ?", self._vault, as_bytes(vault)
        )

    def note(self, entry_id: int, in_doubt: Mapping[str, Any]) -> None:
        """Remember what the try that is about to be made may leave in the vault."""
        self._file.change(
            "UPDATE entries SET in_doubt = ? WHERE vault = ? AND id = ?",
            packed(in_doubt),
            *self._this(entry_id),
        )

    def postpone(self, entry_id: int) -> int:
        """Count a replay that did not settle an entry.

        Returns:
            The number of such replays; 0 where there is no such entry.
        """
        self._file.change(
            "UPDATE entries SET tries = tries + 1 WHERE vault = ? AND id = ?",
            *self._this(entry_id),
        )
        entry = self.get(entry_id)
        return entry.tries if entry else 0

    def park(self, entry_id: int, outcome: Mapping[str, Any]) -> None:
        """Put an entry out of the way of the others; nothing of it is in doubt any more."""
        self._file.change(
            "UPDATE entries SET parked = 1, outcome = ?, in_doubt = ? WHERE vault = ? AND id = ?",
            packed(outcome),
            packed({}),
            *self._this(entry_id),
        )

    def retry(self, entry_id: int) -> bool:
        """Put an entry back among the waiting in its old place, as if it had not been tried yet.

        Returns:
            Whether there is such an entry.
        """
        changed = self._file.change(
            "UPDATE entries SET parked = 0, tries = 0, outcome = ? WHERE vault = ? AND id = ?",
            packed({}),
            *self._this(entry_id),
        )
        return changed > 0

    def drop(self, entry_id: int) -> bool:
        """Remove an entry for good.

        Returns:
            Whether there was such an entry.
        """
        changed = self._file.change(
            "DELETE FROM entries WHERE vault = ? AND id = ?", *self._this(entry_id)
        )
        return changed > 0

    @contextmanager
    def replaying(self, *, wait: float = 0.0) -> Iterator[bool]:
        """Be the only one that replays, among all who share the state folder, until the end.

        Args:
            wait: seconds to wait for another who does.

        Yields:
            Whether one is; False when another replays at the moment.

        Raises:
            VaultIO: the state folder cannot be used.
        """
        with ExitStack() as held:
            try:
                held.enter_context(PathLocks(self._state_dir / WORKSHOP, wait=wait).hold("replay"))
                alone = True
            except Conflict:
                alone = False
            yield alone

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        self._file.close()

    def _this(self, entry_id: int) -> tuple[bytes, int]:
        # SQLite has no greater numbers, and there is no entry of that one.
        return self._vault, min(max(entry_id, 0), _MAX_ID)

    def _entries(self, sql: str, *values: Any) -> list[Entry]:
        return [_entry_of(row) for row in self._file.ask(sql, *values)]


def _entry_of(row: tuple[Any, ...]) -> Entry:
    try:
        return entry_of(*row)
    except (ValueError, TypeError, AttributeError) as error:
        raise VaultIO(
            f"Entry {row[0]} of the outbox is damaged, and holds up the others. Remove it for good"
            f" with `outbox drop {row[0]}`."
        ) from error


def _first(entries: list[Entry]) -> Entry | None:
    return entries[0] if entries else None
