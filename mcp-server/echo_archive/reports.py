"""Reports: what became of each export that was imported, row by row where one was not read."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from echo_archive.records import Skipped

MOST_SHOWN = 1_000


@dataclass(slots=True)
class ExportReport:
    """One export.

    Attributes:
        name: File or folder, without the path to it.
        outcome: `imported`, `unchanged` (it is what was imported before) or `failed`.
        why: What stopped it, where it failed.
        not_read: Rows in doubt or left out, with file and line; the first thousand.
    """

    source: str
    format: str
    name: str
    outcome: str = "imported"
    why: str | None = None
    conversations_added: int = 0
    conversations_changed: int = 0
    conversations_unchanged: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    skipped: int = 0
    not_read: list[Skipped] = field(default_factory=list)

    def skip(self, row: Skipped) -> None:
        """Note a row that was not read."""
        self.skipped += 1
        if len(self.not_read) < MOST_SHOWN:
            self.not_read.append(row)


_COUNTED = (
    "conversations_added", "conversations_changed", "conversations_unchanged",
    "added", "changed", "unchanged", "skipped",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ImportReport:
    """All exports of one run."""

    exports: tuple[ExportReport, ...]
    unrecognised: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether something was not imported."""
        return bool(self.unrecognised) or any(one.outcome == "failed" for one in self.exports)

    def total(self, name: str) -> int:
        """The sum of one figure over all exports."""
        return sum(getattr(one, name) for one in self.exports)

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            **{name: self.total(name) for name in _COUNTED},
            "exports": [asdict(one) for one in self.exports],
            "unrecognised": list(self.unrecognised),
        }
