"""Kill -9 within one change of the history: the change is whole or was never begun."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echo_memory.config import Config
from echo_memory.history import History, id_of
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.history import history_op, restore_op
from echo_memory.ops.note import put_op
from folders import run

VAULT = "https://vault"
NOW = datetime(2026, 3, 14, 12, 0, 0, tzinfo=UTC)
POINTS = 8
LIMIT = 250_000  # bytes, so that a few notes fill it

# Says all that is kept, then keeps one text more and dies at the given step of the database at it:
# at 0 right before, and beyond the last step it says how many there are.
CHANGE = f"""
import json, random
from datetime import UTC, datetime
from pathlib import Path
from echo_memory.history import History
state, prune, at = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
noise = random.Random(7)
history = History(
    state, "{VAULT}", clock=lambda: datetime.now(UTC), notify=print,
    max_bytes={LIMIT} if prune == "the whole" else 10**9,
)
count = 130 if prune == "the whole" else 22
for number in range(count):
    path = f"{{number}}.md" if prune == "the whole" else "a.md"
    history.keep(path, f"{{number}} " + noise.randbytes(2_000).hex(), op="put", loses=True)
paths = [f"{{number}}.md" for number in range(count)] + ["a.md"]
print(json.dumps({{path: [it.id for it in history.versions(path)] for path in paths}}), flush=True)
steps = 0

def step():
    global steps
    if steps == at:
        os.kill(os.getpid(), signal.SIGKILL)
    steps += 1

history._file._connection.set_progress_handler(step, 1)
history.keep("a.md", "the last one " + noise.randbytes(150_000).hex(), op="put", loses=True)
print(steps, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""

WRITE = """
from echo_memory.config import Config
from echo_memory.opening import open_memory
from echo_memory.ops.note import put_op
from pathlib import Path
echo = open_memory(Config(Path(sys.argv[1]), Path(sys.argv[2])), notify=print)
echo.look()
calls = 0

def at(frame, event, argument):
    global calls
    if event == "call" and "/echo_memory/" in frame.f_code.co_filename:
        calls += 1
        if calls == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

sys.setprofile(at)
put_op(echo, "projects/active/engine.md", "# Engine\\n\\nanew\\n")
sys.setprofile(None)
print(calls, flush=True)
"""


def killed(state: Path, prune: str, at: int) -> list[str]:
    with run(CHANGE, str(state), prune, str(at)) as process:
        said = process.stdout.read().splitlines()
    assert process.wait() == -signal.SIGKILL
    return said


@pytest.mark.parametrize("prune", ["the ring", "the whole"])
def test_a_kill_at_any_step_of_a_change_leaves_all_of_it_or_nothing(
    tmp_path: Path, prune: str
) -> None:
    *_, steps = killed(tmp_path / "whole", prune, sys.maxsize)
    after = held(tmp_path / "whole", known(tmp_path / "whole"))
    points = sorted(random.sample(range(int(steps)), POINTS - 2))

    for at in (0, *points, int(steps) - 1):
        state = tmp_path / str(at)
        (before,) = killed(state, prune, at)

        found = held(state, known(state))
        full = {path: names for path, names in json.loads(before).items() if names}
        assert found in ((full,) if at == 0 else (full, after)), f"step {at} of {steps}"
        assert full.keys() - after.keys() if prune == "the whole" else full.keys() == after.keys()
        assert is_whole(state), f"step {at} of {steps}"
        assert leavings(state) == [], f"step {at} of {steps}"


def known(state: Path) -> list[str]:
    with closing(sqlite3.connect(database(state))) as connection:
        rows = connection.execute("SELECT DISTINCT path FROM version").fetchall()
    return [path.decode() for (path,) in rows]


def held(state: Path, paths: list[str]) -> dict[str, list[str]]:
    """The ids of all versions, each of them read; and one can be added and is there then."""
    history = History(state, VAULT, clock=lambda: NOW, notify=pytest.fail)
    with closing(history):
        found = {path: [it.id for it in history.versions(path)] for path in paths}
        for path, names in found.items():
            for name in names:
                assert id_of(str(history.text(name, path))) == name
        history.keep("another.md", "since", op="put", loses=True)
        assert history.text(id_of("since"), "another.md") == "since"
    return found


def is_whole(state: Path) -> bool:
    """The database is sound, and no body is without a version, nor a version without a body."""
    with closing(sqlite3.connect(database(state))) as connection:
        (sound,) = connection.execute("PRAGMA integrity_check").fetchone()
        (lonely,) = connection.execute(
            "SELECT count(*) FROM body WHERE hash NOT IN (SELECT hash FROM version)"
        ).fetchone()
        (empty,) = connection.execute(
            "SELECT count(*) FROM version WHERE hash NOT IN (SELECT hash FROM body)"
        ).fetchone()
    return (sound, lonely, empty) == ("ok", 0, 0)


def leavings(state: Path) -> list[Path]:
    """What is left in the folder but the database, once nobody has it open."""
    return [it for it in (state / "history").iterdir() if it.is_file() and it != database(state)]


def database(state: Path) -> Path:
    (path,) = (state / "history").glob("*.sqlite")
    return path


def test_a_write_that_is_killed_anywhere_has_lost_no_text(tmp_path: Path) -> None:
    old, new = "# Engine\n\nold\n", "# Engine\n\nanew\n"
    calls = write(tmp_path / "whole", old, sys.maxsize)

    for at in random.sample(range(1, calls), POINTS):
        place = tmp_path / str(at)
        write(place, old, at)

        echo = open_memory(Config(place / "vault", place / "state"), notify=pytest.fail)
        there = echo.vault.read("projects/active/engine.md")
        assert there in (old, new)
        if there == new:  # what it replaced was kept before
            (version,) = history_op(echo, "engine")["versions"]
            restore_op(echo, "engine", version["id"], confirm=True)
        assert echo.vault.read("projects/active/engine.md") == old, f"call {at} of {calls}"
        assert put_op(echo, "projects/active/engine.md", new)["action"] == "updated"
        assert history_op(echo, "engine")["versions"][0]["id"] == id_of(old)
        echo.close()


def write(place: Path, old: str, at: int) -> int:
    """Replace a note, and die at a call of ours; returns how many there are."""
    (place / "vault").mkdir(parents=True)
    echo = open_memory(Config(place / "vault", place / "state"), notify=pytest.fail)
    bootstrap_op(echo)
    put_op(echo, "projects/active/engine.md", old)
    echo.close()
    with run(WRITE, str(place / "vault"), str(place / "state"), str(at)) as process:
        said = process.stdout.read()
    assert process.wait() == (0 if said else -signal.SIGKILL)
    return int(said or 0)
