"""Recall over the questions of the quality set, and the figures that tell of it."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest

from quality import recall_bench

SET = Path(__file__).parents[1] / "fixtures/quality"
TODAY = date(2026, 11, 30)


def test_recall_finds_what_the_quality_set_asks_for() -> None:
    ranked = recall_bench.rankings(recall_bench.opened(SET / "vault"), TODAY)
    asked = recall_bench.cases(SET / "questions.jsonl")

    figures = {
        name: dict(
            zip(recall_bench.COLUMNS, recall_bench.measured(search, asked)["all"], strict=True)
        )
        for name, search in ranked.items()
    }

    assert len(asked) >= 60
    assert figures["recall"]["hit@1"] >= 0.9
    assert figures["recall"]["recall@5"] >= 0.95
    assert figures["recall"]["MRR"] > figures["BM25 alone"]["MRR"] + 0.2
    for signal in ("dates", "kinds", "near_names"):
        assert figures[f"without {signal}"]["MRR"] < figures["recall"]["MRR"]


def test_figures_are_shares_of_gold_notes_and_the_rank_of_the_first() -> None:
    gold = frozenset({"a", "b"})

    assert recall_bench.figures(["x", "a", "y", "z", "v", "b"], gold) == (0, 1, 0.5, 1, 0.5)
    assert recall_bench.figures(["b", "a"], gold) == (1, 1, 1, 1, 1)
    assert recall_bench.figures([], gold) == (0, 0, 0, 0, 0)


def test_the_bench_prints_a_line_for_every_ranking_and_category(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(SET / "vault"), str(SET / "questions.jsonl"), "--today", TODAY.isoformat()]
    monkeypatch.setattr(sys, "argv", ["recall_bench.py", *words])

    recall_bench.main()

    said = capsys.readouterr().out
    assert all(name in said for name in ("BM25 alone", "without dates", "russian", "hit@1"))
