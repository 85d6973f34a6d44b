"""The bench: what an importer works with, and where it puts aside what it could not read."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from echo_archive.characters import well_formed
from echo_archive.media import kind_of
from echo_archive.records import Attachment, Options, Person, Skipped
from echo_archive.safe_paths import inside
from echo_archive.tree import Tree

ME = "me"


@dataclass(slots=True)
class Bench:
    """One export's files, what the person said about it, and what is in doubt.

    Attributes:
        file: The file being read, relative to the export.
        base: Folder that paths in the export start from, "" or with a `/` at its end.
        line: The row being read.
    """

    tree: Tree
    options: Options
    file: str
    base: str = ""
    line: int = 0
    _doubts: list[Skipped] = field(default_factory=list)
    _missing: int = 0
    _first_missing: Skipped | None = None
    _owner: frozenset[str] | None = None
    _people: dict[tuple[str, str, bool], Person] = field(default_factory=dict)

    def doubt(self, why: str) -> None:
        """Note something about the row being read."""
        self._doubts.append(Skipped(self.file, self.line, why))

    @property
    def doubtful(self) -> bool:
        """Whether anything was noted since the last time."""
        return bool(self._doubts)

    def doubts(self) -> Iterator[Skipped]:
        """What was noted since the last time."""
        if self._doubts:
            noted, self._doubts = self._doubts, []
            yield from noted

    def forget_doubts(self) -> None:
        """Leave out what was noted since the last time."""
        self._doubts.clear()

    def closing(self) -> Iterator[Skipped]:
        """What was noted, and how many attachments are named without being there."""
        yield from self.doubts()
        first = self._first_missing
        if first:
            many = "1 attachment is" if self._missing == 1 else f"{self._missing} attachments are"
            named = f"{many} named but not in the export"
            yield Skipped(first.file, first.line, f"{named}; the first is {first.why}")
            self._missing, self._first_missing = 0, None

    def attachment(
        self,
        path: str,
        *,
        kind: str | None = None,
        name: str | None = None,
        media_type: str | None = None,
        percent: bool = False,
    ) -> Attachment:
        """A file that the export names, there or missing.

        Args:
            path: As written, from the base.
            kind: Where something better than name or media type says it.
            name: Where it is another one than the path's last part.
            media_type: MIME type, where the source says it.
            percent: Whether the path is percent-encoded.
        """
        path = unquote(path) if percent else path
        safe = inside(self.base + path)
        called = well_formed(name or (safe or path).replace("\\", "/").rpartition("/")[2])
        size = self.tree.size(safe) if safe else None
        if kind is None:
            kind = kind_of(called, media_type)
            kind = kind_of(path) if kind == "file" else kind
        if size is not None:
            return Attachment(kind, called, safe, media_type=media_type, size=size)
        if safe is None:
            self.doubt("an attachment's path leaves the export and was not followed")
        else:
            self._missing += 1
            self._first_missing = self._first_missing or Skipped(self.file, self.line, called)
        return Attachment(kind, called, missing=True, media_type=media_type)

    def is_owner(self, *names: str) -> bool:
        """Whether the person said that one of these is the owner of the archive."""
        if self._owner is None:
            self._owner = frozenset(folded(name) for name in self.options.owner)
        return any(folded(name) in self._owner for name in names)

    def found_owner(self, name: str) -> None:
        """Take note of the owner, whom the export itself shows, where the person named nobody."""
        if not self.options.owner:
            self._owner = frozenset((folded(name),))

    def person(self, key: str, name: str, is_me: bool = False) -> Person:
        """Somebody, always as the same object; the owner is called Me."""
        known = self._people.get((key, name, is_me))
        if known is None:
            shown = "Me" if is_me else well_formed(name)
            known = self._people[key, name, is_me] = Person(well_formed(key), shown, is_me)
        return known

    def named(self, name: str) -> Person:
        """Somebody whom the source knows by name only."""
        return self.person(folded(name), name, self.is_owner(name))

    def me(self) -> Person:
        """The owner, where the source itself says who that is."""
        return self.person(ME, "Me", is_me=True)


def folded(name: str) -> str:
    """A name as a key: case, width and blanks do not matter."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
