"""The key filter: keys that were seen, remembered in a room that does not grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BITS_LOG2, _MARKS = 28, 8


class KeyFilter:
    """A Bloom filter (Bloom 1970), its places by double hashing (Kirsch and Mitzenmacher 2006).

    It takes 32 MiB. A key that was never added is taken for one that was by chance: with two
    million keys in it once in billions of times, with twenty million once in hundreds.
    """

    def __init__(self) -> None:
        self._bytes = np.zeros(1 << _BITS_LOG2 - 3, np.uint8)

    def seen(self, keys: Sequence[bytes]) -> list[bytes]:
        """Those of the keys that may have been added; every one that was is among them."""
        byte, bit = _places(keys)
        marked: NDArray[np.bool_] = np.all(self._bytes[byte] & bit, axis=1)
        return [keys[number] for number in np.flatnonzero(marked).tolist()]

    def add(self, keys: Sequence[bytes]) -> None:
        """Remember keys."""
        byte, bit = _places(keys)
        np.bitwise_or.at(self._bytes, byte.ravel(), bit.ravel())


def _places(keys: Sequence[bytes]) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Per key the bytes and the bits of its marks; a key is a hash itself, of 16 bytes."""
    halves = np.frombuffer(b"".join(keys), "<u8").reshape(-1, 2)
    steps = np.arange(_MARKS, dtype=np.uint64)
    mixed = halves[:, :1] + steps * (halves[:, 1:] | np.uint64(1))
    places = mixed >> np.uint64(64 - _BITS_LOG2)
    bit = np.left_shift(1, places & np.uint64(7), dtype=np.uint64).astype(np.uint8)
    return (places >> np.uint64(3)).astype(np.intp), bit
