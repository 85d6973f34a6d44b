"""The vault lock: who may write now what all machines share; a file in the vault, and advisory.

A vault has no compare-and-swap, so taking the lock is a compared write that is read back, and two
that write within the same few milliseconds may both believe that they have it. What it protects is
derived and can be made again. A holder that was killed is waited for until its time is up.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from echo_memory import routing
from echo_memory.envelope import LOCKED, Envelope
from echo_memory.errors import Conflict, EchoError, NotFound
from echo_memory.lines import short
from echo_memory.memory import Memory

MAX_HOLDER = 80

_KEYS = ("holder", "nonce", "expires")


@dataclass(frozen=True)
class Held:
    """A lock that somebody took.

    Attributes:
        holder: who, for people; one line of at most MAX_HOLDER characters.
        nonce: tells one holder from another.
        expires: aware; from then on anybody may take it over.
    """

    holder: str
    nonce: str
    expires: datetime

    def is_over(self, now: datetime) -> bool:
        """Whether its time is up."""
        return self.expires <= now

    def expires_in_s(self, now: datetime) -> int:
        """Whole seconds until then, rounded up; 0 when its time is up."""
        return max(0, -((now - self.expires) // timedelta(seconds=1)))


def path() -> str:
    """The vault path of the lock's file; there is none before the lock is first taken."""
    return routing.table().files["lock"]


def to_text(held: Held | None) -> str:
    """The lock's file; it is the same, byte for byte, whenever the lock is free."""
    values = (held.holder, held.nonce, _iso(held.expires)) if held else (None, None, None)
    document = dict(zip(_KEYS, values, strict=True))
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def parse(text: str) -> Held | None:
    """What the lock's file says; None where the lock was given back.

    Raises:
        ValueError: the file is damaged.
    """
    try:
        document = json.loads(text)
        holder, nonce, expires = (document[key] for key in _KEYS)
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError("the lock's keys are not there") from error
    if holder is None and nonce is None and expires is None:
        return None
    if not all(isinstance(value, str) for value in (holder, nonce, expires)):
        raise ValueError("the lock's values are not text")
    until = datetime.fromisoformat(expires)
    if until.tzinfo is None:
        raise ValueError("the lock's expiry has no offset")
    return Held(short(holder, MAX_HOLDER), nonce, until)


def read(echo: Memory) -> Held | None:
    """Who took the lock last, though their time may be up; None where it was given back.

    Raises:
        ValueError: the file is damaged.
    """
    text = _text(echo)
    return None if text is None else parse(text)


def holding(echo: Memory) -> Held | None:
    """Who has the lock now; None where it is free, expired or damaged."""
    return _holding(_text(echo), echo.clock())


def acquire(echo: Memory, *, holder: str, nonce: str, seconds: int) -> Held:
    """Take the lock where it is free, or renew it where it has this nonce.

    Args:
        echo: the memory whose vault it is.
        holder: who, for people.
        nonce: by which the lock is known to be ours.
        seconds: from now on, until anybody may take it over.

    Returns:
        Who has it now: us where the nonce is ours, otherwise somebody else.

    Raises:
        Conflict: it changes hands just now, and nobody can be said to have it.
    """

    def change(text: str | None) -> str:
        now = echo.clock()
        current = _holding(text, now)
        if text is None or current is None or current.nonce == nonce:
            return to_text(Held(short(holder, MAX_HOLDER), nonce, _later(now, seconds)))
        return text

    with suppress(Conflict):  # whoever was faster twice is seen below
        echo.edit(path(), change)
    found = holding(echo)
    if found is None:
        raise Conflict("The vault's lock changes hands just now. Try again.", path=path())
    return found


def release(echo: Memory, nonce: str) -> bool:
    """Give the lock back, if it is still ours; returns whether it was.

    Raises:
        Conflict: its file changed twice meanwhile.
    """

    def ours(text: str) -> bool:
        with suppress(ValueError):
            held = parse(text)
            return held is not None and held.nonce == nonce
        return False

    return _free_where(echo, ours)


def clear(echo: Memory) -> bool:
    """Free the lock, whoever has it; returns whether its file had to be written for that.

    Raises:
        Conflict: its file changed twice meanwhile.
    """
    return _free_where(echo, lambda _: True)


@contextmanager
def hold(echo: Memory, *, seconds: int) -> Iterator[Held | None]:
    """Have the lock until the block ends; whoever finds it taken decides what to do instead.

    Yields None once the lock is ours, otherwise who has it. A lock that cannot be given back
    fails nothing: it expires.

    Args:
        echo: the memory whose vault it is.
        seconds: until anybody may take it over, should this process be killed.

    Raises:
        Conflict: it changes hands just now.
    """
    nonce = secrets.token_hex(16)
    found = acquire(echo, holder=default_holder(echo), nonce=nonce, seconds=seconds)
    if found.nonce != nonce:
        yield found
        return
    try:
        yield None
    finally:
        try:
            release(echo, nonce)
        except EchoError as error:
            echo.notify(f"the vault's lock was not given back and will expire: {error.message}")


def lock_held(op: str, held: Held, now: datetime) -> Envelope:
    """The answer of an operation that somebody else's lock keeps out."""
    return {
        "ok": False,
        "op": op,
        "action": LOCKED,
        "holder": held.holder,
        "expires_in_s": held.expires_in_s(now),
    }


def default_holder(echo: Memory) -> str:
    """The operator at this machine, such as `Ada@laptop`."""
    machine = socket.gethostname() or "unknown"
    name = f"{echo.config.owner}@{machine}" if echo.config.owner else machine
    # the environment may hold bytes that are not UTF-8
    return short(name.encode("utf-8", "replace").decode(), MAX_HOLDER)


def _free_where(echo: Memory, applies: Callable[[str], bool]) -> bool:
    """Free the lock where that applies to its text; no file stays no file."""

    def change(text: str | None) -> str:
        if text is None:
            raise NotFound("There is no lock. Nothing is to be done.", path=path())
        return to_text(None) if applies(text) else text

    try:
        return echo.edit(path(), change).changed
    except NotFound:
        return False


def _text(echo: Memory) -> str | None:
    try:
        return echo.vault.read(path())
    except NotFound:
        return None


def _holding(text: str | None, now: datetime) -> Held | None:
    """Who has the lock, by the text of its file; a damaged one is free."""
    try:
        held = None if text is None else parse(text)
    except ValueError:
        return None
    return None if held is None or held.is_over(now) else held


def _later(now: datetime, seconds: int) -> datetime:
    # by way of UTC: a zone's own clock is set back in autumn
    return (now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(now.tzinfo)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
