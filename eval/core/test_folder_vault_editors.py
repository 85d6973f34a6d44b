"""A folder vault beside an editor that writes the same note at the same time: no text is lost."""

import errno
import os
import threading
from contextlib import suppress

import pytest

from echo_memory import writers
from echo_memory.errors import Conflict
from echo_memory.vault import edit
from folders import put, run, snapshot

OLD = "# Note\n" + "A line of the person.\n" * 20


@pytest.fixture
def root(tmp_path):
    return tmp_path


@pytest.fixture
def note(root):
    return put(root / "a.md", OLD)


@pytest.fixture
def disk_tells(root):
    """Skip where nobody tells who has a file open for writing."""
    with (root / "probe").open("w") as file, (root / "probe").open() as same:
        told = writers.is_held(same.fileno())
        file.write("x")
    (root / "probe").unlink()
    if not told:
        pytest.skip("this disk does not tell of writers")


@pytest.fixture
def disk_is_silent(monkeypatch):
    """A disk that tells of no writers, and all the time that an editor could need."""
    monkeypatch.setattr(writers, "is_held", lambda _: False)
    monkeypatch.setattr(writers, "_PATIENCE_S", 60)
    monkeypatch.setattr(writers, "_STILL_WHEN_EMPTY_S", 60)


class Ours(threading.Thread):
    """An edit that adds one line, and tells what it was made from."""

    def __init__(self, vault):
        super().__init__()
        self.vault = vault
        self.seen = []
        self.has_read = threading.Event()

    def change(self, text):
        self.seen.append(text)
        self.has_read.set()
        return f"{text}- ours\n"

    def run(self):
        edit(self.vault, "a.md", self.change)


# An editor that is at it already


@pytest.mark.parametrize("disk", ["disk_tells", "disk_is_silent"])
def test_a_note_that_an_editor_has_just_emptied_is_not_taken_for_empty(request, disk, note, vault):
    request.getfixturevalue(disk)
    ours = Ours(vault)

    with note.open("w") as editor:
        ours.start()
        ours.has_read.wait()
        editor.write(f"{OLD}- theirs\n")
    ours.join()

    assert ours.seen == ["", f"{OLD}- theirs\n"]
    assert note.read_text() == f"{OLD}- theirs\n- ours\n"


def test_a_note_that_an_editor_has_half_written_is_not_taken_for_whole(disk_tells, note, vault):
    ours = Ours(vault)

    with note.open("w") as editor:
        editor.write(OLD)
        editor.flush()
        ours.start()
        ours.has_read.wait()
        editor.write("- theirs\n")
    ours.join()

    assert ours.seen == [OLD, f"{OLD}- theirs\n"]
    assert note.read_text() == f"{OLD}- theirs\n- ours\n"


@pytest.mark.parametrize("mode", ["w", "a", "r+"])
def test_a_note_that_stays_open_for_writing_is_not_replaced(
    monkeypatch, disk_tells, root, note, vault, mode
):
    monkeypatch.setattr(writers, "_PATIENCE_S", 0)

    with note.open(mode) as editor:
        with pytest.raises(Conflict):
            edit(vault, "a.md", lambda text: f"{text}- ours\n")
        editor.write(f"{OLD}- theirs\n")
    theirs = note.read_text()
    edit(vault, "a.md", lambda text: f"{text}- ours\n")

    assert theirs.endswith(f"{OLD}- theirs\n")
    assert note.read_text() == f"{theirs}- ours\n"
    assert list(root.iterdir()) == [note]


def test_who_only_reads_a_note_keeps_nobody_from_it(monkeypatch, note, vault):
    monkeypatch.setattr(writers, "_PATIENCE_S", 0)

    with note.open() as reader:
        edit(vault, "a.md", lambda text: f"{text}- ours\n")

        assert reader.read() == OLD
    assert note.read_text() == f"{OLD}- ours\n"


def test_a_note_that_never_stands_still_is_waited_for_but_not_for_ever(monkeypatch, note):
    looks = iter(range(1_000_000))
    monkeypatch.setattr(writers, "_look", lambda _: (0, next(looks)))
    monkeypatch.setattr(writers, "_PATIENCE_S", 0.05)

    with note.open() as file:
        assert writers.settle(file.fileno(), note.stat().st_mtime_ns)
    assert next(looks) > 1


@pytest.mark.parametrize(
    ("content", "age_ns", "renamed", "waits"),
    [
        ("text", 0, False, True),
        ("text", 200_000_000, False, True),
        ("text", 1_000_000_000, False, False),
        ("", 1_000_000_000, False, True),
        ("text", 0, True, False),
        ("", 0, True, False),
    ],
)
def test_only_what_was_just_written_in_place_or_is_empty_is_waited_for(
    monkeypatch, root, content, age_ns, renamed, waits
):
    waited = []
    monkeypatch.setattr(writers, "_stand_still", waited.append)
    path = put(root / "b.md", content)
    written = path.stat().st_mtime_ns
    if renamed:  # what a rename does to the times of a file that was written before
        os.utime(path, ns=(written, written - 1))

    with path.open() as file:
        writers.settle(file.fileno(), written + age_ns)

    assert bool(waited) is waits


# An editor that comes between our last look and our rename

