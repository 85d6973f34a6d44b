"""What a capture makes of a text, whatever the text brings with it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from echo_memory import draft, sections
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.note import get_note_op, patch_op
from echo_memory.ops.session import session_end_op

OPEN = ["see\n```js\nx", "~~~\nx", "a %% b", "$$\nx", "<!-- x", "> ```\n> x"]
AWKWARD = [
    "Intro.\n\n## Details\n\nA.",
    "Foo\n---\nbar",
    "## Foo ##\n\nbar",
    "---\na: b\n---",
    "# A\n\n### B\n\nc",
    "- x\n  - y\n\n| a | b |\n| - | - |\n| 1 | 2 |",
    "1. one\n2. two",
    *OPEN,
]


def person(memory: Memory, body: str) -> str:
    return str(capture_op(memory, "Ada Lovelace", kind="person", body=body)["action"])


@pytest.mark.parametrize("body", AWKWARD)
def test_a_body_is_found_again_where_it_was_created_and_where_it_was_logged(
    memory: Memory, body: str
) -> None:
    assert person(memory, body) == "created"
    assert person(memory, body) == "unchanged"
    assert person(memory, "Between.") == "updated"
    assert person(memory, f"Other.\n\n{body}") == "updated"
    assert person(memory, f"Other.\n\n{body}") == "unchanged"
    assert person(memory, body) == "unchanged"


@pytest.mark.parametrize("body", OPEN)
def test_what_a_body_leaves_open_does_not_swallow_the_sections_below(
    memory: Memory, body: str
) -> None:
    path = str(capture_op(memory, "Open end", kind="project", body=body)["path"])

    patch_op(
        memory,
        path,
        operation="append",
        target_type="heading",
        target="Open end::Status",
        content="Here.",
    )
    capture_op(memory, "Open end", kind="project", body="Later.")

    assert "Here." in get_note_op(memory, path, section="Status")["content"]
    assert "Later." in get_note_op(memory, path, section="Log")["content"]


def test_a_title_with_a_comment_mark_hides_nothing(memory: Memory) -> None:
    path = str(capture_op(memory, "100%% sure", kind="project", body="x")["path"])

    assert get_note_op(memory, path, section="Status")["content"] == ""


def test_what_is_added_later_on_the_day_stands_below_what_came_before(
    memory: Memory, vault_folder: Path
) -> None:
    person(memory, "x")
    person(memory, "Intro.\n\n## Details\n\nA.")
    person(memory, "Later.")

    text = (vault_folder / "resources/people/ada-lovelace.md").read_text()
    assert text.endswith("### 2026-03-14\n\nIntro.\n\n#### Details\n\nA.\n\nLater.\n")


@pytest.mark.parametrize("body", ["status: active", "type: person", "Ada Lovelace"])
def test_frontmatter_and_headings_do_not_say_what_a_body_says(memory: Memory, body: str) -> None:
    person(memory, "x")

    assert person(memory, body) == "updated"


def test_a_body_with_another_link_is_another_body(memory: Memory) -> None:
    person(memory, "- [[bob|He]] paid")

    assert person(memory, "- [[al|He]] paid") == "updated"
    assert person(memory, "- [[al|He]] paid") == "unchanged"


def test_a_part_of_an_earlier_log_is_a_log_of_its_own(memory: Memory) -> None:
    bundle = {"slug": "day", "agent_log_line": "x", "apply": True}
    first = session_end_op(memory, log_body="Did X.\nDid Y.", **bundle)

    second = session_end_op(memory, log_body="Did Y.", **bundle)

    assert second["path"] == first["path"].replace(".md", "-2.md")


def test_an_older_bundle_that_is_run_again_takes_nothing_back(
    memory: Memory, vault_folder: Path
) -> None:
    a = {"slug": "a", "log_body": "A.", "agent_log_line": "a", "scope": "Scope A", "apply": True}
    b = {"slug": "b", "log_body": "B.", "agent_log_line": "b", "scope": "Scope B", "apply": True}
    session_end_op(memory, **a)
    later = memory.clock() + timedelta(minutes=5)
    memory.clock = lambda: later
    session_end_op(memory, **b)
    heartbeat = (vault_folder / "_agent/heartbeat/last-session.md").read_bytes()
    context = (vault_folder / "_agent/context/current-context.md").read_bytes()

    answer = session_end_op(memory, **a)

    assert answer["ok"] is True
    assert (vault_folder / "_agent/heartbeat/last-session.md").read_bytes() == heartbeat
    assert (vault_folder / "_agent/context/current-context.md").read_bytes() == context


def test_a_heading_of_any_level_is_the_same_heading() -> None:
    assert draft.contains("#### Letter\n\nx\n", "# Letter\n\nx")
    assert not draft.contains("#### Letter\n\nx\n", "Letter")
    assert sections.headings(draft.demote("Foo\n---\nbar", below=3))[0].level == 4
