"""The jobs of upkeep: what each does, and when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time, timedelta
from threading import Event

from echo_mcp.backups.making import back_up
from echo_mcp.upkeep.schedule import Daily, Every
from echo_mcp.upkeep.timer import Job, Timer
from echo_memory.ledger import BACKUP, DECAY, SWEEP, Ledger
from echo_memory.locks import PathLocks
from echo_memory.memory import Memory
from echo_memory.ops.decay import decay_op
from echo_memory.ops.sweep import sweep_op
from echo_memory.queueing import flush

REFRESH, FLUSH = "refresh", "flush"

_NIGHT, _EARLY, _SUNDAY = time(3, 10), time(4, 20), 6
_HOUR, _PAST = timedelta(hours=1), timedelta(minutes=40)


NAMES = (REFRESH, FLUSH, BACKUP, SWEEP, DECAY)


def jobs(memory: Memory, stopping: Event) -> tuple[Job, ...]:
    """All jobs; those without a schedule are done by the follower, and here by hand only.

    Args:
        memory: what they work on.
        stopping: set when a long one is to end early.
    """
    zone = memory.config.zone
    return (
        Job(REFRESH, None, lambda: _refresh(memory)),
        Job(FLUSH, None, lambda: _flush(memory)),
        Job(BACKUP, Daily(_NIGHT, zone), lambda: back_up(memory, stopping).found),
        Job(SWEEP, Every(_HOUR, _PAST), lambda: _sweep(memory)),
        Job(DECAY, Daily(_EARLY, zone, _SUNDAY), lambda: _decay(memory)),
    )


def timer(memory: Memory) -> Timer:
    """What runs them over a memory."""
    ledger, stopping = Ledger.of(memory.config), Event()
    turns = PathLocks(memory.config.state_dir / "turns", wait=0)
    return Timer(jobs(memory, stopping), ledger, turns, memory.clock, stopping)


def _refresh(memory: Memory) -> Mapping[str, int]:
    memory.mirror.refresh()
    return {"notes": memory.catalog.note_count}


def _flush(memory: Memory) -> Mapping[str, int]:
    flushed = flush(memory)
    return {"done": flushed.done, "parked": flushed.parked, "left": flushed.left}


def _sweep(memory: Memory) -> Mapping[str, int]:
    answer = sweep_op(memory, fast=True)
    return {"violations": sum(answer["counts"].values()), "new": answer["new"]}


def _decay(memory: Memory) -> Mapping[str, int]:
    answer = decay_op(memory)
    return {"proposals": len(answer["proposals"]) + answer["omitted"]}
