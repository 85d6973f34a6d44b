"""How well recall finds what a question asks for, as numbers.

    python eval/quality/recall_bench.py DATA               with `questions.jsonl`, `vault/`
    python eval/quality/recall_bench.py NOTES QUESTIONS    any folder of notes, and any file

QUESTIONS is a file of JSON lines: {"question": …, "gold": [paths], "category": …, "half": …}, of
which the last two may be missing. For every ranking the share of questions with a gold note at the
first place (hit@1) and among the first five (hit@5), the share of gold notes among the first five
and ten (recall@5, recall@10), and the mean reciprocal rank of the first gold note (MRR).

The baseline is plain BM25 over the whole text of each note: words split at what is no letter or
digit, without stop words, as stems. Then one thing after the other is added, and then each signal
is switched off. Signals are set on the half `tuning` and judged on `held-out`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path

from echo_memory.catalog import Catalog
from echo_memory.folder_vault import FolderVault
from echo_memory.note import Note
from echo_memory.ranking import Signals
from echo_memory.recall_index import Kept, NoStore, Stored
from echo_memory.recallable import document, is_recalled
from echo_memory.retrieval import bm25
from echo_memory.retrieval.documents import Document, facts
from echo_memory.retrieval.inverted import DictInverted
from echo_memory.retrieval.signals import ALL
from echo_memory.retrieval.stems import stem
from echo_memory.retrieval.stop_words import STOP_WORDS
from echo_memory.retrieval.words import query_words, words

DEPTH = 10
COLUMNS = ("hit@1", "hit@5", "recall@5", "recall@10", "MRR")
ALL_CASES = "all"
RECALL, PLAIN, WORDS, FIELDS = "recall", "plain BM25", "+ words", "+ fields"

# The questions in which a signal should matter, and the rankings with it and without it.
OWN_QUESTIONS = {
    "words": ("identifier", "japanese", "chinese"),
    "fields": ("name",),
    "passages": ("passage",),
    "pairs": ("pair",),
    "dates": ("date",),
    "kinds": ("kind",),
    "names": ("name",),
    "near_names": ("typo",),
    "slips": ("typo",),
    "status": ("status",),
    "age": ("age",),
}

_PLAIN_WORD = re.compile(r"\w+")

Search = Callable[[str], Sequence[str]]
Figures = tuple[float, ...]


@dataclass(frozen=True)
class Case:
    """A question, the notes that answer it, what sort of question it is, and in which half."""

    question: str
    gold: frozenset[str]
    category: str = ""
    half: str = ""

    @property
    def groups(self) -> list[str]:
        """The rows of the tables in which it counts."""
        return [ALL_CASES, *filter(None, (self.half, self.category))]


def cases(path: Path) -> list[Case]:
    """The questions of a file of JSON lines."""
    entries = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    return [
        Case(
            entry["question"],
            frozenset(entry["gold"]),
            entry.get("category", ""),
            entry.get("half", ""),
        )
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


def measured(search: Search, asked: Iterable[Case]) -> dict[str, Figures]:
    """The mean of the columns over all questions, over each half and over each category."""
    rows: dict[str, list[Figures]] = defaultdict(list)
    for case in asked:
        row = figures(search(case.question)[:DEPTH], case.gold)
        for group in case.groups:
            rows[group].append(row)
    return {name: mean(values) for name, values in rows.items()}


def mean(rows: Sequence[Figures]) -> Figures:
    """The mean of each column."""
    return tuple(sum(column) / len(rows) for column in zip(*rows, strict=True))


def read(folder: Path) -> list[Note]:
    """The notes in a folder."""
    vault = FolderVault(folder)
    return [Note(path, text) for path, text in vault.read_many(vault.stamps()).items()]


def newest_day(notes: Iterable[Note]) -> date:
    """The day on which the youngest note was made: from there a set of questions looks back."""
    return date.fromisoformat(max(note.scalar("created")[:10] for note in notes))


class Unweighted(NoStore):
    """An index as if kept by an earlier process, in which a title's word counts as any other."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self._stored = Stored(DictInverted(), {})
        kept = {}
        for note in filter(is_recalled, notes):
            one = document(note)
            self._stored.inverted.put(note.path, Counter(_all_words(one)))
            kept[note.path] = Kept(note.signature, facts(one), ())
        self._stored = replace(self._stored, kept=kept)

    def load(self) -> Stored:
        """See Store."""
        return self._stored


def _all_words(one: Document) -> list[str]:
    return [word for text in (one.title, *one.aliases, *one.tags, one.body) for word in words(text)]


