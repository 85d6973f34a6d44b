"""The live inverted index: scores of the core and of the package, changes, threads, the file."""

from __future__ import annotations

import resource
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Plus

from echo_mcp.warm.inverted import LiveInverted
from echo_mcp.warm.postings import NONE
from echo_mcp.warm.snapshot import settled
from echo_memory.ranking import Document
from echo_memory.retrieval.inverted import DictInverted, Inverted
from held_ranking import HeldRanking

KEYS = [f"notes/{letter}.md" for letter in "abcdefg"]
WORDS = ["engine", "loom", "tile", "长城", "a\0b", "\udc80", ""]

# So many that some changes are few of them.
OTHERS = [(f"other {at}", {WORDS[at % 7]: 1.0, "other": 0.5}) for at in range(30)]

Items = Sequence[tuple[str, Mapping[str, float]]]

counted = st.dictionaries(
    st.sampled_from(WORDS), st.integers(1, 40).map(lambda doubled: doubled / 2), max_size=6
)
items = st.builds(
    lambda others, own: [*others, *own],
    st.sampled_from([[], OTHERS]),
    st.lists(st.tuples(st.sampled_from(KEYS), counted), max_size=8),
)
# A key with counts is put, one with None dropped.
histories = st.lists(st.tuples(st.sampled_from(KEYS), counted | st.none()), max_size=24)
questions = st.dictionaries(
    st.sampled_from([*WORDS, "unknown"]), st.just(0.0) | st.floats(0.01, 50), max_size=5
)
patience = st.sampled_from([0, 1, 3, 1000])
texts = st.lists(st.tuples(st.sampled_from(KEYS), st.lists(st.sampled_from(WORDS), max_size=12)))


def live_through(
    index: Inverted, history: Iterable[tuple[str, Mapping[str, float] | None]]
) -> None:
    for key, counts in history:
        if counts is None:
            index.drop(key)
        else:
            index.put(key, counts)


def assert_alike(index: Inverted, other: Inverted, question: Mapping[str, float]) -> None:
    scores, others = index.scores(question), other.scores(question)
    assert len(index) == len(other)
    assert bool(scores) == bool(others)
    for key in [*KEYS, "unknown"]:
        assert scores.get(key) == pytest.approx(others.get(key), rel=1e-9)
        assert scores.any_of([key]) == others.any_of([key])
        assert [index.has(key, word) for word in WORDS] == [other.has(key, word) for word in WORDS]
    assert scores.having([*KEYS, "unknown"]) == others.having([*KEYS, "unknown"])
    for word in [*WORDS, "unknown"]:
        assert index.containing(word) == other.containing(word)
        begins = filter(index.containing, index.beginning(word[:1]))
        assert sorted(begins) == sorted(filter(other.containing, other.beginning(word[:1])))
    for size in (1, 3, 50):
        assert scores.best(size) == others.best(size)


@settings(max_examples=200, deadline=None)
@given(items, histories, questions, patience)
def test_after_any_history_it_answers_as_the_cores_index(
    first: Items,
    history: Sequence[tuple[str, Mapping[str, float] | None]],
    question: Mapping[str, float],
    settle_after: int,
) -> None:
    index, core = LiveInverted(first, settle_after=settle_after), DictInverted()
    live_through(core, first)

    live_through(index, history)
    live_through(core, history)

    assert_alike(index, core, question)


@settings(max_examples=100, deadline=None)
@given(texts, st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=6), patience)
def test_its_scores_are_those_of_the_package_built_anew(
    notes: Sequence[tuple[str, list[str]]], query: list[str], settle_after: int
) -> None:
    kept = dict(notes)
    assume(any(kept.values()))
    index = LiveInverted(settle_after=settle_after)

    for key, text in notes:
        index.put(key, Counter(text))

    anew = BM25Plus([kept[key] for key in index.keys])
    assert sorted(index.keys) == sorted(kept)
    assert index.get_scores(query) == pytest.approx(anew.get_scores(query), rel=1e-9)
    assert index.get_batch_scores(query, [0]) == pytest.approx(anew.get_batch_scores(query, [0]))
    assert index.get_top_n(query, index.keys, n=1)[0] in kept


@pytest.mark.parametrize("emptied", [False, True])
def test_no_documents_have_no_scores(emptied: bool) -> None:
    index = LiveInverted([("a", {"engine": 1.0})] if emptied else [])
    index.drop("a")

    assert index.get_scores(["engine"]).shape == (0,)
    assert not index.scores({"engine": 1.0})
    assert index.scores({"engine": 1.0}).best(5) == []
    assert (len(index), index.containing("engine"), "a" in index) == (0, 0, False)


def test_documents_without_words_score_nothing() -> None:
    index = LiveInverted([("a", {}), ("b", {})])

    assert index.get_scores(["engine"]).tolist() == [0.0, 0.0]
    assert index.get_scores([]).tolist() == [0.0, 0.0]


