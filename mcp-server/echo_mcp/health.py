"""Health: what anyone may know about the running server; no text, path or title of a note."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse

from echo_archive.reading import Archive
from echo_mcp.archive.opening import message_count
from echo_mcp.backups.shelf import Shelf
from echo_mcp.upkeep.staff import Staff
from echo_memory import __version__, alarms
from echo_memory.errors import EchoError, NotFound
from echo_memory.ledger import DECAY, SWEEP, Ledger, Run
from echo_memory.memory import Memory, marker_path

_PROBES = 4


class HealthEndpoint:
    """Answers `/health` from threads of its own, so that waiting calls cannot silence it."""

    def __init__(self, state: Callable[[], dict[str, Any]]) -> None:
        self._state = state
        self._threads = anyio.CapacityLimiter(_PROBES)

    async def answer(self, request: Request) -> JSONResponse:
        """200 while the process serves; with `?strict=1`, 503 when something does not work."""
        state = await anyio.to_thread.run_sync(self._state, limiter=self._threads)
        strict = request.query_params.get("strict") == "1"
        status_code = 503 if strict and not state["ok"] else 200
        # Whatever stands in front must not show a monitor yesterday's health.
        return JSONResponse(state, status_code, headers={"Cache-Control": "no-store"})


def archive_status(archive: Archive) -> dict[str, Any]:
    """The state of a server of the message archive alone."""
    held = message_count(archive)
    return {"ok": held is not None, "version": __version__, "archive_messages": held}


def status(staff: Staff, archive: Archive | None = None) -> dict[str, Any]:
    """The state of the server, its vault, its upkeep and its archive if any, in numbers."""
    memory = staff.memory
    reachable = _reachable(memory)
    age = memory.mirror.age_s
    outbox = _outbox(memory)
    page = Ledger.of(memory.config).read()
    active = {*staff.alarms.active, *([alarms.FAILING] if staff.failing else [])}
    messages = {} if archive is None else {"archive_messages": message_count(archive)}
    works = reachable and outbox is not None and None not in messages.values()
    return {
        "ok": works and not active - alarms.NOTICES,
        "version": __version__,
        "vault_reachable": reachable,
        **(outbox or {"outbox_depth": None, "outbox_oldest_s": None, "parked": None}),
        "index_notes": memory.catalog.note_count,
        "index_age_s": None if age is None else round(age, 1),
        "last_backup_age_s": _backup_age(memory),
        "last_sweep": _described(page.run(SWEEP)),
        "last_decay": _described(page.run(DECAY)),
        **messages,
        "alerts": sorted(active),
    }


def _described(run: Run) -> dict[str, Any] | None:
    """When a job last came to its end, what it found, and what keeps it from its end now."""
    if run.done is None and not run.error:
        return None
    at = run.done.isoformat(timespec="seconds") if run.done else None
    return {"at": at, **run.found, "error": run.error or None}


def _backup_age(memory: Memory) -> float | None:
    """Seconds since the newest backup that there is."""
    now = memory.clock()
    newest = Shelf.of(memory.config).newest(now)
    return None if newest is None else round((now - newest.made).total_seconds(), 1)


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
        memory.vault.stamp(marker_path())
    except NotFound:
        return not memory.acquaintance.is_made()
    except EchoError:
        return False
    return True
