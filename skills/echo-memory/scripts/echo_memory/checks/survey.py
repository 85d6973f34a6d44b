"""The survey: a vault at one moment, as the checks see it, one note at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from echo_memory.links import Link, frontmatter_links
from echo_memory.note import Note
from echo_memory.paths import Paths

Finding = tuple[str, str]  # the path of a note, and what is odd about it


@dataclass(frozen=True, slots=True)
class Card:
    """What is held of every note while the others are looked at.

    Attributes:
        id: the file name without its suffix.
        names: title and aliases.
        created: its frontmatter value of that name, cut to a day.
        is_background: see `Note`.
        is_entity: whether others refer to it by its names.
    """

    id: str
    names: tuple[str, ...]
    created: str
    is_background: bool
    is_entity: bool

    @classmethod
    def of(cls, note: Note) -> Card:
        """The card of a note."""
        names = (note.title, *note.items("aliases"))
        is_entity = note.kind is not None and note.kind.entity
        return cls(note.id, names, note.scalar("created")[:10], note.is_background, is_entity)


@dataclass(frozen=True)
class Survey:
    """What the checks know of the whole vault.

    Attributes:
        cards: of the notes, by their paths, in the order of the paths.
        read: gives a note; None when it is gone since.
        today: the operator's date.
        unreadable: paths of notes that are there, and why they cannot be read.
        index: the text of the shared entity index; None where there is none.
        linked: the paths that another note links to; whoever looks at a note adds to it.
    """

    cards: Mapping[str, Card]
    read: Callable[[str], Note | None]
    today: date
    unreadable: Mapping[str, str]
    index: str | None
    linked: set[str]

    @property
    def entities(self) -> Iterator[tuple[str, Card]]:
        """Path and card of each entity."""
        return ((path, card) for path, card in self.cards.items() if card.is_entity)

    def meant(self, link: Link, source: str) -> tuple[str, ...]:
        """The notes that a link in a note can mean; those kept for the record, if no other."""
        return self._paths.find(link, source) or self._otherwise.find(link, source)

    @cached_property
    def _paths(self) -> Paths:
        others = (path for path, card in self.cards.items() if not card.is_background)
        return Paths((*others, *self.unreadable))

    @cached_property
    def _otherwise(self) -> Paths:
        return Paths(path for path, card in self.cards.items() if card.is_background)


@dataclass(frozen=True)
class Tie:
    """A link, as it stands in the note, and the notes that it can mean."""

    link: Link
    written: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """A note, and the vault that it is in."""

    note: Note
    survey: Survey

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """Its links, those in frontmatter included, but for attachments."""
        text, path = self.note.text, self.note.path
        ties = (
            Tie(link, text[link.start : link.end], self.survey.meant(link, path))
            for link in _links(self.note)
        )
        return tuple(tie for tie in ties if tie.paths or not tie.link.attachment)


def _links(note: Note) -> Iterator[Link]:
    # Most notes have none, and to read the blocks of a text takes its time.
    if "[[" in note.text[: len(note.text) - len(note.body)]:
        yield from frontmatter_links(note.text)
    if "[[" in note.text or "](" in note.text:
        yield from note.links
