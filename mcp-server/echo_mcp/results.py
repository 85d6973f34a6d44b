"""Results: an envelope as the answer to a tool call, and the error map of this door."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mcp_types import CallToolResult, TextContent

from echo_memory.envelope import GATED, LOCKED, Envelope, failure, is_failure
from echo_memory.errors import EchoError, Misconfigured, VaultUnreachable
from echo_memory.report import text_of

OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "op": {"type": "string"},
        "action": {"type": "string"},
        "error": {"type": "object"},
    },
    "required": ["ok", "op"],
}
"""What success and failure have in common; some clients check both against it."""

_UNREACHABLE = (
    "vault unreachable (Obsidian/REST plugin likely down); proceed without memory,"
    " writes will queue server-side"
)
_NO_CREDENTIALS = (
    "server deployment is missing vault credentials (operator: check the deployment's environment)"
)
_CRASHED = (
    "This call failed unexpectedly; the server goes on. Try once more, else tell the operator to"
    " look for {reference} in the server's log."
)


def answer(envelope: Envelope, words: Callable[[Envelope], str] = text_of) -> CallToolResult:
    """An envelope as data and in words; each carries the whole answer."""
    sound: Envelope = _sound(envelope)
    return CallToolResult(
        content=[TextContent(type="text", text=words(sound))],
        structured_content=sound,
        is_error=is_failure(sound),
    )


def refused(op: str, error: EchoError) -> CallToolResult:
    """An operation that raised, told without anything that belongs to the host."""
    return answer(failure(op, _for_the_model(error)))


def crashed(op: str, reference: str) -> CallToolResult:
    """A fault of ours; what happened is in the log under the same reference."""
    return answer(failure(op, EchoError(_CRASHED.format(reference=reference), reference=reference)))


def outcome(result: CallToolResult) -> str:
    """How a call ended, in one word for the log: ok, queued, gated or error."""
    envelope = result.structured_content or {}
    if result.is_error:
        return "error"
    if envelope.get("action") in (GATED, LOCKED):
        return "gated"
    return "queued" if envelope.get("queued") else "ok"


def _for_the_model(error: EchoError) -> EchoError:
    if isinstance(error, VaultUnreachable):
        return VaultUnreachable(_UNREACHABLE)
    if isinstance(error, Misconfigured):
        return Misconfigured(_NO_CREDENTIALS)
    return error


def _sound(value: Any) -> Any:
    """A value as JSON can send it: half a surrogate pair and infinity cannot be, nor can a date."""
    if isinstance(value, dict):
        return {_sound(str(key)): _sound(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(item) for item in value]
    if isinstance(value, str):
        return _without_halves(value)
    if value is None or isinstance(value, bool | int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


def _without_halves(text: str) -> str:
    """A text in which U+FFFD stands for every lone half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
