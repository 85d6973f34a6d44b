"""A head: a note's frontmatter as data, in a form that can be kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def packed(head: Mapping[str, Any]) -> bytes | None:
    """A head as JSON; None where JSON would give back something else."""
    try:
        text = json.dumps(head)
    except (TypeError, ValueError, RecursionError):
        return None
    return text.encode() if json.loads(text) == head else None


def unpacked(data: bytes | str) -> dict[str, Any]:
    """The head that was packed.

    Raises:
        ValueError: it is none.
    """
    head = json.loads(data)
    if not isinstance(head, dict):
        raise ValueError("a head is an object")  # noqa: TRY004 - like what does not parse
    return head
