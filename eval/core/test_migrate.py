"""Migrate: a marker that lacks what this version needs gets it, once it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from echo_memory.errors import BadRequest, Misconfigured, Unparseable
from echo_memory.memory import Memory
from echo_memory.ops.health import doctor_op
from echo_memory.ops.history import history_op
from echo_memory.ops.migrate import migrate_op
from echo_memory.report import text_of

MARKER = "_agent/echo-vault.md"


@pytest.fixture
def marker(vault_folder: Path, memory: Memory) -> Path:
    memory.acquaint()
    return vault_folder / MARKER


def write(memory: Memory, marker: Path, text: str) -> None:
    """Change the marker, as its owner who then says that it is still the same vault."""
    marker.write_bytes(text.encode())
    memory.acquaintance.renew(text)


def test_a_vault_of_this_version_is_current(memory: Memory, marker: Path) -> None:
    before = marker.read_bytes()

    answer = migrate_op(memory, apply=True)

    assert (answer["action"], answer["from_version"], answer["changes"]) == ("current", 1, [])
    assert marker.read_bytes() == before


def test_a_version_that_was_lost_is_shown_first_and_written_when_it_is_said(
    memory: Memory, marker: Path
) -> None:
    write(memory, marker, "---\nowner:   Ada # me\ncreated: 2020-01-01\n---\n\n# Mine")

    shown = migrate_op(memory)
    between = marker.read_text()
    done = migrate_op(memory, apply=True)

    assert (shown["action"], shown["from_version"]) == ("preview", 0)
    assert shown["changes"] == [f"{MARKER}: schema_version: 1"]
    assert "schema_version" not in between
    assert done["action"] == "migrated"
    text = marker.read_text()
    assert "owner:   Ada # me\ncreated: 2020-01-01\n" in text
    assert text.endswith("\n# Mine")
    assert "schema_version: 1\n" in text
    assert doctor_op(memory)["healthy"]
    assert migrate_op(memory, apply=True)["action"] == "current"
    assert "--apply does it" in text_of(shown)


def test_what_the_marker_was_is_kept(memory: Memory, marker: Path) -> None:
    before = "---\nschema_version: 0\ncreated: 2020-01-01\n---\n"
    write(memory, marker, before)

    migrate_op(memory, apply=True)

    (version,) = history_op(memory, MARKER)["versions"]
    assert version["operation"] == "migrate"
    assert memory.history.text(version["id"], MARKER) == before


def test_a_vault_of_a_newer_version_is_left_alone(memory: Memory, marker: Path) -> None:
    write(memory, marker, "---\nschema_version: 2\n---\n")

    with pytest.raises(Misconfigured, match="Install"):
        migrate_op(memory, apply=True)


def test_frontmatter_that_does_not_parse_is_left_alone(memory: Memory, marker: Path) -> None:
    write(memory, marker, "---\nschema_version: [\n---\n")

    with pytest.raises(Unparseable):
        migrate_op(memory, apply=True)

    assert marker.read_text() == "---\nschema_version: [\n---\n"


def test_an_argument_that_is_no_flag_is_refused(memory: Memory) -> None:
    with pytest.raises(BadRequest):
        migrate_op(memory, apply="yes")
