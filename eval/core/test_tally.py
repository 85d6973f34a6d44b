"""The tally: what a call asked the vault is counted for that call, whoever worked for it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import pytest

from echo_memory import tally
from folders import put
from olrapi.standin import StandIn
from vaults import KEY, rest


def test_what_is_asked_within_is_counted_and_nothing_else() -> None:
    tally.count()
    with tally.counting() as asked:
        tally.count()
        tally.count()
    tally.count()

    assert asked.count == 2


def test_a_call_within_a_call_is_counted_by_itself() -> None:
    with tally.counting() as outer:
        tally.count()
        with tally.counting() as inner:
            tally.count()
        tally.count()

    assert (outer.count, inner.count) == (2, 1)


def test_a_call_that_fails_counts_no_longer() -> None:
    with pytest.raises(ZeroDivisionError), tally.counting() as asked:
        tally.count()
        _ = 1 / 0
    tally.count()

    assert asked.count == 1


def test_calls_of_several_threads_do_not_count_for_one_another() -> None:
    together = threading.Barrier(4)

    def call(number: int) -> int:
        with tally.counting() as asked:
            together.wait()
            for _ in range(number):
                tally.count()
            together.wait()
        return asked.count

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(call, range(4))) == [0, 1, 2, 3]


def test_a_thread_that_works_for_a_call_counts_for_it() -> None:
    with tally.counting() as asked:
        thread = threading.Thread(target=copy_context().run, args=(tally.count,))
        thread.start()
        thread.join()

    assert asked.count == 1


def test_every_request_that_reaches_the_vault_is_counted(tmp_path: Path) -> None:
    paths = [f"{number}.md" for number in range(20)]
    for path in paths:
        put(tmp_path / path, "# A note\n")

    with (
        StandIn(tmp_path, KEY) as plugin,
        rest(plugin) as vault,
        plugin.counting() as calls,
        tally.counting() as asked,
    ):
        vault.stamps()
        vault.read_many(paths)
        vault.write("new.md", "# New\n", expected=None)

    assert asked.count == len(calls) > len(paths)
