"""Postings: for each word the documents that have it and how often, as arrays that never change.

Documents are numbers, their slots. How often a word stands in one is a multiple of a half, and kept
doubled; 32,767.5 and more are the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

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


def block(recent: Mapping[str, array[int]], size: int) -> Postings:
    """The postings of rows of entries, as far as they are of the first `size` slots."""
    words = list(recent)
    parts = [recent[word].tobytes() for word in words]
    packed = np.frombuffer(b"".join(parts), np.uint64)
    sizes = np.fromiter(map(len, parts), np.int64, len(parts)) // packed.itemsize
    later = np.flatnonzero(packed >= np.uint64(size << _COUNT_BITS))
    starts = _starts(sizes)
    starts -= later.searchsorted(starts)
    packed = np.delete(packed, later)
    rows = dict(zip(words, range(len(words)), strict=True))
    slots = (packed >> np.uint64(_COUNT_BITS)).astype(np.uint32)
    return Postings(rows, starts, slots, packed.astype(np.uint16))


def merged(first: Postings, second: Postings) -> Postings:
    """Both together, in arrays of their own; the second one's slots are greater."""
    rows = dict(first.rows)
    for word in second.rows:
        rows.setdefault(word, len(rows))
    into = np.fromiter(map(rows.__getitem__, second.rows), np.int64, len(second.rows))
    added = np.diff(second.starts)
    sizes = np.zeros(len(rows), np.int64)
    sizes[: len(first.rows)] = np.diff(first.starts)
    sizes[into] += added
    starts = _starts(sizes)
    places = np.repeat(starts[into + 1] - second.starts[1:], added) + np.arange(len(second.slots))
    is_first = np.ones(starts[-1], np.bool_)
    is_first[places] = False
    slots, counts = np.empty(starts[-1], np.uint32), np.empty(starts[-1], np.uint16)
    slots[is_first], counts[is_first] = first.slots, first.counts
    slots[places], counts[places] = second.slots, second.counts
    return Postings(rows, starts, slots, counts)


def kept(postings: Postings, alive: NDArray[np.bool_]) -> Postings:
    """Without the documents that are not alive; the others are numbered anew, in their order.

    Args:
        postings: what nobody reads; it is used up, for there may not be room for it twice.
        alive: which slots stay.
    """
    if alive.all():
        return _with_documents(postings)
    starts, slots, counts = postings.starts, postings.slots, postings.counts
    numbers = np.cumsum(alive, dtype=np.uint32) - np.uint32(1)
    gone, end = [np.empty(0, np.int64)], 0
    for at in range(0, len(slots), _AT_ONCE):
        part = slots[at : at + _AT_ONCE]
        stays = alive[part]
        gone.append(np.flatnonzero(~stays) + at)
        part = numbers[part[stays]]
        slots[end : end + len(part)] = part
        counts[end : end + len(part)] = counts[at : at + _AT_ONCE][stays]
        end += len(part)
    # Nothing of the loop looks into these arrays any more.
    slots.resize(end, refcheck=False)
    counts.resize(end, refcheck=False)
    starts = starts - np.concatenate(gone).searchsorted(starts)
    return _with_documents(Postings(postings.rows, starts, slots, counts))


def _with_documents(postings: Postings) -> Postings:
    """Without the words that no document has."""
    used = np.diff(postings.starts) > 0
    if used.all():
        return postings
    words = compress(postings.rows, used.tolist())
    rows = {word: row for row, word in enumerate(words)}
    starts = np.append(postings.starts[:-1][used], postings.starts[-1])
    return Postings(rows, starts, postings.slots, postings.counts)


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


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(sizes))


def _doubled(times: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.minimum(times * 2, _MOST).astype(np.int64)
