"""How fast the memory is, how much room it takes, and how both grow with the number of notes.

    python eval/quality/speed_bench.py [--notes 1000 10000 100000] [--calls 200] [--folder DIR]
                                       [--only start inside http command]

Over folders of invented notes, on Linux. Every phase has a process of its own, so that its memory
is its own: `peak` is the most that it had, `after` what it has once it has come to rest, `mapped`
the part of that which is pages of files. The server is the real one with a tool beside its own that
does nothing. What a call costs in terms of that tool can be compared between machines, and so can
what a capture costs in terms of a plain write, synced as a careful program does. `past inside` is
what the door adds to the call in process, in terms of that tool; `processor` is the median of the
time in which a call had the processor, which says more where others are at work, too.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

sys.path.insert(0, str(Path(__file__).parents[1]))

from quality.bench_calls import FINDABLE, READS, WRITES, captures, reads, recall, writes
from quality.bench_client import (
    NOTHING,
    Connection,
    Served,
    check,
    child,
    request,
    serving,
    told_by,
)
from quality.bench_command import Place, command
from quality.figures import (
    MEMORY,
    Resident,
    Row,
    Table,
    growth,
    machine,
    megabytes,
    percentile,
    processor_s,
    settle,
    spread,
    timed,
)
from quality.invented_vault import Language, make_vault
from quality.scratch import scratch

BLOCKS = ("start", "inside", "http", "command")
SPREAD = ("p50, ms", "p99, ms")
HEALTH_EVERY_S = 0.05


@contextmanager
def health_asked(served: Served, times: list[float]) -> Iterator[None]:
    """Ask for the server's health again and again, in a thread; how long that takes goes in."""
    ended = Event()

    def ask() -> None:
        with Connection(served.port) as line:
            times.append(timed(line.health))
            while not ended.wait(HEALTH_EVERY_S):
                times.append(timed(line.health))

    thread = Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def started(place: Place) -> Row:
    """Start a server: seconds, /health meanwhile, memory."""
    question = request(recall(Language(asking=3), 3))
    health: list[float] = []
    with serving(place.vault, place.state) as served, Connection(served.port) as line:
        line.health()
        answered = time.monotonic()
        with health_asked(served, health):
            check(line.send(question))
            recalled, work = time.monotonic(), processor_s(served.process.pid)
        settle(served.process.pid)
        memory = Resident.of(served.process.pid)
    return [
        recalled - served.opened,
        recalled - served.started,
        work,
        answered - served.started,
        percentile(health, 0.5),
        max(health),
        memory.peak,
        memory.now,
        memory.mapped,
    ]


def start(place: Place) -> list[Table]:
    """Starts of the server, with nothing kept and with everything kept."""
    shutil.rmtree(place.state, ignore_errors=True)
    columns = [started(place), started(place)]
    labels = [
        "opening to first recall, s",
        "process to first recall, s",
        "processor until then, s",
        "process to first /health, s",
        "/health meanwhile, p50, ms",
        "/health meanwhile, longest, ms",
        *(f"memory {what}" for what in MEMORY),
    ]
    rows = dict(zip(labels, zip(*columns, strict=True), strict=True))
    return [Table("start", ("cold", "warm"), rows, growing=2)]


def inside(place: Place) -> list[Table]:
    """Calls of the operations, in the process that has the memory."""
    with child("bench_inside.py", place.vault, place.state, "--calls", str(place.calls)) as process:
        told = told_by(process)
    rows: dict[str, Row] = {}
    for label in (*READS, *WRITES, "capture", FINDABLE):
        times, works = zip(*told["times"][label], strict=True)
        place.inside[label] = percentile(times, 0.5)
        rows[label] = [*spread(times), percentile(works, 0.5)]
    unit = place.inside["the same, synced"]
    rows["capture, less the synced write"] = [place.inside["capture"] - unit, None, None]
    memory: dict[str, Row] = {"the process": list(told["memory"].values())}
    return [
        Table("in process", (*SPREAD, "processor, ms"), rows),
        Table("in process, memory", MEMORY, memory, growing=2),
    ]


