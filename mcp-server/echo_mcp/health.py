"""Health: what anyone may know about the running server; no text, path or title of a note."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse

from echo_memory import __version__, routing
from echo_memory.errors import EchoError, NotFound
from echo_memory.memory import Memory

_PROBES = 4


class HealthEndpoint:
    """Answers `/health` from threads of its own, so that waiting calls cannot silence it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._threads = anyio.CapacityLimiter(_PROBES)

    async def answer(self, request: Request) -> JSONResponse:
        """200 while the process serves; with `?strict=1`, 503 when the vault does not answer."""
        state = await anyio.to_thread.run_sync(status, self._memory, limiter=self._threads)
        strict = request.query_params.get("strict") == "1"
        return JSONResponse(state, status_code=503 if strict and not state["ok"] else 200)


def status(memory: Memory) -> dict[str, Any]:
    """The state of the server and its vault, in numbers."""
    reachable = _reachable(memory)
    age = memory.mirror.age_s
    outbox = _outbox(memory)
    return {
        "ok": reachable and outbox is not None,
        "version": __version__,
        "vault_reachable": reachable,
        **(outbox or {"outbox_depth": None, "outbox_oldest_s": None, "parked": None}),
        "index_notes": memory.catalog.note_count,
        "index_age_s": None if age is None else round(age, 1),
        "last_backup_age_s": None,
        "last_sweep": None,
        "last_decay": None,
        "alerts": [],
    }


def _outbox(memory: Memory) -> dict[str, Any] | None:
    """The figures of the outbox; None when it cannot be read."""
    try:
        status = memory.outbox.status()
    except EchoError:
        return None
    oldest = (memory.clock() - status.oldest).total_seconds() if status.oldest else None
    return {
        "outbox_depth": status.waiting,
        "outbox_oldest_s": None if oldest is None else round(max(0.0, oldest), 1),
        "parked": status.parked,
    }


def _reachable(memory: Memory) -> bool:
    """Whether the vault answers, and is not an empty mount point where it used to be."""
    try:
        memory.vault.probe()
        memory.vault.stamp(routing.table().fixed["marker"].path)
    except NotFound:
        return not memory.acquaintance.is_made()
    except EchoError:
        return False
    return True
