"""The command line of a bench: whole processes, from an index of its own."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import echo_memory
from quality.bench_calls import recall
from quality.figures import MEMORY, Row, Table, percentile, timed
from quality.invented_vault import Language
from server.process import environment

ECHO = Path(echo_memory.__file__).parents[1] / "echo.py"
MORE = 5

# Runs a program as if it had been typed, and tells what it had in memory.
_WITH_MEMORY = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    said = open("/proc/self/status").read()
    print(said.partition("VmHWM:")[2].split()[0], file=sys.stderr)
"""


class Place:
    """Where a bench is run, and what one of its blocks leaves to the next.

    Attributes:
        vault: the folder of notes.
        state: the server's state folder.
        typed: the command line's.
        inside: medians of the calls inside, in milliseconds.
    """

    def __init__(self, root: Path, calls: int) -> None:
        self.root, self.calls = root, calls
        self.vault, self.state, self.typed = root / "vault", root / "state", root / "typed"
        self.inside: dict[str, float] = {}


def command(place: Place) -> list[Table]:
    """Recall typed again and again; the first run has no index yet."""
    shutil.rmtree(place.typed, ignore_errors=True)
    language = Language(asking=4)
    questions = [str(recall(language, 3).arguments["query"]) for _ in range(MORE + 2)]
    first, second, *others = [whole(place, question) for question in questions]
    wrapped = typed(place, questions[0], sys.executable, "-c", _WITH_MEMORY)
    seconds: dict[str, Row] = {
        "recall, first": first,
        "recall, second": second,
        f"recall, median of {MORE} more": [
            percentile(column, 0.5) for column in zip(*others, strict=True)
        ],
    }
    peak = int(wrapped.split()[-1]) * 1024 / 1e6
    return [
        Table("command line, whole process", ("s", "processor, s"), seconds),
        Table("command line, memory", MEMORY[:1], {"recall": [peak]}),
    ]


def whole(place: Place, question: str) -> Row:
    """Seconds that a recall takes, and those of its work."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = timed(lambda: typed(place, question)) / 1000
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime]


def typed(place: Place, question: str, *runner: str) -> str:
    """Run the command line to its end; returns what it said beside its answer."""
    folders = ["--vault", str(place.vault), "--state-dir", str(place.typed)]
    done = subprocess.run(
        [*(runner or (sys.executable,)), str(ECHO), *folders, "recall", "--json", question],
        env=environment(place.root),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert json.loads(done.stdout)["ok"]
    return done.stderr
