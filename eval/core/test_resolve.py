"""Resolving a name: one entity, or candidates and a slug that is free."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.resolve import MAX_CANDIDATES, resolve_op
from folders import put, snapshot


@pytest.fixture
def ada(memory: Memory) -> Memory:
    capture_op(memory, "Ada Lovelace", kind="person", aliases=["Countess of Lovelace"])
    return memory


@pytest.mark.parametrize(
    "mention",
    [
        "ada-lovelace",
        "Ada Lovelace",
        "ADA  LOVELACE",
        "Ádá Lövelace",
        "ada, lovelace!",
        "countess of lovelace",
        " Ada Lovelace ",
    ],
)
def test_an_id_a_title_or_an_alias_is_a_match_however_it_is_written(
    ada: Memory, mention: str
) -> None:
    assert resolve_op(ada, mention) == {
        "ok": True,
        "op": "resolve",
        "match": {
            "slug": "ada-lovelace",
            "path": "resources/people/ada-lovelace.md",
            "kind": "person",
            "title": "Ada Lovelace",
            "aliases": ("Countess of Lovelace",),
        },
    }


@pytest.mark.parametrize(
    ("mention", "slug"),
    [
        ("Ada Lovelase", "ada-lovelase"),
        ("Lovelace Ada", "lovelace-ada"),
        ("A. Lovelace", "a-lovelace"),
        ("Ada King Lovelace", "ada-king-lovelace"),
        ("Ada", "ada"),
    ],
)
def test_a_near_name_is_a_candidate_with_a_score_and_a_reason(
    ada: Memory, mention: str, slug: str
) -> None:
    answer = resolve_op(ada, mention)

    assert (answer["match"], answer["suggest_slug"]) == (False, slug)
    (candidate,) = answer["candidates"]
    assert candidate.keys() == {"slug", "path", "title", "kind", "score", "why"}
    assert candidate["slug"] == "ada-lovelace"
    assert 0 < candidate["score"] < 1
    assert candidate["why"]


def test_a_name_that_two_entities_have_is_no_match_and_both_are_candidates(ada: Memory) -> None:
    capture_op(ada, "Mercury", kind="concept", body="A planet.")
    capture_op(ada, "Mercury", kind="company", body="A bank.", force=True)

    answer = resolve_op(ada, "mercury")

    assert answer["match"] is False
    assert {candidate["slug"] for candidate in answer["candidates"]} == {"mercury", "mercury-2"}
    assert {candidate["score"] for candidate in answer["candidates"]} == {1.0}


def test_the_slug_that_is_suggested_is_that_of_no_note(memory: Memory, vault_folder: Path) -> None:
    put(vault_folder / "_agent/memory/semantic/tea.md", "# About tea\n")

    assert resolve_op(memory, "Tea")["suggest_slug"] == "tea-2"
    assert resolve_op(memory, "Coffee")["suggest_slug"] == "coffee"


def test_a_name_that_nothing_is_like_has_no_candidates(ada: Memory) -> None:
    answer = resolve_op(ada, "Zeppelin")

    assert (answer["match"], answer["candidates"]) == (False, [])


def test_notes_that_are_no_entities_are_not_names(memory: Memory) -> None:
    capture_op(memory, "Prefers tea", kind="semantic", body="Green.")

    assert resolve_op(memory, "Prefers tea")["match"] is False
    assert resolve_op(memory, "inbox")["match"] is False


def test_a_plain_note_is_a_candidate_that_says_where_it_stands(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "People/Clara Neumann.md", "Met in Jena.\n")
    put(vault_folder / "Boats.md", "---\naliases: [Fleet]\n---\n# Our boats\n")
    put(vault_folder / "Templates/Person.md", "# {{title}}\n")

    exact, slip, part = (resolve_op(memory, name) for name in ("clara neumann", "Flet", "Clara"))
    titles = [resolve_op(memory, name)["candidates"][0]["path"] for name in ("Our Boats", "FLEET")]

    assert exact["match"] is False
    assert exact["suggest_slug"] == "clara-neumann"
    assert exact["candidates"] == [
        {
            "slug": "Clara Neumann",
            "path": "People/Clara Neumann.md",
            "title": "Clara Neumann",
            "kind": "",
            "score": 1.0,
            "why": "same name; a plain note outside the memory's folders",
        }
    ]
    assert [found["slug"] for found in slip["candidates"]] == ["Boats"]
    assert [found["slug"] for found in part["candidates"]] == ["Clara Neumann"]
    assert titles == ["Boats.md", "Boats.md"]
    assert resolve_op(memory, "Person")["candidates"] == []


def test_an_entity_is_a_match_beside_a_plain_note_of_its_name(
    ada: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "Ada Lovelace.md", "x\n")

    assert resolve_op(ada, "Ada Lovelace")["match"]["slug"] == "ada-lovelace"


def test_plain_notes_that_come_change_and_go_count_at_once(
    memory: Memory, vault_folder: Path
) -> None:
    def found(name: str) -> list[str]:
        return [candidate["path"] for candidate in resolve_op(memory, name)["candidates"]]

    assert found("Tom") == []
    note = put(vault_folder / "Tom.md", "x\n")
    assert found("Tom") == ["Tom.md"]

    put(note, "---\ntype: person\n---\n")
    assert resolve_op(memory, "Tom")["match"]["path"] == "Tom.md"

    put(note, "once more without\n")
    assert found("Tom") == ["Tom.md"]

    note.unlink()
    assert found("Tom") == []


def test_a_note_that_a_person_made_renamed_or_removed_counts_at_once(
    memory: Memory, vault_folder: Path
) -> None:
    note = put(vault_folder / "resources/people/bob.md", "# Bob\n")
    assert resolve_op(memory, "Bob")["match"]["path"] == "resources/people/bob.md"

    note.rename(vault_folder / "resources/people/robert.md")
    assert resolve_op(memory, "Bob")["match"]["path"] == "resources/people/robert.md"

    (vault_folder / "resources/people/robert.md").unlink()
    assert resolve_op(memory, "Bob")["match"] is False


def test_there_are_never_more_candidates_than_an_answer_carries(
    memory: Memory, vault_folder: Path
) -> None:
    for number in range(30):
        title = f"Ada {'Long' * 300}{number}"
        put(vault_folder / f"resources/people/ada-{number}.md", f"# {title}\n")

    answer = resolve_op(memory, "Ada")

    assert 0 < len(answer["candidates"]) <= MAX_CANDIDATES
    assert len(str(answer)) < 8_000


@pytest.mark.parametrize("mention", ["", "  ", "a\nb", "x" * 201, "\x00", "\udcff", None, 7, ["a"]])
def test_a_wrong_argument_is_refused_by_name(memory: Memory, mention: Any) -> None:
    with pytest.raises(BadRequest) as raised:
        resolve_op(memory, mention)

    assert raised.value.details["field"] == "mention"


@pytest.mark.parametrize("mention", ["日本語", "😀", "...", "../../etc/passwd", "[[ada]]", "#"])
def test_an_odd_name_is_answered_with_a_slug_that_is_a_file_name(
    memory: Memory, mention: str
) -> None:
    answer = resolve_op(memory, mention)

    assert answer["match"] is False
    assert answer["suggest_slug"]
    assert not set(answer["suggest_slug"]) & set("/\\.#[]^| ")


def test_resolving_writes_nothing(ada: Memory, vault_folder: Path) -> None:
    before = snapshot(vault_folder)

    resolve_op(ada, "Ada")

    assert snapshot(vault_folder) == before
