"""A head: what a note's frontmatter says and what the note is found by, in a form to be kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from echo_memory import __version__
from echo_memory.naming.handles import Handles

Head = tuple[Mapping[str, Any], Handles | None]
"""The frontmatter as data, and the handles where the note is an entity."""


def packed(head: Head) -> bytes | None:
    """A head as JSON; None where JSON would give back something else."""
    data, handles = head
    try:
        text = json.dumps([__version__, data, handles and handles.to_row()]).encode()
    except (TypeError, ValueError, RecursionError):
        return None
    return text if unpacked(text) == head else None


def unpacked(text: bytes) -> Head | None:
    """The head that was packed; None where it is none, or another version's.

    That may have read another thing in the same note.
    """
    try:
        version, data, row = json.loads(text.decode())
        if version != __version__ or not isinstance(data, dict):
            return None
        return data, row and Handles.from_row(row)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
