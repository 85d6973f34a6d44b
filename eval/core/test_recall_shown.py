"""What recall shows of a note: the passage that answers, and nothing that is furniture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echo_memory.memory import Memory
from echo_memory.ops.recall import recall_op
from folders import put

TEXT = "The pump was checked and the valve was cleaned before the winter. "


def note(folder: Path, path: str, text: str) -> str:
    put(folder / path, f"{text}\n")
    return path


def only(memory: Memory, query: str, **options: Any) -> dict[str, Any]:
    (hit,) = recall_op(memory, query, **options)["primary"]
    return hit


def test_an_excerpt_stays_within_the_section_that_answers(
    memory: Memory, vault_folder: Path
) -> None:
    sections = [f"## Part {n}\n\n" + "\n\n".join([TEXT * 3] * 8) for n in range(6)]
    insurance = "## Insurance\n\nThe boat is insured with Allianz. " + TEXT * 4
    note(vault_folder, "projects/active/boat.md", "\n\n".join(["# Boat", *sections, insurance]))

    hit = only(memory, "who insured the boat, is there an insurance")

    assert hit["excerpt"].startswith("## Insurance\n\nThe boat is insured with Allianz.")
    assert "Part 5" not in hit["excerpt"]


def test_one_sentence_under_a_heading_is_shown_with_what_stands_around_it_but_not_with_all(
    memory: Memory, vault_folder: Path
) -> None:
    filler = "\n\n".join([TEXT * 3] * 20)
    note(
        vault_folder,
        "projects/active/boat.md",
        f"# Boat\n\n{filler}\n\n## Insurance\n\nWith Allianz.\n\n## Rest\n\n{filler}",
    )

    hit = only(memory, "insurance")

    assert "## Insurance\n\nWith Allianz." in hit["excerpt"]
    assert len(hit["excerpt"]) <= 250
    assert hit["truncated"] is True


def test_related_lists_and_headings_with_nothing_below_are_never_shown(
    memory: Memory, vault_folder: Path
) -> None:
    note(
        vault_folder,
        "projects/active/boat.md",
        "# Boat\n\nA sloop.\n\n## Status\n\n## Related\n\n- [[tea]]\n- [[ada]]\n\n## Log\n\nSold.",
    )

    assert only(memory, "sloop")["excerpt"] == "A sloop.\n\n## Log\n\nSold."


def test_a_note_of_nothing_but_links_shows_nothing_and_is_not_marked_as_cut(
    memory: Memory, vault_folder: Path
) -> None:
    note(vault_folder, "projects/active/boat.md", "# Boat\n\n## Status\n\n## Related\n\n- [[tea]]")

    hit = only(memory, "boat")

    assert (hit["excerpt"], hit["truncated"]) == ("", False)


def test_a_comment_is_neither_found_nor_shown(memory: Memory, vault_folder: Path) -> None:
    note(
        vault_folder,
        "Notes/garden.md",
        "# Garden\n\nTomatoes. %%a gnome%% By the wall.\n\n%%\nsecret\n%%\n\n<!-- hidden -->",
    )

    hit = only(memory, "tomatoes")

    assert "gnome" not in hit["excerpt"]
    assert "%%" not in hit["excerpt"]
    assert "By the wall." in hit["excerpt"]
    assert [recall_op(memory, word)["primary"] for word in ("gnome", "secret", "hidden")] == [
        []
    ] * 3


def test_two_percent_signs_in_code_are_no_comment(memory: Memory, vault_folder: Path) -> None:
    note(vault_folder, "Notes/cell.md", "# Cell\n\n```\n%%time gnome %%\n```")

    assert "gnome" in only(memory, "gnome")["excerpt"]


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("Templates/Meeting.md", "Meeting"),
        ("Vault/templates/sub/Meeting.md", "Meeting"),
        ("Notes/Meeting.md", "{{title}}"),
        ("Notes/Meeting.md", "<% tp.file.title %>"),
    ],
)
def test_a_template_is_not_found(memory: Memory, vault_folder: Path, path: str, title: str) -> None:
    note(vault_folder, path, f"# {title}\n\nThe zeppelin agenda.")
    real = note(vault_folder, "Notes/Template thoughts.md", "# Thoughts\n\nThe zeppelin.")

    assert [hit["path"] for hit in recall_op(memory, "zeppelin agenda")["primary"]] == [real]


def test_a_linked_note_shows_one_line_of_it(memory: Memory, vault_folder: Path) -> None:
    note(vault_folder, "projects/active/engine.md", "# Engine\n\nSteam by [[ada]].")
    note(
        vault_folder,
        "resources/people/ada.md",
        f"# Ada\n\n## Life\n\nA countess.\n\nLikes horses.\n\n{TEXT * 20}",
    )

    (tie,) = recall_op(memory, "steam")["linked"]

    assert tie["excerpt"] == "A countess."
    assert tie["truncated"] is True


def test_todays_log_answers_what_was_done_today(memory: Memory, vault_folder: Path) -> None:
    daily = note(
        vault_folder, "journal/daily/2026-03-14.md", "# Day\n\n## Agent Log\n\n- Sold the boat"
    )
    session = note(vault_folder, "_agent/sessions/2026-03-14-x.md", "# Plans\n\nOrdered felt.")
    note(vault_folder, "Notes/today.md", "# Today\n\nWhat one does today.")

    answer = recall_op(memory, "what did I do today")

    shown = {hit["path"]: hit["excerpt"] for hit in answer["primary"][:2]}
    assert shown.keys() == {daily, session}
    assert "- Sold the boat" in shown[daily]
    assert recall_op(memory, "sold boat")["primary"] == []


def test_open_tasks_are_shown_without_the_rest(memory: Memory, vault_folder: Path) -> None:
    note(
        vault_folder,
        "projects/active/barn.md",
        "# Barn\n\nRed.\n\n- [x] buy paint\n- [ ] paint the door\n  - [ ] and the gate",
    )

    hit = only(memory, "open tasks")

    assert hit["excerpt"] == "- [ ] paint the door\n- [ ] and the gate"
    assert hit["truncated"] is True
