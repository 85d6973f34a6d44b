"""How fast the server's index of words is, beside the package that its formula is from.

    python eval/quality/index_bench.py [--documents 10000 100000] [--words 150] [--calls 200]

In one process, over made-up documents whose words are as frequent as those of a language (Zipf).
The ratio is within this run, which is what can be compared between machines.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from math import log
from pathlib import Path
from statistics import quantiles

from rank_bm25 import BM25Plus

from echo_mcp.warm.inverted import LiveInverted

VOCABULARY, SEED, ASKED = 300_000, 7, 8
PACKAGE_DOCUMENTS = 10_000


class Library:
    """Documents with so many different words each, the same in every run."""

    def __init__(self, words: int) -> None:
        self._random = random.Random(SEED)
        self._words = words
        self._names = [f"w{rank:06}" for rank in range(VOCABULARY)]
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))

    def document(self) -> Counter[str]:
        """How often the next document has each of its words."""
        counts: Counter[str] = Counter()
        while len(counts) < self._words:
            counts.update(self.say(self._words - len(counts)))
        return counts

    def say(self, count: int) -> list[str]:
        """So many words, common ones more often."""
        return self._random.choices(self._names, cum_weights=self._weights, k=count)

    def question(self) -> list[str]:
        """Eight different words, common ones more often."""
        asked: dict[str, None] = {}
        while len(asked) < ASKED:
            asked[self.say(1)[0]] = None
        return list(asked)


def name(number: int) -> str:
    return f"resources/concepts/a-note-with-a-name-{number}.md"


def timed(work: Callable[[], object]) -> float:
    """Milliseconds that something takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def spread(times: list[float]) -> str:
    cuts = quantiles(times, n=100)
    return f"median {cuts[49]:8.3f} ms   p95 {cuts[94]:8.3f} ms   longest {max(times):8.3f} ms"


def resident() -> float:
    """Megabytes of memory in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def weights(index: LiveInverted, question: list[str]) -> dict[str, float]:
    found = ((word, index.containing(word)) for word in question)
    return {word: log((len(index) + 1) / count) for word, count in found if count}


def package(documents: int, library: Library, questions: list[list[str]]) -> float:
    """The median of the package's own scoring, in milliseconds."""
    plain = BM25Plus([list(library.document().elements()) for _ in range(documents)])
    times = [timed(lambda asked=asked: plain.get_scores(asked)) for asked in questions]
    print(f"rank_bm25.BM25Plus.get_scores   {spread(times)}")
    return quantiles(times, n=100)[49]


def build(documents: int, library: Library) -> LiveInverted:
    """An index; says how long that took and how much memory it takes."""
    spent = 0.0

    def made() -> Iterator[tuple[str, Counter[str]]]:
        nonlocal spent
        for number in range(documents):
            began = time.perf_counter()
            counts = library.document()
            spent += time.perf_counter() - began
            yield name(number), counts

    before, began = resident(), time.perf_counter()
    index = LiveInverted(made())
    seconds = time.perf_counter() - began - spent
    print(f"build   {seconds:.2f} s   memory {resident() - before:.0f} MB")
    return index


def change(index: LiveInverted, documents: int, library: Library, calls: int) -> None:
    """Put, replace and drop documents."""
    new = [library.document() for _ in range(calls)]
    puts = [timed(lambda at=at: index.put(f"new-{at}.md", new[at])) for at in range(calls)]
    print(f"put                             {spread(puts)}")
    replaced = [timed(lambda at=at: index.put(name(at), new[at])) for at in range(calls)]
    print(f"replace                         {spread(replaced)}")
    drops = [timed(lambda at=at: index.drop(name(documents - 1 - at))) for at in range(calls)]
    print(f"drop                            {spread(drops)}")


def keep(index: LiveInverted, folder: Path) -> None:
    """Save and load."""
    path = folder / "index"
    first, again = (timed(lambda: index.save(path)) for _ in range(2))
    size = path.stat().st_size / 1e6
    print(f"save   {first:.0f} ms with changes, {again:.0f} ms without   {size:.0f} MB")
    began, before = time.perf_counter(), resident()
    loaded = LiveInverted.load(path)
    seconds = time.perf_counter() - began
    print(f"load   {seconds * 1e3:.0f} ms   memory {resident() - before:.0f} MB")
    assert loaded is not None


def bench(documents: int, words: int, calls: int, folder: Path) -> None:
    """All figures for so many documents."""
    library = Library(words)
    questions = [library.question() for _ in range(calls)]
    print(f"\n{documents:,} documents of {words} different words, {ASKED} words asked")
    index = build(documents, library)
    asked = [weights(index, question) for question in questions]
    times = [timed(lambda each=each: index.scores(each)) for each in asked]
    print(f"LiveInverted.scores             {spread(times)}")
    best = [timed(partial(index.scores(each).best, 100)) for each in asked]
    print(f"Scores.best(100)                {spread(best)}")
    change(index, documents, library, calls)
    times_after = [timed(lambda each=each: index.scores(each)) for each in asked]
    print(f"scores after these changes      {spread(times_after)}")
    keep(index, folder)
    if documents <= PACKAGE_DOCUMENTS:
        plain = package(documents, Library(words), questions[:20])
        print(f"ratio {plain / quantiles(times, n=100)[49]:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--words", type=int, default=150)
    parser.add_argument("--calls", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for documents in options.documents:
            bench(documents, options.words, options.calls, Path(folder))


if __name__ == "__main__":
    main()
