"""Repeating: a write that is made again, whatever it says, finds it done and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bytewise import NOTES
from echo_memory import routing
from echo_memory.errors import EchoError, Unparseable
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.note import append_op, get_note_op
from echo_memory.ops.recall import recall_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.scope import scope_set_op, scope_show_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import triage_op
from folders import put, snapshot

KINDS = [*routing.table().kinds, ""]

SIGNS = st.sampled_from(
    [
        *(
            "Ada",
            "ada lovelace",
            "Engine",
            "[[engine]]",
            "[[ada|her]]",
            "#tag",
            "yes",
            "2026-03-14",
        ),
        *(
            "# A",
            "## Log",
            "### 2026-03-14",
            "- item",
            "  - deep",
            "1. one",
            "> quote",
            "> [!note]",
        ),
        *(
            "```",
            "~~~",
            "%%",
            "$$",
            "<!--",
            "-->",
            "<div>",
            "---",
            "***",
            "===",
            "^id",
            "| a | b |",
        ),
        *("| - | - |", "\\", "`", "*", "_", "[", "]", "(", "!", "a: b", "ß", "日本語", "😀", "\t"),
    ]
)
WORDS = st.one_of(SIGNS, st.text(max_size=8))
GAPS = st.sampled_from([" ", " ", "\n", "\n\n", "\r\n", "", "\n    "])
BODIES = st.lists(st.tuples(WORDS, GAPS).map("".join), max_size=12).map("".join)
TITLES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
LISTS = st.lists(TITLES, max_size=2)


@pytest.fixture
def day(memory: Memory) -> Memory:
    capture_op(memory, "Ada Lovelace", kind="person", aliases=["Ada"], body="Wrote programs.")
    capture_op(memory, "Engine", kind="project", body="Rebuilt.")
    return memory


many = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def twice(folder: Path, write: Callable[[], dict[str, Any]]) -> list[dict[str, Any]]:
    """Write and write again; whatever was refused is refused again and has written nothing."""
    answers = []
    seen = [snapshot(folder)]
    for _ in range(2):
        try:
            answers.append(write())
        except EchoError as error:
            answers.append({"ok": False, "error": error.code})
        seen.append(snapshot(folder))
    assert seen[2] == seen[1]
    if "error" in answers[0]:
        assert (seen[1], answers[1]) == (seen[0], answers[0])
    return answers


@given(
    title=TITLES,
    kind=st.sampled_from(KINDS),
    body=BODIES,
    tags=LISTS,
    aliases=LISTS,
    sources=LISTS,
    status=st.one_of(st.just(""), TITLES),
    force=st.booleans(),
)
@many
def test_a_capture_that_is_made_again_changes_nothing(
    day: Memory, vault_folder: Path, title: str, kind: str, **values: Any
) -> None:
    first, again = twice(vault_folder, lambda: capture_op(day, title, kind=kind, **values))

    if first["ok"]:
        assert (again["action"], again["path"]) == ("unchanged", first["path"])
        note = day.locate(first["path"])
        assert note.fault is None
    else:
        assert again == first


@given(note=st.sampled_from(sorted(NOTES)), body=BODIES, tags=LISTS, aliases=LISTS)
@many
def test_a_merge_into_any_note_that_is_made_again_changes_nothing(
    day: Memory, vault_folder: Path, note: str, **values: Any
) -> None:
    put(vault_folder / "resources/concepts/the-note.md", NOTES[note])
    merge = lambda: capture_op(day, "Other name", merge_into="the-note", **values)  # noqa: E731

    first, again = twice(vault_folder, merge)

    if first["ok"]:
        assert again["action"] == "unchanged"


@given(note=st.sampled_from(sorted(NOTES)), line=BODIES)
@many
def test_a_line_that_is_appended_again_changes_nothing(
    day: Memory, vault_folder: Path, note: str, line: str
) -> None:
    put(vault_folder / "resources/concepts/the-note.md", NOTES[note])

    first, again = twice(vault_folder, lambda: append_op(day, "the-note", line))

    if first["ok"]:
        assert again["action"] == "unchanged"


@given(scope=TITLES)
@many
def test_a_scope_of_any_words_is_shown_as_it_was_set(
    day: Memory, vault_folder: Path, scope: str
) -> None:
    first, _ = twice(vault_folder, lambda: scope_set_op(day, scope))

    if first["ok"]:
        assert scope_show_op(day)["scope"] == " ".join(scope.split())


@given(slug=TITLES, log_body=BODIES, agent_log_line=TITLES, scope=TITLES, title=TITLES, body=BODIES)
@many
def test_a_session_that_is_logged_again_changes_nothing(
    day: Memory, vault_folder: Path, title: str, body: str, **bundle: Any
) -> None:
    reflect = [{"title": title, "kind": "semantic", "body": body}]
    log = lambda: session_end_op(day, **bundle, reflect=reflect, apply=True)  # noqa: E731

    first, again = twice(vault_folder, log)

    if first["ok"]:
        assert again["path"] == first["path"]
        assert {step.get("action") for step in again["steps"]} <= {"unchanged", None}


@given(inbox=BODIES, titles=st.lists(TITLES, min_size=1, max_size=3))
@many
def test_an_inbox_that_is_filed_again_finds_it_filed(
    day: Memory, vault_folder: Path, inbox: str, titles: list[str]
) -> None:
    put(vault_folder / "inbox/captures/inbox.md", f"# Inbox\n\n{inbox}".encode("utf-8", "replace"))
    (vault_folder / "inbox/processing-log/2026-03-14.md").unlink(missing_ok=True)
    items = triage_op(day)["items"]
    # Of two items that say the same, the second takes the first one's place; and what an item
    # opens and leaves open shows, once it is gone, what it had hidden.
    assume(len({item["line"] for item in items}) == len(items))
    assume(not any(sign in inbox for sign in ("%%", "$$", "<", "```", "~~~")))
    proposals = [
        {"title": title, "kind": "semantic", "line": item["id"]}
        for title, item in zip(titles, items, strict=False)
    ]

    if proposals:
        first, _ = twice(vault_folder, lambda: triage_op(day, proposals=proposals, apply=True))
        filed = [result for result in first.get("results", ()) if result["ok"]]
        if first["ok"]:
            assert first["remaining"] == len(items) - len(filed)


@given(title=TITLES, body=BODIES)
@many
def test_what_was_captured_reads_back_and_is_recalled(
    day: Memory, vault_folder: Path, title: str, body: str
) -> None:
    for old in vault_folder.glob("resources/references/*.md"):
        old.unlink()
    proposal = {"title": f"Quokka {title}", "kind": "reference", "body": body, "force": True}
    try:
        (result,) = apply_op(day, [proposal], apply=True)["results"]
    except EchoError:
        return

    note = get_note_op(day, result["path"])
    assert (result["action"], note["frontmatter"]["title"]) == (
        "created",
        f"Quokka {title}".strip(),
    )
    (hit,) = recall_op(day, "quokka")["primary"]
    assert hit["path"] == result["path"]


def test_frontmatter_that_does_not_parse_is_refused_again(day: Memory, vault_folder: Path) -> None:
    put(vault_folder / "resources/concepts/the-note.md", "---\na: [\n---\n")

    for _ in range(2):
        with pytest.raises(Unparseable):
            capture_op(day, "Other name", merge_into="the-note", body="x")
