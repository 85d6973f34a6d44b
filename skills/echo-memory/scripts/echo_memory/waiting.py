"""Waiting: the outbox in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from echo_memory.lines import indented, one_line
from echo_memory.outcomes import captured, results, session

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
        more = " See `outbox` for the reasons." if envelope["parked"] else ""
        return (
            f"Written now: {envelope['done']}. Parked again: {envelope['parked']}.{more}"
            f" Still waiting for the vault: {envelope['left']}."
        )
    if envelope["state"] == "damaged":
        return f"{_HEADS[action]}{envelope['id']}, which was damaged."
    given = [f"{key}: {_value(value)}" for key, value in envelope["arguments"].items() if value]
    lines = [f"{_HEADS[action]}{_line(envelope)}", indented("\n".join(given))]
    return "\n".join([*lines, *_outcome(envelope["outcome"])])


def _outcome(outcome: _Fields) -> list[str]:
    """What the vault said to it, with the ways out."""
    if not outcome:
        return []
    if "steps" in outcome:
        return ["It came to this:", indented(session(outcome))]
    if "results" in outcome:
        return ["It came to this:", indented(results(outcome))]
    return ["It came to this:", indented(captured(outcome))]


def _list(envelope: _Fields) -> str:
    entries = envelope["entries"]
    others = [
        f"For {one_line(address)}: {number} more. If that is this vault by another address,"
        f" `outbox adopt {one_line(address)}` takes them over."
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
