"""The copies: what was seen comes back, and whatever happens to their file costs nothing else."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import copies as kept
from echo_memory.catalog import Catalog
from echo_memory.copies import Copy
from echo_memory.folder_vault import FolderVault
from echo_memory.mirror import Mirror
from folders import put, run, snapshot
from followed import Followed, Seen, copy_of

VAULT = "https://vault"
ADA, TEA = copy_of("1", "# Ada\n"), copy_of("2", "# Tea\n")

PRELUDE = """
from pathlib import Path
from followed import Followed, copy_of
copies = Followed(Path(sys.argv[1]), "https://vault")
"""

WRITER = f"""{PRELUDE}
for number in range(60):
    copies.see({{str(number): copy_of(sys.argv[2], sys.argv[2] * 100)}}, at=float(number))
"""

ENDLESS = f"""{PRELUDE}
for number in range(1_000_000):
    both = {{name: copy_of(str(number), "x" * 3000 + str(number)) for name in "ab"}}
    copies.see(both, at=float(number))
    print(number, flush=True)
"""

FULL_DISK = f"""{PRELUDE}
import resource
copies.see({{"small": copy_of("1", "x")}}, at=1.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
copies.see({{"great": copy_of("1", "x" * 100_000)}})
copies.see({{}}, at=2.0)
if sys.argv[2] == "room again":
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    copies.see({{}}, at=3.0)
print("still there")
"""

READ_ONLY = f"""
os.chdir(sys.argv[1])
sys.argv[1] = "/proc/self/cwd"
{PRELUDE}
import sqlite3
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
copies.load()
copies.see({{"tea": copy_of("2", "# Tea")}}, at=2.0)
print("still there")
"""


@pytest.fixture
def copies(tmp_path: Path) -> Iterator[Followed]:
    with closing(Followed(tmp_path / "state", VAULT)) as opened:
        yield opened


def seen(tmp_path: Path) -> Seen | None:
    """What a new process finds."""
    with closing(Followed(tmp_path / "state", VAULT)) as copies:
        return copies.load()


def file_of(tmp_path: Path) -> Path:
    """Where the copies are, once there are any."""
    (path,) = (tmp_path / "state" / "copies").glob("*.sqlite")
    return path


# What comes back


def test_nothing_is_known_and_no_file_is_made_by_looking(copies: Followed, tmp_path: Path) -> None:
    assert copies.load() is None
    assert list(tmp_path.iterdir()) == []


def test_what_was_seen_comes_back_in_a_new_process(copies: Followed, tmp_path: Path) -> None:
    copies.see({"ada.md": ADA, "tea.md": TEA, "old.md": TEA})
    copies.see({"tea.md": copy_of("", "# Tea\n\nGreen.\n")}, ["old.md", "never.md"])
    copies.see({}, at=12.5)

    assert seen(tmp_path) == Seen({"ada.md": ADA, "tea.md": copy_of("", "# Tea\n\nGreen.\n")}, 12.5)


def test_many_notes_come_back_some_at_a_time(
    copies: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_AT_ONCE", 3)
    notes = {f"{number}.md": copy_of(str(number), f"# {number}\n") for number in range(7)}
    copies.see(notes, at=1.0)
    taken: list[Mapping[str, Copy]] = []

    copies.read(taken.append)

    assert [len(some) for some in taken] == [3, 3, 1]
    assert {path: copy for some in taken for path, copy in some.items()} == notes


def test_a_vault_that_was_never_compared_whole_counts_as_not_seen(
    copies: Followed, tmp_path: Path
) -> None:
    copies.see({"ada.md": ADA})

    assert seen(tmp_path) is None


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200), path=st.text(st.characters(exclude_categories=["Cs"])))
def test_every_byte_of_a_note_comes_back(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, path: str
) -> None:
    text = data.decode("utf-8", "surrogateescape")
    state = tmp_path_factory.getbasetemp() / "common"
    with closing(Followed(state, VAULT)) as copies:
        copies.see({path: copy_of("s", text)}, at=1.0)

    with closing(Followed(state, VAULT)) as later:
        found = later.load()

    assert found is not None
    assert found.notes[path] == copy_of("s", text)


@pytest.mark.parametrize(
    "odd",
    [{"caf\udce9.md": ADA}, {"a.md": copy_of("1", "\ud800")}, {"a.md": copy_of("\udcff", "")}],
)
def test_what_no_file_can_hold_fails_nothing(
    copies: Followed, tmp_path: Path, odd: dict[str, Copy]
) -> None:
    copies.see(odd, at=1.0)
    copies.see({}, odd)
    copies.see({"tea.md": TEA}, at=2.0)

    assert seen(tmp_path) == Seen({"tea.md": TEA}, 2.0)


def test_vaults_that_share_a_state_folder_do_not_see_each_other(tmp_path: Path) -> None:
    one, other = Followed(tmp_path / "state", "one"), Followed(tmp_path / "state", "two \udcff")

    one.see({"ada.md": ADA}, at=1.0)
    other.see({"tea.md": TEA}, at=2.0)
    one.close()
    other.close()

    assert one.load() == Seen({"ada.md": ADA}, 1.0)
    assert other.load() == Seen({"tea.md": TEA}, 2.0)


def test_they_are_for_their_owner_alone_and_their_texts_in_no_repr(
    copies: Followed, tmp_path: Path
) -> None:
    copies.see({"ada.md": ADA}, at=1.0)

    made = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert {path.suffix for path in made} >= {".sqlite", ".sqlite-wal"}
    assert [path for path in made if path.stat().st_mode & 0o077] == []
    assert "Ada" not in repr(copies.load()) + repr(ADA)


# A file that is not as it should be


def foreign(path: Path, statements: str) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.executescript(statements)


def altered(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.executescript(statement)


SPOILED: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"no database at all" * 100),
    "emptied": lambda path: path.write_bytes(b""),
    "cut off": lambda path: os.truncate(path, 5000),
    "overwritten within": lambda path: path.write_bytes(
        path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096)
    ),
    "another format": lambda path: altered(path, "PRAGMA user_version = 99"),
    "another program's": lambda path: foreign(path, "CREATE TABLE a (b)"),
    "another program's of that version": lambda path: foreign(
        path, "CREATE TABLE note (a, b); CREATE TABLE seen (c); PRAGMA user_version = 1"
    ),
    "without a table": lambda path: altered(path, "DROP TABLE note"),
    "with other columns": lambda path: altered(
        path, "DROP TABLE seen; CREATE TABLE seen (moment); INSERT INTO seen VALUES (1)"
    ),
    "a note that is text": lambda path: altered(path, "UPDATE note SET text = 'x'"),
    "a note that is a number": lambda path: altered(path, "UPDATE note SET text = 1"),
    "a signature that is none": lambda path: altered(path, "UPDATE note SET signature = 'x'"),
    "a signature below zero": lambda path: altered(path, "UPDATE note SET signature = -1"),
    "of the format before": lambda path: foreign(
        path,
        f"PRAGMA application_id = {int.from_bytes(b'eccp', 'big')}; PRAGMA user_version = 3;"
        " CREATE TABLE note (path TEXT PRIMARY KEY, stamp TEXT, text BLOB, head BLOB);"
        " CREATE TABLE seen (at REAL); INSERT INTO seen VALUES (1)",
    ),
    "a time that is none": lambda path: altered(path, "UPDATE seen SET at = 'noon'"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_file_is_made_anew(copies: Followed, tmp_path: Path, how: str) -> None:
    copies.see({"ada.md": ADA}, at=1.0)
    copies.close()
    SPOILED[how](file_of(tmp_path))

    later = Followed(tmp_path / "state", VAULT)
    found = later.load()
    later.see({"tea.md": TEA}, at=2.0)
    later.close()

    assert found is None
    assert seen(tmp_path) == Seen({"tea.md": TEA}, 2.0)


@pytest.mark.parametrize("how", SPOILED)
def test_a_file_that_is_spoiled_before_a_write_comes_to_hold_everything_again(
    copies: Followed, tmp_path: Path, how: str
) -> None:
    copies.see({"ada.md": ADA, "old.md": TEA}, at=1.0)
    copies.close()
    SPOILED[how](file_of(tmp_path))

    for at in (2.0, 3.0):
        copies.see({"tea.md": TEA}, ["old.md"])
        copies.see({}, at=at)

    found = seen(tmp_path)
    # What was altered inside a good file is only seen by reading it, and then makes it bad.
    assert found in (None, Seen({"ada.md": ADA, "tea.md": TEA}, 3.0))
    copies.see({}, at=4.0)
    assert seen(tmp_path) == Seen({"ada.md": ADA, "tea.md": TEA}, 4.0)


@pytest.mark.parametrize("how", ["removed", "replaced", "the folder removed"])
def test_a_file_that_goes_while_it_is_open_comes_to_hold_everything_again(
    copies: Followed, tmp_path: Path, how: str
) -> None:
    copies.see({"ada.md": ADA}, at=1.0)
    path = file_of(tmp_path)
    moved = path.parent.rename(tmp_path / "moved") / path.name
    if how != "the folder removed":
        path.parent.mkdir()
    if how == "replaced":
        put(path, b"")

    copies.see({"tea.md": TEA})
    copies.see({}, at=2.0)

    assert seen(tmp_path) == Seen({"ada.md": ADA, "tea.md": TEA}, 2.0)
    assert moved.exists()


@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("alone", [True, False])
def test_what_another_process_left_beside_the_file_is_no_hindrance(
    copies: Followed, tmp_path: Path, suffix: str, alone: bool
) -> None:
    copies.see({"ada.md": ADA}, at=1.0)
    copies.close()
    path = file_of(tmp_path)
    put(path.with_name(path.name + suffix), b"\x37\x7f\x06\x82" + b"left" * 500)
    if alone:
        path.unlink()

    later = Followed(tmp_path / "state", VAULT)
    found = later.load()
    later.see({"tea.md": TEA}, at=2.0)
    later.close()

    before = {} if alone else {"ada.md": ADA}
    assert found == (None if alone else Seen(before, 1.0))
    assert seen(tmp_path) == Seen({**before, "tea.md": TEA}, 2.0)


def test_a_log_that_was_left_of_another_file_changes_nothing_of_a_new_one(
    copies: Followed, tmp_path: Path
) -> None:
    copies.see({"old.md": ADA}, at=1.0)
    path = file_of(tmp_path)
    log = path.with_name(f"{path.name}-wal").read_bytes()
    copies.close()
    path.unlink()
    put(path.with_name(f"{path.name}-wal"), log)

    later = Followed(tmp_path / "state", VAULT)
    later.see({"tea.md": TEA}, at=2.0)
    later.close()

    assert seen(tmp_path) == Seen({"tea.md": TEA}, 2.0)


@pytest.mark.parametrize("content", [b"a person's own", b""])
def test_a_link_in_the_place_of_the_file_never_costs_what_it_points_at(
    copies: Followed, tmp_path: Path, content: bytes
) -> None:
    copies.see({"ada.md": ADA}, at=1.0)
    copies.close()
    other = put(tmp_path / "own.txt", content)
    path = file_of(tmp_path)
    path.unlink()
    path.symlink_to(other)

    later = Followed(tmp_path / "state", VAULT)
    later.load()
    later.see({"tea.md": TEA}, at=2.0)
    later.see({}, at=3.0)
    later.close()

    assert other.read_bytes() == content
    assert seen(tmp_path) == Seen({"tea.md": TEA}, 3.0)


@pytest.mark.parametrize("place", ["state", "state/copies", "state/copies/the file"])
@pytest.mark.parametrize("kind", ["a folder with a file", "a file", "a link to nowhere"])
def test_something_else_in_its_place_fails_nothing_and_is_left(
    copies: Followed, tmp_path: Path, place: str, kind: str
) -> None:
    copies.see({}, at=1.0)
    copies.close()
    name = file_of(tmp_path).name
    (tmp_path / "state").rename(tmp_path / "away")
    path = tmp_path / place.replace("the file", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "a folder with a file":
        put(path / "own" / "a.txt")
    elif kind == "a file":
        put(path, "")
    else:
        path.symlink_to(tmp_path / "nowhere" / "at all")

    copies.load()
    copies.see({"ada.md": ADA}, at=2.0)
    copies.see({"tea.md": TEA}, at=3.0)
    found = copies.load()

    assert found in (None, Seen({"ada.md": ADA, "tea.md": TEA}, 3.0))
    assert kind != "a folder with a file" or (path / "own" / "a.txt").read_text() == "secret"


# The disk, other processes, and death


@pytest.mark.parametrize("then", ["still full", "room again"])
def test_a_full_disk_leaves_an_earlier_state_whole_until_there_is_room(
    tmp_path: Path, then: str
) -> None:
    with run(FULL_DISK, tmp_path / "state", then) as process:
        said, _ = process.communicate()

    small, great = copy_of("1", "x"), copy_of("1", "x" * 100_000)
    assert said == "still there\n"
    assert seen(tmp_path) == (
        Seen({"small": small, "great": great}, 3.0)
        if then == "room again"
        else Seen({"small": small}, 1.0)
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("mode", [0o555, 0o000, 0o777])
def test_a_file_that_may_not_be_written_fails_nothing_and_stays(
    copies: Followed, tmp_path: Path, mode: int
) -> None:
    copies.see({"ada.md": ADA}, at=1.0)
    copies.close()
    tmp_path.chmod(0o755)
    (tmp_path / "state").chmod(0o755)
    (tmp_path / "state" / "copies").chmod(mode)
    before = snapshot(tmp_path)

    with run(READ_ONLY, tmp_path / "state") as process:
        said, _ = process.communicate()

    assert said == "still there\n"
    assert snapshot(tmp_path) == before


def test_what_somebody_else_kept_from_being_written_is_made_good_at_the_next_comparison(
    copies: Followed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_BUSY_S", 0.01)
    copies.see({"ada.md": ADA, "old.md": TEA}, at=1.0)
    copies.close()
    with closing(sqlite3.connect(file_of(tmp_path), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        copies.see({"tea.md": TEA}, ["old.md"])
        other.execute("ROLLBACK")

    copies.see({"tea.md": copy_of("3", "# Tea, again\n")})
    between = seen(tmp_path)
    copies.see({}, at=2.0)

    assert between == Seen({"ada.md": ADA, "old.md": TEA}, 1.0)
    assert seen(tmp_path) == Seen({"ada.md": ADA, "tea.md": copy_of("3", "# Tea, again\n")}, 2.0)


def test_processes_that_see_the_same_vault_at_once_leave_all_of_it(tmp_path: Path) -> None:
    processes = [run(WRITER, tmp_path / "state", name) for name in "ab"]
    for process in processes:
        with process:
            process.communicate()
        assert process.returncode == 0

    found = seen(tmp_path)
    assert found is not None
    assert set(found.notes) == set(map(str, range(60)))
    assert all(copy.text == copy.stamp * 100 for copy in found.notes.values())


def test_after_a_kill_the_file_holds_one_whole_state(tmp_path: Path) -> None:
    with run(ENDLESS, tmp_path / "state") as process:
        said = [process.stdout.readline() for _ in range(50)]
        process.send_signal(signal.SIGKILL)
        said += process.stdout.readlines()
    last = int([line for line in said if line.endswith("\n")][-1])

    found = seen(tmp_path)

    assert found is not None
    [stamp] = {int(copy.stamp) for copy in found.notes.values()}
    assert found.at in (last, last + 1)
    assert stamp - found.at in (0, 1)  # what was seen may be newer than the last whole comparison


def test_a_mirror_over_copies_that_fail_still_shows_every_note(
    vault_folder: Path, tmp_path: Path
) -> None:
    put(tmp_path / "state" / "copies", "in the way")
    put(vault_folder / "ada.md", "# Ada\n")
    catalog = Catalog()

    with closing(
        Mirror(FolderVault(vault_folder), catalog, Followed(tmp_path / "state", "v"))
    ) as it:
        it.refresh()
        put(vault_folder / "tea.md", "# Tea\n")
        it.refresh()

    assert {note.path for note in catalog.notes()} == {"ada.md", "tea.md"}
