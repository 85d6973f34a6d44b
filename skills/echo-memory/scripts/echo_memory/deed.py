"""The deed: the operation that is at work, as the history tells of it.

Between an operation and the vault that it writes to are layers that know of neither. So it is held
beside the calls, for each thread its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

_REPLACING = {"backup restore", "delete", "migrate", "patch", "put", "restore"}


@dataclass
class Deed:
    """One run of an operation.

    Attributes:
        op: its name; empty where nobody said one.
        keeps: whether the text before each of its changes is kept, though nothing is lost by it.
        written: what it wrote last to each note.
        began: the text of each note before it, as long as nothing of that was lost, and whether
            that is kept all the same.
        warnings: for its answer.
    """

    op: str = ""
    keeps: bool = False
    written: dict[str, str] = field(default_factory=dict, repr=False)
    began: dict[str, tuple[str, bool]] = field(default_factory=dict, repr=False)
    warnings: list[str] = field(default_factory=list)


_current: ContextVar[Deed | None] = ContextVar("deed", default=None)


def current() -> Deed:
    """The deed of this thread; one of its own for a call that is part of none."""
    return _current.get() or Deed()


@contextmanager
def doing(op: str) -> Iterator[Deed]:
    """Make all that is written until the end part of one run of an operation."""
    deed = Deed(op, keeps=op in _REPLACING)
    token = _current.set(deed)
    try:
        yield deed
    finally:
        _current.reset(token)


@contextmanager
def keeping() -> Iterator[None]:
    """Have the text before each change kept until the end, though nothing is lost by it."""
    deed = current()
    before, deed.keeps = deed.keeps, True
    try:
        yield
    finally:
        deed.keeps = before
