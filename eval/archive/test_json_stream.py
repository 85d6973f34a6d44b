"""A JSON file of any size is walked value by value, and what is wrong in one spares the others."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_archive import json_repair, json_stream
from echo_archive.json_stream import Broken, BrokenJson, JsonStream, Repaired

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _stream(text: str) -> JsonStream:
    return JsonStream(io.BytesIO(text.encode("utf-8", "surrogatepass")))


@given(st.lists(VALUES, max_size=6), st.integers(1, 7), st.sampled_from([None, 1]))
def test_values_come_out_as_they_went_in_wherever_the_chunks_end(
    values: list[object], chunk: int, indent: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)

        stream = _stream(json.dumps(values, indent=indent, ensure_ascii=False))

        assert list(stream.values()) == values


@given(st.dictionaries(st.text(), st.lists(VALUES, max_size=3), max_size=4), st.integers(1, 7))
def test_members_and_elements_are_walked_in_order(
    said: dict[str, list[object]], chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        stream = _stream(json.dumps(said))

        walked = {key: [stream.value() for _ in stream.elements()] for key in stream.members()}

        assert walked == said


@pytest.mark.parametrize(
    "text", ["[1, 2", '[{"a": 1}, {"a', '["abc', "[", "[1 2]", "[1, ]", "[nope]"]
)
def test_a_list_that_goes_wrong_says_so(text: str) -> None:
    with pytest.raises(BrokenJson):
        list(_stream(text).values())


def test_a_value_that_cannot_be_put_right_stands_for_itself() -> None:
    assert list(_stream('[{"a": 1}, {"a" 2}, {"a": 3}]').values()) == [
        {"a": 1},
        Broken("it is not JSON"),
        {"a": 3},
    ]


def test_backslashes_before_an_escape_are_counted() -> None:
    (value,) = _stream(r'[{"a": "\x07 \\x07 \\\x07"}]').values()

    assert value == Repaired({"a": "\x07 \\x07 \\\x07"})


def test_values_too_deep_for_the_parser_are_broken_and_no_crash() -> None:
    deep = "[" * 100_000 + "]" * 100_000

    assert list(_stream(f"[{deep}, 1]").values()) == [Broken("it is not JSON"), 1]


def test_memory_does_not_grow_with_the_file() -> None:
    row = json.dumps({"text": "x" * 1_000})
    data = ("[" + ",".join([row] * 20_000) + "]").encode()
    stream = JsonStream(io.BytesIO(data))
    tracemalloc.start()

    count = sum(1 for _ in stream.values())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == 20_000
    assert peak < len(data) / 2


DIGITS = "9" * 5_000


def test_a_number_of_too_many_digits_spares_what_stands_around_it() -> None:
    text = f'{{"a": {DIGITS}, "b": [1, {DIGITS}, {{"c": {DIGITS}}}, 2]}}'
    stream = _stream(text)

    walked = {
        key: stream.value() if key == "a" else list(stream.values()) for key in stream.members()
    }

    assert isinstance(walked["a"], Broken)
    first, *broken, last = walked["b"]
    assert (first, last) == (1, 2)
    assert [type(one) for one in broken] == [Broken, Broken]


@pytest.mark.parametrize(
    "inside",
    ['"' + r"\"" * 100_000, '"' + r"\"" * 100_000 + "\\", '"x"' + ":" * 100_000, ": " * 100_000],
    ids=["quotes", "quotes and a backslash", "colons", "colons and spaces"],
)
def test_a_broken_value_takes_no_longer_to_look_through_than_it_is_long(inside: str) -> None:
    stream = _stream(f'[{{"a": {inside}')

    with pytest.raises(BrokenJson):
        list(stream.values())
    assert (
        list(_stream(f'[{{"a": {inside} }}, 2]' if inside[0] != '"' else "[2]").values())[-1] == 2
    )


def test_a_value_that_is_too_large_for_a_message_is_not_put_right() -> None:
    large = "x" * (json_repair.MAX_REPAIRED + 1)

    values = list(_stream(f'[{{"a": {large}}}, 2]').values())

    assert [type(values[0]), values[1]] == [Broken, 2]
