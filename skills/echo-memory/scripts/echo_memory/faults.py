"""Faults: an error in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echo_memory.lines import one_line

_LISTS = {
    "did_you_mean": "Did you mean",
    "headings": "Headings there are",
    "blocks": "Blocks there are",
    "keys": "Keys there are",
    "paths": "Paths",
    "candidates": "Candidates",
    "choices": "Accepted",
    "faults": "Faults",
}


def fault(error: Mapping[str, Any]) -> str:
    """An error as an envelope holds it; the first line has its code, what it is about, the way out.

    The lists in it follow, one a line.
    """
    about = error.get("field") or error.get("path")
    named = f" ({one_line(about)})" if about else ""
    message = str(error["message"]).removeprefix(f"{about}: ")
    lists = [
        f"{label}: {'; '.join(map(_name, error[key]))}"
        for key, label in _LISTS.items()
        if error.get(key) and not all(str(value) in message for value in error[key])
    ]
    return "\n".join([f"{error['code']}{named}: {one_line(message)}", *lists])


def _name(value: object) -> str:
    """One entry of a list in an error; an entity by its id and path."""
    return f"{value['slug']} ({value['path']})" if isinstance(value, Mapping) else one_line(value)


def offline(fields: Mapping[str, Any]) -> str:
    """That an answer is of the last copy; empty where it is not."""
    if not fields.get("offline"):
        return ""
    return f"Offline: the vault is away. This is of the last copy, {_age(fields['age_s'])} old."


def queued(envelope: Mapping[str, Any]) -> str:
    """That a write is kept until the vault is back."""
    return (
        f"Queued as {envelope['queue_id']}: the vault is away, or earlier writes still wait for it."
        " This one is kept and made by itself, in its order, once the vault is back; do not repeat"
        " it."
    )


def _age(seconds: int) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{seconds} seconds"
