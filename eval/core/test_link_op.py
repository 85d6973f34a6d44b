"""Linking two notes: a bullet in both, once, that Obsidian resolves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echo_memory.errors import BadRequest, NotFound
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from folders import put, snapshot

ADA, ENGINE = "resources/people/ada-lovelace.md", "projects/active/engine.md"


@pytest.fixture
def two(memory: Memory) -> Memory:
    capture_op(memory, "Ada Lovelace", kind="person", aliases=["Countess"], body="Wrote.")
    capture_op(memory, "Engine", kind="project", body="Rebuilt.")
    return memory


def read(folder: Path, path: str) -> str:
    return (folder / path).read_bytes().decode()


def test_each_note_gets_a_bullet_that_names_the_other(two: Memory, vault_folder: Path) -> None:
    before = {path: read(vault_folder, path) for path in (ADA, ENGINE)}

    answer = link_op(two, "Ada Lovelace", "engine")

    assert answer == {
        "ok": True,
        "op": "link",
        "a": ADA,
        "b": ENGINE,
        "a_changed": True,
        "b_changed": True,
    }
    assert read(vault_folder, ADA) == before[ADA] + "\n## Related\n\n- [[engine|Engine]]\n"
    assert read(vault_folder, ENGINE) == (
        before[ENGINE] + "\n## Related\n\n- [[ada-lovelace|Ada Lovelace]]\n"
    )


@pytest.mark.parametrize(
    ("a", "b"), [("Countess", "engine"), (ENGINE, ADA), ("ENGINE", "ada lovelace")]
)
def test_the_same_link_again_by_any_names_changes_nothing(
    two: Memory, vault_folder: Path, a: str, b: str
) -> None:
    link_op(two, "ada-lovelace", "engine")
    before = snapshot(vault_folder)

    answer = link_op(two, a, b)

    assert (answer["a_changed"], answer["b_changed"]) == (False, False)
    assert snapshot(vault_folder) == before


@pytest.mark.parametrize(
    "related",
    [
        "## Related\n\n- [[ada-lovelace]]\n",
        "## related\n\n- [[Ada-Lovelace|the Countess]]\n",
        "### RELATED\n\nSee ![[resources/people/ada-lovelace]].\n",
        "## Related\n\n- [Ada](../../resources/people/ada-lovelace.md)\n",
        "## Related\n\nNothing.\n\n## Related\n\n- [[ada-lovelace#Log]]\n",
        "## Related\n\n### People\n\n- [[ada-lovelace]]\n",
        "## Related\n---\n- [[ada-lovelace]]\n\n---\n",
    ],
)
def test_a_link_that_a_person_put_there_counts(
    two: Memory, vault_folder: Path, related: str
) -> None:
    text = f"# Engine\n\n{related}"
    put(vault_folder / ENGINE, text)

    answer = link_op(two, "engine", "ada-lovelace")

    assert (answer["a_changed"], answer["b_changed"]) == (False, True)
    assert read(vault_folder, ENGINE) == text


@pytest.mark.parametrize(
    "text",
    [
        "# Engine\n\nBy [[ada-lovelace]].\n",
        "# Engine\n\n```\n## Related\n\n[[ada-lovelace]]\n```\n",
        "# Engine\n\n## Related\n\n`[[ada-lovelace]]`\n",
        "# Engine\n\n## Related\n\n- [[ada]]\n",
    ],
)
def test_a_link_elsewhere_or_in_code_or_to_another_note_does_not_count(
    two: Memory, vault_folder: Path, text: str
) -> None:
    put(vault_folder / ENGINE, text)

    assert link_op(two, "engine", "ada-lovelace")["a_changed"] is True
    assert link_op(two, "engine", "ada-lovelace")["a_changed"] is False


def test_a_bullet_goes_on_with_the_section_in_its_own_spelling(
    two: Memory, vault_folder: Path
) -> None:
    put(
        vault_folder / ENGINE, "# Engine\r\n\r\n## related\r\n\r\n- x\r\n\r\n## Log\r\n\r\nOld.\r\n"
    )

    link_op(two, "engine", "ada-lovelace")

    assert read(vault_folder, ENGINE) == (
        "# Engine\r\n\r\n## related\r\n\r\n- x\r\n- [[ada-lovelace|Ada Lovelace]]\r\n\r\n"
        "## Log\r\n\r\nOld.\r\n"
    )


def test_notes_that_share_an_id_are_linked_by_their_paths(two: Memory, vault_folder: Path) -> None:
    put(vault_folder / "projects/archive/engine.md", "# Old engine\n")

    link_op(two, ENGINE, "projects/archive/engine.md")

    assert read(vault_folder, ENGINE).endswith("- [[projects/archive/engine|Old engine]]\n")
    assert link_op(two, "projects/archive/engine", ENGINE)["a_changed"] is False


def test_a_note_that_is_no_entity_is_linked_by_its_id(two: Memory, vault_folder: Path) -> None:
    put(vault_folder / "_agent/memory/semantic/tea.md", "# Prefers [tea] | hot\n")

    link_op(two, "tea", "engine")

    (bullet,) = [line for line in read(vault_folder, ENGINE).splitlines() if "tea" in line]
    assert bullet.startswith("- [[tea|")
    assert link_op(two, "tea", "engine")["b_changed"] is False


@pytest.mark.parametrize(
    "name", ["C# notes", "a^b", "a|b", "[a] (b)", "100% #1", "50%% z", " lead"]
)
def test_a_name_that_no_wikilink_can_say_is_linked_in_the_markdown_way(
    two: Memory, vault_folder: Path, name: str
) -> None:
    put(vault_folder / f"resources/concepts/{name}.md", "# Odd\n")

    link_op(two, "engine", f"resources/concepts/{name}")

    assert "- [Odd](" in read(vault_folder, ENGINE)
    again = link_op(two, f"resources/concepts/{name}.md", "engine")
    assert (again["a_changed"], again["b_changed"]) == (False, False)
    hits = two.catalog.search("engine", today=two.today(), limit=1)
    assert [tie.key for tie in two.catalog.ties(hits, limit=9)] == [f"resources/concepts/{name}.md"]


def test_a_note_whose_frontmatter_does_not_parse_is_linked_below_it(
    two: Memory, vault_folder: Path
) -> None:
    broken = "---\ntitle: [open\n---\n\n# Engine\n"
    put(vault_folder / ENGINE, broken)

    link_op(two, "engine", "ada-lovelace")

    assert read(vault_folder, ENGINE) == (
        broken + "\n## Related\n\n- [[ada-lovelace|Ada Lovelace]]\n"
    )


def test_a_name_that_several_entities_have_is_answered_with_them(two: Memory) -> None:
    capture_op(two, "Engine", kind="concept", body="A machine.", force=True)

    with pytest.raises(BadRequest) as raised:
        link_op(two, "Ada Lovelace", "ENGINE")

    assert raised.value.details["field"] == "b"
    assert {entity["path"] for entity in raised.value.details["candidates"]} == {
        ENGINE,
        "resources/concepts/engine-2.md",
    }
    assert link_op(two, "Ada Lovelace", "engine-2")["b"] == "resources/concepts/engine-2.md"


@pytest.mark.parametrize(
    ("a", "b", "error", "about"),
    [
        ("engine", "ENGINE", BadRequest, {"field": "b"}),
        ("engine", "engine.md", BadRequest, {"field": "b"}),
        ("nobody", "engine", NotFound, {"path": "nobody"}),
        ("engine", "nobody", NotFound, {"path": "nobody"}),
        ("../x", "engine", BadRequest, {"field": "a"}),
        ("engine", "../x", BadRequest, {"field": "b"}),
        ("", "engine", BadRequest, {"field": "a"}),
        ("engine", "a\nb", BadRequest, {"field": "b"}),
        ("engine", None, BadRequest, {"field": "b"}),
    ],
)
def test_what_cannot_be_linked_is_refused_and_nothing_is_written(
    two: Memory, vault_folder: Path, a: Any, b: Any, error: type[Exception], about: dict[str, str]
) -> None:
    before = snapshot(vault_folder)

    with pytest.raises(error) as raised:
        link_op(two, a, b)

    assert about.items() <= raised.value.details.items()  # type: ignore[attr-defined]
    assert snapshot(vault_folder) == before


def test_a_vault_that_has_lost_its_marker_is_not_written_to(
    two: Memory, vault_folder: Path
) -> None:
    (vault_folder / "_agent/echo-vault.md").unlink()
    before = snapshot(vault_folder)

    answer = link_op(two, "engine", "ada-lovelace")

    assert answer["queued"]
    assert snapshot(vault_folder) == before
