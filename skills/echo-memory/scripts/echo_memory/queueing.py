"""Queueing: writes that the vault cannot take now wait in the outbox, and are replayed in order.

What waits is the operation with the instant at which it was accepted. Every operation can be
repeated without doubling anything, so one that broke off half-way is simply run again.
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Concatenate, ParamSpec

from echo_memory.attempt import Attempt
from echo_memory.deed import doing
from echo_memory.envelope import Envelope, failure, warned
from echo_memory.errors import (
    EchoError,
    Misconfigured,
    NotBootstrapped,
    VaultIO,
    VaultUnreachable,
)
from echo_memory.locks import Busy
from echo_memory.memory import Memory
from echo_memory.outbox_entry import Entry
from echo_memory.shared_index import Later, publish

MAX_TRIES, HOLDS_UP = 5, timedelta(hours=1)
"""How often, and for how long, the vault may refuse to store a write that holds up the others."""

_BRIEFLY_S = 5.0

_P = ParamSpec("_P")
_Operation = Callable[Concatenate[Memory, _P], Envelope]
_Given = Mapping[str, Any]

_OPERATIONS: dict[str, Callable[..., Envelope]] = {}


def _always(_: _Given) -> bool:
    """For operations that always write."""
    return True


def queued(
    name: str, *, writes: Callable[[_Given], bool] = _always
) -> Callable[[_Operation[_P]], _Operation[_P]]:
    """Make an operation one that waits in the outbox while the vault is down.

    It must check its arguments before `echo.prepare()`, and take only what JSON can carry.

    Args:
        name: what the outbox calls it.
        writes: whether a call with these arguments writes; one that does not is never kept.
    """

    def decorate(operation: _Operation[_P]) -> _Operation[_P]:
        signature = inspect.signature(operation)

        @functools.wraps(operation)
        def run(echo: Memory, /, *args: _P.args, **kwargs: _P.kwargs) -> Envelope:
            bound = signature.bind(echo, *args, **kwargs)
            given = {**bound.arguments}
            given.pop(next(iter(signature.parameters)))
            if not writes(given):
                return operation(echo, *args, **kwargs)
            return _run(echo, name, given)

        _OPERATIONS[name] = operation
        return run

    return decorate


def _run(echo: Memory, name: str, given: _Given) -> Envelope:
    """Run an operation after those that wait, or keep it."""
    flush(echo, seconds=_BRIEFLY_S)
    accepted, attempt = echo.clock(), Attempt()
    # One instant for the whole operation, so that what is repeated later falls on the same day.
    at_once = replace(echo, clock=lambda: accepted, attempt=attempt)
    try:
        with doing(name) as deed:
            return warned(_OPERATIONS[name](at_once, **given), deed.warnings)
    except VaultUnreachable as error:
        if not echo.may_queue:
            raise
        if not error.in_doubt:
            attempt.forget()
    entry = echo.outbox.add(name, given, accepted, in_doubt=attempt.record)
    echo.on_queued()
    return {"ok": True, "op": name, "queued": True, "queue_id": entry}


@dataclass(frozen=True)
class Flushed:
    """What became of the writes that waited.

    Attributes:
        done: how many the vault has now.
        parked: how many need a decision.
        left: how many wait still.
    """

    done: int = 0
    parked: int = 0
    left: int = 0


def flush(echo: Memory, *, seconds: float = 60.0) -> Flushed:
    """Replay the writes that wait, oldest first, as of when they were accepted.

    It ends when none is left, when the vault does not answer, or when the time is over; while
    another thread or process replays, it leaves that to it.

    Args:
        echo: the memory.
        seconds: how long to go on, and to wait for somebody else who replays.
    """
    outbox = echo.outbox
    if not outbox.waiting():
        return Flushed()
    until = time.monotonic() + seconds
    counts = {"done": 0, "parked": 0}
    with outbox.replaying(wait=seconds) as mine:
        if mine and _is_there(echo):
            later = Later()
            batch = replace(echo, compares=False, publisher=later)
            while time.monotonic() < until and (entry := outbox.next()):
                settled = _replay(batch, entry)
                if not settled:
                    break
                counts[settled] += 1
            if later.is_asked:
                publish(echo)
    return Flushed(**counts, left=outbox.waiting())


def _is_there(echo: Memory) -> bool:
    """Whether the vault answers; what is known of it is brought up to date by that."""
    try:
        echo.mirror.refresh()
    except (VaultUnreachable, VaultIO, Misconfigured):
        return False
    return True


def _replay(echo: Memory, entry: Entry) -> str:
    """Run one entry: `done`, `parked`, or empty when it has to wait."""
    answer = _outcome(echo, entry)
    if answer is None:
        return ""
    if _is_whole(answer):
        echo.outbox.drop(entry.id)
        return "done"
    echo.outbox.park(entry.id, answer)
    return "parked"


def _outcome(echo: Memory, entry: Entry) -> Envelope | None:
    """What an entry comes to now, as of when it was accepted; None when it has to wait."""
    attempt = Attempt(entry.in_doubt, functools.partial(echo.outbox.note, entry.id))
    as_then = replace(echo, clock=lambda: entry.accepted, attempt=attempt, is_replay=True)
    try:
        return _answer(as_then, entry)
    except VaultUnreachable as error:
        if not error.in_doubt:
            attempt.forget()
        return None
    except (Misconfigured, NotBootstrapped, Busy):
        return None
    except VaultIO as error:
        return failure(entry.op, error) if _has_waited(echo, entry) else None
    except Exception as error:  # a fault of ours must not stop whoever comes after it
        echo.notify(f"replaying entry {entry.id} failed: {type(error).__name__}")
        return failure(entry.op, _our_fault()) if _has_waited(echo, entry) else None


def _has_waited(echo: Memory, entry: Entry) -> bool:
    """Whether an entry has held up the others for long enough, counting this try."""
    tries = echo.outbox.postpone(entry.id)
    return tries >= MAX_TRIES and echo.clock() - entry.accepted >= HOLDS_UP


def _our_fault() -> EchoError:
    return EchoError("Replaying this failed again and again. Write it anew, then drop this.")


def _answer(echo: Memory, entry: Entry) -> Envelope:
    operation = _OPERATIONS.get(entry.op)
    if operation is None:
        unknown = EchoError("This version knows no such operation. Write it anew, then drop this.")
        return failure(entry.op, unknown)
    try:
        inspect.signature(operation).bind(echo, **entry.arguments)
    except TypeError:
        other = EchoError("Its arguments are of another version. Write it anew, then drop this.")
        return failure(entry.op, other)
    try:
        with doing(entry.op):
            return operation(echo, **entry.arguments)
    except (VaultUnreachable, Misconfigured, NotBootstrapped, VaultIO, Busy):
        raise
    except EchoError as error:
        return failure(entry.op, error)


def _is_whole(answer: Mapping[str, Any]) -> bool:
    """Whether an operation did all that it was asked, each proposal and step of it."""
    parts = [*answer.get("steps", ()), *answer.get("results", ())]
    return bool(answer["ok"]) and all(map(_is_whole, parts))
