"""A name in a question, as it is, misspelt or inflected, and the note that bears it."""

from __future__ import annotations

from pathlib import Path

import pytest

from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.recall import recall_op
from echo_memory.retrieval.name_parts import MAX_PARTS, name_parts
from folders import put

NOTES = {
    "resources/people/maria-ivanowa.md": "---\naliases: [Маша]\n---\n# Maria Ivanowa\n\nTeacher.",
    "resources/people/ivan-petrov.md": "# Иван Петров\n\nНастройщик.",
    "projects/active/greenhouse-dashboard.md": "# Greenhouse Dashboard\n\nSensors.",
    "resources/companies/nordklang.md": "# Nordklang\n\nAn agency.",
    "_agent/memory/episodic/2026-03-02-rohrbruch.md": "# Rohr\n\nСантехник пришёл. Werkstatt zu.",
    "_agent/memory/episodic/2026-03-03-lesson.md": "# Урок\n\nПервое занятие было длинным.",
    "Notes/tea.md": "# Tea\n\nWho works with tea knows what it is.",
}


@pytest.fixture
def people(memory: Memory, vault_folder: Path) -> Memory:
    for path, text in NOTES.items():
        put(vault_folder / path, f"{text}\n")
    return memory


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Who is Maria Ivanova?", "resources/people/maria-ivanowa.md"),
        ("Grenhouse Dashbord", "projects/active/greenhouse-dashboard.md"),
        ("status of the grenhouse dashbord", "projects/active/greenhouse-dashboard.md"),
        ("Nordklagn", "resources/companies/nordklang.md"),
        ("урок с Машей", "resources/people/maria-ivanowa.md"),
        ("позвонить Ивану Петрову", "resources/people/ivan-petrov.md"),
        ("занятия", "_agent/memory/episodic/2026-03-03-lesson.md"),
        ("нужен сантехником", "_agent/memory/episodic/2026-03-02-rohrbruch.md"),
        ("Werkstätten", "_agent/memory/episodic/2026-03-02-rohrbruch.md"),
    ],
)
def test_a_misspelt_or_inflected_name_or_word_finds_its_note(
    people: Memory, query: str, path: str
) -> None:
    found = [hit["path"] for hit in recall_op(people, query)["primary"]]

    assert path in found[:2]


def test_a_mistyped_word_finds_the_notes_and_the_passage_that_have_it(
    memory: Memory, vault_folder: Path
) -> None:
    filler = "The tea was weak and the talk was long. " * 40
    put(vault_folder / "Notes/papers.md", f"# Papers\n\n{filler}\n\nMy passport is in the safe.\n")
    put(vault_folder / "Notes/tea.md", "# Tea\n\nThe tea is in the cupboard.\n")

    (hit,) = recall_op(memory, "pasport", budget_chars=500)["primary"]

    assert hit["path"] == "Notes/papers.md"
    assert "passport" in hit["excerpt"]


def test_a_word_that_some_note_has_is_never_taken_for_a_slip(memory: Memory) -> None:
    capture_op(memory, "Planes", kind="concept", body="Sharpen the planer.")
    capture_op(memory, "Space", kind="concept", body="A planet turns.")

    found = [hit["path"] for hit in recall_op(memory, "planet")["primary"]]

    assert found == ["resources/concepts/space.md"]


def test_a_name_as_it_is_written_comes_before_one_that_is_near(memory: Memory) -> None:
    capture_op(memory, "Anna Schmitt", kind="person", body="A nurse.")
    exact = capture_op(memory, "Anna Schmidt", kind="person", body="A baker.", force=True)["path"]

    found = [hit["path"] for hit in recall_op(memory, "Anna Schmidt")["primary"]]

    assert found[0] == exact


def test_a_name_with_a_slip_in_it_comes_before_notes_with_the_other_words(people: Memory) -> None:
    found = [hit["path"] for hit in recall_op(people, "who works with Nordclang")["primary"]]

    assert found[0] == "resources/companies/nordklang.md"


def test_a_word_that_no_note_has_is_not_taken_for_a_name_that_is_far_from_it(
    people: Memory,
) -> None:
    assert recall_op(people, "submarine voyage")["primary"] == []


KNOWN = {"teacher", "tea", "who"}


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("who is Maria Ivanova", ["Maria Ivanova", "Maria", "Ivanova"]),
        ("what is tea", []),
        ("Tea", ["Tea"]),
        ("Tea for the teacher", []),
        ("tea of the Grenhouse", ["Grenhouse"]),
        ("of xyz", []),
        ("?!", []),
    ],
)
def test_a_name_has_a_capital_or_a_word_that_no_note_has(question: str, parts: list[str]) -> None:
    assert name_parts(question, KNOWN.__contains__) == parts


def test_of_a_question_of_many_names_only_some_are_tried() -> None:
    assert len(name_parts("Ab Cdef " * 200, KNOWN.__contains__)) <= MAX_PARTS