def catalog_of(notes: Iterable[Note], store: NoStore | None = None) -> Catalog:
    """A catalogue of some notes."""
    catalog = Catalog(store)
    for note in notes:
        catalog.put(note)
    return catalog


def plain_words(text: str) -> list[str]:
    """Words as a plain search has them."""
    found = _PLAIN_WORD.findall(text.lower())
    return [stem(word) for word in found if word not in STOP_WORDS]


def plain_search(notes: Iterable[Note]) -> Search:
    """BM25 over the whole text of the notes."""
    index = DictInverted()
    for note in filter(is_recalled, notes):
        index.put(note.path, Counter(plain_words(note.text)))

    def search(question: str) -> list[str]:
        asked = Counter(plain_words(question))
        weights = {
            word: times * bm25.rarity(index.containing(word), len(index))
            for word, times in asked.items()
            if index.containing(word)
        }
        return index.scores(weights).best(DEPTH)

    return search


def rankings(notes: Sequence[Note], today: date) -> dict[str, Search]:
    """Plain BM25, what is added to it, recall as it is, and recall without each of its signals."""
    whole, unweighted = catalog_of(notes), catalog_of(notes, Unweighted(notes))

    def recall(catalog: Catalog, signals: Signals = ALL) -> Search:
        return lambda question: [
            hit.key for hit in catalog.search(question, today=today, limit=DEPTH, signals=signals)
        ]

    def first_stage(catalog: Catalog) -> Search:
        return lambda question: catalog.recall.ranking.first_stage(query_words(question)).best(
            DEPTH
        )

    return {
        PLAIN: plain_search(notes),
        WORDS: first_stage(unweighted),
        FIELDS: first_stage(whole),
        RECALL: recall(whole),
        "without fields": recall(unweighted),
        **{
            f"without {signal.name}": recall(whole, replace(ALL, **{signal.name: False}))
            for signal in fields(Signals)
        },
    }


def gains(measures: Mapping[str, Mapping[str, Figures]]) -> dict[str, Figures]:
    """What each signal adds to the columns on the questions of its own, and on all of them."""
    found = {}
    for signal, own in OWN_QUESTIONS.items():
        better, worse = (WORDS, PLAIN) if signal == "words" else (RECALL, f"without {signal}")
        for group in (*own, ALL_CASES):
            if group in measures[RECALL]:
                found[f"{signal}, {group}"] = tuple(
                    one - other
                    for one, other in zip(
                        measures[better][group], measures[worse][group], strict=True
                    )
                )
    return found


def table(results: Mapping[str, Figures], title: str = "") -> str:
    """Figures in lines and columns, in percent."""
    width = max(map(len, (title, *results)))
    lines = [f"{title:<{width}}" + "".join(f"{column:>11}" for column in COLUMNS)]
    for name, row in results.items():
        lines.append(f"{name:<{width}}" + "".join(f"{100 * value:>11.1f}" for value in row))
    return "\n".join(lines)


def misses(search: Search, asked: Iterable[Case]) -> list[str]:
    """A line for each question whose first hit is no gold note."""
    lines = []
    for case in asked:
        found = search(case.question)
        if not found or found[0] not in case.gold:
            rank = next((at for at, path in enumerate(found, 1) if path in case.gold), "-")
            first = found[0] if found else "nothing"
            lines.append(f"{case.category:<12}{rank:>3}  {case.question}  ->  {first}")
    return lines


def main() -> None:
    """Print the figures of a folder of notes and a file of questions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("questions", type=Path, nargs="?")
    parser.add_argument("--today", type=date.fromisoformat, help="default: the newest note's day")
    parser.add_argument("--half", help="only the questions of this half")
    parser.add_argument("--misses", action="store_true", help="show what did not come first")
    values = parser.parse_args()
    inner = values.data / "vault"
    notes = read(inner if inner.is_dir() else values.data)
    asked = [
        case
        for case in cases(values.questions or values.data / "questions.jsonl")
        if values.half in (None, case.half)
    ]
    ranked = rankings(notes, values.today or newest_day(notes))
    measures = {name: measured(search, asked) for name, search in ranked.items()}
    print(f"{len(notes)} notes, {len(asked)} questions\n")
    print(table({name: groups[ALL_CASES] for name, groups in measures.items()}, "ranking"), "\n")
    print(table(measures[RECALL], "recall, by category"), "\n")
    print(table(measures[PLAIN], "plain BM25, by category"), "\n")
    print(table(gains(measures), "gain of"))
    if values.misses:
        print("", *misses(ranked[RECALL], asked), sep="\n")


if __name__ == "__main__":
    main()
