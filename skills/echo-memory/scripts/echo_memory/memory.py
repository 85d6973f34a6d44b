"""The memory: the one collaborator that every operation gets."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from pathlib import PurePosixPath

from echo_memory import routing
from echo_memory.catalog import Catalog
from echo_memory.config import Config
from echo_memory.errors import BadRequest, NotBootstrapped, NotFound
from echo_memory.folder_vault import FolderVault
from echo_memory.locks import PathLocks
from echo_memory.note import Note
from echo_memory.text import fold
from echo_memory.vault import Edit, Vault, edit, safe_path

Clock = Callable[[], datetime]
Notify = Callable[[str], None]

_SUGGESTIONS = 3


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
        clock: the only source of time; aware, in the operator's time zone.
        config: what the environment said.
        notify: takes progress chatter.
    """

    vault: Vault
    catalog: Catalog = field(repr=False)
    locks: PathLocks = field(repr=False)
    clock: Clock
    config: Config
    notify: Notify = to_stderr

    def today(self) -> date:
        """The operator's date."""
        return self.clock().date()

    @property
    def is_bootstrapped(self) -> bool:
        """Whether the folder carries the marker of an ECHO vault."""
        return self.catalog.get(routing.table().fixed["marker"].path) is not None

    def refresh(self, *, writing: bool = False) -> list[str]:
        """Bring the catalogue up to date, before an operation looks at it.

        Returns:
            Warnings: that this is not an ECHO vault yet.

        Raises:
            NotBootstrapped: `writing` to a vault without its marker.
            VaultUnreachable: the vault does not answer.
        """
        self.catalog.refresh()
        if self.is_bootstrapped:
            return []
        if writing:
            raise NotBootstrapped(
                "This folder is not an ECHO vault yet, so nothing was written. Run"
                " `echo-memory bootstrap`, which adds the marker and touches no note."
            )
        return ["This folder is not an ECHO vault yet: run `echo-memory bootstrap`."]

    def edit(self, path: str, change: Callable[[str | None], str]) -> Edit:
        """Change one note, as its only writer; what was written is known at once.

        Args:
            path: vault path.
            change: from the note's text, None where there is no note, to its new text.
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
        """The note that a path, with or without `.md`, or an id names, in any case and normal form.

        Raises:
            BadRequest: a path that could leave the vault, or one that several notes answer to;
                `paths` lists them.
            NotFound: no such note; `did_you_mean` has up to three near ones.
            VaultIO: it is there and cannot be read.
        """
        wanted = safe_path(reference, field=field)
        exact = [note for path in _spellings(wanted) if (note := self.catalog.get(path))]
        if exact:
            return exact[0]
        paths = self.catalog.paths.named(wanted) or self.catalog.paths.named(f"{wanted}.md")
        whole = [path for path in paths if path.count("/") == wanted.count("/")]
        notes = [note for path in whole or paths if (note := self.catalog.get(path))]
        notes = [note for note in notes if not note.is_background] or notes
        if len(notes) == 1:
            return notes[0]
        if notes:
            raise BadRequest(
                "Several notes are named so. Give the whole path of one of them.",
                field=field,
                paths=sorted(note.path for note in notes),
            )
        return self._unlisted(wanted)

    def named(self, reference: str, *, field: str) -> Note:
        """The note that an entity's id or name means, else any note's id or path.

        Raises:
            BadRequest: several entities have the name and none has it as its id; see `candidates`.
            NotFound: none has.
        """
        exact = self.catalog.entities.exact(reference)
        by_id = [entity for entity in exact if entity.slug == reference]
        if len(by_id or exact) > 1:
            raise BadRequest(
                f"{field} is the name of several notes. Give the id of one of the candidates.",
                field=field,
                candidates=[asdict(entity) for entity in exact],
            )
        note = self.catalog.get((by_id or exact)[0].path) if exact else None
        return note or self.locate(reference, field=field)

    def _unlisted(self, wanted: str) -> Note:
        """A note that the catalogue does not know, for it cannot be read, or there is none."""
        for path in _spellings(wanted):
            with suppress(NotFound):
                return Note(path, self.vault.read(path))
        raise NotFound(
            "There is no such note. Check the path, or find it with recall.",
            path=wanted,
            did_you_mean=self._near(PurePosixPath(wanted).stem),
        )

    def _near(self, stem: str) -> list[str]:
        """Paths of the notes whose names are nearest; only names that share a beginning compete."""
        wanted = fold(stem.replace("-", " "))
        heads = _heads(wanted)
        names = {note.path: fold(note.id.replace("-", " ")) for note in self.catalog.notes()}
        names = {path: name for path, name in names.items() if heads & _heads(name)}
        nearest = difflib.get_close_matches(wanted, names.values(), n=_SUGGESTIONS, cutoff=0.5)
        ranked = sorted(
            (path for path, name in names.items() if name in nearest),
            key=lambda path: (nearest.index(names[path]), path),
        )
        return ranked[:_SUGGESTIONS]


def _heads(name: str) -> set[str]:
    return {word[:3] for word in name.split()}


def _spellings(path: str) -> list[str]:
    """What a path names as it is written; only `.md` files are notes."""
    return [path, f"{path}.md"] if path[-3:].lower() == ".md" else [f"{path}.md"]


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
        clock=clock or now,
        config=config,
        notify=notify,
    )
