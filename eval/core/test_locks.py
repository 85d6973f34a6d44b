"""Locks on paths: one holder at a time among threads and processes, and none left behind."""

import signal
import threading
import unicodedata

import pytest

from echo_memory.errors import Conflict, VaultIO
from echo_memory.locks import PathLocks
from folders import run

HOLDER = """
from echo_memory.locks import PathLocks
with PathLocks(sys.argv[1]).hold(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""

APPENDER = """
from echo_memory.locks import PathLocks
from echo_memory.vault import edit
locks, me = PathLocks(sys.argv[2]), sys.argv[3]
for number in range(50):
    with locks.hold("log.md"):
        edit(vault, "log.md", lambda text: (text or "") + f"{me} {number}\\n")
"""

FORKER = """
from echo_memory.locks import PathLocks
reading, writing = os.pipe()
with PathLocks(sys.argv[1]).hold("a.md"):
    child = os.fork()
    if not child:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
try:
    with PathLocks(sys.argv[1], wait=0).hold("a.md"):
        print("free")
finally:
    os.close(writing)
    os.waitpid(child, 0)
"""


def can_hold(state_dir, path):
    try:
        with PathLocks(state_dir, wait=0).hold(path):
            return True
    except Conflict:
        return False


def test_a_path_that_another_process_holds_is_a_conflict_until_it_lets_go(tmp_path):
    with run(HOLDER, tmp_path, "a.md") as holder:
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(Conflict, match="Another process") as refusal:
            PathLocks(tmp_path, wait=0.02).hold("a.md").__enter__()
        holder.communicate("")

    assert refusal.value.details == {"path": "a.md"}
    assert can_hold(tmp_path, "a.md")


def test_a_holder_that_is_killed_leaves_no_lock(tmp_path):
    with run(HOLDER, tmp_path, "a.md") as holder:
        assert holder.stdout.readline() == "held\n"

        holder.send_signal(signal.SIGKILL)
        holder.wait()

    assert can_hold(tmp_path, "a.md")


def test_a_path_that_another_thread_holds_is_a_conflict_until_it_lets_go(tmp_path):
    locks = PathLocks(tmp_path, wait=0)
    held, enough = threading.Event(), threading.Event()

    def hold():
        with locks.hold("a.md"):
            held.set()
            enough.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    with pytest.raises(Conflict):
        locks.hold("a.md").__enter__()
    enough.set()
    holder.join()

    with locks.hold("a.md"):
        pass


def test_a_waiting_thread_gets_the_path_as_soon_as_it_is_free(tmp_path):
    order = []
    locks = PathLocks(tmp_path)

    def second():
        with PathLocks(tmp_path).hold("a.md"):
            order.append("second")

    waiter = threading.Thread(target=second)
    with locks.hold("a.md"):
        waiter.start()
        order.append("first")
    waiter.join()

    assert order == ["first", "second"]


def test_other_paths_are_free_meanwhile(tmp_path):
    others = [f"note-{number}.md" for number in range(20)]

    with PathLocks(tmp_path).hold("a.md"):
        free = [path for path in others if can_hold(tmp_path, path)]

    assert len(free) >= 15


def test_spellings_that_some_disks_take_for_one_name_share_a_lock(tmp_path):
    with PathLocks(tmp_path).hold("Café.md"):
        assert not can_hold(tmp_path, unicodedata.normalize("NFD", "Café.md"))
        assert not can_hold(tmp_path, "café.MD")


@pytest.mark.parametrize("second", ["a.md", "b.md"])
def test_holding_two_paths_at_once_is_an_error_and_harms_nothing(tmp_path, second):
    locks = PathLocks(tmp_path)

    with locks.hold("a.md"):
        with pytest.raises(RuntimeError):
            locks.hold(second).__enter__()
        assert not can_hold(tmp_path, "a.md")

    with locks.hold(second):
        pass


def test_an_error_inside_lets_go(tmp_path):
    locks = PathLocks(tmp_path)

    with pytest.raises(KeyError), locks.hold("a.md"):
        raise KeyError

    assert can_hold(tmp_path, "a.md")


def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    with run(FORKER, tmp_path) as process:
        said, _ = process.communicate("")

    assert said == "free\n"


def test_thousands_of_paths_need_few_files_that_only_their_owner_sees(tmp_path):
    state_dir = tmp_path / "deep" / "state"
    locks = PathLocks(state_dir)

    for number in range(2000):
        with locks.hold(f"note-{number}.md"):
            pass

    files = list((state_dir / "locks").iterdir())
    assert len(files) <= 256
    assert {path.stat().st_mode & 0o077 for path in [state_dir, *files[0].parents[:1], *files]} == {
        0
    }


def test_making_the_locks_touches_nothing(tmp_path):
    PathLocks(tmp_path / "state")

    assert list(tmp_path.iterdir()) == []


def test_a_state_folder_that_cannot_be_used_is_named_without_its_place(tmp_path):
    (tmp_path / "state").write_text("a file")

    with pytest.raises(VaultIO, match="ECHO_STATE_DIR") as refusal:
        PathLocks(tmp_path / "state").hold("a.md").__enter__()

    assert str(tmp_path) not in str(refusal.value.as_dict())


def test_four_processes_that_append_to_one_note_lose_no_line(tmp_path):
    vault, state_dir = tmp_path / "vault", tmp_path / "state"
    vault.mkdir()

    writers = [run(APPENDER, vault, state_dir, name) for name in "abcd"]
    for writer in writers:
        with writer:
            writer.communicate("")

    lines = (vault / "log.md").read_text().splitlines()
    assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    for name in "abcd":
        assert [line for line in lines if line[0] == name] == [f"{name} {n}" for n in range(50)]
    assert len(lines) == 200
