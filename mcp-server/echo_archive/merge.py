"""The merge: messages of one export into the archive, each once, nothing lost, all in bulk."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import NamedTuple

from echo_archive.alignment import Alignment, Occurrence
from echo_archive.content import Content, merged
from echo_archive.conversion import content_of
from echo_archive.key_index import KeyIndex
from echo_archive.keys import native_key, written_key
from echo_archive.moments import Moment, moment_of, moments_of, together
from echo_archive.parameters import rows_in
from echo_archive.records import Message
from echo_archive.register import Register
from echo_archive.rows import Place, Rows, free_row_ids, keep_roots, remove, roots_of, stored
from echo_archive.word_index import Entry, WordIndex, entry

BATCH = 16_000
_HELD_BACK = BATCH // 2


@dataclass(slots=True)
class Counts:
    """What an import did with the rows it read."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0


class Known(NamedTuple):
    """A message that is stored, or will be with this batch."""

    row_id: int
    digest: int
    body: str
    written: str
    person: int | None
    deleted: bool
    fresh: bool


class Merge:
    """One export's way into the archive; `take` every message, then `finish`."""

    def __init__(self, database: sqlite3.Connection, import_id: int, register: Register) -> None:
        self.counts = Counts()
        self._database = database
        self._import = import_id
        self._register = register
        self._alignment = Alignment()
        self._rows = Rows(database, register)
        self._index = WordIndex(database)
        self._keys = KeyIndex(database)
        self._waiting: list[Message] = []
        self._known: dict[bytes, Known | None] = {}
        self._new: list[tuple[bytes, int, Message, Content, int]] = []
        self._touched: set[int] = set()

    @property
    def conversations(self) -> frozenset[int]:
        """Numbers of the conversations that messages were added to or changed in."""
        return frozenset(self._touched)

    def take(self, message: Message) -> None:
        """Take one message in the export's order."""
        self._waiting.append(message)
        if len(self._waiting) >= BATCH:
            self._settle(self._whole_moments())

    def finish(self) -> Counts:
        """Write what waits and bring the conversations' figures up to date."""
        batch, self._waiting = self._waiting, []
        self._settle(batch)
        self._index.write()
        self._keys.complete()
        for conversation in self._touched:
            self._database.execute(_FIGURES, {"conversation": conversation})
        return self.counts

    def _whole_moments(self) -> list[Message]:
        """The rows that wait, but for those at the end that may go on in the next batch."""
        waiting, cut = self._waiting, len(self._waiting)
        last = waiting[-1]
        while cut > _HELD_BACK and together(waiting[cut - 1], last):
            cut -= 1
        cut = cut if cut > _HELD_BACK else len(waiting)
        self._waiting = waiting[cut:]
        return waiting[:cut]

    def _settle(self, batch: list[Message]) -> None:
        """Find which message each row is, then take them in the export's order."""
        native = [self._native_key(one) if one.native_id is not None else None for one in batch]
        moments = moments_of(batch)
        possible = (
            self._written_key(moment, number)
            for moment, rows in moments.items()
            for number in range(1, len(rows) + 2)
        )
        self._known = self._look_up([*(key for key in native if key is not None), *possible])
        numbers = {moment: iter(self._numbers(moment, rows)) for moment, rows in moments.items()}
        for message, key in zip(batch, native, strict=True):
            if key is not None:
                self._settle_native(message, key)
            else:
                moment = moment_of(message)
                written = self._written_key(moment, next(numbers[moment]))
                self._settle_one(written, message, self._find(written))
        self._write_new()

    def _native_key(self, message: Message, occurrence: int = 1) -> bytes:
        return native_key(
            self._register.source, message.conversation.key, message.native_id or "", occurrence
        )

    def _written_key(self, moment: Moment, number: int) -> bytes:
        return written_key(self._register.source, *moment, number)

    def _look_up(self, keys: list[bytes]) -> dict[bytes, Known | None]:
        known: dict[bytes, Known | None] = dict.fromkeys(keys)
        for key, *said, by in rows_in(self._database, _KNOWN, self._keys.ask(keys)):
            known[key] = Known._make((*said, by == self._import))
        return known

    def _find(self, key: bytes) -> Known | None:
        """A message by key, also where nobody thought of that key before."""
        if key not in self._known:
            self._known.update(self._look_up([key]))
        return self._known[key]

    def _settle_native(self, message: Message, key: bytes) -> None:
        """An id names one message; where it names several, time and sender tell them apart."""
        known, number = self._known[key], 1
        while (
            known
            and known.written != message.written
            and known.person != self._register.person(message.sender)
        ):
            number += 1
            key = self._native_key(message, number)
            known = self._find(key)
        self._settle_one(key, message, known)

    def _numbers(self, moment: Moment, rows: list[Message]) -> list[int]:
        """Which of the messages of its moment each row is, counted from 1."""
        occurrences: list[Occurrence] = []
        while one := self._find(self._written_key(moment, len(occurrences) + 1)):
            occurrences.append(
                Occurrence(len(occurrences) + 1, one.body, bool(one.deleted), one.fresh)
            )
        return self._alignment.numbers(moment, rows, occurrences)

    def _settle_one(self, key: bytes, message: Message, known: Known | None) -> None:
        conversation = self._register.conversation(message.conversation)
        content = content_of(message, self._register)
        digest = content.digest()
        if known is None:
            self.counts.added += 1
            self._new.append((key, conversation, message, content, digest))
            self._known[key] = Known(
                -1,
                digest,
                content.body,
                content.written,
                content.person,
                content.deleted,
                fresh=True,
            )
        elif known.digest == digest:
            self.counts.unchanged += 1
        else:
            self._merge(key, content, digest)

    def _merge(self, key: bytes, content: Content, digest: int) -> None:
        self._write_new()
        self._keys.complete()
        place, before = stored(self._database, key)
        after = merged(before, content)
        if after == before:
            self.counts.unchanged += 1
            return
        self.counts.changed += 1
        self._replace(place, before, after, digest)
        self._known.update(self._look_up([key]))

    def _replace(self, place: Place, before: Content, after: Content, digest: int) -> None:
        source, moved = self._register.source_id, place
        roots = roots_of(self._database, place.row_id) if before.attachments else {}
        remove(self._database, place.row_id)
        self._index.remove(place.row_id, entry(before, place.conversation, source))
        if after.instant != before.instant:
            moved = place._replace(row_id=free_row_ids(self._database, [after.instant])[0])
        if len(after.attachments) and after.attachments != before.attachments:
            moved = moved._replace(root=self._import)
        self._rows.add(moved, after, digest)
        self._rows.write()
        if roots:
            keep_roots(self._database, moved.row_id, after.attachments, roots)
        self._index.add({moved.row_id: entry(after, place.conversation, source)})
        self._touched.add(place.conversation)

    def _write_new(self) -> None:
        row_ids = free_row_ids(self._database, [content.instant for *_, content, _ in self._new])
        register, rows, source = self._register, self._rows, self._register.source_id
        entries: dict[int, Entry] = {}
        for row_id, (key, conversation, message, content, digest) in zip(
            row_ids, self._new, strict=True
        ):
            origin = register.origin(message.file)
            rows.add(
                (row_id, key, conversation, origin, message.line, self._import), content, digest
            )
            entries[row_id] = entry(content, conversation, source)
            register.take_part(conversation, content.person)
            self._touched.add(conversation)
        self._index.add(entries)
        self._keys.add([key for key, *_ in self._new])
        self._new.clear()
        rows.write()


# The columns between the first and the last are the fields of `Known`, in their order.
_KNOWN = """
select hash, id, content, body, written, person, deleted, import from message
where hash in ({marks})
"""
_FIGURES = """
update conversation set
  messages = (select count(*) from message where conversation = :conversation),
  first_id = (select min(id) from message where conversation = :conversation),
  last_id = (select max(id) from message where conversation = :conversation),
  images = (select count(*) from attachment where conversation = :conversation and kind = 'image'),
  videos = (select count(*) from attachment where conversation = :conversation and kind = 'video'),
  files = (select count(*) from attachment where conversation = :conversation
           and kind not in ('image', 'video', 'contact', 'location')),
  links = (select count(*) from link where conversation = :conversation)
where id = :conversation
"""
