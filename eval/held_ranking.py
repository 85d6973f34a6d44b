"""A ranking of documents that a test holds whole: each is read when a question looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from echo_memory.ranking import Document, Ranking
from echo_memory.retrieval.inverted import DictInverted, Inverted
from echo_memory.retrieval.reading import Reading, reading


class HeldRanking(Ranking):
    """See Ranking; what is put is also what is read."""

    def __init__(self, inverted: Inverted | None = None) -> None:
        self._documents: dict[str, Document] = {}
        super().__init__(DictInverted() if inverted is None else inverted, read=self._read_them)

    def put(self, key: str, document: Document) -> None:
        self._documents[key] = document
        super().put(key, document)

    def _read_them(self, keys: Sequence[str]) -> Mapping[str, Reading]:
        found = ((key, self._documents[key]) for key in keys)
        return {key: reading(document, document.body) for key, document in found}
