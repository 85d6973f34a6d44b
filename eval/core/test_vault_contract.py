"""What every vault promises, whatever is behind it: one set of tests for all kinds.

They see what `vault.Vault` says, and the folder that the notes lie in.
"""

import json
import os
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from awkward import NOTES
from echo_memory.errors import BadRequest, Conflict, EchoError, NotFound, VaultIO
from echo_memory.vault import MAX_NOTE_BYTES, edit, to_bytes
from folders import VERBS, put, snapshot
from vaults import KINDS, opened

FIXTURES = Path(__file__).parents[1] / "fixtures"
HOSTILE = [
    path
    for paths in json.loads((FIXTURES / "hostile_paths.json").read_text("utf-8")).values()
    for path in paths
]
NAMES = [
    "a.md",
    "NOTES.MD",
    "_agent/index/entities.json",
    "resources/people/ada lovelace.md",
    "100% sure.md",
    "a%20b.md",
    "what is C#? yes & no, a+b=c.md",
    "it's \"quoted\"; (or) [not] {x}~!$@^`'.md",
    unicodedata.normalize("NFC", "é/é.md"),
    unicodedata.normalize("NFD", "é/é.md"),
    "👩‍👩‍👧 family/🙂.md",
    "日本語/メモ.md",
    "a.md.md",
]


@pytest.fixture(params=KINDS)
def vault(request, root):
    with opened(request.param, root) as vault:
        yield vault


def settle(root):
    """Let all files be of an age at which their times say what version they are in."""
    for path in root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))


# Text and names


def test_any_note_is_copied_byte_for_byte(root, vault):
    contents = {name: to_bytes(text) for name, text in NOTES.items()}
    contents |= {
        "nothing": b"",
        "bom": b"\xef\xbb\xbf# a mark before it\n",
        "crlf": b"one\r\ntwo\r\n",
        "mixed": b"one\rtwo\nthree\r\nfour",
        "no utf-8": b"caf\xe9, \xff\xfe, \xed\xa0\x80",
        "binary": bytes(range(256)),
        "unicode": "Ω 👩‍👩‍👧 e\u0301\u2028".encode(),
        "like an error": b'{"errorCode": 40400}',
        "like a listing": b'{"files": ["a.md", "b/"]}',
    }
    for name, content in contents.items():
        put(root / f"{name}.md", content)

    for name in contents:
        vault.write(f"copy/{name}.md", vault.read(f"{name}.md"), expected=None)

    copies = {path.stem: path.read_bytes() for path in (root / "copy").iterdir()}
    assert copies == contents


@pytest.mark.parametrize("path", NAMES)
def test_a_note_of_any_name_is_made_read_replaced_and_found(root, vault, path):
    vault.write(path, "one", expected=None)
    made = (root / path).read_text()
    vault.write(path, "two", expected="one")

    assert made == "one"
    assert (root / path).read_text() == vault.read(path) == "two"
    assert vault.read_many([path]) == {path: "two"}
    assert list(vault.stamps()) == ([path] if path[-3:].lower() == ".md" else [])
    assert vault.stamp(path)
    assert [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()] == [path]


def test_a_name_in_another_normal_form_is_another_name(root, vault):
    composed, decomposed = (unicodedata.normalize(form, "é.md") for form in ("NFC", "NFD"))
    vault.write(composed, "one", expected=None)
    vault.write(decomposed, "two", expected=None)

    assert (vault.read(composed), vault.read(decomposed)) == ("one", "two")
    assert sorted(vault.stamps()) == sorted([composed, decomposed])


def test_text_that_no_file_can_hold_is_refused(root, vault):
    with pytest.raises(BadRequest) as refusal:
        vault.write("a.md", "half a pair \ud800", expected=None)

    assert refusal.value.details == {"field": "text"}
    assert snapshot(root) == {}


