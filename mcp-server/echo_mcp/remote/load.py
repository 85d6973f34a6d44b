"""The load that gets through: how large a request may be, and how long one takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

from echo_mcp.remote import wire
from echo_mcp.remote.visitor import Answer, Unanswered, Visitor
from echo_memory.ops.health import Check

SLOW_S = 2.0

_TIMES = 5
# The server takes 2 MB; a proxy in front often takes less by itself, nginx 1 MB.
_LARGE, _TOO_LARGE = 1_900_000, 2_200_000
_OK, _ENTITY_TOO_LARGE = 200, 413
_TOOL = "echo_recall"


def checks(visitor: Visitor) -> Iterator[Check]:
    """Large requests, then some usual ones."""
    yield _large(visitor)
    yield _too_large(visitor)
    yield _latency("health", lambda: visitor.get(visitor.beside("/health")))
    call = wire.request("tools/call", name=_TOOL, arguments={"query": "doctor", "limit": 1})
    yield _latency("calls", lambda: visitor.post(call))


def _large(visitor: Visitor) -> Check:
    answer = visitor.post(wire.ping().ljust(_LARGE))
    good = answer.status == _OK
    return Check(
        "large requests",
        ok=good,
        detail=f"one of {_LARGE / 1e6:.1f} MB is answered {answer.status}",
        fix=""
        if good
        else "Raise the proxy's limit of a body to 3 MB (nginx: client_max_body_size 3m).",
    )


def _too_large(visitor: Visitor) -> Check:
    try:
        status = str(visitor.post(wire.ping().ljust(_TOO_LARGE)).status)
    except Unanswered:
        # Who refuses before all has arrived may close the connection meanwhile.
        status = "by a closed connection"
    good = status != str(_OK)
    return Check(
        "too large requests",
        ok=good,
        detail=f"one of {_TOO_LARGE / 1e6:.1f} MB is answered {status}",
        fix="" if good else f"The server itself refuses it with {_ENTITY_TOO_LARGE}: update it.",
    )


def _latency(what: str, ask: Callable[[], Answer]) -> Check:
    answers = [ask() for _ in range(_TIMES)]
    middle = median(answer.took for answer in answers)
    failed = [answer.status for answer in answers if answer.status != _OK]
    detail = f"{_TIMES} {what}, p50 {middle * 1000:.0f} ms"
    if failed:
        fix = "See the server's log, and whether something in front limits requests."
        return Check("latency", ok=False, detail=f"{detail}; {len(failed)} failed", fix=fix)
    if middle > SLOW_S:
        fix = "See `ms=` in the server's log: if it is small there, the way is slow."
        return Check("latency", ok=False, detail=detail, fix=fix)
    return Check("latency", ok=True, detail=detail)
