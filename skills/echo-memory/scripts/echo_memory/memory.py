"""The memory: the one collaborator that every operation gets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime

from echo_memory import routing
from echo_memory.acquaintance import Acquaintance
from echo_memory.catalog import Catalog
from echo_memory.config import Config
from echo_memory.errors import NotBootstrapped, VaultUnreachable
from echo_memory.finding import find_note
from echo_memory.folder_vault import FolderVault
from echo_memory.locks import PathLocks
from echo_memory.note import Note
from echo_memory.vault import Edit, Vault, edit

NOT_A_VAULT = "This folder is not an ECHO vault yet: run `bootstrap` first."

Clock = Callable[[], datetime]
Notify = Callable[[str], None]


def to_stderr(message: str) -> None:
    """The default place for progress chatter."""
    sys.stderr.write(f"{message}\n")


@dataclass
class Memory:
    """A vault with everything that is known of it.

    Attributes:
        vault: where the notes are.
        catalog: what they say.
        locks: one writer per path, among all processes that share the state folder.
        turns: one run at a time of an operation that must not overlap itself; taken before a lock.
        clock: the only source of time; aware, in the operator's time zone.
        config: what the environment said.
        acquaintance: whether the vault was ever seen with its marker.
        notify: takes progress chatter.
    """

    vault: Vault
    catalog: Catalog = field(repr=False)
    locks: PathLocks = field(repr=False)
    turns: PathLocks = field(repr=False)
    clock: Clock
    config: Config
    acquaintance: Acquaintance = field(repr=False)
    notify: Notify = to_stderr

    def today(self) -> date:
        """The operator's date."""
        return self.clock().date()

    @property
    def is_bootstrapped(self) -> bool:
        """Whether the folder carries the marker of an ECHO vault."""
        return self.catalog.get(routing.table().fixed["marker"].path) is not None

    @property
    def is_lost(self) -> bool:
        """Whether the marker that the vault had is gone: perhaps it is not mounted."""
        return not self.is_bootstrapped and self.acquaintance.is_made()

    def refresh(self, *, writing: bool = False) -> list[str]:
        """Bring the catalogue up to date, before an operation looks at it.

        Returns:
            Warnings: that this is not an ECHO vault yet.

        Raises:
            NotBootstrapped: `writing` to a vault without its marker.
            VaultUnreachable: the vault does not answer, or has lost the marker that it had.
        """
        self.catalog.refresh()
        if self.is_bootstrapped:
            self.acquaintance.make()
            return []
        if self.is_lost:
            raise VaultUnreachable(
                "The vault's marker note is gone, so this may be an empty mount point. Mount the"
                " vault; if you removed the note yourself, run `bootstrap`."
            )
        if writing:
            raise NotBootstrapped(
                "This folder is not an ECHO vault yet, so nothing was written. Run `bootstrap`"
                " first: it adds the marker and touches no note."
            )
        return [NOT_A_VAULT]

    def edit(self, path: str, change: Callable[[str | None], str]) -> Edit:
        """Change one note, as its only writer; what was written is known at once.

        Args:
            path: vault path.
            change: from the note's text, None where there is no note, to its new text.

        Raises:
            Unparseable: the frontmatter would have to change and does not parse; `path` is told.
        """
        with self.locks.hold(path):
            done = edit(self.vault, path, change)
            if path.lower().endswith(".md"):
                self.catalog.put(path, done.after)
        return done

    def trash(self, path: str) -> str:
        """Move a note, as it is known now, into the vault's trash; returns where it went."""
        with self.locks.hold(path):
            trashed_to = self.vault.trash(path, expected=self.vault.read(path))
            self.catalog.drop(path)
        return trashed_to

    def locate(self, reference: str, *, field: str = "path") -> Note:
        """The note that a path, with or without `.md`, an id or a name means (see `finding`).

        Raises:
            BadRequest: a path that could leave the vault, or several notes are meant.
            NotFound: no such note; `did_you_mean` has up to three near ones.
            VaultIO: it is there and cannot be read.
        """
        return find_note(self.catalog, self.vault, reference, field=field)


def open_memory(
    config: Config, *, clock: Clock | None = None, notify: Notify = to_stderr
) -> Memory:
    """Open the vault that a configuration names."""
    vault = FolderVault(config.vault)

    def now() -> datetime:
        return datetime.now(config.zone).astimezone(config.zone)

    return Memory(
        vault=vault,
        catalog=Catalog(vault),
        locks=PathLocks(config.state_dir),
        turns=PathLocks(config.state_dir / "turns"),
        clock=clock or now,
        config=config,
        acquaintance=Acquaintance(config.state_dir, str(config.vault)),
        notify=notify,
    )
