"""What an editor can lose to our edits of the same note, and how long the window is.

    python eval/quality/edit_window.py FOLDER --saves 500 [--blind | --rest]

Another process saves a note again and again, in one of three ways, and looks each time whether what
it saved stayed, while this one edits the same note without a pause. The window is the time between
the second naming of a note and our rename (see `echo_memory.folder`): a file that an editor gives
the note's name in it is lost.

On a busy machine with Linux and ext4 the window is 16 µs (p50) and 43 µs (p99). Of 500 saves each,
30 to 300 ms apart, none was lost that was made in place or appended, with `--blind` neither, and at
most one that was made by rename.

With `--rest`, only the window of a vault behind the Local REST API is measured, from the request
for our last look to the answer to our write, over the stand-in on this machine: 0.9 ms (p50) and
1.2 ms (p99). Over a network, it is two round trips.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import quantiles

sys.path.insert(0, str(Path(__file__).parents[1]))  # where the stand-in is

from echo_memory import writers
from echo_memory.errors import Conflict
from echo_memory.folder_vault import FolderVault
from echo_memory.rest.access import Access
from echo_memory.rest_vault import RestVault
from echo_memory.vault import edit
from olrapi.standin import StandIn

KEY = "the-key-of-the-stand-in"

NOTE = "note.md"
TEXT = "# Note\n\n" + "A line that was there before.\n" * 100


def in_place(note: Path, line: str) -> None:
    """Save as most editors do: empty the file, then write all of it."""
    text = note.read_text() + line
    with note.open("w") as file:
        file.write(text)


def appending(note: Path, line: str) -> None:
    """Add a line at the end."""
    with note.open("a") as file:
        file.write(line)


def by_rename(note: Path, line: str) -> None:
    """Save as careful editors do: write another file, then give it the note's name."""
    other = note.with_suffix(".new")
    other.write_text(note.read_text() + line)
    other.replace(note)


def editor(note: Path, save: Callable[[Path, str], None], saves: int, lost: object) -> None:
    """Save so often, and count what is gone by the time of the next save."""
    for number in range(saves):
        line = f"- theirs {number}\n"
        save(note, line)
        time.sleep(random.uniform(0.03, 0.3))
        if line not in note.read_text():
            lost.value += 1


def contest(vault: FolderVault, note: Path, save: Callable[[Path, str], None], saves: int) -> str:
    """One way of saving against our edits, as a line of figures."""
    note.write_text(TEXT)
    lost = multiprocessing.Value("i", 0)
    other = multiprocessing.Process(target=editor, args=(note, save, saves, lost))
    other.start()
    took, refused = [], 0
    while other.is_alive():
        line = f"- ours {len(took)}\n"
        start = time.perf_counter()
        try:
            edit(vault, NOTE, lambda text, line=line: (text or "") + line)
        except Conflict:
            refused += 1
        took.append(time.perf_counter() - start)
        time.sleep(random.uniform(0, 0.002))
    other.join()
    return (
        f"{save.__name__:<10} {lost.value:>4} of {saves} saves lost; of our {len(took)} edits"
        f" {refused} refused; an edit takes {figures(took, 1e3)} ms"
    )


def window(vault: FolderVault, note: Path, edits: int) -> list[float]:
    """How long before each rename, in seconds, the note was last known to be the expected one."""
    note.write_text(TEXT)
    marks: dict[str, float] = {}
    spans: list[float] = []

    def watch(event: str, _: object) -> None:
        if event in ("os.link", "os.rename", "os.remove"):
            now = time.perf_counter()
            if event == "os.remove" and "os.rename" in marks:
                spans.append(marks["os.rename"] - marks.get("os.link", now))
                marks.clear()
            marks[event] = now

    sys.addaudithook(watch)
    for number in range(edits):
        edit(vault, NOTE, lambda text, number=number: f"{text}- ours {number}\n")
    return spans


def rest_window(folder: Path, edits: int) -> list[float]:
    """How long a write over the stand-in takes, in seconds, its last look included."""
    text, spans = TEXT, []
    (folder / NOTE).write_text(text)
    with StandIn(folder, KEY) as plugin, closing(RestVault(Access.of(plugin.url, KEY))) as vault:
        for number in range(edits):
            longer = f"{text}- ours {number}\n"
            start = time.perf_counter()
            vault.write(NOTE, longer, expected=text)
            spans.append(time.perf_counter() - start)
            text = longer
    return spans


def figures(seconds: list[float], unit: float) -> str:
    """The median and the 99th percentile."""
    cuts = quantiles(seconds, n=100)
    return f"{cuts[49] * unit:.1f} (p50), {cuts[98] * unit:.1f} (p99)"


def main() -> None:
    """Print the figures for a folder on the disk that is asked about."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--saves", type=int, default=500)
    parser.add_argument("--blind", action="store_true", help="as where nobody tells of writers")
    parser.add_argument("--rest", action="store_true", help="only of the Local REST API")
    values = parser.parse_args()
    if values.rest:
        print(f"window {figures(rest_window(values.folder, values.saves), 1e3)} ms")
        return
    if values.blind:
        writers.is_held = lambda _: False
    vault, note = FolderVault(values.folder), values.folder / NOTE
    for save in (in_place, appending, by_rename):
        print(contest(vault, note, save, values.saves), flush=True)
    print(f"window {figures(window(vault, note, values.saves), 1e6)} µs")


if __name__ == "__main__":
    main()
