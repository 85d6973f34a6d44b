"""The scope: what the operator is working on now, as its note says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from echo_memory import frontmatter, routing, sections
from echo_memory.markdown import headings, regions
from echo_memory.note import Note

SECTION, HISTORY = "Scope", "Scope History"

_LEVEL = 2
_BULLET = re.compile(r" {0,3}[-*+][ \t]")
_LISTED = re.compile(r" {0,3}[-*+][ \t]+(\d{4}-\d{2}-\d{2}):?[ \t]+(.+)")
# In a line of its own these open a heading or a fence; anywhere, a comment, formula or tag.
_OPENS_BLOCK = re.compile(r"#{1,6}(?:\s|$)|`{3}|~{3}")
_OPENS_SPAN = re.compile(r"%%|\$\$|<(?=[A-Za-z!/])")


@dataclass(frozen=True)
class Scope:
    """The scope; empty where none was ever set.

    Attributes:
        scope: one line.
        scope_updated: when it was set or last confirmed, ISO 8601 with offset.
    """

    scope: str = ""
    scope_updated: str = ""

    @property
    def day(self) -> str:
        """The day on which it was set or confirmed, as `YYYY-MM-DD`, or empty."""
        since = _instant(self.scope_updated)
        return since.date().isoformat() if since else ""


def read(note: Note) -> Scope:
    """The scope of a context note: its frontmatter's, else what a person put under `## Scope`."""
    scope = note.scalar("scope")
    heading = headings.named(note.headings, SECTION, _LEVEL)
    if not scope and heading:
        scope = " ".join(note.text[heading.body : heading.own_end].split())
    return Scope(scope, note.scalar("scope_updated"))


def set_scope(text: str, scope: str, now: datetime) -> str:
    """A context note with this scope: stamp, section, and a line at the top of the history.

    The same scope again has a new stamp and no further line. Everything else stays as it is.

    Args:
        text: the note.
        scope: one line.
        now: aware; its date, in its own zone, stands in the history.

    Raises:
        Unparseable: the frontmatter cannot be read surely.
    """
    known = Note("", text).scalar("scope") == scope
    stamp = {"scope": scope, "scope_updated": now.isoformat(timespec="seconds")}
    inline = _OPENS_SPAN.sub(lambda sign: "".join(f"\\{char}" for char in sign[0]), scope)
    block = f"\\{inline}" if _OPENS_BLOCK.match(inline) else inline
    changed = _with_section(frontmatter.set_keys(text, stamp), block)
    return changed if known else _with_line(changed, f"- {now.date().isoformat()}: {inline}")


def history(note: Note) -> list[tuple[str, str]]:
    """The scopes that a context note's history lists, as it does: day and scope."""
    heading = headings.named(note.headings, HISTORY, _LEVEL)
    if heading is None:
        return []
    lines = (
        _LISTED.fullmatch(line.text)
        for line in regions.lines(note.text)
        if heading.body <= line.start < heading.own_end and not line.opaque
    )
    return [(found[1], found[2].strip()) for found in lines if found]


def sessions_since(current: Scope, notes: Iterable[Note]) -> int:
    """How many sessions were logged after the scope was set or confirmed; all if it never was."""
    session = routing.table().fixed["session"]
    since = _instant(current.scope_updated)
    return sum(1 for note in notes if session.holds(note.path) and _is_later(note, since))


def is_later(written: str, than: str) -> bool:
    """Whether an instant, in ISO 8601, comes after another; False where either is none."""
    one, other = _instant(written), _instant(than)
    if one is None or other is None:
        return False
    if one.tzinfo is None or other.tzinfo is None:
        return one.replace(tzinfo=None) > other.replace(tzinfo=None)
    return one > other


def _is_later(note: Note, since: datetime | None) -> bool:
    """Whether a session is of a later day, or was created later on the same day."""
    day = since.date().isoformat() if since else ""
    if since is None or note.date != day:
        return note.date > day
    written = note.scalar("created")
    return len(written) > len(day) and is_later(written, since.isoformat())


def _instant(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def _with_section(text: str, words: str) -> str:
    heading = headings.named(headings.headings(text), SECTION, _LEVEL)
    own = text[heading.body : heading.own_end] if heading else ""
    if heading is None or not own.strip():
        return sections.append_under(text, SECTION, words, _LEVEL)
    start = heading.own_end - len(own.lstrip())
    return text[:start] + words + text[heading.body + len(own.rstrip()) :]


def _with_line(text: str, line: str) -> str:
    """The history with a line above the first that it has."""
    heading = headings.named(headings.headings(text), HISTORY, _LEVEL)
    for old in regions.lines(text) if heading else ():
        inside = heading and heading.body <= old.start < heading.own_end
        if inside and not old.opaque and _BULLET.match(old.text):
            ending = text[old.start + len(old.text) : old.end] or "\n"
            return f"{text[: old.start]}{line}{ending}{text[old.start :]}"
    return sections.append_under(text, HISTORY, line, _LEVEL)
