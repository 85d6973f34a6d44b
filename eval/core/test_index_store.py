"""The index store: a start takes up what was kept, and reads anew what has changed since."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest

from echo_mcp.warm.store import LiveWords
from echo_memory.index_store import IndexStore, Words
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.recall import recall_op
from echo_memory.ranking import Ranking
from echo_memory.retrieval.documents import Document
from echo_memory.retrieval.inverted import Inverted
from echo_memory.words_file import FileInverted, WordsFile
from folders import put

TODAY = date(2026, 3, 14)
KINDS: list[type[Words]] = [WordsFile, LiveWords]


def opened(memory: Memory, words: Words | None) -> Memory:
    """The memory of another process."""
    return open_memory(memory.config, clock=memory.clock, notify=memory.notify, words=words)


def ended(memory: Memory) -> None:
    """What a process does at its end."""
    memory.catalog.prepare_recall()
    memory.catalog.save_recall()
    memory.close()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the notes whose words are put into the index."""
    seen: list[str] = []
    put_words = Ranking.put

    def watched(ranking: Ranking, key: str, document: Document) -> None:
        seen.append(key)
        put_words(ranking, key, document)

    monkeypatch.setattr(Ranking, "put", watched)
    return seen


@pytest.fixture
def seeded(memory: Memory, vault_folder: Path) -> Memory:
    for number in range(60):
        day = f"2026-03-{number % 28 + 1:02}"
        text = f"# Engine {number}\n\nSteam and brass, see [[engine-{number + 1}]].\n\n{day}\n"
        put(vault_folder / f"resources/concepts/engine-{number}.md", text)
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first program.")
    return memory


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_start_reads_no_note_and_answers_the_same(
    seeded: Memory, reads: list[str], kind: type[Words]
) -> None:
    first = opened(seeded, kind())
    answers = [recall_op(first, query) for query in ("steam brass", "Ada", "on 5 March 2026")]
    ended(first)
    reads.clear()

    second = opened(seeded, kind())

    assert [recall_op(second, query) for query in ("steam brass", "Ada", "on 5 March 2026")] == (
        answers
    )
    assert reads == []
    second.close()


@pytest.mark.parametrize("kind", KINDS)
def test_what_changed_came_or_went_meanwhile_is_read_and_nothing_else(
    seeded: Memory, vault_folder: Path, reads: list[str], kind: type[Words]
) -> None:
    first = opened(seeded, kind())
    first.look()
    ended(first)
    changed, made, gone = (
        f"resources/concepts/{name}.md" for name in ("engine-3", "x", "engine-4")
    )
    put(vault_folder / changed, "# Engine 3\n\nClockwork.\n")
    put(vault_folder / made, "# X\n\nClockwork too.\n")
    (vault_folder / gone).unlink()
    reads.clear()

    second = opened(seeded, kind())
    second.look()
    hits = [hit.key for hit in second.catalog.search("clockwork", today=TODAY, limit=99)]
    steam = {hit.key for hit in second.catalog.search("steam", today=TODAY, limit=99)}
    fresh = opened(seeded, None)
    fresh.look()
    expected = {hit.key for hit in fresh.catalog.search("steam", today=TODAY, limit=99)}
    second.close()
    fresh.close()

    assert set(hits) == {changed, made}
    assert steam == expected
    assert set(reads[:2]) == {changed, made}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["words", "notes", "facts", "both of another time"])
def test_a_damaged_index_is_made_anew(seeded: Memory, kind: type[Words], damage: str) -> None:
    first = opened(seeded, kind())
    answer = recall_op(first, "steam brass")
    ended(first)
    for file in (seeded.config.state_dir / "index").iterdir():
        if damage not in ("notes", "facts") and file.suffix != ".json":
            file.write_bytes(file.read_bytes()[:-40])
        if damage == "facts" and file.suffix == ".json":
            file.write_text(json.dumps(json.loads(file.read_bytes()) | {"facts": []}))
        elif damage != "words" and file.suffix == ".json":
            file.write_text(file.read_text().replace('"format": "', '"format": "0 '))

    second = opened(seeded, kind())

    assert recall_op(second, "steam brass") == answer
    ended(second)


@pytest.mark.parametrize("kind", KINDS)
def test_facts_that_notes_have_in_common_are_kept_once(seeded: Memory, kind: type[Words]) -> None:
    first = opened(seeded, kind())
    first.look()
    ended(first)

    folder, vault = seeded.config.state_dir, str(seeded.config.vault)
    found = IndexStore(folder, vault, kind(), notify=seeded.notify).load()

    assert found is not None
    facts = [one.facts for one in found.kept.values() if one.facts is not None]
    assert len({id(one) for one in facts}) == len(set(facts)) < len(facts)


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_that_cannot_be_kept_fails_nothing(seeded: Memory, kind: type[Words]) -> None:
    put(seeded.config.state_dir / "index", "no folder")
    told: list[str] = []

    echo = open_memory(seeded.config, clock=seeded.clock, notify=told.append, words=kind())
    answer = recall_op(echo, "steam brass")
    ended(echo)

    assert answer["primary"]
    assert any("the index was not kept" in line for line in told)


def test_a_words_file_with_damaged_pages_is_made_anew_by_the_question_that_meets_them(
    seeded: Memory,
) -> None:
    first = opened(seeded, WordsFile())
    answer = recall_op(first, "steam brass")
    ended(first)
    (file,) = (seeded.config.state_dir / "index").glob("*.sqlite")
    data = file.read_bytes()
    file.write_bytes(data[:8192] + b"\0" * (len(data) - 8192))

    second = opened(seeded, WordsFile())

    assert recall_op(second, "steam brass") == answer
    ended(second)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("days", ["[]", '{"2026-03-01": "x"}', "[" * 9000 + "]" * 9000])
def test_notes_that_are_kept_in_another_form_are_read_anew(
    seeded: Memory, kind: type[Words], days: str
) -> None:
    first = opened(seeded, kind())
    answer = recall_op(first, "steam brass")
    ended(first)
    (file,) = (seeded.config.state_dir / "index").glob("*.json")
    file.write_text(re.sub(r"\{\"2026[^}]*\}", days, file.read_text(), count=1))

    second = opened(seeded, kind())

    assert recall_op(second, "steam brass") == answer
    ended(second)


def test_many_new_notes_have_the_words_file_made_anew() -> None:
    inverted = FileInverted()
    inverted.put("a", {"x": 1.0})
    assert inverted.is_stale

    words = WordsFile()
    for number in range(100):
        inverted.put(str(number), {"x": 1.0})

    assert inverted.is_stale
    assert words.empty().is_stale


def test_a_note_that_changed_while_the_index_was_kept_is_read_anew(
    seeded: Memory, vault_folder: Path
) -> None:
    path = "resources/concepts/engine-3.md"
    before = (vault_folder / path).read_text()

    class Slow(WordsFile):
        """Keeps the words while a note is another for a moment."""

        def save(self, inverted: Inverted, place: Path) -> str | None:
            echo.mirror.put(path, "# Engine 3\n\nZebras.\n")
            said = super().save(inverted, place)
            echo.mirror.put(path, before)
            return said

    echo = opened(seeded, Slow())
    echo.look()
    ended(echo)

    second = opened(seeded, WordsFile())
    second.look()
    assert second.catalog.search("zebras", today=TODAY, limit=9) == []
    hits = [hit.key for hit in second.catalog.search("steam", today=TODAY, limit=99)]
    assert path in hits
    second.close()
