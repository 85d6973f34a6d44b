"""The shared index: which entities there are, in the vault, for every program that uses it.

It is derived from the notes, so a failure to write it only warns: the next write mends it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

from echo_memory import routing, vault_lock
from echo_memory.envelope import Envelope, warned
from echo_memory.errors import EchoError, NotFound
from echo_memory.memory import Memory

HELD_S = 30
"""How long the index may stay locked by a process that was killed meanwhile."""


class Later:
    """Takes requests to publish, for somebody who does it once for all of them."""

    def __init__(self) -> None:
        self.is_asked = False

    def request(self) -> list[str]:
        """Remember that the index is to be published; there is nothing to warn of."""
        self.is_asked = True
        return []


def publish(echo: Memory) -> list[str]:
    """Bring the shared index to what the notes say, or have the memory's publisher do it.

    Returns:
        Warnings.
    """
    return echo.publisher.request() if echo.publisher else publish_now(echo)


def published_once(echo: Memory, run: Callable[[Memory], Envelope]) -> Envelope:
    """Run an operation in which the index is published only once, at its end."""
    later = Later()
    answer = run(replace(echo, publisher=later))
    return warned(answer, publish(echo)) if later.is_asked else answer


def publish_now(echo: Memory, *, has_lock: bool = False) -> list[str]:
    """Write the shared index where the notes say something else.

    Args:
        echo: the memory.
        has_lock: whether the vault's lock is held already.

    Returns:
        Warnings.
    """
    path = routing.table().files["entities"]

    def current(shared: str | None) -> str:
        echo.catch_up()
        if shared is not None and any(map(may_be_entity, echo.mirror.unread)):
            return shared  # an index without the notes that cannot be read now would forget them
        return echo.catalog.entities.to_json()

    try:
        shared = _read(echo, path)
        if current(shared) == shared:
            return []
        # Where there is no index yet, nobody can be writing to it.
        free = has_lock or shared is None
        with nullcontext() if free else vault_lock.hold(echo, seconds=HELD_S) as other:
            if other is not None:
                return [f"The shared index is locked by {other.holder}; it follows later."]
            echo.edit(path, current)
    except EchoError as error:
        echo.notify(f"the shared index was not written: {error.message}")
        return [
            "The shared index could not be written now; the next capture or `reindex` mends it."
        ]
    return []


def _read(echo: Memory, path: str) -> str | None:
    try:
        return echo.vault.read(path)
    except NotFound:
        return None


def may_be_entity(path: str) -> bool:
    """Whether a note in this place may be an entity."""
    kind = routing.table().kind_at(path)
    return kind is not None and kind.entity
