"""The recallable: what recall looks into in a note, and what it shows of it."""

from __future__ import annotations

from pathlib import PurePosixPath

from echo_memory import digest
from echo_memory.markdown.regions import regions
from echo_memory.note import Note
from echo_memory.retrieval.documents import Document
from echo_memory.text import fold

PLAIN = ""
"""What stands for the kind of a note that has none."""

_TEMPLATE_FOLDERS = frozenset({"template", "templates"})
_PLACEHOLDERS = ("{{", "<%")
# Links alone: `linked` says the same, and in a passage they answer nothing.
_LINKS_ONLY = frozenset({"related"})
_COMMENT_MARKS = ("%%", "<!--")


def is_recalled(note: Note) -> bool:
    """Whether recall finds a note: not what is kept for the record, and no template."""
    if note.kind is not None and not note.kind.recall:
        return False
    folders = (fold(folder) for folder in PurePosixPath(note.path).parts[:-1])
    is_template = not _TEMPLATE_FOLDERS.isdisjoint(folders)
    return not is_template and not any(mark in note.title for mark in _PLACEHOLDERS)


def group_of(note: Note) -> str | None:
    """The kind that a note stands with: its own, or that of plain notes; None for the rest."""
    if note.kind is not None:
        return note.kind.name
    return PLAIN if is_recalled(note) else None


def document(note: Note) -> Document:
    """A note as recall ranks it."""
    archive = note.kind.archive if note.kind else ""
    archived = bool(archive) and note.path.startswith(f"{archive}/")
    searched = without_comments(note.searchable)
    return Document(
        title=note.title,
        aliases=note.items("aliases"),
        tags=note.items("tags"),
        headings=tuple(heading.title for heading in searched.headings),
        body=searched.body,
        status="archived" if archived else note.scalar("status").casefold(),
        updated=note.scalar("updated")[:10] or note.date,
        kind=note.kind.name if note.kind else "",
        dates=(note.date,) if note.date else (),
        created=note.scalar("created")[:10],
    )


def readable(note: Note, *, whole: bool = False) -> str:
    """What an excerpt of a note is taken from: text, with the headings that have some below them.

    Args:
        note: the note.
        whole: with the sections that recall does not look into, for a question after its day.
    """
    return digest.prose(_without_links_only(without_comments(note if whole else note.searchable)))


def without_comments(note: Note) -> Note:
    """A note without what its writer hid from readers."""
    if not any(mark in note.text for mark in _COMMENT_MARKS):
        return note
    parts, end = [], 0
    for region in regions(note.text):
        if region.kind == "comment":
            parts.append(note.text[end : region.start])
            end = region.end
    return Note(note.path, "".join([*parts, note.text[end:]])) if parts else note


def _without_links_only(note: Note) -> Note:
    # Most notes do not have the word, and to read the blocks of a text takes its time.
    said = note.text.lower() if note.text.isascii() else fold(note.text)
    if not any(title in said for title in _LINKS_ONLY):
        return note
    parts, end = [], 0
    for heading in note.headings:
        if fold(heading.title) in _LINKS_ONLY and heading.start >= end:
            parts.append(note.text[end : heading.start])
            end = heading.end
    return Note(note.path, "".join([*parts, note.text[end:]])) if parts else note
