"""Alignment: which stored message each row without an id is, when an export is read again.

Such rows are told apart by conversation, written time, sender and a running number. The text is no
part of that, so that an edit stays the same message; it only helps to find who is who.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from echo_archive.moments import Moment
from echo_archive.records import Message

_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One stored message of a sender at a written time; `fresh` when this import brought it."""

    number: int
    body: str
    deleted: bool
    fresh: bool


@dataclass(slots=True)
class Alignment:
    """What one import has seen so far: where each conversation began, and who was found lately."""

    began: dict[str, str] = field(default_factory=dict)
    found: OrderedDict[Moment, set[int]] = field(default_factory=OrderedDict)

    def numbers(
        self, moment: Moment, read: Sequence[Message], known: Sequence[Occurrence]
    ) -> list[int]:
        """The running number of each row of one moment, in order; unknown ones go on counting.

        Args:
            moment: Conversation key, written time, sender key.
            read: Rows of that moment, in the export's order.
            known: What is stored of that moment, by number.
        """
        before = self._before(moment)
        first = self.began.setdefault(moment[0], moment[1]) == moment[1]
        numbers = _same_text(read, known, before)
        rest = [one for one in known if one.number not in before and one.number not in numbers]
        new = len(known)
        for at, row in enumerate(read):
            if numbers[at] is None:
                other = _other_version(row, rest, first)
                if other is None:
                    new += 1
                numbers[at] = new if other is None else other.number
        settled = [number for number in numbers if number is not None]
        before.update(settled)
        return settled

    def _before(self, moment: Moment) -> set[int]:
        """Numbers that earlier rows of this import were found to be."""
        if len(self.found) >= _REMEMBERED and moment not in self.found:
            self.found.popitem(last=False)
        return self.found.setdefault(moment, set())


def _same_text(
    read: Sequence[Message], known: Sequence[Occurrence], before: set[int]
) -> list[int | None]:
    """Rows whose text is stored and that no earlier row of this import was found to be."""
    free = [one for one in known if one.number not in before]
    taken = [_take(free, row) for row in read]
    return [one.number if one else None for one in taken]


def _take(among: list[Occurrence], row: Message) -> Occurrence | None:
    for at, one in enumerate(among):
        if one.deleted == row.deleted and (row.deleted or one.body == row.body):
            return among.pop(at)
    return None


def _other_version(row: Message, rest: list[Occurrence], first: bool) -> Occurrence | None:
    """The stored message of which this row is a later or an earlier version.

    In the first minute of an export the rows before it may be missing, and a row of this very
    import is another message: only a row that says it was changed is taken for a version there.
    """
    if not rest:
        return None
    if row.edited or row.deleted:
        return rest.pop(-1 if first else 0)
    if first or rest[0].fresh:
        gone = next((at for at, one in enumerate(rest) if one.deleted and not one.fresh), None)
        return None if gone is None else rest.pop(gone)
    return rest.pop(0)
