"""Postings: for each word the documents that have it and how often, as arrays that never change.

Documents are numbers, their slots. How often a word stands in one is a multiple of a half, and kept
doubled; 32,767.5 and more are the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Slots = NDArray[np.uint32]
Counts = NDArray[np.uint16]
Row = tuple[Slots, Counts]

# An entry is a slot and a doubled count in one integer, and by its size stands where its slot does.
_COUNT_BITS = 16
_MOST = (1 << _COUNT_BITS) - 1
# While they are gathered, the number of the word comes before both.
_SLOT_BITS = 24
MAX_GATHERED = 1 << _SLOT_BITS
"""Most documents, and most words, that are gathered at once."""
_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Postings:
    """The words of documents.

    Attributes:
        rows: the row of each word; words stand in the order of their rows.
        starts: where each row begins, and where the last one ends.
        slots: the documents of all rows, one row after the other, each in ascending order.
        counts: how often each of them has the row's word, doubled.
    """

    rows: Mapping[str, int]
    starts: NDArray[np.int64]
    slots: Slots
    counts: Counts

    def row(self, word: str) -> Row | None:
        """The documents that have a word, and how often."""
        at = self.rows.get(word)
        if at is None:
            return None
        start, end = self.starts[at : at + 2].tolist()
        return self.slots[start:end], self.counts[start:end]

    def has(self, slot: int, word: str) -> bool:
        """Whether a document has a word."""
        row = self.row(word)
        if row is None:
            return False
        at = int(row[0].searchsorted(np.uint32(slot)))
        return at < len(row[0]) and int(row[0][at]) == slot


NONE = Postings({}, np.zeros(1, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint16))


def entries(slot: int, times: NDArray[np.float64]) -> list[int]:
    """What a document adds to the rows of its words.

    Args:
        slot: the document.
        times: how often it has each word.
    """
    made: list[int] = ((slot << _COUNT_BITS) | _doubled(times)).tolist()
    return made


def unpacked(packed: bytes, size: int) -> Row:
    """A row of entries, as far as they are of the first `size` slots."""
    row = np.frombuffer(packed, np.uint64)
    row = row[: row.searchsorted(np.uint64(size << _COUNT_BITS))]
    return (row >> np.uint64(_COUNT_BITS)).astype(np.uint32), row.astype(np.uint16)


def stands_in(row: Sequence[int], slot: int) -> bool:
    """Whether a row of entries has one of a document."""
    at = bisect_left(row, slot << _COUNT_BITS)
    return at < len(row) and row[at] >> _COUNT_BITS == slot


def times_of(counts: Mapping[str, float]) -> NDArray[np.float64]:
    """How often a document has each of its words, in their order."""
    return np.fromiter(counts.values(), np.float64, len(counts))


def gathered(documents: Iterable[Mapping[str, float]]) -> tuple[Postings, NDArray[np.float64]]:
    """The postings of documents, and their lengths in words; the first has slot 0, and so on.

    Raises:
        OverflowError: more than MAX_GATHERED documents or words.
    """
    rows: defaultdict[str, int] = defaultdict()
    rows.default_factory = rows.__len__
    packed, lengths = array("Q"), array("d")
    for slot, counts in enumerate(documents):
        times = times_of(counts)
        words = np.fromiter(map(rows.__getitem__, counts), np.int64, len(counts))
        low = (slot << _COUNT_BITS) | _doubled(times)
        packed.frombytes(((words << (_SLOT_BITS + _COUNT_BITS)) | low).astype(np.uint64).tobytes())
        lengths.append(float(times.sum()))
    if max(len(rows), len(lengths)) > MAX_GATHERED:
        raise OverflowError("Too many documents or words at once. Add some of them one by one.")
    return _sorted(dict(rows), np.frombuffer(packed, np.uint64)), np.array(lengths, np.float64)


def merged(base: Postings, recent: Mapping[str, Row], alive: NDArray[np.bool_]) -> Postings:
    """Both together, without the documents that are not alive; the others are numbered anew.

    Args:
        base: the words of the first documents.
        recent: those of the others, whose slots are greater.
        alive: which slots stay, in their order.
    """
    rows, sizes = dict(base.rows), np.diff(base.starts).tolist()
    at, slots, counts = 0, [], []
    for index, word in sorted((rows[word], word) for word in recent if word in rows):
        end = int(base.starts[index + 1])
        slots += [base.slots[at:end], recent[word][0]]
        counts += [base.counts[at:end], recent[word][1]]
        sizes[index] += len(recent[word][0])
        at = end
    slots.append(base.slots[at:])
    counts.append(base.counts[at:])
    for word in recent.keys() - base.rows.keys():
        rows[word] = len(rows)
        slots.append(recent[word][0])
        counts.append(recent[word][1])
        sizes.append(len(recent[word][0]))
    starts, both = _starts(sizes), (np.concatenate(slots), np.concatenate(counts))
    return _with_documents(Postings(rows, *(_kept(starts, *both, alive))))


def _kept(
    starts: NDArray[np.int64], slots: Slots, counts: Counts, alive: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Slots, Counts]:
    """Starts, slots and counts of the documents that stay; the last two are used up.

    The entries move to the front within their arrays, for there may not be room for them twice.
    """
    if alive.all():
        return starts, slots, counts
    numbers = np.cumsum(alive, dtype=np.uint32) - np.uint32(1)
    gone, end = [], 0
    for at in range(0, len(slots), _AT_ONCE):
        part = slots[at : at + _AT_ONCE]
        stays = alive[part]
        gone.append(np.flatnonzero(~stays) + at)
        part = numbers[part[stays]]
        slots[end : end + len(part)] = part
        counts[end : end + len(part)] = counts[at : at + _AT_ONCE][stays]
        end += len(part)
    slots.resize(end, refcheck=False)
    counts.resize(end, refcheck=False)
    return (
        starts - np.concatenate([*gone, np.empty(0, np.int64)]).searchsorted(starts),
        slots,
        counts,
    )


def _with_documents(base: Postings) -> Postings:
    """Without the words that no document has."""
    used = np.diff(base.starts) > 0
    if used.all():
        return base
    words = (word for word, is_used in zip(base.rows, used.tolist(), strict=True) if is_used)
    rows = {word: row for row, word in enumerate(words)}
    starts = np.append(base.starts[:-1][used], base.starts[-1])
    return Postings(rows, starts, base.slots, base.counts)


def _sorted(rows: dict[str, int], packed: NDArray[np.uint64]) -> Postings:
    """Postings of what was gathered; it is used up, for there may not be room for it twice."""
    packed.sort()
    counts = packed.astype(np.uint16)
    packed >>= np.uint64(_COUNT_BITS)
    slots = packed.astype(np.uint32)
    slots &= np.uint32(MAX_GATHERED - 1)
    packed >>= np.uint64(_SLOT_BITS)
    starts = packed.searchsorted(np.arange(len(rows) + 1, dtype=np.uint64))
    return Postings(rows, starts.astype(np.int64), slots, counts)


def _starts(sizes: Collection[int]) -> NDArray[np.int64]:
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(np.fromiter(sizes, np.int64, len(sizes)), out=starts[1:])
    return starts


def _doubled(times: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.minimum(times * 2, _MOST).astype(np.int64)
