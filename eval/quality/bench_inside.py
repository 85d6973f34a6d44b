"""The memory of a bench: as the server has it, without a door between it and the caller.

    python eval/quality/bench_inside.py --vault DIR --state-dir DIR [--calls N]

It prints one line of JSON: milliseconds of each call, those of them in which it had the processor,
and what the process had in memory.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from echo_mcp.commands import vaults
from echo_mcp.settings import Flags, Settings
from echo_mcp.upkeep.staff import Staff
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.load import load_op
from echo_memory.ops.note import get_note_op
from echo_memory.ops.recall import recall_op
from echo_memory.ops.resolve import resolve_op
from quality.bench_calls import FINDABLE, Asked, captures, reads, writes
from quality.figures import Resident, settle, worked
from quality.invented_vault import Language

NEW = 10_000_000  # numbers that no note of the vault has
OPERATIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "echo_recall": recall_op,
    "echo_resolve": resolve_op,
    "echo_get_note": get_note_op,
    "echo_load": load_op,
    "echo_capture": capture_op,
}


@contextmanager
def at_work(vault: Path, state: Path) -> Iterator[Memory]:
    """The memory, with those that work beside it."""
    said = Flags(vault=str(vault), state_dir=str(state))
    settings = Settings.from_env({}, said, needs_token=False)
    memory = vaults.opened(settings, embedded=True, words=sys.stderr)
    staff = Staff(memory, every=settings.index_ttl)
    with staff.at_work():
        yield staff.memory


def measure(memory: Memory, vault: Path, calls: int) -> dict[str, list[tuple[float, float]]]:
    """Milliseconds of each call, and of its work, by kind."""
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def ask(asked: Asked) -> None:
        answer = OPERATIONS[asked.tool](memory, **asked.arguments)
        assert answer["ok"], answer

    recall_op(memory, "is all there")
    settle()
    for asked in reads(vault, calls):
        for label, call in asked.items():
            times[label].append(worked(partial(ask, call)))
    plain = writes(vault.parent / "plain")
    for capture in captures(calls, "inside"):
        for label, write in plain.items():
            times[label].append(worked(write))
        times["capture"].append(worked(partial(ask, capture)))
    language = Language(asking=calls)
    for number in range(calls):
        path, text = language.note(NEW + number)
        times[FINDABLE].append(worked(partial(memory.mirror.put, path, text)))
    return times


def main() -> None:
    """Print the figures of one vault."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    vaults.declare(parser)
    parser.add_argument("--calls", type=int, default=200)
    values = parser.parse_args()
    vault, state = Path(values.vault), Path(values.state_dir)
    with at_work(vault, state) as memory:
        times = measure(memory, vault, values.calls)
        settle()
        print(json.dumps({"times": times, "memory": asdict(Resident.of())}), flush=True)


if __name__ == "__main__":
    main()
