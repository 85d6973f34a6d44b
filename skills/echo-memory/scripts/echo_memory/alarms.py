"""Alarms: what may be wrong for so long that a person is told, and what to do about each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

NOTE = "alarms"
"""What the ledger calls them."""

FRESH = timedelta(hours=2)
"""For how long what was seen counts, once nobody looks any more."""

OUTBOX, AWAY, BACKUP, FINDINGS, DISK, FAILING = (
    "outbox-stuck", "vault-away", "backup-old", "new-findings", "disk-full", "upkeep-failing",
)  # fmt: skip

MEANINGS: Mapping[str, tuple[str, str]] = {
    OUTBOX: (
        "Writes wait for the vault for long.",
        "See `outbox list` on the command line; start Obsidian, or mount the folder.",
    ),
    AWAY: (
        "The vault does not answer since an hour or longer.",
        "Start Obsidian with its Local REST API, or mount the folder; `doctor` says more.",
    ),
    BACKUP: (
        "No backup was made since 26 hours or longer.",
        "Run `echo-mcp backup now`, and see what it says.",
    ),
    FINDINGS: (
        "The last sweep found something in the notes that was not there before.",
        "Run `lint`, or read the vault health note.",
    ),
    DISK: (
        "The disk is nearly full.",
        "Make room on the disks of the vault and of the state folder.",
    ),
    FAILING: (
        "A job of the server's upkeep fails.",
        "See `echo-mcp upkeep`, run the job by hand, and look at the server's log.",
    ),
}
"""Each by its name: what it means, and what to do."""

NOTICES = frozenset({FINDINGS})
"""Those with which all works all the same."""


@dataclass(frozen=True)
class Alarms:
    """What is wrong, and what has been told of it.

    Attributes:
        active: since when, by name.
        told: what whoever is told believes to be wrong.
        posted: when a message was last tried.
        away: since when the vault does not answer.
        looked: when all this was last seen to be so, to within half an hour.
    """

    active: Mapping[str, datetime] = field(default_factory=dict)
    told: frozenset[str] = frozenset()
    posted: datetime | None = None
    away: datetime | None = None
    looked: datetime | None = None

    @property
    def faults(self) -> list[str]:
        """The names of those with which something does not work."""
        return sorted(self.active.keys() - NOTICES)

    def stood(self, now: datetime) -> list[str]:
        """The faults, where somebody still looked a short time ago."""
        fresh = self.looked is not None and abs(now - self.looked) <= FRESH
        return self.faults if fresh else []

    def as_note(self) -> dict[str, Any]:
        """The alarms as JSON carries them."""
        return {
            "active": {name: since.isoformat() for name, since in self.active.items()},
            "told": sorted(self.told),
            "posted": self.posted.isoformat() if self.posted else None,
            "away": self.away.isoformat() if self.away else None,
            "looked": self.looked.isoformat() if self.looked else None,
        }

    @classmethod
    def of(cls, note: Any) -> Alarms:
        """The alarms that were kept; none where they are not what `as_note` gave."""
        try:
            return cls(
                active={
                    name: datetime.fromisoformat(since)
                    for name, since in note["active"].items()
                    if name in MEANINGS
                },
                told=frozenset(note["told"]) & MEANINGS.keys(),
                posted=_instant(note["posted"]),
                away=_instant(note["away"]),
                looked=_instant(note["looked"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            return cls()


def _instant(said: str | None) -> datetime | None:
    return None if said is None else datetime.fromisoformat(said)
