"""Reading, appending to, patching, putting and deleting one note."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echo_memory.errors import (
    BadRequest,
    InvalidTarget,
    NotBootstrapped,
    NotFound,
    Unparseable,
)
from echo_memory.memory import Memory
from echo_memory.ops.note import (
    MAX_CHARS,
    MAX_CONTENT,
    MAX_TARGET,
    MIN_CHARS,
    append_op,
    delete_op,
    get_note_op,
    patch_op,
    put_op,
)
from folders import put, snapshot

ENGINE = "projects/active/engine.md"
TEXT = """\
---
type: project
title: Analytical Engine
aliases: [the Engine]
tags:
  - brass
status: active   # since March
created: 2026-03-01
done: false
phase:
  now: gears
---

# Analytical Engine

Rebuilt from drawings.

## Status

Ordered gears. ^gears

### Risks

- Brass is dear.

## Log

Began.
"""


@pytest.fixture
def engine(vault_folder: Path, memory: Memory) -> Path:
    return put(vault_folder / ENGINE, TEXT)


def patched(echo: Memory, target_type: str, target: str, content: str, **changes: Any) -> Any:
    values = {"operation": "append", **changes}
    return patch_op(
        echo,
        "engine",
        operation=values["operation"],
        target_type=target_type,
        target=target,
        content=content,
    )


# Reading


def test_a_note_is_read_as_its_text_below_the_frontmatter_and_the_frontmatter_as_data(
    memory: Memory, engine: Path
) -> None:
    answer = get_note_op(memory, "engine")

    content = TEXT.rpartition("---\n")[2].strip()
    assert answer == {
        "ok": True,
        "op": "get",
        "path": ENGINE,
        "content": content,
        "frontmatter": {
            "type": "project",
            "title": "Analytical Engine",
            "aliases": ["the Engine"],
            "tags": ["brass"],
            "status": "active",
            "created": "2026-03-01",
            "done": False,
            "phase": {"now": "gears"},
        },
        "total_chars": len(content),
    }


@pytest.mark.parametrize(
    ("section", "content"),
    [
        ("Status", "Ordered gears. ^gears\n\n### Risks\n\n- Brass is dear."),
        ("## Status", "Ordered gears. ^gears\n\n### Risks\n\n- Brass is dear."),
        ("Analytical Engine::Status::Risks", "- Brass is dear."),
        ("risks", "- Brass is dear."),
        ("Log", "Began."),
    ],
)
def test_a_section_is_its_body_with_its_sub_headings(
    memory: Memory, engine: Path, section: str, content: str
) -> None:
    answer = get_note_op(memory, "engine", section=section)

    assert (answer["content"], answer["total_chars"]) == (content, len(content))


def test_a_heading_with_an_odd_space_or_of_great_length_can_be_named(
    memory: Memory, engine: Path
) -> None:
    for heading in ("One\u2028two", "Long " * 400):
        engine.write_text(f"# Engine\n\n## {heading}\n\ntext\n", "utf-8")

        assert get_note_op(memory, "engine", section=heading)["content"] == "text"
        assert patched(memory, "heading", f"Engine::{heading.strip()}", "x")["action"] == "updated"


def test_a_section_that_is_not_there_is_answered_with_those_that_are(
    memory: Memory, engine: Path
) -> None:
    with pytest.raises(InvalidTarget) as raised:
        get_note_op(memory, "engine", section="Statuses")

    assert raised.value.details["headings"] == [
        "Analytical Engine",
        "Analytical Engine::Status",
        "Analytical Engine::Status::Risks",
        "Analytical Engine::Log",
    ]


def test_what_is_cut_is_marked_and_names_the_headings_for_a_narrower_call(
    memory: Memory, engine: Path
) -> None:
    text = f"# Long\n\n## Part\n\n{'word ' * 100}"
    engine.write_text(text)

    answer = get_note_op(memory, "engine", max_chars=MIN_CHARS)

    assert answer["content"] == text[:MIN_CHARS]
    assert answer["truncated"] is True
    assert answer["total_chars"] == len(text)
    assert answer["headings"] == ["Long", "Long::Part"]


def test_nothing_is_marked_as_cut_that_just_fits(memory: Memory, engine: Path) -> None:
    engine.write_text("x" * MIN_CHARS + "\n")

    answer = get_note_op(memory, "engine", max_chars=MIN_CHARS)

    assert answer["content"] == "x" * MIN_CHARS
    assert "truncated" not in answer


def test_an_answer_stays_small_whatever_the_note_holds(memory: Memory, engine: Path) -> None:
    keys = "".join(f"key{number}: {'v' * 50}\n" for number in range(500))
    headings = "".join(f"## {'Part' * 20} {number}\n\ntext\n\n" for number in range(2_000))
    engine.write_text(f"---\ntitle: Big\nhuge: {'x' * 100_000}\n{keys}---\n\n# Big\n\n{headings}")

    answer = get_note_op(memory, "engine", max_chars=1_000)

    assert len(json.dumps(answer)) < 5_000
    assert answer["frontmatter"]["title"] == "Big"
    assert "huge" in answer["warnings"][0]
    assert answer["headings"][0] == "Big"


def test_a_note_outside_the_memorys_folders_is_read_with_a_warning(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / "Diary/today.md", "Rain.\n")

    answer = get_note_op(memory, "Diary/today")

    assert answer["content"] == "Rain."
    assert answer["warnings"] == ["This note stands outside the memory's own folders."]


def test_frontmatter_that_does_not_parse_is_shown_as_text(memory: Memory, engine: Path) -> None:
    engine.write_text("---\ntitle: [open\n---\n\n# Engine\n\n## Status\n\nFine.\n")

    whole = get_note_op(memory, "engine")
    section = get_note_op(memory, "engine", section="Status")

    assert (whole["frontmatter"], whole["content"][:17]) == ({}, "---\ntitle: [open\n")
    assert "does not parse" in whole["warnings"][0]
    assert section["content"] == "Fine."


def test_an_empty_note_is_read(memory: Memory, engine: Path) -> None:
    engine.write_text("")

    answer = get_note_op(memory, "engine")

    assert (answer["content"], answer["frontmatter"], answer["total_chars"]) == ("", {}, 0)


def test_reading_writes_nothing_and_needs_no_marker(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    (vault_folder / "_agent/echo-vault.md").unlink()
    before = snapshot(vault_folder)

    answer = get_note_op(memory, "engine")

    assert "bootstrap" in answer["warnings"][0]
    assert snapshot(vault_folder) == before


# Appending


def test_a_line_goes_to_the_end_once(memory: Memory, engine: Path) -> None:
    first = append_op(memory, "engine", "- [ ] call the foundry")
    again = append_op(memory, ENGINE, "- [ ] call the foundry  \n")

    assert (first["action"], again["action"]) == ("updated", "unchanged")
    assert first["path"] == ENGINE
    assert engine.read_text() == TEXT + "\n- [ ] call the foundry\n"


def test_a_line_that_is_only_part_of_another_is_added(memory: Memory, engine: Path) -> None:
    assert append_op(memory, "engine", "Ordered gears.")["action"] == "updated"
    assert append_op(memory, "engine", "Began.")["action"] == "unchanged"


def test_an_item_goes_on_with_the_list_at_the_end(memory: Memory, engine: Path) -> None:
    engine.write_text("# List\n\n- one\n- two")

    append_op(memory, "engine", "- three")

    assert engine.read_text() == "# List\n\n- one\n- two\n- three\n"


def test_appending_keeps_the_line_endings_of_the_note(memory: Memory, engine: Path) -> None:
    engine.write_bytes(b"# Engine\r\n\r\ntext\r\n")

    append_op(memory, "engine", "more")

    assert engine.read_bytes() == b"# Engine\r\n\r\ntext\r\n\r\nmore\r\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("# A\n\n## Related\n\n- [[b]]\n", "# A\n\n- new\n\n## Related\n\n- [[b]]\n"),
        (
            "# A\n\nText.\n\n## Status\n\n## related\n\n- [[b]]",
            "# A\n\nText.\n\n## Status\n\n- new\n\n## related\n\n- [[b]]",
        ),
        (
            "# A\r\n\r\n## Log\r\n\r\n- old\r\n\r\n## Related\r\n\r\n- [[b]]\r\n",
            "# A\r\n\r\n## Log\r\n\r\n- old\r\n- new\r\n\r\n## Related\r\n\r\n- [[b]]\r\n",
        ),
        ("# Related\n\nText.\n", "# Related\n\nText.\n\n- new\n"),
        (
            "# A\n\n## Related\n\n- [[b]]\n\n## Tasks\n\n- old\n",
            "# A\n\n## Related\n\n- [[b]]\n\n## Tasks\n\n- old\n- new\n",
        ),
        ("## Related\n", "- new\n## Related\n"),
    ],
)
def test_a_last_section_of_ties_stays_the_last(
    memory: Memory, engine: Path, text: str, after: str
) -> None:
    put(engine, text)

    first = append_op(memory, "engine", "- new")
    again = append_op(memory, "engine", "- new")

    assert (first["action"], again["action"]) == ("updated", "unchanged")
    assert engine.read_bytes().decode() == after


def test_appending_creates_no_note(memory: Memory, vault_folder: Path) -> None:
    before = snapshot(vault_folder)

    with pytest.raises(NotFound):
        append_op(memory, "projects/active/new.md", "x")

    assert snapshot(vault_folder) == before


# Patching


@pytest.mark.parametrize(
    ("operation", "old", "new"),
    [
        ("append", "^gears\n", "^gears\n\nGears came.\n"),
        ("prepend", "## Status\n\n", "## Status\n\nGears came.\n\n"),
        ("replace", "Ordered gears. ^gears\n", "Gears came.\n"),
    ],
)
def test_a_section_is_changed_and_its_sub_headings_stay(
    memory: Memory, engine: Path, operation: str, old: str, new: str
) -> None:
    answer = patched(
        memory, "heading", "Analytical Engine::Status", "Gears came.", operation=operation
    )

    assert (answer["action"], answer["path"]) == ("updated", ENGINE)
    assert engine.read_text() == TEXT.replace(old, new, 1)


def test_a_block_is_replaced_and_keeps_its_id(memory: Memory, engine: Path) -> None:
    patched(memory, "block", "^gears", "Gears came.", operation="replace")

    assert engine.read_text() == TEXT.replace("Ordered gears. ^gears", "Gears came. ^gears")


@pytest.mark.parametrize(
    ("key", "operation", "content", "old", "new"),
    [
        ("status", "replace", "done", "status: active   # since", "status: done   # since"),
        ("tags", "append", '["steam"]', "  - brass\n", "  - brass\n  - steam\n"),
        ("tags", "append", "steam", "  - brass\n", "  - brass\n  - steam\n"),
        ("aliases", "append", "Number 1", "[the Engine]", "[the Engine, Number 1]"),
        ("created", "replace", "2026-03-02", "created: 2026-03-01", "created: 2026-03-02"),
        ("done", "replace", "true", "done: false", "done: true"),
        ("title", "replace", "yes", "title: Analytical Engine", 'title: "yes"'),
    ],
)
def test_a_key_is_changed_and_no_other_byte_is(
    memory: Memory, engine: Path, key: str, operation: str, content: str, old: str, new: str
) -> None:
    patched(memory, "frontmatter", key, content, operation=operation)

    assert engine.read_text() == TEXT.replace(old, new, 1)


def test_a_date_stays_bare_in_the_declared_date_keys(memory: Memory, engine: Path) -> None:
    patched(memory, "frontmatter", "created", "2026-04-01", operation="replace")
    patched(memory, "frontmatter", "status", "2026-04-01", operation="replace")

    text = engine.read_text()
    assert "\ncreated: 2026-04-01\n" in text
    assert '\nstatus: "2026-04-01"   # since March\n' in text


@pytest.mark.parametrize(
    ("target_type", "target", "listed"),
    [
        ("heading", "Nowhere", "headings"),
        ("block", "^nowhere", "blocks"),
        ("frontmatter", "nowhere", "keys"),
    ],
)
def test_a_target_that_is_not_there_is_answered_with_those_that_are(
    memory: Memory, engine: Path, target_type: str, target: str, listed: str
) -> None:
    with pytest.raises(InvalidTarget) as raised:
        patched(memory, target_type, target, "x")

    assert raised.value.details[listed]
    assert engine.read_text() == TEXT


def test_a_patch_that_says_what_is_there_changes_nothing(memory: Memory, engine: Path) -> None:
    answer = patched(memory, "frontmatter", "status", "active", operation="replace")

    assert answer["action"] == "unchanged"
    assert engine.read_text() == TEXT


def test_a_body_can_be_patched_below_frontmatter_that_does_not_parse(
    memory: Memory, engine: Path
) -> None:
    broken = "---\ntitle: [open\n---\n\n# Engine\n\nFine.\n"
    engine.write_text(broken)

    patched(memory, "heading", "Engine", "More.")
    with pytest.raises(Unparseable):
        patched(memory, "frontmatter", "title", "x", operation="replace")

    assert engine.read_text() == broken + "\nMore.\n"


def test_a_patched_name_is_in_the_shared_index_and_resolves_at_once(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    patched(memory, "frontmatter", "title", "Difference Engine", operation="replace")

    index = json.loads((vault_folder / "_agent/index/entities.json").read_text())
    assert index["engine"]["title"] == "Difference Engine"
    assert [entity.slug for entity in memory.catalog.entities.exact("difference engine")] == [
        "engine"
    ]


def test_a_note_that_stops_being_an_entity_leaves_the_shared_index(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    put(vault_folder / "projects/active/other.md", "---\ntype: project\n---\n# Other\n")
    patched(memory, "frontmatter", "aliases", "Number 1")

    patched(memory, "frontmatter", "type", "semantic", operation="replace")

    index = json.loads((vault_folder / "_agent/index/entities.json").read_text())
    assert list(index) == ["other"]


# Putting


def test_a_whole_note_is_written_as_it_was_given(memory: Memory, vault_folder: Path) -> None:
    text = "\ufeff---\r\ntitle: Ö\r\n---\r\n\r\nNo newline, one\ttab"

    first = put_op(memory, "resources/references/put.md", text)
    again = put_op(memory, "resources/references/put", text)

    assert (first["action"], again["action"]) == ("created", "unchanged")
    assert (vault_folder / "resources/references/put.md").read_bytes() == text.encode()


def test_putting_replaces_the_whole_note_and_its_names(memory: Memory, engine: Path) -> None:
    answer = put_op(memory, ENGINE, "---\ntype: project\n---\n# Loom\n")

    assert (answer["action"], answer["path"]) == ("updated", ENGINE)
    assert engine.read_text() == "---\ntype: project\n---\n# Loom\n"
    assert memory.catalog.entities.exact("Loom")
    assert not memory.catalog.entities.exact("Analytical Engine")


# Deleting


def test_a_deleted_note_is_in_the_trash_whole_and_nowhere_else(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    answer = delete_op(memory, "engine")

    assert (answer["path"], answer["trashed_to"]) == (ENGINE, ".trash/engine.md")
    assert not engine.exists()
    assert (vault_folder / ".trash/engine.md").read_text() == TEXT
    assert json.loads((vault_folder / "_agent/index/entities.json").read_text()) == {}
    with pytest.raises(NotFound):
        get_note_op(memory, "engine")


def test_two_notes_of_one_name_are_both_kept_in_the_trash(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    delete_op(memory, "engine")
    engine.write_text("second\n")
    delete_op(memory, "engine")

    kept = sorted(path.read_text() for path in (vault_folder / ".trash").iterdir())
    assert kept == sorted([TEXT, "second\n"])


def test_what_is_in_the_trash_can_be_reached_by_no_operation(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    delete_op(memory, "engine")

    with pytest.raises(BadRequest):
        get_note_op(memory, ".trash/engine.md")


# Arguments

OPS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "get": (get_note_op, {"path": "engine"}),
    "append": (append_op, {"path": "engine", "line": "x"}),
    "patch": (
        patch_op,
        {
            "path": "engine",
            "operation": "append",
            "target_type": "heading",
            "target": "Status",
            "content": "x",
        },
    ),
    "put": (put_op, {"path": "engine", "text": "x"}),
    "delete": (delete_op, {"path": "engine"}),
}


@pytest.mark.parametrize(
    ("op", "changes", "field"),
    [
        *((op, {"path": value}, "path") for op in OPS for value in ("", "  ", "a\nb", 5, None)),
        ("get", {"section": "a\x00"}, "section"),
        ("get", {"section": "x" * (MAX_TARGET + 1)}, "section"),
        ("get", {"max_chars": MIN_CHARS - 1}, "max_chars"),
        ("get", {"max_chars": MAX_CHARS + 1}, "max_chars"),
        ("get", {"max_chars": "800"}, "max_chars"),
        ("get", {"max_chars": True}, "max_chars"),
        ("append", {"line": ""}, "line"),
        ("append", {"line": " \n"}, "line"),
        ("append", {"line": "a\nb"}, "line"),
        ("append", {"line": "a\x00b"}, "line"),
        ("append", {"line": "\ud800"}, "line"),
        ("append", {"line": None}, "line"),
        ("append", {"line": "x" * (MAX_CONTENT + 1)}, "line"),
        ("patch", {"operation": "insert"}, "operation"),
        ("patch", {"operation": None}, "operation"),
        ("patch", {"target_type": "line"}, "target_type"),
        ("patch", {"target": ""}, "target"),
        ("patch", {"target": "  "}, "target"),
        ("patch", {"target": "x" * (MAX_TARGET + 1)}, "target"),
        ("patch", {"content": 5}, "content"),
        ("patch", {"content": "x" * (MAX_CONTENT + 1)}, "content"),
        ("patch", {"target_type": "frontmatter", "target": "phase", "content": "x"}, "content"),
        ("put", {"text": "a\x07"}, "text"),
        ("put", {"text": 5}, "text"),
    ],
)
def test_a_wrong_argument_is_refused_by_name_and_nothing_is_written(
    memory: Memory,
    vault_folder: Path,
    engine: Path,
    op: str,
    changes: dict[str, Any],
    field: str,
) -> None:
    before = snapshot(vault_folder)
    function, values = OPS[op]

    with pytest.raises(BadRequest) as raised:
        function(memory, **{**values, **changes})

    assert raised.value.details["field"] == field
    assert snapshot(vault_folder) == before


@pytest.mark.parametrize("op", [op for op in OPS if op != "get"])
def test_a_folder_without_the_marker_is_not_written_to(
    memory: Memory, vault_folder: Path, engine: Path, op: str
) -> None:
    (vault_folder / "_agent/echo-vault.md").unlink()
    before = snapshot(vault_folder)
    function, values = OPS[op]

    with pytest.raises(NotBootstrapped):
        function(memory, **values)

    assert snapshot(vault_folder) == before


@pytest.mark.parametrize(
    ("target", "content", "holds"),
    [
        ("tags", "brass", "tags holds a list"),
        ("tags", '["brass"', "begins like JSON"),
        ("created", "soon", "created holds a date"),
        ("type", "alien", "type holds the kind of the note. Give one of: person, "),
    ],
)
def test_a_key_stays_what_it_is_and_the_message_says_what_that_is(
    memory: Memory, engine: Path, target: str, content: str, holds: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        patched(memory, "frontmatter", target, content, operation="replace")

    assert holds in caught.value.message
    assert caught.value.details == {"field": "content"}
    assert engine.read_text() == TEXT


def test_a_note_that_becomes_of_another_kind_than_its_folder_is_warned_of(
    memory: Memory, engine: Path
) -> None:
    answer = patched(memory, "frontmatter", "type", "person", operation="replace")

    assert "folder of a project" in answer["warnings"][0]
    assert "warnings" not in patched(memory, "frontmatter", "type", "project", operation="replace")


@pytest.mark.parametrize(
    ("target_type", "target", "way_out"),
    [
        ("heading", "Tasks", "appending `## Name` and its text at the heading above it"),
        ("frontmatter", "due", "merge_into adds tags, aliases, sources and a status"),
    ],
)
def test_what_is_not_there_yet_is_answered_with_how_it_gets_there(
    memory: Memory, engine: Path, target_type: str, target: str, way_out: str
) -> None:
    with pytest.raises(InvalidTarget, match=way_out):
        patched(memory, target_type, target, "x")


def test_a_section_is_added_below_the_heading_above_it(memory: Memory, engine: Path) -> None:
    patched(memory, "heading", "Analytical Engine", "## Tasks\n\n- [ ] call")

    assert engine.read_text() == TEXT + "\n## Tasks\n\n- [ ] call\n"


def test_a_note_without_blocks_or_headings_offers_no_empty_list(
    memory: Memory, engine: Path
) -> None:
    put(engine, "Text.\n")

    for target_type, target in (("block", "^b1"), ("heading", "Status")):
        with pytest.raises(InvalidTarget, match="nor any other") as caught:
            patched(memory, target_type, target, "x")
        assert "listed" not in caught.value.message


def test_headings_of_one_path_are_listed_once(memory: Memory, engine: Path) -> None:
    put(engine, "# A\n\n## Status\n\n## Status\n")

    with pytest.raises(InvalidTarget, match="Rename all but one") as caught:
        patched(memory, "heading", "Status", "x")

    assert caught.value.details["headings"] == ["A", "A::Status"]


def test_frontmatter_that_does_not_parse_is_answered_with_the_path(
    memory: Memory, engine: Path
) -> None:
    put(engine, "---\ntags: [a\n---\n")

    with pytest.raises(Unparseable) as caught:
        patched(memory, "frontmatter", "tags", "x")

    assert caught.value.details["path"] == ENGINE


def test_deleting_tells_which_notes_linked_to_it(
    memory: Memory, vault_folder: Path, engine: Path
) -> None:
    for number in range(7):
        put(vault_folder / f"a{number}.md", "On [[engine]] and [it](projects/active/engine.md).")
    put(vault_folder / "b.md", "On [[another/engine]] and `[[engine]]`.")

    answer = delete_op(memory, "engine")

    assert answer["links_broken"] == 7
    assert answer["linked_from"] == [f"a{number}.md" for number in range(5)]
