"""The memory: the one collaborator that every operation gets."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol

from echo_memory import routing
from echo_memory.acquaintance import Acquaintance
from echo_memory.attempt import Attempt
from echo_memory.catalog import Catalog
from echo_memory.config import Config
from echo_memory.errors import (
    EchoError,
    Misconfigured,
    NotBootstrapped,
    NotFound,
    VaultUnreachable,
)
from echo_memory.finding import find_note
from echo_memory.history import History
from echo_memory.locks import PathLocks
from echo_memory.mirror import Mirror
from echo_memory.note import Note
from echo_memory.outbox import Outbox
from echo_memory.vault import Edit, Known, MaybeWritten, Vault, edit

FIRST_LOOK_S = 2.0
"""How long a call waits for the first comparison, before it answers from an earlier copy."""

NOT_A_VAULT = "This is not an ECHO vault yet: run `bootstrap` first."

Clock = Callable[[], datetime]
Notify = Callable[[str], None]


def to_stderr(message: str) -> None:
    """The default place for progress chatter."""
    sys.stderr.write(f"{message}\n")


def _nobody() -> None:
    """Who is told, or let in, where there is nobody."""


class Publisher(Protocol):
    """Writes the shared index for others, soon."""

    def request(self) -> list[str]:
        """Have the index published; returns what there is to warn of."""
        ...


@dataclass(frozen=True)
class View:
    """How what is known of the notes stands to the vault.

    Attributes:
        warnings: for the answer.
        offline: whether the vault is away, so that the answer is of the last copy.
        age_s: seconds since that was compared.
    """

    warnings: list[str]
    offline: bool = False
    age_s: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        """What an envelope says of it: nothing, while the vault is there."""
        return {"offline": True, "age_s": self.age_s} if self.offline else {}


@dataclass
class Memory:
    """A vault with everything that is known of it.

    Attributes:
        vault: where the notes are.
        catalog: what they say.
        mirror: keeps the catalogue what the vault is.
        history: what notes said before something replaced it.
        outbox: what the vault could not take yet.
        locks: one writer per path, among all processes that share the state folder.
        turns: one run at a time of an operation that must not overlap itself; taken before a lock.
        clock: the only source of time; aware, in the operator's time zone.
        config: what the environment said.
        acquaintance: whether the vault was ever seen with its marker.
        notify: takes progress chatter.
        compares: whether every call compares the notes first; else somebody does it all the time.
        stale_s: then, the age at which what is known no longer passes for what the vault says.
        publisher: writes the shared index; None where every operation does it itself.
        on_queued: told whenever a write has to wait.
        breathe: called between two notes by what goes through all of them, to let others in.
        attempt: the try of the operation that runs, where it may be repeated by a replay.
        is_replay: whether that operation comes out of the outbox.
    """

    vault: Vault
    catalog: Catalog = field(repr=False)
    mirror: Mirror = field(repr=False)
    history: History = field(repr=False)
    outbox: Outbox = field(repr=False)
    locks: PathLocks = field(repr=False)
    turns: PathLocks = field(repr=False)
    clock: Clock
    config: Config
    acquaintance: Acquaintance = field(repr=False)
    notify: Notify = to_stderr
    compares: bool = True
    stale_s: float = math.inf
    publisher: Publisher | None = None
    on_queued: Callable[[], None] = _nobody
    breathe: Callable[[], None] = _nobody
    attempt: Attempt | None = None
    is_replay: bool = False

    def today(self) -> date:
        """The operator's date."""
        return self.clock().date()

    @property
    def may_queue(self) -> bool:
        """Whether a write that the vault cannot take now is kept for later.

        A folder that never was a vault is rather a slip of the pen than away.
        """
        known = self.acquaintance.is_made() or not isinstance(self.config.vault, Path)
        return known and not self.is_replay

    def look(self, *fresh: str) -> View:
        """Bring what is known up to date as far as the vault lets, before an operation reads it.

        Args:
            fresh: paths of notes that are read from the vault in any case.

        Raises:
            VaultUnreachable: the vault is away, and nothing is known of it.
        """
        try:
            away = self._away(fresh)
        except (VaultUnreachable, Misconfigured):
            if not self.mirror.is_known:
                raise
            away = True
        if away:
            return View(self._offline(), offline=True, age_s=round(self.mirror.age_s or 0))
        return View([] if self.acquaint() else [NOT_A_VAULT])

    def prepare(self, *, ordered: bool = True) -> None:
        """See that the vault can be written to, before an operation writes.

        Args:
            ordered: whether what it writes comes after the writes that wait.

        Raises:
            NotBootstrapped: it is not an ECHO vault yet.
            VaultUnreachable: it does not answer, or earlier writes still wait for it.
        """
        if ordered and not self.is_replay and self.outbox.waiting():
            if isinstance(self.mirror.trouble, Misconfigured):
                raise self.mirror.trouble
            raise VaultUnreachable(
                "Earlier writes still wait for the vault. See `outbox list`.", in_doubt=False
            )
        self.catch_up()
        if not self.compares:
            self.mirror.confirm(marker_path())
        if not self.acquaint() and not self.compares:
            self.mirror.refresh()
        if not self.acquaint():
            raise NotBootstrapped(
                "This is not an ECHO vault yet, so nothing was written. Run `bootstrap`"
                " first: it adds the marker and touches no note."
            )

    def compare(self) -> None:
        """Read what changed in the vault, unless somebody else does that all the time."""
        if self.compares or not self.mirror.is_known:
            self.mirror.refresh()

    def catch_up(self) -> None:
        """Compare, also where somebody else does that, when there is reason to.

        That is after a time in which nobody could, or when another process of ours was here.
        """
        if self.compares or not self.mirror.is_current or self.mirror.others_wrote():
            self.mirror.refresh()

    def edit(self, path: str, change: Callable[[str | None], str], *, once: bool = False) -> Edit:
        """Change one note, as its only writer; what was written is known at once.

        Args:
            path: vault path.
            change: from the note's text, None where there is no note, to its new text.
            once: whether the change, made twice, would show twice.

        Raises:
            Unparseable: the frontmatter would have to change and does not parse; `path` is told.
            MaybeWritten: made `once`, and nobody can tell whether it was.
        """
        if once and self.attempt:
            change = self.attempt.once(path, change)
        is_note = path.lower().endswith(".md")
        with self.locks.hold(path):
            try:
                known = self._known(path) if is_note else None
                done = edit(self.vault, path, change, known=known)
            except MaybeWritten:
                if once:
                    raise
                done = edit(self.vault, path, change)
            if is_note:
                self.mirror.put(path, done.after)
        return done

    def trash(self, path: str) -> str:
        """Move a note, as it is known now, into the vault's trash; returns where it went."""
        with self.locks.hold(path):
            trashed_to = self.vault.trash(path, expected=self.vault.read(path))
            self.mirror.drop(path)
        return trashed_to

    def locate(self, reference: str, *, field: str = "path") -> Note:
        """The note that a path, with or without `.md`, an id or a name means (see `finding`).

        Raises:
            BadRequest: a path that could leave the vault, or several notes are meant.
            NotFound: no such note; `did_you_mean` has up to three near ones.
            VaultIO: it is there and cannot be read.
        """
        try:
            return find_note(self.catalog, self.vault, reference, field=field)
        except NotFound:
            if self.compares:
                raise
        self.mirror.refresh()  # it may have come since the last comparison
        return find_note(self.catalog, self.vault, reference, field=field)

    def close(self) -> None:
        """Let go of files and connections."""
        self.vault.close()
        self.mirror.close()
        self.catalog.close()
        self.outbox.close()

    def _known(self, path: str) -> Known | None:
        note = self.catalog.get(path)
        return Known(note.text if note else None) if self.mirror.is_known else None

    def _away(self, fresh: Iterable[str]) -> bool:
        """Whether the vault is away; where calls compare, it says so by raising."""
        self.compare()
        if self.compares:
            return False
        if self.vault.seems_gone():
            return True
        self.mirror.await_first(FIRST_LOOK_S)
        if fresh:
            self.catch_up()
            self.mirror.confirm(marker_path())
            self.mirror.reread(fresh)
        if self.mirror.is_current:
            return (self.mirror.age_s or 0) > self.stale_s
        # A large folder may take long to be compared first; who hangs is no folder.
        return self.mirror.trouble is not None or not isinstance(self.config.vault, Path)

    def _offline(self) -> list[str]:
        """What there is to warn of in an answer from the last copy."""
        trouble, warnings = self.mirror.trouble, []
        if trouble and not isinstance(trouble, VaultUnreachable):
            warnings.append(trouble.message)
        with suppress(EchoError):  # the answer does not need the outbox
            waiting = self.outbox.waiting()
            if waiting:
                warnings.append(f"Writes that wait, and are not in this answer yet: {waiting}.")
        return warnings

    def acquaint(self) -> bool:
        """Remember the vault by its marker; whether it has one."""
        marker = self.catalog.get(marker_path())
        if marker is not None:
            self.acquaintance.make(marker.text)
        return marker is not None


def marker_path() -> str:
    """The path of the note by which an ECHO vault is known."""
    return routing.table().fixed["marker"].path
