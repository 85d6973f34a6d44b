"""The examination: everything that is looked at from outside, in the order in which it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime

from echo_mcp import loopback
from echo_mcp.remote import certificate, door, eras, load, metadata, vitals
from echo_mcp.remote.visitor import PATIENCE_S, Unanswered, Unreachable, Visitor
from echo_memory.ops.health import Check

_UNREACHABLE = "Check the address, that the server or its proxy runs, and the firewall."
_UNANSWERED = "Check that the server runs, and the proxy's address of it and its time-outs."


def examine(url: str, token: str, now: datetime, *, patience: float = PATIENCE_S) -> list[Check]:
    """Look at a deployment as a client does.

    Args:
        url: its MCP endpoint.
        token: its bearer token; empty leaves out what needs one. It is not sent where others can
            read it.
        now: the time.
        patience: how long to wait for each answer, in seconds.

    Raises:
        BadRequest: that is no address.
    """
    checks: list[Check] = []
    with closing(Visitor(url, token, patience)) as visitor:
        try:
            checks.extend(_all(visitor, now))
        except Unreachable as error:
            checks.append(Check("reached", ok=False, detail=str(error), fix=_UNREACHABLE))
    return checks


def _all(visitor: Visitor, now: datetime) -> Iterator[Check]:
    encrypted = list(certificate.checks(visitor.at, now))
    yield from encrypted
    readable = visitor.at.scheme == "http" and visitor.at.hostname not in loopback.NAMES
    if not readable and not all(check.ok for check in encrypted):
        return
    for name, look in (
        ("health", vitals.checks),
        ("without a token", door.closed),
        ("sign-in", metadata.checks),
    ):
        yield from _answered(name, look, visitor)
    if readable:
        yield Check("token", ok=True, detail="not sent, and the rest not looked at: no TLS")
    elif not visitor.token:
        yield Check(
            "token", ok=True, detail="none given, the rest not looked at: --token-file FILE"
        )
    else:
        yield from _answered("token", _inside, visitor)


def _inside(visitor: Visitor) -> Iterator[Check]:
    entry = door.opened(visitor)
    yield entry
    if entry.ok:
        for name, look in (
            ("foreign", door.guarded),
            ("protocol", eras.checks),
            ("load", load.checks),
        ):
            yield from _answered(name, look, visitor)


def _answered(
    name: str, look: Callable[[Visitor], Iterator[Check]], visitor: Visitor
) -> Iterator[Check]:
    """What a look finds, up to where no answer comes."""
    try:
        yield from look(visitor)
    except Unanswered as error:
        yield Check(name, ok=False, detail=str(error), fix=_UNANSWERED)
