"""An outbox's entry: one write that was accepted, and the row that holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One write that was accepted.

    Attributes:
        id: never used for another entry.
        op: the operation's name.
        arguments: its keyword arguments.
        accepted: the instant at which it was accepted, with its offset from UTC.
        parked: whether it is out of the way of the others.
        tries: replays since it came, or was retried, that ended without settling it.
        in_doubt: what an earlier try may have written; empty when nothing.
        outcome: the envelope for which it was parked; empty otherwise.
    """

    id: int
    op: str
    arguments: dict[str, Any]
    accepted: datetime
    parked: bool
    tries: int
    in_doubt: dict[str, Any]
    outcome: dict[str, Any]


def entry_of(
    entry_id: int,
    _vault: bytes,
    op: str,
    arguments: bytes,
    accepted: str,
    parked: int,
    tries: int,
    in_doubt: bytes,
    outcome: bytes,
) -> Entry:
    """The entry that a row of the table is.

    Raises:
        ValueError: it is damaged.
    """
    return Entry(
        id=entry_id,
        op=op,
        arguments=_unpacked(arguments),
        accepted=datetime.fromisoformat(accepted),
        parked=bool(parked),
        tries=tries,
        in_doubt=_unpacked(in_doubt),
        outcome=_unpacked(outcome),
    )


def as_bytes(text: str) -> bytes:
    """Text in UTF-8, as far as it is any: what SQLite calls text has no place for the rest."""
    return text.encode("utf-8", "surrogatepass")


def packed(values: Mapping[str, Any]) -> bytes:
    """JSON as a row holds it; lone surrogates, which stand for other bytes, come back."""
    return as_bytes(json.dumps(dict(values), ensure_ascii=False))


def _unpacked(data: bytes) -> dict[str, Any]:
    values = json.loads(data.decode("utf-8", "surrogatepass"))
    if not isinstance(values, dict):
        raise ValueError("an object was expected")  # noqa: TRY004
    return values
