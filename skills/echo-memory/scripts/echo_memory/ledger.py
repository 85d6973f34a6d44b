"""The ledger: when each job of upkeep last ran on a vault, and what it found, for every process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from echo_memory import state_file
from echo_memory.acquaintance import key_of
from echo_memory.config import Config
from echo_memory.errors import VaultIO
from echo_memory.locks import PathLocks

FOLDER = "upkeep"
BACKUP, SWEEP, DECAY = "backup", "sweep", "decay"
BACKUP_IS_OLD = timedelta(hours=26)
MAX_BYTES = 5_000_000

_FORMAT = 1


@dataclass(frozen=True)
class Run:
    """What is known of a job.

    Attributes:
        done: when it last began a run that came to its end.
        tried: when it last began at all.
        error: the code of what kept its last run from its end; empty where nothing did.
        found: what it found, in numbers.
    """

    done: datetime | None = None
    tried: datetime | None = None
    error: str = ""
    found: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """What the ledger says at one moment.

    Attributes:
        since: when upkeep first began for this vault; None where it never did.
        runs: the jobs by their names.
        notes: what jobs leave for their next run, by their names.
    """

    since: datetime | None = None
    runs: Mapping[str, Run] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def run(self, job: str) -> Run:
        """What is known of a job."""
        return self.runs.get(job, Run())

    def backup_is_old(self, now: datetime) -> bool:
        """Whether a backup should have been made by now; never so where nobody promised one."""
        known = [at for at in (self.run(BACKUP).done, self.since) if at is not None]
        return bool(known) and now - max(known) > BACKUP_IS_OLD


class Ledger:
    """A small file in the state folder, written whole; a damaged one counts as empty."""

    def __init__(self, state_dir: Path, vault: str) -> None:
        """Nothing is touched yet.

        Args:
            state_dir: where it is kept.
            vault: the vault's address; each has a ledger of its own.
        """
        self._path = state_dir / FOLDER / f"{key_of(vault)}.json"
        self._locks = PathLocks(state_dir / FOLDER)

    @classmethod
    def of(cls, config: Config) -> Ledger:
        """The ledger of the vault that a configuration names."""
        return cls(config.state_dir, str(config.vault))

    def read(self) -> Page:
        """What it says."""
        return _page(self._document())

    def begin(self, now: datetime) -> None:
        """Note that upkeep has begun, where it never had or only by a clock that was ahead.

        Raises:
            VaultIO: the state folder cannot be used.
        """
        since = self.read().since
        if since is None or since > now:
            self._change(lambda document: document.update(since=now.isoformat()))

    def ran(self, job: str, run: Run) -> None:
        """Note how a job went.

        Raises:
            VaultIO: the state folder cannot be used.
        """

        def change(document: dict[str, Any]) -> None:
            document.setdefault("runs", {})[job] = {
                "done": run.done.isoformat() if run.done else None,
                "tried": run.tried.isoformat() if run.tried else None,
                "error": run.error,
                "found": dict(run.found),
            }

        self._change(change)

    def note(self, job: str, value: Any) -> None:
        """Leave something for the next run of a job; what JSON can carry.

        Raises:
            VaultIO: the state folder cannot be used.
        """
        self._change(lambda document: document.setdefault("notes", {}).update({job: value}))

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        with self._locks.hold(self._path.name):
            document = self._document()
            change(document)
            try:
                state_file.write(self._path, json.dumps(document).encode())
            except OSError as error:
                reason = error.strerror or "its disk refused"
                raise VaultIO(
                    f"The state folder cannot be written: {reason}. Check ECHO_STATE_DIR and its"
                    " disk."
                ) from error

    def _document(self) -> dict[str, Any]:
        try:
            with self._path.open("rb") as file:
                document = json.loads(file.read(MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            document = None
        good = isinstance(document, dict) and document.get("format") == _FORMAT
        return document if good else {"format": _FORMAT}


def turn_of(job: str) -> str:
    """The turn that whoever runs a job takes, so that it never overlaps itself."""
    return f"{FOLDER}/{job}"


def _page(document: Mapping[str, Any]) -> Page:
    runs, notes = document.get("runs"), document.get("notes")
    return Page(
        since=_instant(document.get("since")),
        runs={
            job: _run(said)
            for job, said in (runs.items() if isinstance(runs, dict) else ())
            if isinstance(said, dict)
        },
        notes=notes if isinstance(notes, dict) else {},
    )


def _run(said: Mapping[str, Any]) -> Run:
    found = said.get("found")
    return Run(
        done=_instant(said.get("done")),
        tried=_instant(said.get("tried")),
        error=str(said.get("error") or "")[:80],
        found={
            name: number
            for name, number in (found.items() if isinstance(found, dict) else ())
            if isinstance(number, int)
        },
    )


def _instant(said: object) -> datetime | None:
    """A time with its offset; None where it is none."""
    try:
        instant = datetime.fromisoformat(said) if isinstance(said, str) else None
    except ValueError:
        return None
    return instant if instant and instant.utcoffset() is not None else None
