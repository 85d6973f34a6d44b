"""The recent: what was put last is held, whoever else puts and takes at the same time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echo_memory.recent import Recent


class Disturbed(dict[str, int]):
    """A dictionary that another thread always changes just when it is gone through."""

    def __iter__(self) -> Iterator[str]:
        found = super().__iter__()
        self["of another thread"] = 0
        return found


def test_the_oldest_makes_room() -> None:
    recent = Recent[int](2)

    for number, key in enumerate("abc"):
        recent.put(key, number)

    assert [recent.get(key) for key in "abc"] == [None, 1, 2]


def test_what_is_taken_out_is_not_held() -> None:
    recent = Recent[int](2)
    recent.put("a", 1)

    recent.pop("a")
    recent.pop("unknown")

    assert recent.get("a") is None


def test_who_puts_while_another_thread_does_is_not_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recent = Recent[int](1)
    recent.put("a", 1)
    monkeypatch.setattr(recent, "_held", Disturbed(a=1))

    recent.put("b", 2)

    assert recent.get("b") is None
    assert recent.get("a") == 1
