"""The history: what was kept comes back byte for byte, whatever happens to processes and disks."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bytewise import NOTES
from echo_memory.errors import VaultIO
from echo_memory.history import RING, RING_OF_ADDED, History, id_of
from echo_memory.vault import to_text
from folders import put, run, snapshot

VAULT = "https://vault"
NOON = datetime(2026, 3, 14, 12, 0, 0, tzinfo=UTC)
ADA, TEA = "resources/people/ada.md", "resources/concepts/tea.md"

PRELUDE = """
from datetime import UTC, datetime
from pathlib import Path
from echo_memory.errors import VaultIO
from echo_memory.history import History
history = History(
    Path(sys.argv[1]), "https://vault", clock=lambda: datetime.now(UTC), notify=print
)
"""

ENDLESS = f"""{PRELUDE}
for number in range(1_000_000):
    text = f"{{sys.argv[2]}} {{number}} " + "x" * 5000
    history.keep("a.md", text, op="put", loses=True)
    print(number, flush=True)
"""

WRITER = f"""{PRELUDE}
print("ready", flush=True)
sys.stdin.readline()
for number in range(60):
    history.keep(sys.argv[2], f"{{sys.argv[2]}} {{number}}", op="put", loses=True)
    history.keep("common.md", f"{{sys.argv[2]}} {{number}}", op="put", loses=True)