def http(place: Place) -> list[Table]:
    """Calls of the tools, over HTTP."""
    times: dict[str, list[float]] = defaultdict(list)
    with serving(place.vault, place.state) as served, Connection(served.port) as line:
        check(line.send(request(recall(Language(asking=3), 3))))
        settle(served.process.pid)
        call_over(line, place, times)
        settle(served.process.pid)
        memory = Resident.of(served.process.pid)
    rows = {label: http_row(place, times, label) for label in ("empty tool", *READS, *WRITES)}
    rows["capture"] = http_row(place, times, "capture")
    columns = (*SPREAD, "x empty tool", "x, past inside", "x synced")
    return [
        Table("over HTTP", columns, rows, growing=2),
        Table(
            "over HTTP, memory", MEMORY, {"the server": [memory.peak, memory.now, memory.mapped]}
        ),
    ]


def call_over(line: Connection, place: Place, times: dict[str, list[float]]) -> None:
    """Take the times of all calls; the empty tool's in between them."""
    nothing = request(NOTHING)

    def ask(label: str, sent: bytes) -> None:
        bodies: list[bytes] = []
        times[label].append(timed(lambda: bodies.append(line.send(sent))))
        check(bodies[0])

    for asked in reads(place.vault, place.calls):
        ask("empty tool", nothing)
        for label, call in asked.items():
            ask(label, request(call))
    plain = writes(place.root / "plain")
    for capture in captures(place.calls, "http"):
        for label, write in plain.items():
            times[label].append(timed(write))
        ask("capture", request(capture))


def http_row(place: Place, times: dict[str, list[float]], label: str) -> Row:
    """A call's row: also in empty tools, in empty tools beyond the call inside, in plain writes."""
    p50, p99 = spread(times[label])
    empty = percentile(times["empty tool"], 0.5)
    is_write = label in WRITES
    within = None if is_write else place.inside.get(label)
    synced = percentile(times["the same, synced"], 0.5)
    return [
        p50,
        p99,
        None if is_write else p50 / empty,
        None if within is None else (p50 - within) / empty,
        p50 / synced if is_write or label == "capture" else None,
    ]


def disk(place: Place) -> Table:
    """Bytes on the disk."""
    folders = {"notes": place.vault, "server's state": place.state, "command line's": place.typed}
    rows = {label: [megabytes(at)] for label, at in folders.items() if at.exists()}
    return Table("on disk", ("MB",), rows)


def bench(root: Path, notes: int, calls: int, blocks: Sequence[str]) -> list[Table]:
    """All figures of a vault of one size; prints each block as it is done."""
    root.mkdir()
    place = Place(root, calls)
    say(f"{notes:,} notes: making them")
    make_vault(place.vault, notes)
    print(f"\n{notes:,} notes, {machine()}\n")
    tables: list[Table] = []
    for block in BLOCKS:
        if block in blocks:
            say(f"{notes:,} notes: {block}")
            show(tables, RUN[block](place))
    show(tables, [disk(place)])
    return tables


def show(tables: list[Table], more: list[Table]) -> None:
    """Print tables, and put them with the others."""
    tables.extend(more)
    for table in more:
        print(f"{table.text()}\n", flush=True)


def say(what: str) -> None:
    """Say how far it is."""
    print(f"… {what}", file=sys.stderr, flush=True)


RUN = {"start": start, "inside": inside, "http": http, "command": command}


def main() -> None:
    """Make vaults and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--notes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--calls", type=int, default=200, help="of each kind")
    parser.add_argument("--folder", type=Path, help="where to make the vaults; else a new one")
    parser.add_argument("--only", choices=BLOCKS, nargs="+", default=BLOCKS)
    values = parser.parse_args()
    blocks: list[list[Table]] = []
    for notes in values.notes:
        with scratch(values.folder) as root:
            blocks.append(bench(root / "bench", notes, values.calls, values.only))
    if len(blocks) > 1:
        print(growth(values.notes, blocks).text())


if __name__ == "__main__":
    main()
