"""A head: what a note's frontmatter says and what the note is found by, in a form to be kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from echo_memory import __version__
from echo_memory.naming.handles import Handles

_decoded = json.JSONDecoder().raw_decode  # `loads` takes half as long again for something so short


class Head(NamedTuple):
    """What was read of a note.

    Attributes:
        data: the frontmatter.
        title: what the note is called.
        handles: what it is found by, where it is an entity.
    """

    data: Mapping[str, Any]
    title: str
    handles: Handles | None


def packed(head: Head) -> bytes | None:
    """A head as JSON; None where JSON would give back something else."""
    data, title, handles = head
    try:
        row = [__version__, title, handles and handles.to_row(), data]
        text = json.dumps(row).encode()
    except (TypeError, ValueError, RecursionError):
        return None
    return text if unpacked(text) == head else None


def unpacked(text: bytes) -> Head | None:
    """The head that was packed; None where it is none, or another version's.

    That may have read another thing in the same note.
    """
    try:
        written = text.decode()
        (version, title, row, data), end = _decoded(written)
        if version != __version__ or end != len(written):
            return None
        if not isinstance(data, dict) or not isinstance(title, str):
            return None
        return Head(data, title, row and Handles.from_row(row))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
