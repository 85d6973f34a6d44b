"""What the history adds to the time of a write, in milliseconds and as a ratio within one run.

    python eval/quality/history_bench.py [--writes 400] [--notes 10000] [--folder DIR]

The same notes are replaced through a vault with a history and through one without, by turns, so
that both meet the same disk. The history holds texts of as many other notes as is said. Give a
folder on the disk that is meant: by default the one of temporary files.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parents[1]))

from echo_memory.deed import doing
from echo_memory.folder_vault import FolderVault
from echo_memory.history import History
from echo_memory.history_vault import HistoryVault
from echo_memory.vault import Vault
from quality.scratch import scratch

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WRITTEN, SEED = 10, 7
VERSIONS = 5  # of each of the other notes
WORDS = ("gear", "brass", "letter", "engine", "loom", "card", "number", "table", "Ada", "Babbage")


def text(size: int, chance: random.Random) -> str:
    """A note of about so many characters, no line of which is that of another."""
    lines = []
    while size > 0:
        lines.append(" ".join(chance.choices(WORDS, k=12)) + f" {chance.random()}")
        size -= len(lines[-1])
    return "\n".join(lines)


def replaced(vault: Vault, path: str, before: str, after: str) -> float:
    """Milliseconds that a write takes."""
    start = time.perf_counter()
    with doing("put"):
        vault.write(path, after, expected=before)
    return (time.perf_counter() - start) * 1_000


def filled(history: History, notes: int, chance: random.Random) -> None:
    """Have a history hold texts of so many notes."""
    for number in range(notes * VERSIONS):
        path = f"folder/{number % notes}.md"
        history.keep(path, text(SIZES[0], chance), op="put", loses=True)


def measure(folder: Path, size: int, writes: int, notes: int) -> None:
    """Print one line for notes of a size."""
    chance = random.Random(SEED)
    times: dict[str, list[float]] = {"without": [], "with": []}
    roots = {name: folder / name for name in times}
    for root in roots.values():
        root.mkdir()
    history = History(
        folder / "state", "bench", clock=lambda: datetime.now(UTC), notify=lambda _: None
    )
    filled(history, notes, chance)
    vaults: dict[str, Vault] = {
        "without": FolderVault(roots["without"]),
        "with": HistoryVault(FolderVault(roots["with"]), history),
    }
    texts = {f"note-{number}.md": text(size, chance) for number in range(WRITTEN)}
    for vault in vaults.values():
        for path, first in texts.items():
            vault.write(path, first, expected=None)
    with closing(vaults["with"]):
        for number in range(writes):
            path = f"note-{number % WRITTEN}.md"
            after = text(size, chance)
            for name in sorted(vaults, reverse=bool(number % 2)):
                times[name].append(replaced(vaults[name], path, texts[path], after))
            texts[path] = after
        room = sum(file.stat().st_size for file in (folder / "state/history").glob("*.sqlite*"))
    plain, kept = median(times["without"]), median(times["with"])
    p99 = quantiles(times["with"], n=100)[98]
    added = median(b - a for a, b in zip(times["without"], times["with"], strict=True))
    print(
        f"{size:>9,} characters: without {plain:.2f} ms, with {kept:.2f} ms (p99 {p99:.1f});"
        f" added {added:.2f} ms in the median, ratio {kept / plain:.2f};"
        f" {room / 1e6:.1f} MB for {notes + WRITTEN:,} notes"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--writes", type=int, default=400)
    options.add_argument("--notes", type=int, default=10_000)
    options.add_argument("--folder", type=Path)
    values = options.parse_args()
    for size in SIZES:
        writes = values.writes if size < SIZES[-1] else max(2, values.writes // 8)
        with scratch(values.folder) as folder:
            measure(folder, size, writes, values.notes)


if __name__ == "__main__":
    main()
