"""The vitals: whether a memory server answers at `/health`, and whether all is well there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from echo_mcp.remote.visitor import Visitor
from echo_memory.ops.health import Check

_OK, _DEGRADED = 200, 503


def checks(visitor: Visitor) -> Iterator[Check]:
    """Whether it serves, and whether it is in order."""
    answer = visitor.get(visitor.beside("/health"))
    told = _told(answer.content)
    if answer.status != _OK or not told:
        yield Check(
            "health",
            ok=False,
            detail=f"/health answers {answer.status}, and not as this server does",
            fix="Have the proxy forward /health beside /mcp, to the same server. Is the server up?",
        )
        return
    yield Check("health", ok=True, detail=f"version {visitor.shown(told['version'])} serves")
    strict = visitor.get(visitor.beside("/health?strict=1"))
    yield _order(visitor, strict.status, _told(strict.content))


def _order(visitor: Visitor, status: int, told: dict[str, Any]) -> Check:
    if status == _OK and told.get("ok") is True:
        return Check("in order", ok=True, detail="/health?strict=1 answers 200")
    if status == _DEGRADED and told:
        alerts = told.get("alerts") if isinstance(told.get("alerts"), list) else []
        wrong = ["the vault is away"] if told.get("vault_reachable") is False else []
        said = "; ".join([*wrong, *map(str, alerts or ())]) or "something does not work"
        return Check(
            "in order",
            ok=False,
            detail=f"the server says: {visitor.shown(said)}",
            fix="Run `echo-mcp doctor` and `echo-mcp upkeep` where the server runs.",
        )
    return Check(
        "in order",
        ok=False,
        detail=f"/health?strict=1 answers {status}",
        fix="Have the proxy pass the query on, and neither cache nor replace what /health answers.",
    )


def _told(content: Any) -> dict[str, Any]:
    known = isinstance(content, dict) and {"ok", "version", "vault_reachable"} <= set(content)
    return content if known else {}
