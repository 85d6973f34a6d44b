"""How long calls take under a steady load, and whether they wait for a refresh of the index.

    python eval/quality/load_bench.py [--notes 10000] [--seconds 20] [--rounds 3] [--folder DIR]

First the capacity: connections that call without a pause, four recalls to one capture. Then the
same calls at 30 % of that, each at its time whether or not the earlier ones are answered, and
counted from that time on; in turns, quiet and with a refresh running: another program rewrites
notes all the time, which the server must read again, and it saves its index every few seconds.
The server, this client, and that program are processes of their own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).parents[1]))

from echo_mcp.upkeep.follower import SAVE_EVERY_S
from quality.bench_calls import Asked, capture, recall
from quality.bench_client import Connection, Served, await_upkeep, check, request, serving
from quality.figures import Row, Table, machine, percentile, settle, spread
from quality.invented_vault import Language, invented, make_vault
from quality.scratch import scratch

CALLERS, WORDS, RECALLS_TO_A_CAPTURE = 4, 3, 4
LOAD, WAITING = 0.3, 16
SAVE_SOON_S, REWRITES_A_SECOND = 5.0, 100
LONGEST_S = 120.0
MARK = "\nrewritten: "


@dataclass(frozen=True)
class Taken:
    """A call that was made: what it was, and how many milliseconds it took."""

    tool: str
    ms: float


class Calls:
    """The mixed calls, one after the other, for any number of threads."""

    def __init__(self) -> None:
        self._language = Language(asking=6)
        self._numbers = count()
        self._lock = Lock()

    def next(self) -> Asked:
        """The next call."""
        with self._lock:
            number = next(self._numbers)
            if number % (RECALLS_TO_A_CAPTURE + 1) == RECALLS_TO_A_CAPTURE:
                return capture(self._language, f"load {number}")
            return recall(self._language, WORDS)


def capacity(port: int, calls: Calls, seconds: float) -> float:
    """Calls a second that are answered when some connections call without a pause."""
    until = time.monotonic() + seconds

    def work(_: int) -> int:
        done = 0
        with Connection(port) as line:
            while time.monotonic() < until:
                check(line.send(request(calls.next())))
                done += 1
        return done

    began = time.monotonic()
    with ThreadPoolExecutor(CALLERS) as pool:
        done = sum(pool.map(work, range(CALLERS)))
    return done / (time.monotonic() - began)


def steady(port: int, calls: Calls, seconds: float, rate: float) -> list[Taken]:
    """The calls of a steady load; each is due at its time, whatever became of those before it."""
    jitter = random.Random(8)
    amount = max(2 * (RECALLS_TO_A_CAPTURE + 1), int(seconds * rate))
    began = time.monotonic() + 0.05
    plan = [(began + (at + jitter.random()) / rate, calls.next()) for at in range(amount)]
    due, taking = iter(plan), Lock()

    def work(_: int) -> list[Taken]:
        taken: list[Taken] = []
        with Connection(port) as line:
            while True:
                with taking:
                    at, asked = next(due, (0.0, None))
                if asked is None:
                    return taken
                sent = request(asked)
                time.sleep(max(0.0, at - time.monotonic()))
                body = line.send(sent)
                taken.append(Taken(asked.tool, (time.monotonic() - at) * 1000))
                check(body)

    with ThreadPoolExecutor(WAITING) as pool:
        return [taken for each in pool.map(work, range(WAITING)) for taken in each]


def rewrite(notes: Sequence[Path], word: str) -> None:
    """Rewrite notes at a steady pace, each with another last line, until this process is ended."""
    for number in count():
        note = notes[number % len(notes)]
        text, _, _ = note.read_text("utf-8").partition(MARK)
        save(note, f"{text}{MARK}{word}{number}\n")
        time.sleep(1 / REWRITES_A_SECOND)


def save(note: Path, text: str) -> None:
    """Replace a note as an editor does."""
    draft = note.with_suffix(".editing")
    draft.write_text(text, "utf-8")
    draft.replace(note)


@contextmanager
def refreshing(served: Served, notes: Sequence[Path], word: str) -> Iterator[None]:
    """Another program rewrites notes meanwhile, and the server saves its index often."""
    context = multiprocessing.get_context("spawn")
    writer = context.Process(target=rewrite, args=(notes, word), daemon=True)
    served.save_every(SAVE_SOON_S)
    writer.start()
    try:
        yield
    finally:
        writer.terminate()
        writer.join()
        served.save_every(SAVE_EVERY_S)


def seconds_until_found(port: int, note: Path, word: str) -> float:
    """Rewrite a note once more with a word of its own, and recall that until it is found."""
    save(note, f"{note.read_text('utf-8')}\n{word}\n")
    began = time.monotonic()
    question = request(Asked("echo_recall", {"query": word}))
    with Connection(port) as line:
        while note.name.encode() not in line.send(question):
            if time.monotonic() - began > LONGEST_S:
                raise TimeoutError("a rewritten note is never found")
            time.sleep(0.1)
    return time.monotonic() - began


def compared(quiet: Sequence[Taken], busy: Sequence[Taken]) -> Table:
    """The times of both kinds of rounds, and how many times those of the first the second are."""
    rows: dict[str, Row] = {}
    for label, tools in {
        "all": ("echo_recall", "echo_capture"),
        "recall": ("echo_recall",),
        "capture": ("echo_capture",),
    }.items():
        figures = {}
        for kind, taken in {"quiet": quiet, "refreshing": busy}.items():
            times = [one.ms for one in taken if one.tool in tools]
            figures[kind] = (*spread(times), max(times))
            rows[f"{label}, {kind}"] = [float(len(times)), *figures[kind]]
        ratios = zip(figures["refreshing"], figures["quiet"], strict=True)
        rows[f"{label}, ratio"] = [None, *(after / before for after, before in ratios)]
    return Table("steady load", ("calls", "p50, ms", "p99, ms", "longest, ms"), rows)


def measure(served: Served, vault: Path, seconds: float, rounds: int) -> list[Table]:
    """The capacity, and the steady load in turns without and with a refresh."""
    calls, notes = Calls(), invented(vault)
    random.Random(9).shuffle(notes)
    say("capacity")
    capacity(served.port, calls, seconds / 4)
    most = capacity(served.port, calls, seconds)
    taken: dict[str, list[Taken]] = defaultdict(list)
    found = []
    for number in range(rounds):
        settle(served.process.pid)
        say(f"round {number + 1} of {rounds}, quiet")
        taken["quiet"] += steady(served.port, calls, seconds, most * LOAD)
        say(f"round {number + 1} of {rounds}, refreshing")
        with refreshing(served, notes, f"changed{number}x"):
            taken["busy"] += steady(served.port, calls, seconds, most * LOAD)
        found.append(seconds_until_found(served.port, notes[-1], f"zebra{number}quux"))
    rates: dict[str, Row] = {
        f"{CALLERS} connections without a pause": [most],
        "steady load": [most * LOAD],
    }
    seen: dict[str, Row] = {"a rewritten note is found after": [percentile(found, 0.5)]}
    return [
        Table("capacity", ("calls a second",), rates),
        compared(taken["quiet"], taken["busy"]),
        Table("refresh", ("s",), seen),
    ]


def say(what: str) -> None:
    """Say how far it is."""
    print(f"… {what}", file=sys.stderr, flush=True)


def main() -> None:
    """Make a vault, serve it, and print what a load of calls meets."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to make the vault; else a new one")
    values = parser.parse_args()
    with scratch(values.folder) as root:
        vault = root / "vault"
        say(f"{values.notes:,} notes: making them")
        make_vault(vault, values.notes)
        with serving(vault, root / "state", "--upkeep-after", "0") as served:
            with Connection(served.port) as line:
                check(line.send(request(recall(Language(asking=3), WORDS))))
                say("the first backup and sweep")
                await_upkeep(line)
            settle(served.process.pid)
            tables = measure(served, vault, values.seconds, values.rounds)
    print(f"{values.notes:,} notes, {machine()}\n")
    print("\n\n".join(table.text() for table in tables))


if __name__ == "__main__":
    main()
