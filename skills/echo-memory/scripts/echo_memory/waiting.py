"""Waiting: the outbox in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from echo_memory.lines import indented, one_line

_Fields = Mapping[str, Any]

_HEADS = {"show": "", "drop": "Dropped for good: "}


def outbox(envelope: _Fields) -> str:
    """What waits, one entry, or what became of those that were replayed."""
    action = envelope["action"]
    if action == "list":
        return _list(envelope)
    if action == "adopt":
        return f"Taken over: {envelope['adopted']}. The next load or write makes them."
    if action == "retry":
        return (
            f"Written now: {envelope['done']}. Parked: {envelope['parked']}."
            f" Still waiting: {envelope['left']}."
        )
    if envelope["state"] == "damaged":
        return f"{_HEADS[action]}{envelope['id']}, which was damaged."
    given = [f"{key}: {_value(value)}" for key, value in envelope["arguments"].items()]
    return "\n".join([f"{_HEADS[action]}{_line(envelope)}", indented("\n".join(given))])


def _list(envelope: _Fields) -> str:
    entries = envelope["entries"]
    others = [
        f"For {one_line(address)} there are {number} more; if that is this vault by another"
        f" address, `outbox adopt {one_line(address)}` takes them over."
        for address, number in envelope["elsewhere"].items()
    ]
    if not entries:
        return "\n".join(["The outbox is empty.", *others])
    lines = [f"Waiting: {envelope['waiting']}. Parked: {envelope['parked']}.", *map(_line, entries)]
    left_out = envelope["waiting"] + envelope["parked"] - len(entries)
    if left_out > 0:
        lines.append(f"… and {left_out} more.")
    return "\n".join([*lines, *others])


def _line(entry: _Fields) -> str:
    about = f" {one_line(entry['about'])}" if entry["about"] else ""
    why = f" ({one_line(entry['why'])})" if entry["why"] else ""
    return f"{entry['id']}. {entry['state']}: {entry['operation']}{about}, {entry['accepted']}{why}"


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