def test_a_note_of_the_largest_size_is_read_and_a_larger_one_is_not(root, vault):
    put(root / "a.md", b"x" * MAX_NOTE_BYTES)
    put(root / "b.md", b"x" * (MAX_NOTE_BYTES + 1))

    assert len(vault.read("a.md")) == MAX_NOTE_BYTES
    with pytest.raises(VaultIO, match="larger than 10,000,000 bytes"):
        vault.read("b.md")
    with pytest.raises(BadRequest, match="larger than 10,000,000 bytes"):
        vault.write("c.md", "x" * (MAX_NOTE_BYTES + 1), expected=None)
    with pytest.raises(Conflict):
        vault.write("b.md", "", expected="x" * MAX_NOTE_BYTES)
    assert sorted(vault.stamps()) == ["a.md", "b.md"]
    assert list(vault.read_many(["a.md", "b.md", "c.md"])) == ["a.md"]


# What is there, and what is not


@pytest.mark.parametrize(
    "path",
    ["missing.md", "missing/a.md", "folder", "folder.md", "empty.md", "a.md/b.md", "A.md", "a"],
)
@pytest.mark.parametrize("verb", ["read", "stamp", "trash"])
def test_what_is_not_exactly_a_note_is_not_found(root, vault, verb, path):
    put(root / "a.md")
    put(root / "folder/b.md")
    put(root / "folder.md/b.md")
    (root / "empty.md").mkdir()
    before = snapshot(root)

    with pytest.raises(NotFound) as refusal:
        VERBS[verb](vault, path)

    assert refusal.value.details == {"path": path}
    assert snapshot(root) == before


def test_the_notes_are_those_that_are_visible_and_can_be_asked_for(root, vault):
    visible = ["a.md", "B.MD", "folder/deep/c.Md", "folder.md/d.md", "100% é 👩‍👩‍👧.md"]
    hidden = [".a.md", ".obsidian/b.md", "folder/.trash/c.md", ".md"]
    others = ["a.txt", "amd", "folder/b.md.bak", "c.canvas", "ends. /a.md", "dots./a.md", "b\\c.md"]
    for path in visible + hidden + others:
        put(root / path)

    stamps = vault.stamps()

    assert sorted(stamps) == sorted(visible)
    assert vault.read_many(stamps) == dict.fromkeys(stamps, "secret")


def test_a_vault_without_notes_can_be_used(root, vault):
    assert vault.probe() is None
    assert vault.stamps() == {}
    assert vault.read_many([]) == {}
    assert snapshot(root) == {}


def test_a_stamp_stays_while_the_note_stays_and_survives_being_stored(root, vault):
    put(root / "folder/a.md")
    settle(root)

    first = vault.stamps()
    stored = json.loads(json.dumps(first))

    assert stored == first == vault.stamps()
    assert vault.stamp("folder/a.md") == first["folder/a.md"]


def test_a_note_that_was_written_has_another_stamp_though_it_has_the_same_size(root, vault):
    put(root / "a.md", "old")
    settle(root)
    stamps = [vault.stamps()["a.md"]]

    for before, after in (("old", "one"), ("one", "two"), ("two", "six")):
        vault.write("a.md", after, expected=before)
        stamps.append(vault.stamps()["a.md"])

    assert len(set(stamps)) == 4


def test_many_notes_are_read_and_missing_ones_left_out(root, vault):
    wanted = {f"folder {number % 7}/{number}.md": f"text {number}" for number in range(100)}
    for path, text in wanted.items():
        put(root / path, text)

    texts = vault.read_many([*wanted, "c.md", "folder 1/c.md", "folder 1/1.md/d.md", "folder 1"])

    assert texts == wanted


# Writing


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.md", None),
        ("a.md", "on"),
        ("a.md", "one "),
        ("a.md", ""),
        ("empty.md", None),
        ("empty.md", "\n"),
        ("gone.md", ""),
        ("gone/b.md", "one"),
        ("a.md/b.md", "one"),
        ("folder.md", "one"),
    ],
)
def test_a_write_over_anything_but_the_expected_is_a_conflict(root, vault, path, expected):
    put(root / "a.md", "one")
    put(root / "empty.md", "")
    put(root / "folder.md/b.md")
    before = snapshot(root)

    with pytest.raises(Conflict) as refusal:
        vault.write(path, "two", expected=expected)

    assert refusal.value.details == {"path": path}
    assert snapshot(root) == before


