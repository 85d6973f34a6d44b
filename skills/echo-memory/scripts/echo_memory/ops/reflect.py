"""Reflect: file what a conversation taught, once the operator agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echo_memory import arguments, writing
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory
from echo_memory.proposal import parse_list


def apply_op(
    echo: Memory, proposals: Sequence[Mapping[str, Any]], *, apply: bool = False
) -> Envelope:
    """Preview proposals, or with `apply` put each through capture.

    Returns:
        `action` (`preview` or `applied`), `results`, one for each proposal in order: capture's
        fields, or `ok: false` with candidates or an error; and `filed`, how many of them succeeded
        or would.

    Raises:
        BadRequest: any proposal is malformed; then none is applied.
    """
    parsed = parse_list(proposals, "proposals")
    applying = arguments.flag(apply, "apply")
    warnings = echo.refresh(writing=applying)
    batch = writing.Batch(echo, apply=applying)
    results = [batch.attempt(proposal) for proposal in parsed]
    filed = sum(1 for result in results if result["ok"])
    action = "applied" if applying else "preview"
    return success("reflect", action=action, results=results, filed=filed, warnings=warnings)
