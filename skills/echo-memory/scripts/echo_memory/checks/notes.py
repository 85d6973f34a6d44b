"""Note checks: what is odd about a note taken by itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from echo_memory import routing
from echo_memory.checks.survey import Finding, Survey
from echo_memory.note import Note
from echo_memory.text import fold

LARGE_BYTES = 100_000

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def unreadable(survey: Survey) -> Iterator[Finding]:
    """Notes that are there and cannot be read."""
    yield from survey.unreadable.items()


def unparseable_frontmatter(survey: Survey) -> Iterator[Finding]:
    """Frontmatter that is not YAML."""
    for note in survey.notes.values():
        if note.fault is not None:
            yield note.path, note.fault.message


def missing_keys(survey: Survey) -> Iterator[Finding]:
    """Keys that every note of the kind has; not asked of frontmatter that does not parse."""
    for note in survey.notes.values():
        kind = _kind(note)
        if kind is None or note.fault is not None:
            continue
        for key in kind.requires:
            if note.frontmatter.get(key) in (None, "", []):
                yield note.path, f"A {kind.name} needs `{key}`."


def missing_sections(survey: Survey) -> Iterator[Finding]:
    """Level-two headings that every note of the kind has."""
    for note in survey.notes.values():
        kind = _kind(note)
        if kind is None or not kind.sections:
            continue
        present = {fold(heading.title) for heading in note.headings if heading.level == 2}
        for title in kind.sections:
            if fold(title) not in present:
                yield note.path, f"A {kind.name} needs `## {title}`."


def kinds_out_of_place(survey: Survey) -> Iterator[Finding]:
    """Notes in the folder of one kind whose `type` is another; elsewhere people may put them."""
    table = routing.table()
    for note in survey.notes.values():
        said = note.frontmatter.get("type")
        place = table.kind_at(note.path)
        if place is None or not isinstance(said, str) or said == place.name:
            continue
        if place.name in table.kinds or said in table.kinds:
            yield note.path, f"The type is {said}, in the folder of the kind {place.name}."


def large_notes(survey: Survey) -> Iterator[Finding]:
    """Notes of more than 100 kB."""
    for note in survey.notes.values():
        if len(note.text) * 4 > LARGE_BYTES:
            size = len(note.text.encode("utf-8", "surrogatepass"))
            if size > LARGE_BYTES:
                yield note.path, f"It has {size // 1000} kB; {LARGE_BYTES // 1000} are enough."


def future_dates(survey: Survey) -> Iterator[Finding]:
    """Date keys that name a day after today, but for the date of what is planned."""
    today = survey.today.isoformat()
    for note in survey.notes.values():
        for key in routing.table().date_keys:
            day = note.scalar(key)[:10]
            if key == "date" and note.kind and note.kind.planned:
                continue
            if day > today and _DAY.fullmatch(day):
                yield note.path, f"`{key}` is {day}, which is yet to come."


def unaddressable_headings(survey: Survey) -> Iterator[Finding]:
    """Headings without a text, and those whose whole path another one has, too."""
    for note in survey.notes.values():
        paths = Counter(heading.path for heading in note.headings if heading.title)
        for path, count in paths.items():
            if count > 1:
                yield note.path, f"{count} headings have the path {path}"
        empty = sum(1 for heading in note.headings if not heading.title)
        if empty:
            yield note.path, f"{empty} {'heading has' if empty == 1 else 'headings have'} no text."


def _kind(note: Note) -> routing.Kind | None:
    """The kind of a note that is no fixed one."""
    return note.kind if note.kind in routing.table().kinds.values() else None
