"""The interpreter: how Python is set for many threads and for much that stays in memory."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SWITCH_S = 0.0001
"""How long a thread that only computes keeps the others waiting.

A call gives the interpreter away at each of its reads and writes and waits this long to have it
back while an index is written beside it; with Python's 5 ms that was most of the call.
"""
COLLECT_AFTER = (100_000, 50, 100)
"""Objects are looked through for cycles less often, for nearly all that is made here stays."""
ARENAS = 2
"""How many heaps glibc makes for all threads: what one of them frees no other one uses."""

_M_ARENA_MAX = -8


@contextmanager
def set_for_a_server() -> Iterator[None]:
    """Until the block ends; the number of heaps stays."""
    _ask_the_allocator("mallopt", _M_ARENA_MAX, ARENAS)
    before = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(*COLLECT_AFTER)
    try:
        yield
    finally:
        sys.setswitchinterval(before[0])
        gc.set_threshold(*before[1])


def give_back_memory() -> None:
    """Return to the system what was freed; after much work that is as much as what is in use."""
    _ask_the_allocator("malloc_trim", 0)


def _ask_the_allocator(function: str, *values: int) -> None:
    """Call a function of glibc; another library of C does without."""
    with suppress(OSError, AttributeError):
        getattr(ctypes.CDLL(None), function)(*map(ctypes.c_int, values))
