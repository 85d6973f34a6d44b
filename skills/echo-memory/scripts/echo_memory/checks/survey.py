"""The survey: every note of a vault at one moment, and which of them point at which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from echo_memory.links import Link, frontmatter_links
from echo_memory.note import Note
from echo_memory.paths import Paths

Finding = tuple[str, str]  # the path of a note, and what is odd about it


@dataclass(frozen=True)
class Tie:
    """A link, where it stands, and the notes that it can mean."""

    source: Note
    link: Link
    paths: tuple[str, ...]

    @property
    def written(self) -> str:
        """The link as it stands in the note."""
        return self.source.text[self.link.start : self.link.end]


@dataclass(frozen=True)
class Survey:
    """What the checks look at.

    Attributes:
        notes: the notes by their paths, in the order of the paths.
        today: the operator's date.
        unreadable: paths of notes that are there, and why they cannot be read.
        index: the text of the shared entity index; None where there is none.
    """

    notes: Mapping[str, Note]
    today: date
    unreadable: Mapping[str, str]
    index: str | None = None

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """Every link of every note, those in frontmatter included, but for attachments."""
        background = {path for path, note in self.notes.items() if note.is_background}
        meant = Paths(path for path in (*self.notes, *self.unreadable) if path not in background)
        otherwise = Paths(background)
        ties = (
            Tie(note, link, meant.find(link, note.path) or otherwise.find(link, note.path))
            for note in self.notes.values()
            for link in _links(note)
        )
        return tuple(tie for tie in ties if tie.paths or not tie.link.attachment)

    @cached_property
    def linked(self) -> frozenset[str]:
        """The paths that another note links to."""
        return frozenset(path for tie in self.ties for path in tie.paths if path != tie.source.path)


def _links(note: Note) -> Iterator[Link]:
    # Most notes have none, and to read the blocks of a text takes its time.
    if "[[" in note.text[: len(note.text) - len(note.body)]:
        yield from frontmatter_links(note.text)
    if "[[" in note.text or "](" in note.text:
        yield from note.links
