"""The snapshot: what the documents of a warm index say at one moment, and how well they answer."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import compress
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from echo_mcp.warm.postings import (
    NONE,
    Postings,
    Row,
    Slots,
    block,
    entries,
    kept,
    merged,
    stands_in,
    times_of,
    unpacked,
)

Numbers = NDArray[np.float64]
_SHARE = 8
_Item = TypeVar("_Item", np.float64, np.bool_)


@dataclass(frozen=True)
class Rates:
    """The parameters of BM25+."""

    k1: float
    b: float
    delta: float


@dataclass(frozen=True)
class Snapshot:
    """What a reader sees, whatever is written meanwhile.

    A document that is replaced gets a new slot. What is shared with later snapshots only grows at
    its end, with slots that this one has no place for.

    Attributes:
        base: the words of the first documents.
        middle: the words of those after them.
        recent: the entries of the others by word; shared, so a reader takes a copy of them.
        keys: whose each slot is, or was; shared.
        slots: the newest slot of each key; shared.
        older: the slot that a key had before this one; shared.
        lengths: how many words each slot's document has.
        alive: which slots are those of documents that are still there.
        count: how many these are.
        total: how many words they have.
        settled: how many slots the base is of.
        filed: how many slots the base and the middle are of.
    """

    base: Postings
    middle: Postings
    recent: dict[str, array[int]]
    keys: list[str]
    slots: dict[str, int]
    older: dict[int, int]
    lengths: Numbers
    alive: NDArray[np.bool_]
    count: int
    total: float
    settled: int
    filed: int

    @property
    def waste(self) -> int:
        """How many slots are not in the base, and how many are nobody's any more."""
        return 2 * len(self.alive) - self.settled - self.count

    @property
    def average(self) -> float:
        """The mean length of a document."""
        return self.total / max(1, self.count)

    @cached_property
    def ordered(self) -> NDArray[np.intp]:
        """The slots of the documents that are there."""
        return np.flatnonzero(self.alive)

    @property
    def ordered_keys(self) -> list[str]:
        """Whose they are."""
        return [self.keys[slot] for slot in self.ordered.tolist()]

    def slot(self, key: str) -> int | None:
        """The slot of a document that is there."""
        slot = self.slots.get(key)
        while slot is not None and slot >= len(self.alive):
            slot = self.older.get(slot)
        return slot if slot is not None and self.alive[slot] else None

    def containing(self, word: str) -> int:
        """How many documents have a word."""
        is_full = self.count == len(self.alive)
        return sum(
            len(slots) if is_full else int(np.count_nonzero(self.alive[slots]))
            for slots, _ in self._rows(word)
        )

    def beginning(self, letter: str) -> list[str]:
        """The words that begin with a letter; some may be those of documents that are no more."""
        tables = (self.base.rows, self.middle.rows, self.recent)
        # A list of its keys is made at once, so that a writer may add to the last one meanwhile.
        found = (word for rows in tables for word in list(rows) if word.startswith(letter))
        return list(dict.fromkeys(found))

    def has(self, slot: int, word: str) -> bool:
        """Whether the document of a slot has a word."""
        if slot < self.filed:
            return (self.base if slot < self.settled else self.middle).has(slot, word)
        return stands_in(self.recent.get(word, ()), slot)

    def having(self, slots: Slots, word: str) -> NDArray[np.bool_]:
        """Which of some slots are those of documents that have a word."""
        found = np.zeros(len(slots), np.bool_)
        for row, _ in self._rows(word):
            if len(row):
                places = np.minimum(row.searchsorted(slots), len(row) - 1)
                found |= row[places] == slots
        return found

    def sums(self, weights: Mapping[str, float], rates: Rates) -> tuple[Numbers, NDArray[np.bool_]]:
        """The score of each slot, and which slots are those of documents with any of the words."""
        sums, found = np.zeros(len(self.alive)), np.zeros(len(self.alive), np.bool_)
        fixed = rates.k1 * (1 - rates.b)
        damping = fixed + rates.k1 * rates.b / (self.average or 1) * self.lengths
        for word, weight in weights.items():
            for slots, counts in self._rows(word):
                # In this order it rounds as the core's formula does.
                at, times = slots.astype(np.intp), counts * 0.5
                gain = times * (rates.k1 + 1)
                times += damping[at]
                gain /= times
                gain += rates.delta
                gain *= weight
                sums[at] += gain
                found[at] = True
        return sums, found & self.alive

    def with_document(self, key: str, counts: Mapping[str, float]) -> Snapshot:
        """With a document more, or another one of this key. Only for who writes, one at a time."""
        times, slot = times_of(counts), len(self.keys)
        packed = entries(slot, times)
        lengths, alive = _longer(self.lengths, slot + 1), _longer(self.alive, slot + 1)
        lengths[slot] = length = float(times.sum())
        # From here on the slot is taken, even if there is no memory for the rest.
        self.keys.append(key)
        for word, entry in zip(counts, packed, strict=True):
            self.recent.setdefault(word, array("Q")).append(entry)
        if key in self.slots:
            self.older[slot] = self.slots[key]
        old = self.without(key)
        alive[: len(old.alive)] = old.alive
        alive[slot] = True
        count, total = old.count + 1, old.total + length
        self.slots[key] = slot
        return replace(self, lengths=lengths, alive=alive, count=count, total=total)

    def without(self, key: str) -> Snapshot:
        """Without the document of a key; itself if there is none."""
        slot = self.slot(key)
        if slot is None:
            return self
        alive = self.alive.copy()
        alive[slot] = False
        total = self.total - float(self.lengths[slot])
        return replace(self, alive=alive, count=self.count - 1, total=total)

    def tidied(self, least: int) -> Snapshot:
        """The same, settled if much was changed, filed if there is much recent.

        Settling goes through everything, and waits until an eighth of it is new or gone; filing
        goes through that eighth. So what a change costs does not grow with the documents.

        Args:
            least: how many changes are not much.
        """
        if self.waste > max(least, self.count // _SHARE):
            return self.settle()
        if len(self.alive) - self.filed > least:
            return replace(self, middle=self._filed(), recent={}, filed=len(self.alive))
        return self

    def settle(self) -> Snapshot:
        """The same documents with all their words in the base; shares nothing with this one."""
        postings = kept(merged(self.base, self._filed()), self.alive)
        return settled(postings, self.ordered_keys, self.lengths[self.alive])

    def _filed(self) -> Postings:
        return merged(self.middle, block(self.recent, len(self.alive)))

    def _rows(self, word: str) -> Iterator[Row]:
        for postings in (self.base, self.middle):
            row = postings.row(word)
            if row is not None:
                yield row
        recent = self.recent.get(word)
        if recent is not None:
            yield unpacked(recent.tobytes(), len(self.alive))


class SlotScores:
    """Scores by the slots of a snapshot; see Scores of the core."""

    def __init__(
        self,
        snapshot: Snapshot,
        words: tuple[str, ...],
        sums: Numbers,
        found: NDArray[np.bool_],
    ) -> None:
        self._snapshot = snapshot
        self._words = words
        self._sums = sums
        self._found = found

    def __bool__(self) -> bool:
        return bool(self._found.any())

    def get(self, key: str) -> float:
        """What one document scores."""
        slot = self._snapshot.slot(key)
        return 0.0 if slot is None or not self._found[slot] else float(self._sums[slot])

    def best(self, size: int) -> list[str]:
        """The keys of the best, best first; of equal ones those that come first by their keys."""
        hits = np.flatnonzero(self._found)
        if size < 1 or not len(hits):
            return []
        sums, keys = self._sums[hits], self._snapshot.keys
        last = len(hits) - min(size, len(hits))
        least = np.partition(sums, last)[last]
        better, equal = hits[sums > least], hits[sums == least].tolist()
        found = zip((-self._sums[better]).tolist(), better.tolist(), strict=True)
        ranked = sorted((score, keys[slot]) for score, slot in found)
        first = nsmallest(size - len(ranked), (keys[slot] for slot in equal))
        return [*(key for _, key in ranked), *first]

    def any_of(self, keys: Iterable[str]) -> bool:
        """Whether any of these documents scores."""
        slots = map(self._snapshot.slot, keys)
        return any(slot is not None and bool(self._found[slot]) for slot in slots)

    def having(self, keys: Iterable[str]) -> dict[str, set[str]]:
        """Which of these documents have each word of the question, in the question's order."""
        slots = {key: slot for key in keys if (slot := self._snapshot.slot(key)) is not None}
        at = np.fromiter(slots.values(), np.uint32, len(slots))
        return {
            word: set(compress(slots, self._snapshot.having(at, word).tolist()))
            for word in self._words
        }


def settled(postings: Postings, keys: list[str], lengths: Numbers) -> Snapshot:
    """The snapshot of documents whose words are all in the base.

    Args:
        postings: their words.
        keys: whose each slot is; of a key that comes twice, the last one counts.
        lengths: how many words each has.
    """
    slots = {key: slot for slot, key in enumerate(keys)}
    alive = np.zeros(len(keys), np.bool_)
    alive[np.fromiter(slots.values(), np.intp, len(slots))] = True
    total, size = float(lengths[alive].sum()), len(keys)
    return Snapshot(
        base=postings,
        middle=NONE,
        recent={},
        keys=keys,
        slots=slots,
        older={},
        lengths=lengths,
        alive=alive,
        count=len(slots),
        total=total,
        settled=size,
        filed=size,
    )


def _longer(old: NDArray[_Item], size: int) -> NDArray[_Item]:
    """A copy with room for more; slots between that nobody has are not alive."""
    new = np.zeros(size, old.dtype)
    new[: len(old)] = old
    return new