def test_of_equal_documents_the_first_by_their_keys_are_best() -> None:
    index = LiveInverted((f"n{number:03}", {"engine": 1.0}) for number in reversed(range(90)))
    index.put("z", {"engine": 3.0})

    assert index.scores({"engine": 2.0}).best(3) == ["z", "n000", "n001"]
    assert index.scores({"engine": 2.0}).best(0) == []


def test_a_ranking_over_it_finds_what_one_over_the_cores_index_finds() -> None:
    days = [f"2026-0{month}-01" for month in range(1, 8)]
    notes = {
        key: Document(title=f"Note {word}", body=f"{word} {KEYS[-1 - at]}", updated=days[at])
        for at, (key, word) in enumerate(zip(KEYS, ["engine", "loom", "tile"] * 3, strict=False))
    }
    rankings = HeldRanking(LiveInverted()), HeldRanking()

    for ranking in rankings:
        for key, document in notes.items():
            ranking.put(key, document)
        ranking.drop(KEYS[0])

    live, core = (
        ranking.search("the engine and the loom", today=date(2026, 11, 30), limit=10)
        for ranking in rankings
    )
    assert live == core
    assert live


def test_a_word_more_often_than_can_be_counted_still_counts() -> None:
    index = LiveInverted([("a", {"engine": 1e9, "loom": 1.0}), ("b", {"engine": 2.0})])

    assert index.scores({"engine": 1.0}).get("a") > 1.0
    assert index.scores({"loom": 1.0}).best(5) == ["a"]


def test_scores_are_of_the_moment_in_which_they_were_asked_for() -> None:
    index = LiveInverted([("a", {"engine": 1.0}), ("b", {"engine": 2.0})])
    scores = index.scores({"engine": 1.0})
    before = {key: scores.get(key) for key in "ab"}

    index.put("a", {"loom": 1.0})
    index.put("a", {"tile": 1.0})
    index.put("c", {"engine": 1.0})

    assert {key: scores.get(key) for key in "ab"} == before
    assert scores.get("c") == 0.0
    assert scores.best(5) == ["b", "a"]
    assert index.scores({"engine": 1.0}).get("a") == 0.0


def test_a_snapshot_that_is_settled_late_has_nothing_of_what_came_after() -> None:
    before = settled(NONE, [], np.zeros(0)).with_document("a", {"engine": 1.0})
    before.with_document("b", {"engine": 2.0, "loom": 1.0}).with_document("a", {"tile": 1.0})

    late = before.settle()

    assert late.ordered_keys == ["a"]
    assert [late.containing(word) for word in ("engine", "loom", "tile")] == [1, 0, 0]
    assert list(late.base.rows) == ["engine"]


def test_counts_that_are_no_numbers_change_nothing() -> None:
    index = LiveInverted([("a", {"engine": 1.0})])

    with pytest.raises((TypeError, ValueError)):
        index.put("a", {"loom": 1.0, "engine": "many"})
    index.put("b", {"loom": 2.0})

    core = DictInverted()
    live_through(core, [("a", {"engine": 1.0}), ("b", {"loom": 2.0})])
    assert_alike(index, core, {"engine": 1.0, "loom": 2.0})


def test_a_large_index_is_settled_as_a_small_one(tmp_path: Path) -> None:
    words = [f"word {number}" for number in range(5000)]
    notes = [(str(at), dict.fromkeys(words[at % 9 :: 9], 1.0 + at % 3)) for at in range(1200)]
    changes = [
        (str(at), None if at % 2 else {"new": 1.0, words[7]: 2.0}) for at in range(0, 900, 3)
    ]
    index, core = LiveInverted(notes), DictInverted()
    live_through(core, [*notes, *changes])

    live_through(index, changes)
    index.save(tmp_path / "index")

    for each in (index, LiveInverted.load(tmp_path / "index")):
        assert each is not None
        assert [each.containing(word) for word in words] == [*map(core.containing, words)]
        for asked in ({"new": 1.0}, {words[7]: 2.0, words[4999]: 1.0}):
            assert each.scores(asked).best(2000) == core.scores(asked).best(2000)


def test_years_of_changes_do_not_make_it_grow(tmp_path: Path) -> None:
    index = LiveInverted((key, {"engine": 1.0, key: 1.0}) for key in KEYS)
    index.save(tmp_path / "before")

    for turn in range(3000):
        index.put(KEYS[turn % 7], {"engine": 1.0, f"word {turn}": 1.0})
        index.put("passing", {f"passing {turn}": 1.0})
        index.drop("passing")
    for key in KEYS:
        index.put(key, {"engine": 1.0, key: 1.0})

    snapshot = index._snapshot
    assert max(len(snapshot.alive), len(snapshot.slots), len(snapshot.recent)) < 2500
    index.save(tmp_path / "after")
    assert (tmp_path / "after").stat().st_size == (tmp_path / "before").stat().st_size


