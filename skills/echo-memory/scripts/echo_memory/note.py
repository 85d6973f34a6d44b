"""A note: its text, and what the text says of itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from echo_memory import frontmatter, links, routing, sections
from echo_memory import head as heads
from echo_memory.errors import Unparseable
from echo_memory.naming.entity import Entity
from echo_memory.naming.handles import Handles


@dataclass(frozen=True)
class Note:
    """One Markdown note; everything beside `path` and `text` is read from them on demand.

    Attributes:
        path: vault path, with `.md`.
        text: the whole file; bytes that are not UTF-8 are lone surrogates.
    """

    path: str
    text: str

    @classmethod
    def known(cls, path: str, text: str, head: bytes | None, signature: int) -> Note:
        """A note that has been read before, which spares reading it again.

        Args:
            path: vault path.
            text: the whole file.
            head: what `head` gave then; of no use where another version did.
            signature: what `signature` gave then.
        """
        note = cls(path, text)
        known = vars(note)
        known["signature"] = signature
        read = heads.unpacked(head) if head else None
        if read is not None:
            known["head"] = head
            known["title"], known["handles"] = read.title, read.handles
            known["_read"] = read.data, None
        return note

    @cached_property
    def signature(self) -> int:
        """A 63-bit digest (BLAKE2b) of the text, which a database takes for an integer."""
        data = self.text.encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big") >> 1

    @cached_property
    def id(self) -> str:
        """The file name without its suffix."""
        return stem(self.path)

    @cached_property
    def _parts(self) -> tuple[str, str]:
        return frontmatter.split(self.text)

    @property
    def body(self) -> str:
        """Everything below the frontmatter."""
        return self._parts[1]

    @cached_property
    def _read(self) -> tuple[Mapping[str, Any], Unparseable | None]:
        if not self._parts[0]:
            return {}, None
        try:
            return frontmatter.parse(self.text), None
        except Unparseable as error:
            return {}, error

    @cached_property
    def head(self) -> bytes | None:
        """What was read of it, to be kept; None where that cannot be, or does not parse."""
        if self.fault:
            return None
        return heads.packed(heads.Head(self.frontmatter, self.title, self.handles))

    @property
    def frontmatter(self) -> Mapping[str, Any]:
        """The frontmatter as data; empty where there is none or it does not parse."""
        return self._read[0]

    @property
    def fault(self) -> Unparseable | None:
        """Why the frontmatter does not parse, if it does not."""
        return self._read[1]

    @cached_property
    def kind(self) -> routing.Kind | None:
        """What the note is, by its place and its `type`."""
        return routing.table().kind_of(self.path, self.frontmatter.get("type"))

    @property
    def is_background(self) -> bool:
        """Whether it is kept for the record: who names a day does not mean its processing log."""
        return self.kind is not None and not self.kind.recall

    @cached_property
    def headings(self) -> tuple[sections.Heading, ...]:
        """The headings, in order."""
        return tuple(sections.headings(self.text))

    @cached_property
    def searchable(self) -> Note:
        """The note without the sections that recall does not look into."""
        left_out = self.kind.unindexed if self.kind else ()
        parts, end = [], 0
        for heading in self.headings if left_out else ():
            if heading.title in left_out and heading.start >= end:
                parts.append(self.text[end : heading.start])
                end = heading.end
        return Note(self.path, "".join([*parts, self.text[end:]])) if parts else self

    @cached_property
    def links(self) -> tuple[links.Link, ...]:
        """The links to other notes, in order."""
        return tuple(links.links(self.text))

    @cached_property
    def title(self) -> str:
        """The frontmatter's title, else the first H1, else the id."""
        written = self.scalar("title")
        if written:
            return written
        return next((h.title for h in self.headings if h.level == 1 and h.title), self.id)

    @cached_property
    def date(self) -> str:
        """The day that the note is of, as `YYYY-MM-DD`, or empty."""
        return routing.dated_name(self.id)[0] or self.scalar("date")[:10]

    @property
    def slug(self) -> str:
        """The id without the date that dated kinds put before it."""
        return routing.dated_name(self.id)[1]

    def scalar(self, key: str) -> str:
        """A frontmatter value as text; empty where it is missing or is a list or a map."""
        value = self.frontmatter.get(key)
        return "" if value is None or isinstance(value, list | dict) else str(value).strip()

    def items(self, key: str) -> tuple[str, ...]:
        """A frontmatter list as texts; one value counts as a list of one."""
        value = self.frontmatter.get(key)
        if value is None:
            return ()
        values = value if isinstance(value, list) else [value]
        return tuple(
            str(v).strip() for v in values if v is not None and not isinstance(v, list | dict)
        )

    @cached_property
    def handles(self) -> Handles | None:
        """What it is found by, where it is an entity."""
        return Handles.of(self.entity()) if self.kind and self.kind.entity else None

    def entity(self) -> Entity:
        """The names by which others may refer to the note."""
        return Entity(
            slug=self.id,
            path=self.path,
            kind=self.kind.name if self.kind else "",
            title=self.title,
            aliases=self.items("aliases"),
        )


def day_of(path: str) -> str:
    """The day that a note is of by its file name, as `YYYY-MM-DD`, or empty."""
    return routing.dated_name(stem(path))[0]


def stem(path: str) -> str:
    """The file name of a path without its suffix."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[:dot] if 0 < dot < len(name) - 1 else name
