"""The calendar: which notes are of which day, and how much each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from echo_memory.retrieval.dates import Span, is_named


class Calendar:
    """For each day the keys that are of it, each with a strength from 0 to 1."""

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, float]] = {}

    def put(self, key: str, days: Iterable[tuple[str, float]]) -> None:
        """Note that a key is of some days, each with how much, beside those that it has."""
        for day, strength in days:
            self._keys.setdefault(day, {})[key] = strength

    def drop(self, key: str, days: Iterable[tuple[str, float]]) -> None:
        """Note that a key is of some days no more."""
        for day, _ in days:
            keys = self._keys.get(day, {})
            keys.pop(key, None)
            if not keys:
                self._keys.pop(day, None)

    def within(self, named: Sequence[Span]) -> dict[str, float]:
        """The keys that are of a day in one of the spans, with the greatest of their strengths."""
        found: dict[str, float] = {}
        for day, keys in list(self._keys.items()) if named else []:
            if is_named(day, named):
                # A copy, because a writer may add to it meanwhile.
                for key, strength in list(keys.items()):
                    found[key] = max(strength, found.get(key, 0.0))
        return found
