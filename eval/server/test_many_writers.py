"""Many writers of the same notes at once: clients, command lines, and an editor that knows of none.

The editor saves by exchanging its file for the note, so that it has in its hands what it overwrote.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acknowledged import Sent
from echo_memory import writers
from homes import ECHO, HOMES, FolderHome, call, caller, served

CLIENTS, LINES = 32, 6
TRIES = 20  # of a line that the editor is in the way of
REST_S = 0.2  # between two saves of the editor, hastier than any person
FOLDER = "_agent/memory/semantic"
NOTES = [f"note-{number}" for number in range(10)]
EXCHANGE, HERE = 2, -100  # RENAME_EXCHANGE and AT_FDCWD of Linux

Write = Callable[[str, str], None]


@pytest.fixture
def home(tmp_path: Path) -> FolderHome:
    return FolderHome(tmp_path)


@pytest.fixture(params=HOMES)
def any_home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FolderHome]:
    """A vault of each kind, made a memory."""
    made = HOMES[request.param](tmp_path)
    made.up()
    words = [sys.executable, str(ECHO), *made.words, "bootstrap"]
    subprocess.run(words, env=made.env, check=True, stdout=subprocess.DEVNULL)
    yield made
    made.down()


@contextmanager
def client(url: str) -> Iterator[Write]:
    """A client that adds lines, by turns as lines and as captures, again where told to."""

    def write(note: str, line: str) -> None:
        for _ in range(TRIES):
            answer = once(note, line)
            if answer["ok"]:
                return
            assert answer["error"]["code"] == "conflict", answer
        raise AssertionError(answer)

    def once(note: str, line: str) -> dict[str, Any]:
        kept = {"title": note.capitalize(), "kind": "semantic", "body": line}
        added = {"path": f"{FOLDER}/{note}.md", "line": line}
        captures = line.endswith(("1", "3", "5", "7", "9"))
        sent = Sent("echo_capture", kept, {}) if captures else Sent("echo_append_note", added, {})
        return call(opened, url, sent)

    with caller() as opened:
        yield write


def command_line(home: FolderHome) -> Write:
    """The command line, a process for every line."""

    def write(note: str, line: str) -> None:
        words = [*home.words, "append", f"{FOLDER}/{note}.md", line]
        subprocess.run([sys.executable, str(ECHO), *words], env=home.env, check=True)

    return write


def write_all(write: Write, name: str, lines: int, *, notes: list[str] = NOTES) -> list[str]:
    """Add so many lines, by turns to each note; returns them."""
    written = [f"Line of {name} {number}" for number in range(lines)]
    for number, line in enumerate(written):
        write(notes[number % len(notes)], line)
    return written


def make(url: str, notes: list[str]) -> None:
    """Make the notes."""
    with client(url) as write:
        for note in notes:
            write(note, f"Beginning of {note} 1")


def lines_of(home: FolderHome) -> Counter[str]:
    """How often each line stands in the notes."""
    texts = [path.read_text("utf-8") for path in (home.vault / FOLDER).glob("note-*.md")]
    return Counter(line for text in texts for line in text.splitlines())


def test_every_line_of_many_clients_and_command_lines_stands_exactly_once(
    any_home: FolderHome,
) -> None:
    home = any_home

    def as_client(number: int) -> list[str]:
        turned = NOTES[number % 10 :] + NOTES[: number % 10]
        with client(server.url) as write:
            return write_all(write, f"client {number}", LINES, notes=turned)

    with served(home) as server, ThreadPoolExecutor(CLIENTS + 2) as pool:
        server.listen()
        make(server.url, NOTES)
        typing = [pool.submit(write_all, command_line(home), f"typist {n}", LINES) for n in (1, 2)]
        calling = [pool.submit(as_client, number) for number in range(CLIENTS)]
        written = [line for each in (*typing, *calling) for line in each.result()]
    found = lines_of(home)

    assert len(written) == (CLIENTS + 2) * LINES
    assert {line: found[line] for line in written} == dict.fromkeys(written, 1)


class Editor(threading.Thread):
    """Saves a note again and again, until the others are done; keeps what it saved."""

    def __init__(self, note: Path, over: threading.Event) -> None:
        super().__init__()
        self.note, self.over = note, over
        self.saved: list[str] = []
        self.overwritten: set[str] = set()

    def run(self) -> None:
        while not self.over.wait(REST_S):
            self.saved.append(f"Line of the editor {len(self.saved)}")
            self.save(f"{self.saved[-1]}\n")

    def save(self, line: str) -> None:
        raise NotImplementedError


class Appending(Editor):
    """Opens the note, and writes at its end."""

    def save(self, line: str) -> None:
        with self.note.open("a") as file:
            file.write(line)


class Exchanging(Editor):
    """Reads the note, writes another file whole, and gives it the note's name."""

    def save(self, line: str) -> None:
        text, other = self.note.read_text("utf-8"), self.note.with_name(".editor.tmp")
        other.write_text(f"{text}{line}", "utf-8")
        exchange(other, self.note)
        self.overwritten |= {*other.read_text("utf-8").splitlines()} - {*text.splitlines()}
        other.unlink()


def exchange(one: Path, other: Path) -> None:
    """Swap the names of two files at one stroke."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE):
        raise OSError(ctypes.get_errno(), "the files were not exchanged")


def against(home: FolderHome, editor: type[Editor]) -> tuple[Editor, list[str]]:
    """Four clients write to a note while an editor does; returns it, and what the clients wrote."""
    over = threading.Event()

    def as_client(number: int) -> list[str]:
        with client(server.url) as write:
            return write_all(write, f"client {number}", 40, notes=NOTES[:1])

    with served(home) as server, ThreadPoolExecutor(4) as pool:
        server.listen()
        make(server.url, NOTES[:1])
        beside = editor(home.vault / FOLDER / f"{NOTES[0]}.md", over)
        beside.start()
        try:
            calling = [pool.submit(as_client, number) for number in range(4)]
            written = [line for each in calling for line in each.result()]
        finally:
            over.set()
            beside.join()
    return beside, written


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges two files at one stroke")
def test_an_editor_that_saves_whole_notes_costs_only_the_lines_that_it_overwrote_itself(
    home: FolderHome,
) -> None:
    editor, written = against(home, Exchanging)

    found = lines_of(home)
    expected = {line: int(line not in editor.overwritten) for line in written}
    assert {line: found[line] for line in written} == expected
    assert all(found[line] <= 1 for line in editor.saved)


def test_an_editor_that_saves_in_place_costs_nothing_and_loses_nothing(home: FolderHome) -> None:
    probe = home.vault / "probe"
    with probe.open("w"), probe.open() as same:
        told = writers.is_held(same.fileno())
    probe.unlink()
    if not told:
        pytest.skip("this disk does not tell of writers")

    editor, written = against(home, Appending)

    found, every = lines_of(home), [*editor.saved, *written]
    assert {line: found[line] for line in every} == dict.fromkeys(every, 1)
