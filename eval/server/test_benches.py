"""The benches: they run, and print a line for each figure; what a figure is, nobody judges here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from quality.figures import Table, growth, spread
from server.process import environment

QUALITY = Path(__file__).parents[1] / "quality"
PATIENCE_S = 240
NUMBER = re.compile(r"-?[\d,]+\.\d\d")

CALLS = [
    "recall, 1 word", "recall, 3 words", "recall, 8 words", "resolve", "get_note", "load",
    "capture",
]  # fmt: skip
RESIDENT = ["peak, MB", "after, MB", "mapped, MB"]

# Each table's title, its columns, and the rows that must have figures, with how many.
SPEED: dict[str, tuple[list[str], dict[str, int]]] = {
    "start": (
        ["cold", "warm"],
        {
            "opening to first recall, s": 2,
            "process to first recall, s": 2,
            "processor until then, s": 2,
            "process to first /health, s": 2,
            "/health meanwhile, p50, ms": 2,
            "/health meanwhile, longest, ms": 2,
            "memory peak, MB": 2,
            "memory after, MB": 2,
            "memory mapped, MB": 2,
        },
    ),
    "in process": (
        ["p50, ms", "p99, ms", "processor, ms"],
        {
            **dict.fromkeys(CALLS, 3),
            "plain write of a file": 3,
            "the same, synced": 3,
            "capture, less the synced write": 1,
            "a new note, made findable": 3,
        },
    ),
    "in process, memory": (RESIDENT, {"the process": 3}),
    "over HTTP": (
        ["p50, ms", "p99, ms", "x empty tool", "x, past inside", "x synced"],
        {"empty tool": 3, **dict.fromkeys(CALLS, 4), "the same, synced": 3, "capture": 5},
    ),
    "over HTTP, memory": (RESIDENT, {"the server": 3}),
    "command line, whole process": (
        ["s", "processor, s"],
        {"recall, first": 2, "recall, second": 2, "recall, median of 5 more": 2},
    ),
    "command line, memory": (["peak, MB"], {"recall": 1}),
    "on disk": (["MB"], {"notes": 1, "server's state": 1, "command line's": 1}),
}
LOAD: dict[str, tuple[list[str], dict[str, int]]] = {
    "capacity": (["calls a second"], {"4 connections without a pause": 1, "steady load": 1}),
    "steady load": (
        ["calls", "p50, ms", "p99, ms", "longest, ms"],
        {
            f"{calls}, {what}": figures
            for calls in ("all", "recall", "capture")
            for what, figures in {"quiet": 4, "refreshing": 4, "ratio": 3}.items()
        },
    ),
    "refresh": (["s"], {"a rewritten note is found after": 1}),
}


def run(program: str, folder: Path, *words: str) -> str:
    """What a bench prints."""
    done = subprocess.run(
        [sys.executable, str(QUALITY / program), "--folder", str(folder), *words],
        env=environment(folder),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def tables(printed: str) -> dict[str, tuple[list[str], dict[str, int]]]:
    """The columns of each printed table, and of each row how many figures it has."""
    found = {}
    for block in printed.split("\n\n"):
        head, *rows = block.strip("\n").split("\n")
        title, *columns = re.split(r" {2,}", head)
        labels = (re.split(r" {2,}", row.strip())[0] for row in rows)
        found[title] = (columns, dict(zip(labels, map(figures, rows), strict=True)))
    return found


def figures(row: str) -> int:
    """How many figures stand in a row, after its label."""
    return sum(map(bool, map(NUMBER.fullmatch, re.split(r" {2,}", row.strip())[1:])))


def assert_told(printed: str, wanted: dict[str, tuple[list[str], dict[str, int]]]) -> None:
    told = tables(printed)
    for title, (columns, rows) in wanted.items():
        assert told[title][0] == columns, title
        assert {label: told[title][1].get(label) for label in rows} == rows, title


def test_the_bench_of_speed_prints_every_figure(tmp_path: Path) -> None:
    printed = run("speed_bench.py", tmp_path, "--notes", "30", "--calls", "3")

    assert re.search(
        r"^30 notes, \d+ processors, Python 3.*, a million additions in \d+ ms$",
        printed,
        re.MULTILINE,
    )
    assert_told(printed, SPEED)
    assert list(tmp_path.iterdir()) == []


def test_growth_is_the_last_figure_in_terms_of_the_first() -> None:
    small, large = (
        [Table("calls", ("p50, ms", "x"), {"recall": [taken, 7.0], "none": [None, None]})]
        for taken in (0.5, 2.0)
    )

    told = growth([1_000, 100_000], [small, large])

    assert told.columns == ["1,000", "100,000", "last / first"]
    assert {name.rstrip(): row for name, row in told.rows.items()} == {
        "calls: recall, p50, ms": [0.5, 2.0, 4.0],
        "calls: none, p50, ms": [None, None, None],
    }


@pytest.mark.parametrize(
    ("times", "told"),
    [([3.0], (3.0, 3.0)), ([2.0, 1.0], (1.0, 2.0)), ([*map(float, range(1, 201))], (100, 198))],
)
def test_a_spread_is_of_values_that_were_measured(
    times: list[float], told: tuple[float, float]
) -> None:
    assert spread(times) == told


def test_the_bench_of_load_prints_every_figure(tmp_path: Path) -> None:
    words = ["--notes", "30", "--seconds", "0.5", "--rounds", "1"]

    printed = run("load_bench.py", tmp_path, *words)

    assert re.search(
        r"^30 notes, \d+ processors, Python 3.*, a million additions in \d+ ms$",
        printed,
        re.MULTILINE,
    )
    assert_told(printed, LOAD)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", ["speed_bench.py", "load_bench.py"])
def test_a_bench_tells_how_it_is_used(program: str, tmp_path: Path) -> None:
    assert "--notes" in run(program, tmp_path, "--help")
