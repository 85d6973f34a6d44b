"""The key filter forgets no key, and takes hardly any for one that it has seen."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from echo_archive.key_filter import KeyFilter
from echo_archive.keys import native_key


def _keys(*numbers: int) -> list[bytes]:
    return [native_key("telegram", "user1", str(number)) for number in numbers]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.binary(min_size=16, max_size=16), min_size=1), max_size=5))
def test_every_key_that_was_added_is_seen(batches: list[list[bytes]]) -> None:
    keys = KeyFilter()
    for batch in batches:
        keys.add(batch)

    assert [keys.seen(batch) for batch in batches] == batches


def test_of_others_none_of_many_is_taken_for_seen() -> None:
    keys = KeyFilter()
    keys.add(_keys(*range(100_000)))

    assert keys.seen(_keys(*range(100_000, 200_000))) == []
    assert keys.seen(_keys(100_000, 7, 100_001)) == _keys(7)
