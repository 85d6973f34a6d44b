"""Note checks: what is odd about a note taken by itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from echo_memory import routing
from echo_memory.checks.survey import Seen
from echo_memory.note import Note
from echo_memory.text import fold

LARGE_BYTES = 100_000

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def unparseable_frontmatter(seen: Seen) -> Iterator[str]:
    """Frontmatter that is not YAML."""
    if seen.note.fault is not None:
        yield seen.note.fault.message


def missing_keys(seen: Seen) -> Iterator[str]:
    """Keys that every note of the kind has; not asked of frontmatter that does not parse."""
    kind = _kind(seen.note)
    if kind is None or seen.note.fault is not None:
        return
    for key in kind.requires:
        if seen.note.frontmatter.get(key) in (None, "", []):
            yield f"A {kind.name} needs `{key}`."


def missing_sections(seen: Seen) -> Iterator[str]:
    """Level-two headings that every note of the kind has."""
    kind = _kind(seen.note)
    if kind is None or not kind.sections:
        return
    present = {fold(heading.title) for heading in seen.note.headings if heading.level == 2}
    for title in kind.sections:
        if fold(title) not in present:
            yield f"A {kind.name} needs `## {title}`."


def kind_out_of_place(seen: Seen) -> Iterator[str]:
    """A note in the folder of one kind whose `type` is another; elsewhere people may put it."""
    table, said = routing.table(), seen.note.frontmatter.get("type")
    place = table.kind_at(seen.note.path)
    if place is None or not isinstance(said, str) or said == place.name:
        return
    if place.name in table.kinds or said in table.kinds:
        yield f"The type is {said}, in the folder of the kind {place.name}."


def large_note(seen: Seen) -> Iterator[str]:
    """A note of more than 100 kB."""
    text = seen.note.text
    if len(text) * 4 > LARGE_BYTES:
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > LARGE_BYTES:
            yield f"It has {size // 1000} kB; {LARGE_BYTES // 1000} are enough."


def future_dates(seen: Seen) -> Iterator[str]:
    """Date keys that name a day after today, but for the date of what is planned."""
    note, today = seen.note, seen.survey.today.isoformat()
    for key in routing.table().date_keys:
        day = note.scalar(key)[:10]
        if key == "date" and note.kind and note.kind.planned:
            continue
        if day > today and _DAY.fullmatch(day):
            yield f"`{key}` is {day}, which is yet to come."


def unaddressable_headings(seen: Seen) -> Iterator[str]:
    """Headings without a text, and those whose whole path another one has, too."""
    headings = seen.note.headings
    paths = Counter(heading.path for heading in headings if heading.title)
    for path, count in paths.items():
        if count > 1:
            yield f"{count} headings have the path {path}"
    empty = sum(1 for heading in headings if not heading.title)
    if empty:
        yield f"{empty} {'heading has' if empty == 1 else 'headings have'} no text."


def _kind(note: Note) -> routing.Kind | None:
    """The kind of a note that is no fixed one."""
    kind = note.kind
    return None if kind is None or routing.table().is_fixed(kind) else kind
