"""Reflect: file what a conversation taught, once the operator agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echo_memory import arguments, shared_index, writing
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory
from echo_memory.proposal import Proposal, parse_list
from echo_memory.queueing import queued


@queued("reflect", writes=lambda given: bool(given.get("apply")))
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
    if not applying:
        view = echo.look()
        return _reflected(echo, parsed, "preview", warnings=view.warnings, **view.fields)
    echo.prepare()
    return shared_index.published_once(echo, lambda batch: _reflected(batch, parsed, "applied"))


def _reflected(echo: Memory, proposals: Sequence[Proposal], action: str, **fields: Any) -> Envelope:
    batch = writing.Batch(echo, apply=action == "applied")
    results = [batch.attempt(proposal) for proposal in proposals]
    filed = sum(1 for result in results if result["ok"])
    return success("reflect", action=action, results=results, filed=filed, **fields)
