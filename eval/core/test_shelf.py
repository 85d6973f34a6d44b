"""The shelf: notes come back as they were put, whether they stand in memory or on the disk."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import shelf as shelves
from echo_memory.catalog import Catalog
from echo_memory.note import Note
from echo_memory.shelf import Shelf
from folders import run

ADA = "---\ntype: person\ntitle: Ada\naliases: [Countess]\n---\n\n# Ada\n"

FULL_DISK = """
import resource
from pathlib import Path
from echo_memory import shelf as shelves
from echo_memory.note import Note
from echo_memory.shelf import Shelf
shelves._AT_ONCE = 150
shelf = Shelf(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for number in range(50):
    shelf.put(Note(f"{number}.md", f"# {number}\\n" + "x" * 100))
print(all(shelf.get(f"{number}.md").text.startswith(f"# {number}\\n") for number in range(50)))
"""


@pytest.fixture(params=["in memory", "on the disk"])
def shelf(request: pytest.FixtureRequest, tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "texts" if request.param == "on the disk" else None)


def test_a_note_comes_back_with_all_that_it_says(shelf: Shelf) -> None:
    assert shelf.put(Note("ada.md", ADA))

    found = shelf.get("ada.md")
    assert found is not None
    assert (found.text, found.title, found.items("aliases")) == (ADA, "Ada", ("Countess",))
    assert shelf.signature("ada.md") == Note("ada.md", ADA).signature
    assert ("ada.md" in shelf, len(shelf), shelf.paths()) == (True, 1, ["ada.md"])


def test_only_another_text_counts_as_a_change(shelf: Shelf) -> None:
    shelf.put(Note("ada.md", ADA))

    assert [shelf.put(Note("ada.md", text)) for text in (ADA, "# Other\n", "# Other\n")] == [
        False,
        True,
        False,
    ]
    assert [note.text for note in shelf] == ["# Other\n"]


def test_a_text_that_is_not_the_one_of_its_signature_is_replaced_by_that(shelf: Shelf) -> None:
    said = Note("ada.md", ADA).signature
    shelf.put(Note.known("ada.md", ADA.replace("Ada", "A\0a"), None, said))

    assert shelf.put(Note("ada.md", ADA))
    assert [note.text for note in shelf] == [ADA]


def test_what_was_dropped_is_gone_and_what_never_was_is_none(shelf: Shelf) -> None:
    shelf.put(Note("ada.md", ADA))

    assert [shelf.drop("ada.md"), shelf.drop("ada.md")] == [True, False]
    assert (shelf.get("ada.md"), shelf.signature("ada.md"), list(shelf)) == (None, None, [])


@settings(max_examples=80, deadline=None)
@given(
    data=st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=60)), max_size=12),
)
def test_the_last_text_of_each_path_stands_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, data: list[tuple[str, bytes]]
) -> None:
    one = Shelf(tmp_path_factory.getbasetemp() / "texts")

    for path, raw in data:
        one.put(Note(path, raw.decode("utf-8", "surrogateescape")))

    wanted = {path: raw.decode("utf-8", "surrogateescape") for path, raw in data}
    assert {note.path: note.text for note in one} == wanted


@pytest.mark.parametrize("text", ["\ud800", "---\nday: 2026-01-01\n---\n", "---\na: [\n---\n"])
def test_a_note_that_no_file_can_hold_or_that_is_odd_comes_back_too(
    shelf: Shelf, text: str
) -> None:
    shelf.put(Note("odd.md", text))

    found = shelf.get("odd.md")
    assert found is not None
    assert (found.text, found.frontmatter) == (text, Note("odd.md", text).frontmatter)


def test_the_file_has_no_name_and_ends_with_the_shelf(tmp_path: Path) -> None:
    one = Shelf(tmp_path / "texts")
    one.put(Note("ada.md", ADA))
    before = files(tmp_path)

    del one

    assert list((tmp_path / "texts").iterdir()) == []
    assert (len(before), files(tmp_path)) == (1, [])


def test_what_was_replaced_gives_its_room_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelves, "_LEAST_WASTE", 10_000)
    monkeypatch.setattr(shelves, "_AT_ONCE", 1)
    one, sizes = Shelf(tmp_path), []

    for number in range(1000):
        one.put(Note(f"{number % 5}.md", f"# {number}\n" + "x" * 500))
        sizes.append(sum(fd.stat().st_size for fd in files(tmp_path)))

    assert 10_000 < max(sizes) < 30_000
    assert sorted(note.title for note in one) == [str(number) for number in range(995, 1000)]


def files(folder: Path) -> list[Path]:
    """The descriptors of files without a name in a folder."""
    opened = Path("/proc/self/fd").iterdir()
    return [fd for fd in opened if os.path.realpath(fd).startswith(f"{folder}/")]


def is_whole(name: str, note: Note | None) -> bool:
    return note is not None and note.text[0] == note.text[-1] == name


@pytest.mark.parametrize("at_once", [1, 40, 1 << 20])
def test_readers_see_whole_notes_while_they_are_replaced_and_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(shelves, "_LEAST_WASTE", 1_000)
    monkeypatch.setattr(shelves, "_RECENT", 0)
    monkeypatch.setattr(shelves, "_AT_ONCE", at_once)
    one, wrong, done = Shelf(tmp_path), [], threading.Event()
    for name in "abc":
        one.put(Note(name, f"{name} 0 {name}"))

    def read() -> None:
        while not done.is_set():
            notes = {name: one.get(name) for name in "abc"}
            wrong.extend(name for name, note in notes.items() if not is_whole(name, note))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(2000):
        name = "abc"[number % 3]
        one.put(Note(name, f"{name} {number} {name}"))
    done.set()
    for reader in readers:
        reader.join()

    assert wrong == []


def test_notes_are_written_many_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelves, "_AT_ONCE", 5_000)
    one, sizes = Shelf(tmp_path), set()

    for number in range(100):
        one.put(Note(f"{number}.md", f"# {number}\n" + "x" * 500))
        sizes.update(fd.stat().st_size for fd in files(tmp_path))

    assert 5 < len(sizes) < 20
    assert sorted(int(note.title) for note in one) == list(range(100))


def test_on_a_full_disk_the_rest_stands_in_memory(tmp_path: Path) -> None:
    with run(FULL_DISK, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.read() == "True\n"


def test_an_empty_shelf_is_used_and_not_replaced_by_another(tmp_path: Path) -> None:
    one = Shelf(tmp_path / "texts")

    Catalog(shelf=one).put(Note("ada.md", ADA))

    assert one.paths() == ["ada.md"]
