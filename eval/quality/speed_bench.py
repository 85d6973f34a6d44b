"""How fast the memory is, how much room it takes, and how both grow with the number of notes.

    python eval/quality/speed_bench.py [--notes 10000] [--folder DIR] [--calls 200]

Everything in one process, over a folder of made-up notes of 1 to 2 kB each with words as frequent
as those of a language (Zipf). The last line of each block is a ratio within this run, which is what
can be compared between machines.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from statistics import quantiles

from echo_mcp.upkeep.staff import Staff
from echo_mcp.warm.store import LiveWords
from echo_memory.config import Config
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.load import load_op
from echo_memory.ops.note import get_note_op
from echo_memory.ops.recall import recall_op
from echo_memory.ops.resolve import resolve_op

ONSETS, VOWELS = "bdfgklmnprstvz", "aeiou"
WORDS, SEED = 20_000, 7


class Language:
    """Words and their frequencies, the same in every run."""

    def __init__(self) -> None:
        self._random = random.Random(SEED)
        made: dict[str, None] = {}
        while len(made) < WORDS:
            made["".join(self._syllable() for _ in range(self._random.randint(2, 4)))] = None
        self.words = list(made)
        self._weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))

    def _syllable(self) -> str:
        return self._random.choice(ONSETS) + self._random.choice(VOWELS)

    def say(self, count: int) -> list[str]:
        """So many words, common ones more often."""
        return self._random.choices(self.words, cum_weights=self._weights, k=count)

    def note(self, number: int) -> tuple[str, str]:
        """Path and text of a note."""
        kind, folder = self._random.choice(
            [
                ("concept", "resources/concepts"),
                ("person", "resources/people"),
                ("semantic", "_agent/memory/semantic"),
                ("meeting", "resources/meetings"),
            ]
        )
        title = " ".join(word.capitalize() for word in self.say(2)) + f" {number}"
        slug = title.lower().replace(" ", "-")
        day = f"202{number % 6}-{number % 12 + 1:02}-{number % 28 + 1:02}"
        name = f"{day}-{slug}" if kind == "meeting" else slug
        body = "\n\n".join(" ".join(self.say(40)) for _ in range(self._random.randint(4, 7)))
        head = f"---\ntype: {kind}\ntitle: {title}\ncreated: {day}\nupdated: {day}\n---\n"
        return f"{folder}/{name}.md", f"{head}\n# {title}\n\n{body}\n"


def make_vault(folder: Path, language: Language, notes: int) -> None:
    """Put so many notes down."""
    for number in range(notes):
        path, text = language.note(number)
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that a call takes."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def spread(calls: Iterator[float]) -> str:
    """The median and the 99th percentile of some times in milliseconds."""
    cuts = quantiles(list(calls), n=100)
    return f"p50 {cuts[49]:8.2f} ms   p99 {cuts[98]:8.2f} ms"


def memory_mb() -> float:
    """The most that this process ever had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def served(folder: Path, state: Path) -> Iterator[Memory]:
    """The memory as the server has it, with those that work beside it."""
    memory = open_memory(Config(folder, state), notify=lambda _: None, words=LiveWords())
    staff = Staff(memory, every=60.0)
    with staff.at_work():
        yield staff.memory


def measure(folder: Path, state: Path, language: Language, calls: int) -> None:
    """Print the figures of one vault."""
    for start in ("cold", "warm"):
        began = time.perf_counter()
        with served(folder, state) as memory:
            recall_op(memory, "first question")
            print(f"{start} start to the first recall {time.perf_counter() - began:8.2f} s")
            if start == "warm":
                while memory.catalog.ranking.read_ahead(1):
                    time.sleep(0.05)
                measure_calls(memory, language, calls)
    size = sum(path.stat().st_size for path in state.rglob("*") if path.is_file())
    print(f"memory {memory_mb():.0f} MB, state folder {size / 1e6:.0f} MB")


def measure_calls(memory: Memory, language: Language, calls: int) -> None:
    """Print how long each kind of call takes."""
    for count in (1, 3, 8):
        questions = [" ".join(language.say(count)) for _ in range(calls)]
        times = (timed(lambda q=q: recall_op(memory, q)) for q in questions)
        print(f"recall, {count} words     {spread(times)}")
    titles = [note.title for note in random.Random(1).sample(memory.catalog.notes(), calls)]
    paths = [note.path for note in random.Random(2).sample(memory.catalog.notes(), calls)]
    print(f"resolve             {spread(timed(lambda t=t: resolve_op(memory, t)) for t in titles)}")
    print(f"get                 {spread(timed(lambda p=p: get_note_op(memory, p)) for p in paths)}")
    print(f"load                {spread(timed(lambda: load_op(memory)) for _ in range(20))}")
    numbers = iter(range(calls))
    captures = (
        timed(
            lambda: capture_op(
                memory,
                f"Captured {next(numbers)} {os.getpid()}",
                kind="semantic",
                body=" ".join(language.say(30)),
                force=True,
            )
        )
        for _ in range(min(calls, 50))
    )
    print(f"capture             {spread(captures)}")


def main() -> None:
    """Make a vault and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where to make the vault; else a new one")
    values = parser.parse_args()
    root = Path(tempfile.mkdtemp(dir=values.folder))
    try:
        language = Language()
        vault, state = root / "vault", root / "state"
        vault.mkdir()
        make_vault(vault, language, values.notes)
        memory = open_memory(Config(vault, root / "seeding"), notify=lambda _: None)
        bootstrap_op(memory)
        memory.close()
        shutil.rmtree(root / "seeding")
        print(f"{values.notes} notes, {os.cpu_count()} processors")
        measure(vault, state, language, values.calls)
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
