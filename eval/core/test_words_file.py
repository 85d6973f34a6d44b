"""The words file: the same answers as an index in memory, whatever came and went since."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echo_memory.retrieval.inverted import DictInverted
from echo_memory.words_file import FileInverted, WordsFile

KEYS = st.sampled_from(["a", "b", "c", "d"])
COUNTS = st.dictionaries(
    st.sampled_from(["x", "y", "z", "\ud800"]),
    st.integers(1, 9).map(lambda times: times / 2),
    max_size=4,
)
STEPS = st.lists(st.tuples(KEYS, st.none() | COUNTS | st.just("keep")), max_size=14)
WEIGHTS = {"x": 1.0, "y": 0.5, "z": 2.0, "\ud800": 1.5, "never": 3.0}


def kept(inverted: FileInverted, path: Path) -> FileInverted:
    """The index as the next process finds it."""
    said = inverted.write(path)
    loaded = WordsFile().load(path)
    assert loaded is not None
    assert loaded[1] == said
    return loaded[0]


@given(STEPS)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_came_went_and_was_kept_it_answers_as_an_index_in_memory(
    tmp_path: Path, steps: list[tuple[str, object]]
) -> None:
    inverted, expected = FileInverted(), DictInverted()
    for key, step in steps:
        if step == "keep":
            inverted = kept(inverted, tmp_path / "words")
        elif step is None:
            inverted.drop(key)
            expected.drop(key)
        else:
            assert isinstance(step, dict)
            inverted.put(key, step)
            expected.put(key, step)

        assert len(inverted) == len(expected)
        found, wanted = inverted.scores(WEIGHTS), expected.scores(WEIGHTS)
        assert {k: found.get(k) for k in "abcd"} == pytest.approx(
            {k: wanted.get(k) for k in "abcd"}
        )
        assert [inverted.containing(word) for word in WEIGHTS] == [
            expected.containing(word) for word in WEIGHTS
        ]
        assert found.having("abcd") == wanted.having("abcd")
        assert all(inverted.has(k, w) == expected.has(k, w) for k in "abcd" for w in WEIGHTS)
        for word in WEIGHTS:
            found_words = [w for w in inverted.beginning(word[0]) if inverted.containing(w)]
            assert found_words == expected.beginning(word[0])


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + b"x" * 100])
def test_a_file_that_is_none_is_not_used(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "words").write_bytes(content)

    assert WordsFile().load(tmp_path / "words") is None
    assert WordsFile().load(tmp_path / "missing") is None


def test_a_file_is_made_anew_only_when_enough_has_changed(tmp_path: Path) -> None:
    words, path = WordsFile(), tmp_path / "words"
    inverted = words.empty()
    for number in range(100):
        inverted.put(str(number), {"x": 1.0})
    words.save(inverted, path)
    loaded = words.load(path)
    assert loaded is not None

    loaded[0].put("3", {"y": 1.0})
    few = words.save(loaded[0], path)
    for number in range(10):
        loaded[0].put(str(number), {"y": 1.0})

    assert few is None
    assert words.save(loaded[0], path) is not None
    again = words.load(path)
    assert again is not None
    assert (again[0].containing("x"), again[0].containing("y")) == (90, 10)


def test_a_process_that_reads_an_older_file_is_not_disturbed_by_a_newer_one(tmp_path: Path) -> None:
    words, path = WordsFile(), tmp_path / "words"
    first = words.empty()
    first.put("old", {"x": 1.0})
    words.save(first, path)
    loaded = words.load(path)
    assert loaded is not None

    second = words.empty()
    second.put("new", {"x": 1.0})
    words.save(second, path)

    assert loaded[0].has("old", "x")
    assert not loaded[0].has("new", "x")
