"""Lock: keep the shared files of a vault to oneself, for maintenance by hand; for the operator."""

from __future__ import annotations

from echo_memory import arguments, own_nonce, vault_lock
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory

DEFAULT_SECONDS, MIN_SECONDS, MAX_SECONDS = 900, 10, 86_400

_TURN = "lock"


def lock_op(echo: Memory, *, seconds: int = DEFAULT_SECONDS, holder: str = "") -> Envelope:
    """Take the vault's lock, or renew it where this operator has it.

    Args:
        echo: the memory.
        seconds: from now on, until anybody may take it over.
        holder: who, for people; by default the operator at this machine.

    Returns:
        `holder`, `expires` and `expires_in_s`; where somebody else has it, `lock-held` with
        `holder` and `expires_in_s`.

    Raises:
        BadRequest: an argument is out of its bounds.
        Conflict: the lock changes hands just now.
        VaultIO: also when the state folder cannot be used.
    """
    limit = arguments.integer(seconds, "seconds", low=MIN_SECONDS, high=MAX_SECONDS)
    named = arguments.line(holder, "holder", limit=vault_lock.MAX_HOLDER)
    echo.prepare(ordered=False)
    with echo.turns.hold(_TURN):
        nonce = own_nonce.kept(echo.config) or own_nonce.keep(echo.config)
        held = vault_lock.acquire(
            echo, holder=named or vault_lock.default_holder(echo), nonce=nonce, seconds=limit
        )
    if held.nonce != nonce:
        return vault_lock.lock_held("lock", held, echo.clock())
    return success(
        "lock",
        action="locked",
        holder=held.holder,
        expires=held.expires.isoformat(timespec="seconds"),
        expires_in_s=held.expires_in_s(echo.clock()),
    )


def unlock_op(echo: Memory, *, force: bool = False) -> Envelope:
    """Give the vault's lock back.

    Args:
        echo: the memory.
        force: whoever has it.

    Returns:
        `action`: `unlocked`, or `unchanged` where it was free; where somebody else has it,
        `lock-held` with `holder` and `expires_in_s`.

    Raises:
        BadRequest: `force` is neither true nor false.
        Conflict: the lock changes hands just now.
        VaultIO: also when the state folder cannot be used.
    """
    forced = arguments.flag(force, "force")
    echo.prepare(ordered=False)
    with echo.turns.hold(_TURN):
        done = vault_lock.clear(echo) if forced else _released(echo)
        other = None if done else vault_lock.holding(echo)
        if other is None:
            own_nonce.forget(echo.config)
    if other is not None:
        return vault_lock.lock_held("unlock", other, echo.clock())
    return success("unlock", action="unlocked" if done else "unchanged")


def _released(echo: Memory) -> bool:
    nonce = own_nonce.kept(echo.config)
    return bool(nonce) and vault_lock.release(echo, nonce)