@pytest.mark.parametrize("path", ["folder.md", "a.md/b.md", "a.md/b/c.md"])
def test_a_name_that_something_else_has_is_an_error_of_the_vault(root, vault, path):
    put(root / "a.md", "one")
    put(root / "folder.md/b.md")
    before = snapshot(root)

    with pytest.raises(VaultIO) as refusal:
        vault.write(path, "two", expected=None)

    assert str(root) not in str(refusal.value.as_dict())
    assert snapshot(root) == before


def test_an_edit_that_somebody_overtakes_is_made_again_on_what_they_wrote(root, vault):
    put(root / "a.md", "one\n")
    others = iter(["theirs\n", None])

    def change(text):
        other = next(others)
        if other:
            put(root / "a.md", other)
        return f"{text}mine\n"

    done = edit(vault, "a.md", change)

    assert (done.before, done.after) == ("theirs\n", "theirs\nmine\n")
    assert (root / "a.md").read_text() == "theirs\nmine\n"


def test_of_several_threads_that_make_a_note_exactly_one_does(root, vault):
    start = threading.Barrier(8)

    def make(number):
        start.wait()
        try:
            vault.write("new/a.md", f"by {number}", expected=None)
        except Conflict:
            return None
        return f"by {number}"

    with ThreadPoolExecutor(8) as threads:
        made = [text for text in threads.map(make, range(8)) if text]

    assert made == [(root / "new/a.md").read_text()]


def test_threads_that_work_on_different_notes_do_not_mix_them_up(vault):
    def live(number):
        path = f"folder {number % 3}/{number}.md"
        vault.write(path, "", expected=None)
        for line in range(5):
            edit(vault, path, lambda text, line=line: f"{text}{number} {line}\n")
        return vault.read(path)

    with ThreadPoolExecutor(12) as threads:
        texts = list(threads.map(live, range(24)))

    assert texts == ["".join(f"{n} {line}\n" for line in range(5)) for n in range(24)]


# Paths


@pytest.mark.parametrize("verb", VERBS)
def test_no_hostile_path_is_taken_and_nothing_is_touched(tmp_path, root, vault, verb):
    for outside in ("outside.md", "x.md", "vault/.obsidian/app.json", "vault/.trash/a.md"):
        put(tmp_path / outside)
    put(root / "resources/a.md")
    before = snapshot(tmp_path)

    taken = []
    for path in HOSTILE:
        try:
            VERBS[verb](vault, path)
        except BadRequest:
            continue
        except EchoError as error:
            taken.append((path, error.code))
        taken.append(path)

    assert taken == []
    assert snapshot(tmp_path) == before


# Trash


def test_a_trashed_note_is_kept_in_the_trash_under_a_name_of_its_own(root, vault):
    put(root / ".trash/a.md", "by hand")
    for folder in ("one", "two"):
        put(root / folder / "a.md", f"{folder}\r\n\xff")

    went = [vault.trash(f"{name}/a.md", expected=f"{name}\r\n\xff") for name in ("one", "two")]

    assert went == [".trash/a 1.md", ".trash/a 2.md"]
    assert [(root / path).read_bytes().decode() for path in went] == ["one\r\n\xff", "two\r\n\xff"]
    assert (root / ".trash/a.md").read_text() == "by hand"
    assert vault.stamps() == {}


def test_the_first_trashed_note_makes_the_trash(root, vault):
    put(root / "folder/a.md", "one")
    put(root / "folder/b.md", "two")

    assert vault.trash("folder/a.md", expected="one") == ".trash/a.md"
    assert (root / ".trash/a.md").read_text() == "one"
    assert list(vault.stamps()) == ["folder/b.md"]


def test_a_note_that_changed_is_not_trashed(root, vault):
    put(root / "a.md", "two")
    before = snapshot(root)

    with pytest.raises(Conflict):
        vault.trash("a.md", expected="one")

    assert snapshot(root) == before


def test_the_longest_names_find_room_in_the_trash(root, vault):
    name = "é" * 126 + ".md"
    went = []
    for text in ("one", "two", "three"):
        put(root / name, text)
        went.append(vault.trash(name, expected=text))

    assert [(root / path).read_text() for path in went] == ["one", "two", "three"]
    assert len(set(went)) == 3
