"""The scratch folder: where a benchmark makes what it measures, gone at its end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch(parent: Path | None) -> Iterator[Path]:
    """A new folder for as long as it is needed.

    Args:
        parent: what it is made in, and is made if it is not there; None for the system's place.
    """
    if parent is not None:
        parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        yield Path(folder)
