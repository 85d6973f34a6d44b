"""The figures: times, memory and bytes as they are measured, and the tables that tell of them."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

Row = Sequence[float | None]

MEMORY = ("peak, MB", "after, MB", "mapped, MB")
"""The columns for what a process has in memory."""

_LABEL, _COLUMN = 34, 16
_IDLE, _WATCHED_S, _LONGEST_S = 0.2, 0.5, 900.0


@dataclass(frozen=True)
class Table:
    """A block of figures.

    Attributes:
        title: what they are of.
        columns: what each is, with its unit.
        rows: by label; None where there is no such figure.
        growing: the columns that can be compared between vaults of several sizes.
    """

    title: str
    columns: Sequence[str]
    rows: Mapping[str, Row]
    growing: int = 1

    def text(self) -> str:
        """The table as it is printed."""
        head = f"{self.title:<{_LABEL}}" + "".join(
            f"{column:>{_COLUMN}}" for column in self.columns
        )
        return "\n".join([head, *(line(label, row) for label, row in self.rows.items())])


def line(label: str, row: Row) -> str:
    """One row: its label and its figures."""
    return f"  {label:<{_LABEL - 2}}" + "".join(f"{_figure(value):>{_COLUMN}}" for value in row)


def growth(sizes: Sequence[int], blocks: Sequence[Sequence[Table]]) -> Table:
    """The figures of several vaults side by side, and how many times the first the last is."""
    rows: dict[str, Row] = {}
    for at, table in enumerate(blocks[0]):
        for label in table.rows:
            for column in range(table.growing):
                same = [tables[at].rows[label][column] for tables in blocks]
                first, last = same[0], same[-1]
                name = f"{table.title}: {label}, {table.columns[column]}"
                rows[name] = [*same, last / first if first and last is not None else None]
    wide = max(map(len, rows))
    aligned = {f"{name:<{wide}}": row for name, row in rows.items()}
    return Table(
        f"{'growth':<{wide + 2}}", [*(f"{size:,}" for size in sizes), "last / first"], aligned
    )


def percentile(times: Iterable[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    ordered = sorted(times)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def spread(times: Sequence[float]) -> tuple[float, float]:
    """The median and the 99th percentile."""
    return percentile(times, 0.5), percentile(times, 0.99)


def timed(call: Callable[[], object]) -> float:
    """Milliseconds that a call takes."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def worked(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds that a call takes, and those in which its thread has the processor."""
    began, before = time.perf_counter(), time.thread_time()
    call()
    return (time.perf_counter() - began) * 1000, (time.thread_time() - before) * 1000


@dataclass(frozen=True)
class Resident:
    """What a process has in memory, in megabytes.

    Attributes:
        peak: the most that it ever had.
        now: what it has; `mapped` is the part that is pages of files, which the system may drop.
        mapped: see `now`.
    """

    peak: float
    now: float
    mapped: float

    @classmethod
    def of(cls, process: int | str = "self") -> Resident:
        """Of a process of Linux, by its number."""
        said = dict(
            entry.split(":", 1)
            for entry in Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
        )
        peak, now, mapped = (
            int(said[name].split()[0]) * 1024 / 1e6 for name in ("VmHWM", "VmRSS", "RssFile")
        )
        return cls(peak, now, mapped)


def settle(process: int | str = "self") -> None:
    """Wait until a process has done what it does by itself, such as reading notes ahead.

    Raises:
        TimeoutError: it never comes to rest.
    """
    give_up = time.monotonic() + _LONGEST_S
    idle = 0
    while idle < 2:
        if time.monotonic() > give_up:
            raise TimeoutError("the process does not come to rest")
        before, began = processor_s(process), time.monotonic()
        time.sleep(_WATCHED_S)
        share = (processor_s(process) - before) / (time.monotonic() - began)
        idle = idle + 1 if share < _IDLE else 0


def machine() -> str:
    """What the figures are of: processors, Python, and how fast that adds, to compare machines."""
    times = []
    for _ in range(9):
        began = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number
        times.append(time.perf_counter() - began)
    adding = f"a million additions in {percentile(times, 0.5) * 1000:.0f} ms"
    return f"{os.cpu_count()} processors, Python {platform.python_version()}, {adding}"


def megabytes(folder: Path) -> float:
    """How much the files in a folder hold."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def processor_s(process: int | str) -> float:
    """Seconds of processor that a process has had."""
    after_name = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"
