"""Outbox: the writes that wait for the vault or for a decision; for the operator."""

from __future__ import annotations

from typing import Any

from echo_memory import arguments
from echo_memory.envelope import Envelope, success
from echo_memory.errors import NotFound, VaultIO
from echo_memory.lines import short
from echo_memory.memory import Memory
from echo_memory.outbox_entry import Entry
from echo_memory.queueing import flush

MAX_LISTED = 100
MAX_ID = 2**63 - 1

_ABOUT = ("title", "path", "slug", "scope", "a")
_SHOWN = 120
_PATIENCE_S = 3_600.0

Fields = dict[str, Any]


def outbox_list_op(echo: Memory) -> Envelope:
    """List what waits and what is parked, oldest first.

    Returns:
        `entries`: `id`, `operation`, `about` (its title, path, …), `accepted`, `state` (`waiting`
        or `parked`) and `why`, for which it is parked; `waiting` and `parked`, the counts of all;
        `elsewhere`, how many entries there are of other vaults, by their addresses.
    """
    status = echo.outbox.status()
    return success(
        "outbox",
        action="list",
        entries=[_line(entry) for entry in echo.outbox.entries(limit=MAX_LISTED)],
        waiting=status.waiting,
        parked=status.parked,
        elsewhere=echo.outbox.elsewhere(),
    )


def outbox_adopt_op(echo: Memory, address: str) -> Envelope:
    """Take over the writes that wait for another address, since this is the same vault.

    Returns:
        `adopted`, how many there were.

    Raises:
        NotFound: none wait for that address.
    """
    wanted = arguments.line(address, "address", required=True)
    if wanted not in echo.outbox.elsewhere():
        raise NotFound("No writes wait for that address. See `outbox list`.", path=wanted)
    return success("outbox", action="adopt", adopted=echo.outbox.adopt(wanted))


def outbox_show_op(echo: Memory, entry_id: int) -> Envelope:
    """Show one entry whole, so that its text can be filed anew.

    Returns:
        As in the list, with `arguments`, `tries` and `outcome`, what it was parked for.

    Raises:
        NotFound: no such entry.
    """
    entry = _entry(echo, entry_id)
    return success(
        "outbox",
        action="show",
        **_line(entry),
        arguments=entry.arguments,
        tries=entry.tries,
        outcome=entry.outcome,
    )


def outbox_retry_op(echo: Memory, entry_id: int | None = None) -> Envelope:
    """Put a parked entry, or all of them, back into its place, and replay what waits.

    Returns:
        `done`, `parked` and `left`: how many are in the vault now, need a decision, wait still.

    Raises:
        NotFound: no such entry.
    """
    if entry_id is not None:
        echo.outbox.retry(_entry(echo, entry_id).id)
    else:
        for entry in echo.outbox.entries(limit=MAX_ID):
            echo.outbox.retry(entry.id)
    flushed = flush(echo, seconds=_PATIENCE_S)
    return success(
        "outbox", action="retry", done=flushed.done, parked=flushed.parked, left=flushed.left
    )


def outbox_drop_op(echo: Memory, entry_id: int) -> Envelope:
    """Remove an entry for good.

    Returns:
        What it was, as `outbox_show_op` does; of one that was damaged `id` and `state` alone.

    Raises:
        NotFound: no such entry.
    """
    try:
        shown = outbox_show_op(echo, entry_id)
    except VaultIO:  # then this is the only way to be rid of it
        shown = success("outbox", id=entry_id, state="damaged")
    if not echo.outbox.drop(entry_id):
        raise _no_entry(entry_id)
    return {**shown, "action": "drop"}


def _entry(echo: Memory, entry_id: int) -> Entry:
    number = arguments.integer(entry_id, "id", low=1, high=MAX_ID)
    entry = echo.outbox.get(number)
    if entry is None:
        raise _no_entry(number)
    return entry


def _no_entry(number: int) -> NotFound:
    return NotFound("There is no such entry in the outbox. See `outbox list`.", path=str(number))


def _line(entry: Entry) -> Fields:
    about = next((entry.arguments[key] for key in _ABOUT if entry.arguments.get(key)), "")
    return {
        "id": entry.id,
        "operation": entry.op,
        "about": short(str(about), _SHOWN),
        "accepted": entry.accepted.isoformat(timespec="seconds"),
        "state": "parked" if entry.parked else "waiting",
        "why": _why(entry.outcome),
    }


def _why(outcome: Fields) -> str:
    """In a few words, why an entry is parked."""
    if not outcome:
        return ""
    if "error" in outcome:
        return short(f"{outcome['error']['code']}: {outcome['error']['message']}", _SHOWN)
    parts = [*outcome.get("steps", ()), *outcome.get("results", ())]
    inner = [_why(part) for part in parts if not part.get("ok") or part.get("results")]
    return (
        str(outcome.get("action", "")) if not outcome.get("ok") else next(filter(None, inner), "")
    )
