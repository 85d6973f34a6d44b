"""The scope as operations: shown, switched, confirmed, with its history."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from echo_memory.errors import BadRequest, NotBootstrapped, Unparseable
from echo_memory.memory import Memory
from echo_memory.ops.scope import scope_set_op, scope_show_op
from folders import put, snapshot

CONTEXT = "_agent/context/current-context.md"


def later(memory: Memory, **delta: int) -> None:
    then = memory.clock() + timedelta(**delta)
    memory.clock = lambda: then


def session(folder: Path, day: str, slug: str, created: str = "") -> None:
    head = f"---\ncreated: {created}\n---\n" if created else ""
    put(folder / f"_agent/sessions/{day}-{slug}.md", f"{head}# {slug}\n")


def test_a_new_vault_has_no_scope(memory: Memory) -> None:
    assert scope_show_op(memory) == {
        "ok": True,
        "op": "scope",
        "scope": None,
        "scope_updated": None,
        "sessions_since": 0,
    }


def test_a_scope_is_set_in_frontmatter_section_and_history_and_shown(
    memory: Memory, vault_folder: Path
) -> None:
    answer = scope_set_op(memory, "  Rebuild   the engine ")

    assert answer == {
        "ok": True,
        "op": "scope",
        "action": "updated",
        "scope": "Rebuild the engine",
        "scope_updated": "2026-03-14T09:26:53+01:00",
    }
    text = (vault_folder / CONTEXT).read_text()
    assert text.endswith(
        "# Current context\n\n## Scope\n\nRebuild the engine\n\n"
        "## Scope History\n\n- 2026-03-14: Rebuild the engine\n"
    )
    values = yaml.safe_load(text.split("---")[1])
    assert values["scope"] == "Rebuild the engine"
    shown = scope_show_op(memory)
    assert (shown["scope"], shown["scope_updated"], shown["sessions_since"]) == (
        "Rebuild the engine",
        "2026-03-14T09:26:53+01:00",
        0,
    )


def test_another_scope_takes_its_place_and_the_history_has_the_newest_first(
    memory: Memory, vault_folder: Path
) -> None:
    scope_set_op(memory, "One")
    later(memory, days=1)
    scope_set_op(memory, "Two")

    text = (vault_folder / CONTEXT).read_text()
    assert text.endswith(
        "## Scope\n\nTwo\n\n## Scope History\n\n- 2026-03-15: Two\n- 2026-03-14: One\n"
    )


def test_the_same_scope_again_is_confirmed_with_a_new_stamp_and_no_history_line(
    memory: Memory, vault_folder: Path
) -> None:
    scope_set_op(memory, "One")
    later(memory, days=1)

    answer = scope_set_op(memory, "One")

    assert (answer["action"], answer["scope_updated"]) == (
        "confirmed",
        "2026-03-15T09:26:53+01:00",
    )
    assert (vault_folder / CONTEXT).read_text().count("One\n") == 3


def test_sessions_since_are_those_of_later_days_and_those_created_later_that_day(
    memory: Memory, vault_folder: Path
) -> None:
    session(vault_folder, "2026-03-13", "before")
    session(vault_folder, "2026-03-14", "morning", "2026-03-14T08:00:00+01:00")
    session(vault_folder, "2026-03-14", "noon", "2026-03-14T12:00:00+01:00")
    session(vault_folder, "2026-03-14", "unknown")
    session(vault_folder, "2026-03-15", "after")
    put(vault_folder / "resources/meetings/2026-03-16-meeting.md", "# Meeting\n")
    scope_set_op(memory, "One")

    assert scope_show_op(memory)["sessions_since"] == 2
    later(memory, days=2)
    scope_set_op(memory, "One")
    assert scope_show_op(memory)["sessions_since"] == 0


def test_what_a_person_wrote_under_the_heading_is_the_scope(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / CONTEXT, "# Now\n\n## Scope\n\nBy hand,\ntwo lines.\n\n## Scope History\n")

    answer = scope_show_op(memory)

    assert (answer["scope"], answer["scope_updated"]) == ("By hand, two lines.", None)


def test_a_context_note_that_was_deleted_is_made_again(memory: Memory, vault_folder: Path) -> None:
    (vault_folder / CONTEXT).unlink()
    assert scope_show_op(memory)["scope"] is None

    scope_set_op(memory, "One")

    assert scope_show_op(memory)["scope"] == "One"


@pytest.mark.parametrize(
    "scope", ["yes", "a: b # c", "- item", "# heading", "%% x", "[[Ada]]", "😀"]
)
def test_a_scope_of_any_signs_reads_back_as_it_was_set(
    memory: Memory, vault_folder: Path, scope: str
) -> None:
    scope_set_op(memory, scope)

    assert scope_show_op(memory)["scope"] == scope
    values = yaml.safe_load((vault_folder / CONTEXT).read_text().split("---")[1])
    assert values["scope"] == scope


@pytest.mark.parametrize("scope", ["", " ", "a\nb", "x" * 501, "a\x00", "\ud800", None, 5])
def test_a_wrong_argument_is_refused_by_name_and_nothing_is_written(
    memory: Memory, vault_folder: Path, scope: Any
) -> None:
    before = snapshot(vault_folder)

    with pytest.raises(BadRequest) as raised:
        scope_set_op(memory, scope)

    assert raised.value.details["field"] == "scope"
    assert snapshot(vault_folder) == before


def test_frontmatter_that_does_not_parse_is_left_and_the_scope_is_not_set(
    memory: Memory, vault_folder: Path
) -> None:
    broken = "---\nscope: [open\n---\n\n# Current context\n\n## Scope\n\nOld.\n"
    put(vault_folder / CONTEXT, broken)

    with pytest.raises(Unparseable):
        scope_set_op(memory, "New")

    assert (vault_folder / CONTEXT).read_text() == broken
    assert scope_show_op(memory)["scope"] == "Old."


def test_a_folder_without_the_marker_shows_its_scope_with_a_warning_and_is_not_written_to(
    memory: Memory, vault_folder: Path
) -> None:
    (vault_folder / "_agent/echo-vault.md").unlink()
    before = snapshot(vault_folder)

    assert "bootstrap" in scope_show_op(memory)["warnings"][0]
    with pytest.raises(NotBootstrapped):
        scope_set_op(memory, "One")

    assert snapshot(vault_folder) == before
