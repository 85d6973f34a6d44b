"""Link checks: links that lead nowhere, or to more than one place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echo_memory.checks.likely import LikelyNotes
from echo_memory.checks.survey import Finding, Survey, Tie
from echo_memory.links import Link, strip
from echo_memory.note import Note
from echo_memory.text import fold

_SHOWN = 3
_LONGEST = 80
_WORDS = re.compile(r"\w+")
_BLOCK = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9_-]+)[ \t]*\r?$", re.MULTILINE)


def broken_links(survey: Survey) -> Iterator[Finding]:
    """Links to notes that do not exist, with the note that each may mean."""
    broken = [tie for tie in survey.ties if not tie.paths]
    if not broken:
        return
    known = LikelyNotes(note for note in survey.notes.values() if not note.is_background)
    for tie in broken:
        likely = known.of(tie.link.target)
        meant = f"; perhaps {likely} is meant." if likely else "."
        yield tie.source.path, f"{_written(tie)} leads to no note{meant}"


def ambiguous_links(survey: Survey) -> Iterator[Finding]:
    """Links by a name that several notes have."""
    for tie in survey.ties:
        if len(tie.paths) > 1:
            more = len(tie.paths) - _SHOWN
            some = ", ".join(sorted(tie.paths)[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
            yield tie.source.path, f"{_written(tie)} could be {some}."


def missing_anchors(survey: Survey) -> Iterator[Finding]:
    """Links to a heading or block that their note does not have."""
    anchors: dict[str, _Anchors] = {}
    for tie in survey.ties:
        target = survey.notes.get(tie.paths[0]) if len(tie.paths) == 1 else None
        if target is None or not (tie.link.heading or tie.link.block):
            continue
        if target.path not in anchors:
            anchors[target.path] = _Anchors.of(target)
        if not anchors[target.path].has(tie.link):
            wanted = f"block ^{tie.link.block}" if tie.link.block else f"heading {tie.link.heading}"
            yield tie.source.path, f"{_written(tie)}: {target.path} has no {wanted}."


@dataclass(frozen=True)
class _Anchors:
    """What a note's links can point at, in the form in which Obsidian compares them."""

    headings: frozenset[str]
    blocks: frozenset[str]

    @classmethod
    def of(cls, note: Note) -> _Anchors:
        return cls(
            frozenset(
                _plain(title)
                for heading in note.headings
                for title in {heading.title, _shown(heading.title)}
            ),
            frozenset(block.lower() for block in _BLOCK.findall(note.text)),
        )

    def has(self, link: Link) -> bool:
        if link.block:
            return link.block.lower() in self.blocks
        # A heading may have the separator in its own text.
        whole = _plain(link.heading)
        return whole in self.headings or all(
            _plain(step) in self.headings for step in link.heading.split("::")
        )


def _plain(title: str) -> str:
    """A heading's words: Obsidian leaves out the signs that mean something in a link."""
    return " ".join(_WORDS.findall(fold(title))) or title.strip()


def _shown(title: str) -> str:
    return strip(title) if "[" in title else title


def _written(tie: Tie) -> str:
    """A link as it stands in the note, no longer than it takes to find it."""
    return tie.written if len(tie.written) <= _LONGEST else f"{tie.written[:_LONGEST]}…"
