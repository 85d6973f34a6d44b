"""The readings file: what was read once comes back, and a spoiled file costs only time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_mcp.warm.readings_file import ReadingsFile
from echo_mcp.warm.store import LiveWords
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.opening import open_memory
from echo_memory.ops.recall import recall_op
from echo_memory.recallable import document, readable
from echo_memory.retrieval.documents import Document
from echo_memory.retrieval.reading import packed, reading, unpacked
from folders import put

ADA = reading(Document("Ada Lovelace", ("Countess",), ("maths",)), "First program.")
TEA = reading(Document("Tea", body="- [ ] buy some"), "Green or black?\n\n- [ ] buy some")


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[ReadingsFile]:
    with closing(ReadingsFile(tmp_path / "state" / "readings.sqlite")) as opened:
        yield opened


def test_a_reading_comes_back_for_the_text_that_it_is_of(kept: ReadingsFile) -> None:
    kept.put({"ada.md": (1, ADA), "tea.md": (2, TEA)})

    assert kept.get({"ada.md": 1, "tea.md": 3, "none.md": 4}) == {"ada.md": ADA}
    assert kept.get({}) == {}


def test_what_is_missing_is_told_and_what_is_gone_forgotten(kept: ReadingsFile) -> None:
    kept.put({"ada.md": (1, ADA), "tea.md": (2, TEA), "old.md": (3, TEA)})

    assert kept.missing({"ada.md": 1, "tea.md": 9, "new.md": 5}) == ["tea.md", "new.md"]
    assert kept.get({"old.md": 3}) == {}


@given(
    title=st.text(max_size=20),
    body=st.text(max_size=200),
    aliases=st.lists(st.text(max_size=8), max_size=3),
)
def test_every_reading_comes_back_from_its_packed_form(
    title: str, body: str, aliases: list[str]
) -> None:
    one = reading(Document(title, tuple(aliases), ("tag",), dates=("2026-01-02",)), body)

    assert unpacked(packed(one)) == one


SPOILED: dict[str, Callable[[Path], object]] = {
    "no database": lambda path: path.write_bytes(b"no database" * 500),
    "cut off": lambda path: os.truncate(path, 5000),
    "a row that is none": lambda path: altered(path, "UPDATE reading SET data = '[1]'"),
    "another form": lambda path: altered(path, "UPDATE form SET form = 'older'"),
    "without a table": lambda path: altered(path, "DROP TABLE reading"),
}


def altered(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.executescript(statement)


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_file_gives_nothing_and_is_made_anew(tmp_path: Path, how: str) -> None:
    path = tmp_path / "readings.sqlite"
    with closing(ReadingsFile(path)) as first:
        first.put({"ada.md": (1, ADA)})
    SPOILED[how](path)

    with closing(ReadingsFile(path)) as second:
        assert second.get({"ada.md": 1}) == {}
        second.put({"ada.md": (1, ADA)})

    with closing(ReadingsFile(path)) as third:
        third.put({"ada.md": (1, ADA)})
        assert third.get({"ada.md": 1}) == {"ada.md": ADA}


def test_a_place_that_cannot_be_written_only_means_that_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")

    with closing(ReadingsFile(tmp_path / "state" / "readings.sqlite")) as kept:
        kept.put({"ada.md": (1, ADA)})

        assert kept.get({"ada.md": 1}) == {}
        assert kept.missing({"ada.md": 1}) == ["ada.md"]


def test_a_restart_reads_no_note_again_that_was_read_ahead(
    memory: Memory, vault_folder: Path
) -> None:
    for number in range(30):
        put(vault_folder / f"resources/concepts/e-{number}.md", f"# E {number}\n\nSteam engine.\n")

    def opened() -> Memory:
        return open_memory(
            memory.config, clock=memory.clock, notify=memory.notify, words=LiveWords(), on_disk=True
        )

    def kept() -> list[tuple[int, str]]:
        (path,) = memory.config.state_dir.rglob("*.readings.sqlite")
        with closing(sqlite3.connect(path)) as other:
            # Whatever is written again gets another row.
            return other.execute("SELECT rowid, path FROM reading ORDER BY path").fetchall()

    with closing(opened()) as first:
        answer = recall_op(first, "steam")
        first.catalog.read_ahead(1000)
        first.catalog.save_recall()
    before = kept()
    with closing(opened()) as second:
        second.look()
        second.catalog.prepare_recall()
        second.catalog.read_ahead(1000)

        assert len(before) > 30
        assert kept() == before
        assert recall_op(second, "steam") == answer


def test_no_question_waits_for_what_was_read_ahead(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "resources/concepts/steam.md", "# Steam\n\nAn engine.\n")
    memory.look()
    memory.catalog.prepare_recall()
    while memory.catalog.read_ahead(10):
        pass

    note = memory.catalog.get("resources/concepts/steam.md")
    assert note is not None
    read = memory.catalog.recall.reading(note)
    assert read is not None
    assert len(read.lines) == 1
    assert memory.catalog.recall.reading(Note(note.path, f"{note.text}More.\n")) is None


def test_a_question_in_the_midst_of_a_change_keeps_nothing_of_how_the_note_was(
    memory: Memory, vault_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "resources/concepts/steam.md"
    put(vault_folder / path, "# Steam\n\nAn engine.\n")
    config, clock, notify = memory.config, memory.clock, memory.notify
    with closing(open_memory(config, clock=clock, notify=notify, words=LiveWords())) as one:
        recall_op(one, "steam")
        ranking = one.catalog.recall.ranking
        rank = ranking.put

        def rank_and_be_asked(key: str, document: Document) -> None:
            rank(key, document)
            ranking.hold([path])

        monkeypatch.setattr(ranking, "put", rank_and_be_asked)
        one.mirror.put(path, "# Steam\n\nVapour, and nothing else.\n")

        note = one.catalog.get(path)
        assert note is not None
        assert ranking.held(path) == reading(document(note), readable(note))


def test_no_question_waits_for_what_is_still_to_be_read_to_be_looked_for(
    memory: Memory, vault_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(vault_folder / "resources/concepts/engine.md", "# Engine\n\nSteam.\n")
    looked: list[Mapping[str, int]] = []
    missing = ReadingsFile.missing

    def watched(file: ReadingsFile, wanted: Mapping[str, int]) -> list[str]:
        looked.append(wanted)
        return missing(file, wanted)

    monkeypatch.setattr(ReadingsFile, "missing", watched)
    config, clock, notify = memory.config, memory.clock, memory.notify

    with closing(open_memory(config, clock=clock, notify=notify, words=LiveWords())) as one:
        recall_op(one, "steam")
        before = len(looked)
        while one.catalog.read_ahead(1):
            pass

    assert (before, len(looked)) == (0, 1)
