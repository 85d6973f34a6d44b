"""Recall over the questions of the quality set, and the figures that tell of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from shutil import copytree

import pytest

from echo_memory.config import Config
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import reindex_op
from echo_memory.ops.lint import lint_op
from echo_memory.ops.recall import MAX_BUDGET, recall_op
from quality import recall_bench
from quality.recall_bench import PLAIN, RECALL, Case, Figures

SET = Path(__file__).parents[1] / "fixtures/quality"
TODAY = date(2026, 11, 30)
INDEX = "_agent/index/entities.json"
CATEGORIES = {
    "paraphrase", "name", "date", "passage", "pair", "typo", "identifier", "status", "past", "age",
    "kind", "multi", "japanese", "chinese", "german", "french", "russian", "spanish",
}  # fmt: skip

Measures = Mapping[str, Mapping[str, Figures]]


@pytest.fixture(scope="module")
def notes() -> Sequence[Note]:
    """The notes of the set."""
    return recall_bench.read(SET / "vault")


@pytest.fixture(scope="module")
def asked() -> Sequence[Case]:
    """The questions of the set."""
    return recall_bench.cases(SET / "questions.jsonl")


@pytest.fixture(scope="module")
def measures(notes: Sequence[Note], asked: Sequence[Case]) -> Measures:
    """The figures of every ranking on the half that nothing was set by."""
    ranked = recall_bench.rankings(notes, recall_bench.newest_day(notes))
    held_out = [case for case in asked if case.half == "held-out"]
    return {name: recall_bench.measured(search, held_out) for name, search in ranked.items()}


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """The notes of the set as a memory that may be written, on the day that is their today."""
    copytree(SET / "vault", tmp_path / "vault")
    config = Config(vault=tmp_path / "vault", state_dir=tmp_path / "state")
    noon = datetime(TODAY.year, TODAY.month, TODAY.day, 12, tzinfo=UTC)
    return open_memory(config, clock=lambda: noon, notify=lambda _: None)


def figure(measures: Measures, ranking: str, group: str, column: str = "MRR") -> float:
    return measures[ranking][group][recall_bench.COLUMNS.index(column)]


def test_recall_finds_what_nobody_set_it_to_find(measures: Measures) -> None:
    assert figure(measures, RECALL, "all", "hit@1") >= 0.8
    assert figure(measures, RECALL, "all", "hit@5") >= 0.93
    assert figure(measures, RECALL, "all", "recall@10") >= 0.93
    assert figure(measures, RECALL, "all") > figure(measures, PLAIN, "all") + 0.2


@pytest.mark.parametrize(
    ("signal", "category"),
    [
        ("dates", "date"),
        ("passages", "passage"),
        ("pairs", "pair"),
        ("names", "name"),
        ("near_names", "typo"),
        ("status", "status"),
        ("age", "age"),
    ],
)
def test_a_signal_is_worth_something_on_questions_of_its_own(
    measures: Measures, signal: str, category: str
) -> None:
    without = figure(measures, f"without {signal}", category)

    assert figure(measures, RECALL, category) > without


def test_the_set_has_questions_of_every_sort_in_both_halves_and_the_notes_that_answer_them(
    notes: Sequence[Note], asked: Sequence[Case]
) -> None:
    paths = {note.path for note in notes}

    assert {case.category for case in asked} == CATEGORIES
    assert {case.half for case in asked} == {"tuning", "held-out"}
    assert len({case.question for case in asked}) == len(asked) >= 160
    assert all(case.gold and case.gold <= paths for case in asked)


def test_the_vault_of_the_set_is_in_order_but_for_a_template_and_an_old_inbox_item(
    memory: Memory,
) -> None:
    before = (SET / "vault" / INDEX).read_bytes()

    violations = lint_op(memory)["violations"]
    reindex_op(memory)

    assert [(one["check"], one["path"]) for one in violations] == [
        ("missing-key", "Templates/Meeting.md"),
        ("aging-inbox", "inbox/captures/inbox.md"),
    ]
    assert memory.vault.read(INDEX).encode() == before


def test_what_the_bench_measures_is_what_recall_answers(
    memory: Memory, notes: Sequence[Note], asked: Sequence[Case]
) -> None:
    search = recall_bench.rankings(notes, TODAY)[RECALL]

    for case in asked[::20]:
        answer = recall_op(memory, case.question, limit=recall_bench.DEPTH, budget_chars=MAX_BUDGET)

        assert [hit["path"] for hit in answer["primary"]] == search(case.question)


def test_figures_are_shares_of_gold_notes_and_the_rank_of_the_first() -> None:
    gold = frozenset({"a", "b"})

    assert recall_bench.figures(["x", "a", "y", "z", "v", "b"], gold) == (0, 1, 0.5, 1, 0.5)
    assert recall_bench.figures(["b", "a"], gold) == (1, 1, 1, 1, 1)
    assert recall_bench.figures([], gold) == (0, 0, 0, 0, 0)


def test_the_bench_prints_a_line_for_every_ranking_category_and_gain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["recall_bench.py", str(SET), "--half", "held-out"])

    recall_bench.main()

    said = capsys.readouterr().out
    lines = ("plain BM25", "+ fields", "without dates", "russian", "hit@1", "passages, passage")
    assert all(line in said for line in lines)
    assert "tuning" not in said


def test_the_bench_takes_any_folder_of_notes_and_any_file_of_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "asked.jsonl"
    questions.write_text('{"question": "Sydney", "gold": ["a.md"]}\n', "utf-8")
    (tmp_path / "a.md").write_text("Sydney is far.\n", "utf-8")
    words = [str(tmp_path), str(questions), "--today", "2026-01-01", "--misses"]
    monkeypatch.setattr(sys, "argv", ["recall_bench.py", *words])

    recall_bench.main()

    assert "1 notes, 1 questions" in capsys.readouterr().out