def test_readers_never_see_half_a_change(tmp_path: Path) -> None:
    # There are always ten documents, and each has all of the words.
    words = [f"word {number}" for number in range(20)]
    index = LiveInverted(
        ((str(at), dict.fromkeys(words, 1.0)) for at in range(10)), settle_after=30
    )
    done = threading.Event()

    def read() -> int:
        seen = 0
        while not done.is_set() or not seen:
            scores = [index.scores({word: 1.0}) for word in words[:2]]
            best = scores[0].best(20)
            assert len(best) == len(set(best)) == 10
            assert all(scores[0].get(key) > 0 for key in best)
            both = index.scores(dict.fromkeys(words, 1.0))
            first = index.get_scores(words[:1])
            assert len(both.best(20)) == len(first) == 10
            assert np.all(first > 0)
            assert index.containing(words[-1]) == len(index) == 10
            seen += 1
        return seen

    def write(start: int) -> None:
        for turn in range(400):
            times = float(1 + turn % 7)
            index.put(str(start + turn % 5), dict.fromkeys(words, times))

    def save() -> None:
        while not done.is_set():
            index.save(tmp_path / "index")

    with ThreadPoolExecutor(6) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        saver = pool.submit(save)
        writers = [pool.submit(write, start) for start in (0, 5)]
        try:
            for writer in writers:
                writer.result()
        finally:
            done.set()
        assert all(reader.result() for reader in readers)
        saver.result()

    core = DictInverted()
    live_through(
        core, ((str(at), dict.fromkeys(words, float(1 + (395 + at % 5) % 7))) for at in range(10))
    )
    assert_alike(index, core, {words[0]: 1.0, words[5]: 2.0})
    index.save(tmp_path / "index")
    loaded = LiveInverted.load(tmp_path / "index")
    assert loaded is not None
    assert_alike(loaded, core, {words[0]: 1.0, words[5]: 2.0})


@settings(max_examples=60, deadline=None)
@given(items, histories, histories, questions, patience)
def test_what_was_saved_is_loaded_and_goes_on(
    tmp_path_factory: pytest.TempPathFactory,
    first: Items,
    before: Sequence[tuple[str, Mapping[str, float] | None]],
    after: Sequence[tuple[str, Mapping[str, float] | None]],
    question: Mapping[str, float],
    settle_after: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "saved"
    index, core = LiveInverted(first, settle_after=settle_after), DictInverted()
    live_through(core, first)
    for each in (index, core):
        live_through(each, before)

    index.save(path)
    loaded = LiveInverted.load(path)

    assert loaded is not None
    for each in (index, core, loaded):
        live_through(each, after)
    assert_alike(loaded, core, question)
    assert_alike(index, core, question)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "index"
    LiveInverted((key, dict.fromkeys(WORDS, 1.5)) for key in KEYS).save(path)
    return path


def test_a_save_leaves_one_file_that_only_its_owner_reads(saved: Path) -> None:
    assert [path.name for path in saved.parent.iterdir()] == ["index"]
    assert saved.stat().st_mode & 0o777 == 0o600


def test_there_is_nothing_to_load_where_nothing_was_saved(tmp_path: Path) -> None:
    assert LiveInverted.load(tmp_path / "index") is None
    assert LiveInverted.load(tmp_path) is None


def test_a_file_of_any_other_length_is_not_loaded(saved: Path) -> None:
    whole = saved.read_bytes()

    for length in range(0, len(whole), 7):
        saved.write_bytes(whole[:length])
        assert LiveInverted.load(saved) is None
    saved.write_bytes(whole + b"\0")
    assert LiveInverted.load(saved) is None
    saved.write_bytes(whole)
    assert LiveInverted.load(saved) is not None


def test_a_file_with_a_byte_that_is_not_as_written_is_not_loaded(saved: Path) -> None:
    whole = saved.read_bytes()

    for place in range(len(whole)):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        assert LiveInverted.load(saved) is None, place


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" * 40, b"\x80\x04N." * 99])
def test_a_file_of_something_else_is_not_loaded(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)

    assert LiveInverted.load(tmp_path / "index") is None


def test_a_save_that_fails_leaves_the_file_before_and_the_index(saved: Path) -> None:
    before = saved.read_bytes()
    index = LiveInverted.load(saved)
    assert index is not None
    index.put("new", {f"word {number}": 1.0 for number in range(9000)})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), hard))
    try:
        with pytest.raises(OSError):
            index.save(saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["index"]
    assert index.containing("word 8999") == 1
    with pytest.raises(OSError):
        index.save(saved / "index")  # whose folder is a file
