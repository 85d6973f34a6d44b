"""The throttle: what a guesser waits for, and that nobody else waits for a guesser."""

from __future__ import annotations

import anyio
import pytest

from echo_mcp.oauth.throttle import (
    LONGEST_PAUSE_S,
    MOST_IN_A_LINE,
    MOST_LINES,
    MOST_WAITING,
    Crowded,
    Throttle,
)


class Pauses:
    """Pauses that are noted, and end when the test says so."""

    def __init__(self, *, held: bool = False) -> None:
        self.asked: list[float] = []
        self.let_go = anyio.Event()
        if not held:
            self.let_go.set()

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await self.let_go.wait()


def test_each_wrong_try_of_an_address_waits_twice_as_long_up_to_a_limit() -> None:
    async def guess() -> list[float]:
        pauses = Pauses()
        throttle = Throttle(pauses)
        for _ in range(7):
            assert await throttle.judge("192.0.2.1", right=False) is False
        return pauses.asked

    assert anyio.run(guess) == [0.5, 1, 2, 4, 8, 8, LONGEST_PAUSE_S]


def test_a_right_try_waits_for_nothing_and_is_a_new_beginning() -> None:
    async def guess() -> list[float]:
        pauses = Pauses()
        throttle = Throttle(pauses)
        for right in (False, False, True, False):
            assert await throttle.judge("192.0.2.1", right=right) is right
        return pauses.asked

    assert anyio.run(guess) == [0.5, 1, 0.5]


def test_an_address_that_guesses_holds_up_no_other() -> None:
    async def guess() -> None:
        pauses = Pauses(held=True)
        throttle = Throttle(pauses)
        async with anyio.create_task_group() as group:
            for _ in range(MOST_IN_A_LINE):
                group.start_soon(_wrong, throttle, "192.0.2.1")
            await anyio.wait_all_tasks_blocked()
            assert len(pauses.asked) == 1  # one at a time
            with pytest.raises(Crowded):
                await throttle.judge("192.0.2.1", right=True)
            assert await throttle.judge("192.0.2.2", right=True) is True
            pauses.let_go.set()
        assert await throttle.judge("192.0.2.1", right=True) is True

    anyio.run(guess)


def test_addresses_of_one_household_are_one_and_mapped_ones_are_not() -> None:
    async def guess() -> list[float]:
        pauses = Pauses()
        throttle = Throttle(pauses)
        for address in (
            "2001:db8::1",
            "2001:db8::2",
            "2001:db8:0:1::1",
            "::ffff:192.0.2.1",
            "::ffff:192.0.2.2",
            "",
            "a socket",
        ):
            await throttle.judge(address, right=False)
        return pauses.asked

    assert anyio.run(guess) == [0.5, 1, 0.5, 0.5, 0.5, 0.5, 0.5]


def test_no_more_wait_in_all_than_a_server_can_hold() -> None:
    async def guess() -> None:
        pauses = Pauses(held=True)
        throttle = Throttle(pauses)
        async with anyio.create_task_group() as group:
            for number in range(MOST_WAITING):
                group.start_soon(_wrong, throttle, f"192.0.2.{number}")
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(Crowded):
                await throttle.judge("198.51.100.1", right=True)
            pauses.let_go.set()

    anyio.run(guess)


def test_what_is_remembered_of_addresses_is_bounded_and_the_oldest_goes() -> None:
    async def guess() -> list[float]:
        pauses = Pauses()
        throttle = Throttle(pauses)
        for number in range(MOST_LINES + 1):
            await throttle.judge(f"host {number}", right=False)
        pauses.asked.clear()
        await throttle.judge(f"host {MOST_LINES}", right=False)
        await throttle.judge("host 0", right=False)
        return pauses.asked

    assert anyio.run(guess) == [1, 0.5]


async def _wrong(throttle: Throttle, address: str) -> None:
    assert await throttle.judge(address, right=False) is False
