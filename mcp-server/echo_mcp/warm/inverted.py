"""The live inverted index: rank_bm25's BM25+ over postings that change one document at a time.

The package's own class goes through all documents for each word of a question, and is built anew
for each change. This one keeps its formula and parameters, and looks only where a word is.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Plus

from echo_mcp.warm import index_file
from echo_mcp.warm.postings import gathered
from echo_mcp.warm.snapshot import Rates, SlotScores, Snapshot, settled
from echo_memory.retrieval import bm25

SETTLE_AFTER = 1000


class LiveInverted(BM25Plus):
    """An inverted index in arrays; fulfils `Inverted` of the core.

    Any number of threads may read: each call sees the documents as they were at one moment.
    Threads that write take turns. Scores in a question are the core's, which give `delta` only to
    documents that have the word; `get_scores` is the package's, which gives it to all.
    """

    def __init__(
        self,
        items: Iterable[tuple[str, Mapping[str, float]]] = (),
        *,
        k1: float = bm25.K1,
        b: float = bm25.B,
        delta: float = bm25.DELTA,
        settle_after: int = SETTLE_AFTER,
    ) -> None:
        """An index of documents.

        Args:
            items: keys, and how often each has each of its words, in multiples of a half; of a key
                that comes twice, the last one counts.
            k1: how slowly more of the same word counts less.
            b: how much a long document's words count less, from 0 to 1.
            delta: what having a word counts, however long the document is.
            settle_after: how many changes are kept beside the others at least.
        """
        self._writing = threading.Lock()
        self.digest = ""  # of the file that it was loaded from
        self._rates = Rates(k1, b, delta)
        self._settle_after = settle_after
        super().__init__(items, None, k1, b, delta)

    @classmethod
    def load(cls, path: Path) -> Self | None:
        """The index that was saved; None where none was, or not all of it can be read.

        Args:
            path: where.
        """
        loaded = index_file.load(path)
        if loaded is None:
            return None
        index = cls()
        snapshot, index.digest = loaded
        index._take(snapshot)
        return index

    def save(self, path: Path) -> str:
        """Keep the index as it is at this moment; nobody waits meanwhile.

        Args:
            path: where; until all of it is on the disk, the file is what it was.

        Returns:
            The digest by which the file is known.

        Raises:
            OSError: it cannot be written.
        """
        before = self._snapshot
        settled_now = before.settle() if before.waste else before
        digest = index_file.save(path, settled_now)
        with self._writing:
            if self._snapshot is before:
                self._take(settled_now)
        return digest

    def __len__(self) -> int:
        return self._snapshot.count

    def __contains__(self, key: str) -> bool:
        return self._snapshot.slot(key) is not None

    @property
    def keys(self) -> list[str]:
        """The keys of the documents, in the order of `get_scores`."""
        return self._snapshot.ordered_keys

    def put(self, key: str, counts: Mapping[str, float]) -> None:
        """Add a document, or replace the one of this key.

        Args:
            key: whose words they are.
            counts: how often it has each of its words; multiples of a half.
        """
        with self._writing:
            self._change(self._snapshot.with_document(key, counts))

    def drop(self, key: str) -> None:
        """Forget a document; an unknown key is no error."""
        with self._writing:
            self._change(self._snapshot.without(key))

    def containing(self, word: str) -> int:
        """How many documents have a word."""
        return self._snapshot.containing(word)

    def beginning(self, letter: str) -> list[str]:
        """The words that begin with a letter; some may be those of documents that are no more."""
        return self._snapshot.beginning(letter)

    def has(self, key: str, word: str) -> bool:
        """Whether a document has a word."""
        snapshot = self._snapshot
        slot = snapshot.slot(key)
        return slot is not None and snapshot.has(slot, word)

    def scores(self, weights: Mapping[str, float]) -> SlotScores:
        """BM25+ scores of the documents.

        Args:
            weights: what each word of the question is worth.
        """
        snapshot = self._snapshot
        return SlotScores(snapshot, tuple(weights), *snapshot.sums(weights, self._rates))

    def get_scores(self, query: Iterable[str]) -> NDArray[np.float64]:
        """The scores that the package gives, in the order of `keys`.

        Args:
            query: words; one that comes twice counts twice.
        """
        snapshot, everywhere = self._snapshot, 0.0
        weights: dict[str, float] = {}
        for word, times in Counter(query).items():
            if containing := snapshot.containing(word):
                weights[word] = times * log((snapshot.count + 1) / containing)
                everywhere += weights[word] * self._rates.delta
        sums, _ = snapshot.sums(weights, Rates(self._rates.k1, self._rates.b, 0.0))
        return sums[snapshot.ordered] + everywhere

    def get_batch_scores(self, query: Iterable[str], doc_ids: Sequence[int]) -> list[float]:
        """The scores that the package gives, of some documents.

        Args:
            query: words; one that comes twice counts twice.
            doc_ids: their places in `keys`.
        """
        scores: list[float] = self.get_scores(query)[list(doc_ids)].tolist()
        return scores

    def _change(self, snapshot: Snapshot) -> None:
        self._take(snapshot.tidied(self._settle_after))

    def _take(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.corpus_size, self.avgdl = snapshot.count, snapshot.average

    def _initialize(self, corpus: Iterable[tuple[str, Mapping[str, float]]]) -> None:
        """What the base class asks for when it is built."""
        keys: list[str] = []

        def counts() -> Iterable[Mapping[str, float]]:
            for key, counted in corpus:
                keys.append(key)
                yield counted

        postings, lengths = gathered(counts())
        self._take(settled(postings, keys, lengths))

    def _calc_idf(self, _: None) -> None:
        """How rare a word is follows from its row, whenever it is asked for."""
