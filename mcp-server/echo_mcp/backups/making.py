"""Making a backup: drafted, read back whole, and only then given its name and its place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from echo_mcp.backups import archive
from echo_mcp.backups.folder_source import FolderSource
from echo_mcp.backups.manifest import Manifest, damaged
from echo_mcp.backups.rest_source import RestSource
from echo_mcp.backups.shelf import Kept, Shelf
from echo_mcp.backups.sources import BROKEN, Source
from echo_memory import routing
from echo_memory.config import Config
from echo_memory.errors import EchoError
from echo_memory.ledger import BACKUP, Ledger, Run, turn_of
from echo_memory.locks import Busy, PathLocks
from echo_memory.memory import Memory

TURN = turn_of(BACKUP)


@dataclass(frozen=True)
class Made:
    """A new backup: where it is, what is in it, and how many older ones went for it."""

    kept: Kept
    manifest: Manifest
    rotated: int

    @property
    def found(self) -> dict[str, int]:
        """The backup in numbers."""
        return {
            "files": len(self.manifest.files),
            "bytes": self.kept.size,
            "left_out": sum(self.manifest.left_out.values()),
        }


class Interrupted(EchoError):
    """A backup that was ended early, because the program ends."""


def back_up(memory: Memory, stopping: Event | None = None) -> Made:
    """Back the whole vault up; whoever calls holds the turn.

    Nothing that is on the shelf is touched before the new one has been read back.

    Args:
        memory: over the vault.
        stopping: set when it is to end early.

    Raises:
        Interrupted: it ended early.
        VaultUnreachable: the vault is away, or another one stands in its place.
        VaultIO: the vault cannot be read, or the state folder's disk refused.
    """
    memory.mirror.refresh()  # sees that it is the vault that is known, and no empty mount point
    made, shelf, check = (
        memory.clock(),
        Shelf.of(memory.config),
        _check_of(stopping, memory.breathe),
    )
    shelf.clean()
    with shelf.drafted() as (draft, path):
        written = archive.write(draft, source_of(memory.config), made, check)
        draft.flush()
        memory.mirror.refresh()  # and that it still is
        if archive.verify(path, check) != written:
            raise damaged("it was not read back as it was written")
        kept = shelf.take_up(draft, path, made)
    # What a failing disk still gives must not cost what it gave when it was sound.
    rotated = 0 if written.left_out.get(BROKEN) else shelf.rotate(kept)
    done = Made(kept, written, rotated)
    Ledger.of(memory.config).ran(BACKUP, Run(done=made, tried=made, found=done.found))
    return done


def clean(memory: Memory) -> None:
    """Remove what a process that was killed had begun, unless one is at it."""
    turns = PathLocks(memory.config.state_dir / "turns", wait=0)
    with suppress(Busy), turns.hold(TURN):
        Shelf.of(memory.config).clean()


def source_of(config: Config) -> Source:
    """What gives the files of the vault that a configuration names."""
    without = {routing.table().files["lock"]}
    if isinstance(config.vault, Path):
        return FolderSource(config.vault, without=without, beside=config.state_dir)
    return RestSource(config.vault, timeout=config.timeout, workers=config.workers, without=without)


def _check_of(stopping: Event | None, breathe: Callable[[], None]) -> Callable[[], None]:
    """What lets others in between two files, and raises once the program is to end."""

    def check() -> None:
        breathe()
        if stopping is not None and stopping.is_set():
            raise Interrupted("The backup was ended early. The next one will be whole.")

    return check
