"""How well recall finds what a question asks for, as numbers.

    python eval/quality/recall_bench.py NOTES QUESTIONS --today 2026-11-30

QUESTIONS is a file of JSON lines: {"question": …, "gold": [paths], "category": …}. For every
ranking the share of questions with a gold note among the first one and five, the share of gold
notes among the first five and ten, and the mean reciprocal rank of the first gold note.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path

from echo_memory.catalog import Catalog
from echo_memory.folder_vault import FolderVault
from echo_memory.note import Note
from echo_memory.ranking import Signals
from echo_memory.retrieval.signals import ALL
from echo_memory.retrieval.words import query_words

DEPTH = 10
COLUMNS = ("hit@1", "hit@5", "recall@5", "recall@10", "MRR")

Search = Callable[[str], Sequence[str]]
Figures = tuple[float, ...]


@dataclass(frozen=True)
class Case:
    """A question, the notes that answer it, and what sort of question it is."""

    question: str
    gold: frozenset[str]
    category: str = "all"


def cases(path: Path) -> list[Case]:
    """The questions of a file of JSON lines."""
    entries = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    return [
        Case(entry["question"], frozenset(entry["gold"]), entry.get("category", "all"))
        for entry in entries
    ]


def figures(found: Sequence[str], gold: frozenset[str]) -> Figures:
    """The five columns for one question."""
    ranks = [rank for rank, path in enumerate(found, 1) if path in gold]
    return (
        float(1 in ranks),
        float(any(rank <= 5 for rank in ranks)),
        sum(rank <= 5 for rank in ranks) / min(5, len(gold)),
        sum(rank <= 10 for rank in ranks) / min(10, len(gold)),
        1 / ranks[0] if ranks else 0.0,
    )


def measured(search: Search, asked: Sequence[Case]) -> dict[str, Figures]:
    """The mean of the columns over all questions, and over those of each category."""
    rows: dict[str, list[Figures]] = defaultdict(list)
    for case in asked:
        row = figures(search(case.question)[:DEPTH], case.gold)
        rows["all"].append(row)
        if case.category != "all":
            rows[case.category].append(row)
    return {
        name: tuple(sum(column) / len(values) for column in zip(*values, strict=True))
        for name, values in rows.items()
    }


def opened(folder: Path) -> Catalog:
    """A catalogue of the notes in a folder."""
    catalog = Catalog()
    vault = FolderVault(folder)
    for path, text in vault.read_many(vault.stamps()).items():
        catalog.put(Note(path, text))
    return catalog


def rankings(catalog: Catalog, today: date) -> dict[str, Search]:
    """Recall as it is, without each of its signals, and BM25 alone."""

    def recall(signals: Signals) -> Search:
        return lambda question: [
            hit.key for hit in catalog.search(question, today=today, limit=DEPTH, signals=signals)
        ]

    def plain(question: str) -> list[str]:
        return catalog.ranking.first_stage(query_words(question)).best(DEPTH)

    left_out = {
        f"without {signal.name}": recall(replace(ALL, **{signal.name: False}))
        for signal in fields(Signals)
    }
    return {"recall": recall(ALL), **left_out, "BM25 alone": plain}


def table(results: dict[str, Figures]) -> str:
    """Figures in lines and columns, in percent."""
    width = max(map(len, results))
    lines = [" " * width + "".join(f"{column:>11}" for column in COLUMNS)]
    for name, row in results.items():
        lines.append(f"{name:<{width}}" + "".join(f"{100 * value:>11.1f}" for value in row))
    return "\n".join(lines)


def main() -> None:
    """Print the figures of a folder of notes and a file of questions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notes", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--today", type=date.fromisoformat, required=True)
    values = parser.parse_args()
    asked = cases(values.questions)
    ranked = rankings(opened(values.notes), values.today)
    results = {name: measured(search, asked) for name, search in ranked.items()}
    print(table({name: result["all"] for name, result in results.items()}))
    print()
    print(table(results["recall"]))


if __name__ == "__main__":
    main()
