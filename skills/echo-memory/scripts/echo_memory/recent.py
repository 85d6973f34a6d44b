"""The recent: the values that were put last, as many as may be held."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Values by key; any number of threads may use them, and none waits."""

    def __init__(self, most: int) -> None:
        """None yet.

        Args:
            most: how many are held; a few more, while several threads put some.
        """
        self._most = most
        self._held: dict[str, Value] = {}

    def __len__(self) -> int:
        return len(self._held)

    def get(self, key: str) -> Value | None:
        """The value of a key, where it is held."""
        return self._held.get(key)

    def put(self, key: str, value: Value) -> None:
        """Hold a value; the oldest one makes room for it."""
        if len(self._held) >= self._most:
            try:
                oldest = next(iter(self._held), key)
            except RuntimeError:  # another thread changes them just now
                return
            self._held.pop(oldest, None)
        self._held[key] = value

    def pop(self, key: str) -> None:
        """Hold no value of a key; an unknown key is no error."""
        self._held.pop(key, None)
