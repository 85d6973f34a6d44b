"""Link checks: links that lead nowhere, or to more than one place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echo_memory.checks.likely import LikelyNotes
from echo_memory.checks.survey import Seen, Survey, Tie
from echo_memory.links import Link, strip
from echo_memory.note import Note
from echo_memory.text import fold

_SHOWN = 3
_LONGEST = 80
_WORDS = re.compile(r"\w+")
_BLOCK = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9_-]+)[ \t]*\r?$", re.MULTILINE)


class LinkChecks:
    """The checks of links; what they find out of one note they remember for the next."""

    def __init__(self) -> None:
        self._likely: LikelyNotes | None = None
        self._anchors: dict[str, _Anchors | None] = {}

    def broken(self, seen: Seen) -> Iterator[str]:
        """Links to notes that do not exist, with the note that each may mean."""
        for tie in seen.ties:
            if not tie.paths:
                likely = self._known(seen.survey).of(tie.link.target)
                meant = f"; perhaps {likely} is meant." if likely else "."
                yield f"{_shortened(tie)} leads to no note{meant}"

    def ambiguous(self, seen: Seen) -> Iterator[str]:
        """Links by a name that several notes have."""
        for tie in seen.ties:
            if len(tie.paths) > 1:
                some, more = ", ".join(sorted(tie.paths)[:_SHOWN]), len(tie.paths) - _SHOWN
                yield f"{_shortened(tie)} could be {some}{f' and {more} more' * (more > 0)}."

    def without_anchor(self, seen: Seen) -> Iterator[str]:
        """Links to a heading or block that their note does not have."""
        for tie in seen.ties:
            link = tie.link
            if len(tie.paths) != 1 or not (link.heading or link.block):
                continue
            anchors = self._anchors_of(tie.paths[0], seen)
            if anchors is not None and not anchors.has(link):
                wanted = f"block ^{link.block}" if link.block else f"heading {link.heading}"
                yield f"{_shortened(tie)}: {tie.paths[0]} has no {wanted}."

    def _known(self, survey: Survey) -> LikelyNotes:
        if self._likely is None:
            self._likely = LikelyNotes(
                (path, (card.id, *card.names))
                for path, card in survey.cards.items()
                if not card.is_background
            )
        return self._likely

    def _anchors_of(self, path: str, seen: Seen) -> _Anchors | None:
        if path not in self._anchors:
            target = seen.note if path == seen.note.path else seen.survey.read(path)
            self._anchors[path] = _Anchors.of(target) if target else None
        return self._anchors[path]


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


def _shortened(tie: Tie) -> str:
    """A link as it stands in the note, no longer than it takes to find it."""
    return tie.written if len(tie.written) <= _LONGEST else f"{tie.written[:_LONGEST]}…"
