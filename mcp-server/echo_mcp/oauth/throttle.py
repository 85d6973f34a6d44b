"""The throttle: wrong tokens are answered late, and each address has its own line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address

import anyio

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 8.0
MOST_IN_A_LINE = 4
MOST_WAITING = 64
MOST_LINES = 1_024

Pause = Callable[[float], Awaitable[None]]


class Crowded(Exception):
    """Too many wait already."""


@dataclass
class _Line:
    """Those of one address that wait; `failures` in a row decide for how long."""

    turn: anyio.Lock = field(default_factory=anyio.Lock)
    waiting: int = 0
    failures: int = 0


class Throttle:
    """A line for each address, so that who guesses slows down nobody else."""

    def __init__(self, pause: Pause = anyio.sleep) -> None:
        self._pause = pause
        self._lines: dict[str, _Line] = {}
        self._waiting = 0

    async def judge(self, address: str, *, right: bool) -> bool:
        """Say whether a try was right: at once if so, later if not.

        Args:
            address: from where it came; addresses of one IPv6 network are one.
            right: whether it was.

        Raises:
            Crowded: nothing was judged.
        """
        line = self._line(_network(address))
        if line.waiting >= MOST_IN_A_LINE or self._waiting >= MOST_WAITING:
            raise Crowded
        line.waiting += 1
        self._waiting += 1
        try:
            async with line.turn:
                if right:
                    line.failures = 0
                    return True
                pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**line.failures)
                line.failures = min(line.failures + 1, 16)
                await self._pause(pause)
                return False
        finally:
            line.waiting -= 1
            self._waiting -= 1

    def _line(self, network: str) -> _Line:
        """The line of a network, which is then the one that was needed last."""
        line = self._lines.pop(network, None) or _Line()
        self._lines[network] = line
        if len(self._lines) > MOST_LINES:
            idle = (name for name, other in self._lines.items() if not other.waiting)
            del self._lines[next(name for name in idle if name != network)]
        return line


def _network(address: str) -> str:
    with suppress(ValueError):
        found = ip_address(address)
        if isinstance(found, IPv6Address) and found.ipv4_mapped is None:
            return found.exploded[:19]  # a /64 is what one household has
    return address
