"""A folder as a vault: whole notes in, whole notes out, and a folder that stays tidy."""

import os
import socket
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_memory.errors import Conflict, NotFound, VaultIO
from echo_memory.vault import to_bytes, to_text
from folders import VERBS, put, snapshot

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")


# Text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no final newline",
        b"one\r\ntwo\r\n",
        b"one\rtwo\nthree\r\n",
        b"\xef\xbb\xbf# a mark before it\n",
        b"caf\xe9, \xff\xfe, \xed\xa0\x80 are no UTF-8",
        "Ω 👩‍👩‍👧 e\u0301\u2028".encode(),
        b"nul \x00 and bell \x07",
    ],
)
def test_a_note_is_copied_byte_for_byte(root, vault, content):
    put(root / "a.md", content)

    vault.write("b.md", vault.read("a.md"), expected=None)

    assert (root / "b.md").read_bytes() == content


@given(data=st.binary(max_size=40))
def test_any_bytes_survive_being_text(data):
    assert to_bytes(to_text(data)) == data


# What is there, and what is not


def test_a_pipe_a_socket_and_a_device_are_no_notes_and_stop_nobody(root, vault, monkeypatch):
    os.mkfifo(root / "pipe.md")
    monkeypatch.chdir(root)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")

        for path in ("pipe.md", "socket.md"):
            for verb in ("read", "stamp", "trash"):
                with pytest.raises(NotFound):
                    VERBS[verb](vault, path)
            with pytest.raises(VaultIO):
                vault.write(path, "mine", expected=None)
            with pytest.raises(Conflict):
                vault.write(path, "mine", expected="")
        assert vault.stamps() == {}
        assert vault.read_many(["pipe.md", "socket.md"]) == {}


def test_the_notes_are_those_that_are_visible_and_can_be_asked_for(root, vault):
    visible = ["a.md", "B.MD", "folder/deep/c.Md", "folder.md/d.md", "100% é 👩‍👩‍👧.md"]
    hidden = [".a.md", ".obsidian/b.md", "folder/.trash/c.md", ".md"]
    others = ["a.txt", "amd", "folder/b.md.bak", "c.canvas", "ends. /a.md", "dots./a.md", "b\\c.md"]
    for path in visible + hidden + others:
        put(root / path)
    os.close(os.open(os.fsencode(root) + b"/caf\xe9.md", os.O_CREAT))

    stamps = vault.stamps()

    assert sorted(stamps) == sorted(visible)
    assert vault.read_many(stamps) == dict.fromkeys(stamps, "secret")


def test_a_note_that_was_written_or_replaced_has_another_stamp(root, vault):
    put(root / "a.md", "one")
    stamps = [vault.stamp("a.md")]

    vault.write("a.md", "two", expected="one")
    stamps.append(vault.stamp("a.md"))
    old = (root / "a.md").stat()
    put(root / "other", "six")
    os.utime(root / "other", ns=(old.st_atime_ns, old.st_mtime_ns))
    (root / "other").rename(root / "a.md")
    stamps.append(vault.stamp("a.md"))

    assert len(set(stamps)) == 3


# Writing


def test_a_new_note_gets_its_folders(root, vault):
    vault.write("a/b/c.md", "text", expected=None)

    assert (root / "a/b/c.md").read_text() == "text"
    assert [path.name for path in sorted(root.rglob("*"))] == ["a", "b", "c.md"]


def test_a_file_that_is_no_note_is_kept_like_one(root, vault):
    vault.write("_agent/index/entities.json", "{}", expected=None)

    assert vault.read("_agent/index/entities.json") == "{}"


def test_a_note_is_replaced_when_it_is_the_expected_one(root, vault):
    put(root / "a.md", "one")

    vault.write("a.md", "two", expected="one")

    assert snapshot(root)[str(root / "a.md")][1] == b"two"
    assert len(snapshot(root)) == 1


def test_a_note_keeps_its_mode_and_a_new_one_takes_the_usual(root, vault):
    put(root / "a.md", "one").chmod(0o640)
    usual = put(root / "usual").stat().st_mode

    vault.write("a.md", "two", expected="one")
    vault.write("b.md", "two", expected=None)

    assert stat.S_IMODE((root / "a.md").stat().st_mode) == 0o640
    assert (root / "b.md").stat().st_mode == usual


@needs_root
def test_notes_belong_to_their_person_even_when_root_writes(root, vault):
    os.chown(root, 1234, 1235)
    os.chown(put(root / "a.md", "one"), 2345, 2346)

    vault.write("a.md", "two", expected="one")
    vault.write("new/folder/b.md", "two", expected=None)

    owners = {path: (path.stat().st_uid, path.stat().st_gid) for path in root.rglob("*")}
    assert owners.pop(root / "a.md") == (2345, 2346)
    assert set(owners.values()) == {(1234, 1235)}
    assert len(owners) == 3


def test_a_write_protected_note_is_left_alone(root, vault):
    put(root / "a.md", "one").chmod(0o444)
    before = snapshot(root)

    with pytest.raises(VaultIO, match="Permission"):
        vault.write("a.md", "two", expected="one")

    assert snapshot(root) == before


@pytest.mark.parametrize(
    ("path", "said"),
    [("folder.md", "not a note"), ("a.md/b.md", "needs a folder"), ("a.md/b/c.md", "needs")],
)
def test_a_name_that_something_else_has_is_an_error_of_the_vault(root, vault, path, said):
    put(root / "a.md", "one")
    (root / "folder.md").mkdir()
    before = snapshot(root)

    with pytest.raises(VaultIO, match=said) as refusal:
        vault.write(path, "two", expected=None)

    assert str(root) not in str(refusal.value.as_dict())
    assert snapshot(root) == before