"""

FULL_DISK = f"""{PRELUDE}
import random, resource
history.keep("a.md", "small", op="put", loses=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
try:
    history.keep("a.md", random.randbytes(100_000).hex(), op="put", loses=True)
except VaultIO as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
history.keep("a.md", "later", op="put", loses=True)
"""

READ_ONLY = f"""
os.chdir(sys.argv[1])
sys.argv[1] = "/proc/self/cwd"
{PRELUDE}
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
for ask in (
    lambda: history.keep("a.md", "text", op="put", loses=True),
    lambda: history.versions("a.md"),
):
    try:
        print(ask())
    except VaultIO as error:
        print(error)
"""


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def history(tmp_path: Path, told: list[str]) -> Iterator[History]:
    with closing(opened(tmp_path, told)) as history:
        yield history


def opened(tmp_path: Path, told: list[str] | None = None, **said: int) -> History:
    notify = [].append if told is None else told.append
    return History(tmp_path / "state", VAULT, clock=lambda: NOON, notify=notify, **said)


def keep(history: History, *texts: str, path: str = ADA, loses: bool = True) -> None:
    for text in texts:
        history.keep(path, text, op="put", loses=loses)


def texts(history: History, path: str = ADA) -> list[str | None]:
    """What is kept of a note, newest first."""
    return [history.text(version.id, path) for version in history.versions(path)]


def file_of(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "state/history").glob("*.sqlite")
    return path


# What comes back


@pytest.mark.parametrize("name", NOTES)
def test_a_text_comes_back_byte_for_byte(history: History, name: str) -> None:
    text = to_text(NOTES[name])

    keep(history, text)

    assert texts(history) == [text]


def test_a_version_says_when_by_what_and_how_large(history: History) -> None:
    history.keep(ADA, "ë", op="patch", loses=True)

    (version,) = history.versions(ADA)

    assert version.id == id_of("ë")
    assert (version.at, version.op, version.size) == ("2026-03-14T12:00:00+00:00", "patch", 2)


def test_the_newest_are_kept_and_the_oldest_go(history: History, tmp_path: Path) -> None:
    every = [f"text {number}" for number in range(RING + 5)]

    keep(history, *every)

    assert texts(history) == every[: -RING - 1 : -1]
    assert bodies(tmp_path) == RING


def test_texts_that_were_only_added_to_drive_out_no_others(history: History) -> None:
    lost = [f"lost {number}" for number in range(RING)]
    keep(history, *lost)

    keep(history, *(f"added {number}" for number in range(50)), loses=False)

    assert texts(history)[RING_OF_ADDED:] == lost[::-1]
    assert len(texts(history)) == RING + RING_OF_ADDED


def test_the_same_text_again_is_one_version_and_the_newest(history: History) -> None:
    keep(history, "one", "two")

    keep(history, "one", loses=False)
    keep(history, *(f"added {number}" for number in range(RING_OF_ADDED)), loses=False)

    assert texts(history)[RING_OF_ADDED:] == ["one", "two"]


def test_a_text_of_two_notes_is_kept_once_and_until_both_have_let_it_go(
    history: History, tmp_path: Path
) -> None:
    keep(history, "common")
    keep(history, "common", path=TEA)
    once = bodies(tmp_path)

    keep(history, *map(str, range(RING)))

    assert once == 1
    assert "common" not in texts(history)
    assert texts(history, TEA) == ["common"]


def test_each_vault_has_a_history_of_its_own(history: History, tmp_path: Path) -> None:
    keep(history, "text")

    another = History(tmp_path / "state", "other", clock=lambda: NOON, notify=print)
    with closing(another):
        assert another.versions(ADA) == []
        assert another.text(id_of("text"), ADA) is None


@pytest.mark.parametrize("version", ["", "x", "0" * 12, id_of("text")[:4], id_of("text").upper()])
def test_what_is_no_version_is_none(history: History, version: str) -> None:
    keep(history, "text")

    assert history.text(version, ADA) is None
    assert history.text(id_of("text"), TEA) is None


def test_where_there_is_too_much_the_oldest_of_all_notes_go_and_never_the_last(
    tmp_path: Path,
) -> None:
    noise = random.Random(7)
    with closing(opened(tmp_path, max_bytes=2_000_000)) as history:
        for number in range(120):
            keep(history, noise.randbytes(20_000).hex(), path=f"{number}.md")
        keep(history, "x" + noise.randbytes(3_000_000).hex(), path="large.md")

        assert len(texts(history, "large.md")) == 1
        assert texts(history, "0.md") == []
        keep(history, "small", path="small.md")
        assert texts(history, "small.md") == ["small"]
        assert texts(history, "large.md") == []


def test_a_name_finds_the_notes_that_had_versions(history: History) -> None:
    keep(history, "x", path="old/Café.md")
    keep(history, "x", path="other/cafe\u0301.md")
    keep(history, "x", path=ADA)

    assert history.paths_of("CAFÉ") == ["old/Café.md", "other/cafe\u0301.md"]
    assert history.paths_of("ada.md") == [ADA]
    assert history.paths_of("nobody") == []


# The files


def test_nothing_is_made_until_something_is_kept(history: History, tmp_path: Path) -> None:
    assert history.versions(ADA) == []
    assert history.text(id_of("x"), ADA) is None
    assert history.paths_of("ada") == []

    assert list(tmp_path.iterdir()) == []


def test_only_their_owner_may_read_the_files(history: History, tmp_path: Path) -> None:
    keep(history, "secret")

    found = [path for path in (tmp_path / "state").rglob("*") if path.suffix != ".lock"]

    assert len([path for path in found if path.is_file()]) == 3
    for path in [*found, tmp_path / "state"]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def spoil(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def strange(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE body AS SELECT 1 AS x")


def incomplete(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE version")


@pytest.mark.parametrize("damage", [spoil, cut, strange, incomplete])
def test_a_damaged_file_is_put_aside_and_costs_at_most_one_try(
    history: History, tmp_path: Path, told: list[str], damage: Callable[[Path], None]
) -> None:
    keep(history, "earlier")
    history.close()
    damage(file_of(tmp_path))
    damaged = file_of(tmp_path).read_bytes()

    try:
        keep(history, "text")
    except VaultIO as error:
        assert "put aside" in error.message
        keep(history, "text")

    assert texts(history) == ["text"]
    assert len(told) == 1
    (aside,) = (tmp_path / "state/history").glob("*.damaged")
    assert aside.read_bytes()[:4000] == damaged[:4000]


@pytest.mark.parametrize("damage", [spoil, strange])
def test_of_two_that_meet_a_damaged_file_one_puts_it_aside_and_neither_loses_what_is_kept_then(
    history: History, tmp_path: Path, told: list[str], damage: Callable[[Path], None]
) -> None:
    keep(history, "earlier")
    history.close()
    damage(file_of(tmp_path))
    with closing(opened(tmp_path, told)) as another:
        with pytest.raises(sqlite3.Error):
            another._file._connect()
        keep(history, "by one")
        another._file._put_aside()
        keep(another, "by the other")

        assert texts(history) == texts(another) == ["by the other", "by one"]
    assert len(told) == 1


def test_reading_a_damaged_file_says_so_once(
    history: History, tmp_path: Path, told: list[str]
) -> None:
    keep(history, "text")
    history.close()
    spoil(file_of(tmp_path))

    with pytest.raises(VaultIO, match="damaged"):
        history.versions(ADA)

    assert history.versions(ADA) == []
    assert len(told) == 1


def test_a_damaged_text_is_told_and_the_others_stay(history: History, tmp_path: Path) -> None:
    keep(history, "whole", "broken")
    with closing(sqlite3.connect(file_of(tmp_path))) as database:
        broken = id_of("broken")
        database.execute("UPDATE body SET data = x'00' WHERE hash LIKE ?", (f"{broken}%",))
        database.commit()

    with pytest.raises(VaultIO, match="damaged"):
        history.text(broken, ADA)

    assert history.text(id_of("whole"), ADA) == "whole"


def test_a_file_that_is_taken_away_is_made_anew(history: History, tmp_path: Path) -> None:
    keep(history, "old")
    for path in (tmp_path / "state/history").glob("*.sqlite*"):
        path.unlink()

    keep(history, "new")

    assert texts(history) == ["new"]
    with closing(opened(tmp_path)) as another:
        assert texts(another) == ["new"]


def test_a_link_in_the_place_of_the_file_is_not_followed(history: History, tmp_path: Path) -> None:
    keep(history, "old")
    history.close()
    target = put(tmp_path / "elsewhere", "precious")
    file_of(tmp_path).unlink()
    (tmp_path / "state/history" / file_name(history)).symlink_to(target)

    keep(history, "new")

    assert target.read_text() == "precious"
    assert texts(history) == ["new"]


def file_name(history: History) -> str:
    return history._file._path.name


# Other processes, and none any more


def test_a_kill_at_any_moment_costs_nothing_that_was_kept(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    for kill in range(8):
        with run(ENDLESS, str(tmp_path / "state"), str(kill)) as process:
            for _ in range(kill * 7 + 1):
                said = process.stdout.readline()
                acknowledged.append(f"{kill} {int(said)} " + "x" * 5000)
            process.kill()
            rest = process.stdout.read().splitlines()
            acknowledged += [f"{kill} {int(said)} " + "x" * 5000 for said in rest]

        with closing(opened(tmp_path)) as history:
            found = texts(history, "a.md")
            assert process.wait() == -signal.SIGKILL
            # One more may have been kept than was said to be.
            assert found[:RING] in (wanted(acknowledged), [found[0], *wanted(acknowledged)][:RING])
            acknowledged = [text for text in reversed(found) if text]

    with closing(sqlite3.connect(file_of(tmp_path))) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    files = {path.name for path in (tmp_path / "state/history").iterdir()}
    assert files == {"locks", file_of(tmp_path).name}


def wanted(acknowledged: list[str]) -> list[str]:
    return acknowledged[: -RING - 1 : -1]


def test_processes_that_write_at_once_lose_nothing_to_one_another(
    tmp_path: Path, history: History
) -> None:
    names = ["one.md", "two.md"]
    processes = [run(WRITER, str(tmp_path / "state"), name) for name in names]
    for process in processes:
        assert process.stdout.readline() == "ready\n"

    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    ended = [(process.communicate()[0], process.returncode) for process in processes]

    assert ended == [("", 0), ("", 0)]
    for name in names:
        assert texts(history, name) == [f"{name} {n}" for n in range(59, 59 - RING, -1)]
    both = texts(history, "common.md")
    assert len(both) == RING
    for name in names:  # each in its order
        numbers = [int(str(text).split()[1]) for text in both if str(text).startswith(name)]
        assert numbers == sorted(numbers, reverse=True)
    assert str(both[0]).endswith(" 59")


def test_on_a_full_disk_it_says_so_and_goes_on_once_there_is_room(
    tmp_path: Path, history: History
) -> None:
    with run(FULL_DISK, str(tmp_path / "state")) as process:
        said = process.stdout.read()

    assert process.returncode == 0
    assert "The history cannot be used: the disk is full or failing." in said
    assert texts(history, "a.md") == ["later", "small"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_in_a_folder_that_may_not_be_written_it_says_so(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o755)

    with run(READ_ONLY, str(state)) as process:
        kept, listed = process.stdout.read().splitlines()

    assert "The history cannot be used: Permission denied. Check that ECHO_STATE_DIR" in kept
    assert listed == "[]"  # there is none, so nothing has to be opened
    assert snapshot(state) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_one_that_may_not_be_written_any_more_says_so_and_is_not_taken_for_damaged(
    tmp_path: Path, history: History
) -> None:
    keep(history, "earlier")
    history.close()
    state = tmp_path / "state"
    for path in (state, *state.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = snapshot(state)

    with run(READ_ONLY, str(state)) as process:
        said = process.stdout.read().splitlines()

    assert len(said) == 2
    for line in said:
        assert "cannot be used: Permission denied. Check" in line
    assert snapshot(state) == before
    assert texts(history) == ["earlier"]


def bodies(tmp_path: Path) -> int:
    with closing(sqlite3.connect(file_of(tmp_path))) as database:
        (count,) = database.execute("SELECT count(*) FROM body").fetchone()
    return int(count)