MEDDLED = """
from pathlib import Path
from echo_memory import writers
from echo_memory.vault import edit
note, how, hidden = Path(sys.argv[1], "a.md"), sys.argv[2], sys.argv[3:]
old, renames = note.read_text(), []
if "writers" in hidden:
    writers.is_held = lambda _: False
def act(event, args):
    if event == "os.link" and "links" in hidden:
        raise OSError(int(hidden[-1]), "no hard links here")
    if event == "os.rename" and args[1] == "a.md":
        renames.append(event)
        if len(renames) == 1:
            meddle()
def meddle():
    if how == "append":
        with note.open("a") as file:
            file.write("- theirs\\n")
    elif how == "in place":
        note.write_text(f"{old}- theirs\\n")
    elif how == "same length":
        note.write_text(old.replace("person", "editor"))
    elif how == "empty":
        note.write_text("")
sys.addaudithook(act)
edit(vault, "a.md", lambda text: f"{text}- ours\\n")
print(len(renames))
"""


@pytest.mark.parametrize("hidden", [(), ("writers",), ("links",), ("writers", "links")])
@pytest.mark.parametrize(
    ("how", "theirs"),
    [
        ("append", f"{OLD}- theirs\n"),
        ("in place", f"{OLD}- theirs\n"),
        ("same length", OLD.replace("person", "editor")),
        ("empty", ""),
    ],
)
def test_what_is_saved_right_before_our_rename_is_put_back_and_edited(
    root, note, how, theirs, hidden
):
    note.chmod(0o640)

    with run(MEDDLED, root, how, *hidden, str(errno.EPERM)) as process:
        said, _ = process.communicate()

    assert said == "3\n"  # ours, theirs again, ours on theirs
    assert note.read_text() == f"{theirs}- ours\n"
    assert note.stat().st_mode & 0o777 == 0o640
    assert list(root.iterdir()) == [note]


SLOW = """
from pathlib import Path
from echo_memory.vault import edit
note, editors, asked = Path(sys.argv[1], "a.md"), [], []
def act(event, args):
    if event == "os.link" and sys.argv[3] == "no links":
        raise OSError(int(sys.argv[4]), "no hard links here")
    if event == "os.rename" and args[1] == "a.md" and not editors:
        editors.append(note.open(sys.argv[2]))
    if event == "fcntl.fcntl" and editors:
        asked.append(event)
        if len(asked) == 3:  # after two, our look has found the editor there
            editors[0].write("half of it, ")
            editors[0].flush()
        elif len(asked) == 5:
            editors[0].write("the rest\\n")
            editors[0].close()
sys.addaudithook(act)
edit(vault, "a.md", lambda text: f"{text}- ours\\n")
"""


@pytest.mark.parametrize("disk", ["links", "no links"])
@pytest.mark.parametrize(("mode", "start"), [("w", ""), ("a", OLD)])
def test_an_editor_that_opened_the_note_before_our_rename_may_take_its_time(
    disk_tells, root, note, mode, start, disk
):
    with run(SLOW, root, mode, disk, str(errno.EPERM)) as process:
        process.communicate()

    assert note.read_text() == f"{start}half of it, the rest\n- ours\n"
    assert list(root.iterdir()) == [note]


REPLACED = """
from pathlib import Path
from echo_memory.errors import Conflict
note, renames = Path(sys.argv[1], "a.md"), []
def act(event, args):
    if event == "os.link" and sys.argv[2] == "no links":
        raise OSError(int(sys.argv[3]), "no hard links here")
    if event == "os.rename" and args[1] == "a.md":
        renames.append(event)
        with note.open("a") as file:
            file.write("- theirs\\n")
    elif event == "open" and args[0] == "a.md" and renames and not renames[1:]:
        renames.append(event)
        note.with_suffix(".new").write_text("by a third")
        note.with_suffix(".new").rename(note)
sys.addaudithook(act)
try:
    vault.write("a.md", "ours", expected=note.read_text())
except Conflict:
    print("conflict")
"""


@pytest.mark.parametrize("disk", ["links", "no links"])
def test_what_a_third_put_in_the_place_of_ours_stays(root, note, disk):
    with run(REPLACED, root, disk, str(errno.EPERM)) as process:
        said, _ = process.communicate()

    assert said == "conflict\n"
    assert note.read_text() == "by a third"
    assert list(root.iterdir()) == [note]


# What it costs


BROKEN_LEASE = """
import fcntl
path, calls = sys.argv[1] + "/a.md", []
def act(event, args):
    if event == "fcntl.fcntl" and args[2] == fcntl.F_UNLCK:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        except BlockingIOError:
            calls.append(event)
sys.addaudithook(act)
vault.write("a.md", "ours", expected=open(path).read())
print(len(calls) > 0)
"""


def test_an_editor_that_opens_the_note_while_we_ask_for_writers_harms_nobody(
    disk_tells, root, note
):
    with run(BROKEN_LEASE, root) as process:
        said, _ = process.communicate()

    assert (said, process.returncode) == ("True\n", 0)
    assert note.read_text() == "ours"


def test_a_write_waits_for_the_disk_twice_for_the_note_and_for_its_folder(monkeypatch, note, vault):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)

    vault.write("a.md", "two", expected=OLD)
    vault.write("b.md", "two", expected=None)

    assert len(synced) == 4


def test_many_editors_in_place_lose_nothing_that_they_saved(disk_tells, root, note, vault):
    """Each save is looked for before the next, while we edit all the time."""
    lost, over = [], threading.Event()

    def save():
        for number in range(40):
            line = f"- theirs {number}\n"
            text = note.read_text()
            with note.open("w") as file:
                file.write(text + line)
            if line not in note.read_text():
                lost.append(line)
        over.set()

    editor = threading.Thread(target=save)
    editor.start()
    while not over.is_set():
        with suppress(Conflict):
            edit(vault, "a.md", lambda text: f"{text}- ours\n")
    editor.join()

    assert lost == []
    assert list(snapshot(root)) == [str(note)]
