"""The envelope: the one shape in which every operation answers."""

from __future__ import annotations

from typing import Any

from echo_memory.errors import EchoError

Envelope = dict[str, Any]

GATED, LOCKED = "duplicate-gate", "lock-held"

_EXIT_BY_ACTION = {GATED: 76, LOCKED: 75}
_EXIT_BY_CODE = {kind.code: kind.exit_status for kind in EchoError.__subclasses__()}


def success(op: str, *, warnings: list[str] | None = None, **fields: Any) -> Envelope:
    """An operation that was done; `warnings` stay out of the envelope when there are none."""
    envelope: Envelope = {"ok": True, "op": op, **fields}
    if warnings:
        envelope["warnings"] = warnings
    return envelope


def warned(envelope: Envelope, warnings: list[str]) -> Envelope:
    """An answer with warnings beside those that it has."""
    every = [*envelope.get("warnings", ()), *warnings]
    return {**envelope, "warnings": every} if every else envelope


def failure(op: str, error: EchoError) -> Envelope:
    """An operation that raised."""
    return {"ok": False, "op": op, "error": error.as_dict()}


def exit_status(envelope: Envelope) -> int:
    """The command line's exit status for an answer."""
    if envelope["ok"]:
        return 0
    if "error" in envelope:
        return _EXIT_BY_CODE.get(str(envelope["error"]["code"]), EchoError.exit_status)
    return _EXIT_BY_ACTION.get(str(envelope.get("action")), EchoError.exit_status)


def is_failure(envelope: Envelope) -> bool:
    """Whether the answer is an error, and not one of the deliberate refusals (gate, lock)."""
    return not envelope["ok"] and envelope.get("action") not in _EXIT_BY_ACTION
