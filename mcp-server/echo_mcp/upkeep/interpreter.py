"""The interpreter: how Python is set for many threads and for much that stays in memory."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_S = 0.0005
"""How long a thread that only computes keeps the others waiting.

A call gives the interpreter away at each of its reads and writes and waits this long to have it
back while an index is written beside it; with Python's 5 ms that was most of the call.
"""
COLLECT_AFTER = (100_000, 50, 100)
"""Objects are looked through for cycles less often, for nearly all that is made here stays."""


@contextmanager
def set_for_a_server() -> Iterator[None]:
    """Until the block ends."""
    before = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(*COLLECT_AFTER)
    try:
        yield
    finally:
        sys.setswitchinterval(before[0])
        gc.set_threshold(*before[1])
