"""Drafts: whether a note says something already, and what of a body is left or moved down."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_memory import draft, routing, sections
from echo_memory.proposal import Proposal

LINES = st.lists(
    st.lists(st.sampled_from(["a", "b", "[[n|a]]"]), max_size=3).map(" ".join), max_size=6
).map("\n".join)


def says_by_trying(note: str, body: str) -> bool:
    """The same question, answered by comparing every run of whole lines."""
    wanted = body.replace("[[n|a]]", "a").split()
    lines = note.replace("[[n|a]]", "a").splitlines()
    runs = (
        " ".join(lines[start:end]).split()
        for start in range(len(lines))
        for end in range(start + 1, len(lines) + 1)
    )
    return not wanted or wanted in runs


@given(LINES, LINES)
def test_a_note_says_a_body_when_a_run_of_its_lines_has_the_same_words(
    note: str, body: str
) -> None:
    assert draft.contains(note, body) is says_by_trying(note, body)


@pytest.mark.parametrize(
    ("note", "body", "said"),
    [
        ("x\n" * 100_000, "x\n" * 50_000 + "y", False),
        ("x\n" * 100_000, "x\n" * 50_000, True),
        ("x " * 100_000, "x " * 50_000, False),
    ],
)
def test_a_note_that_repeats_itself_without_end_is_compared_all_the_same(
    note: str, body: str, said: bool
) -> None:
    assert draft.contains(note, body) is said


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("# Engine\n\ntext", "text"),
        ("# ENGINE #\ntext", "text"),
        ("Engine\n======\n\ntext", "text"),
        ("## Engine\n\ntext", "## Engine\n\ntext"),
        ("# Loom\n\ntext", "# Loom\n\ntext"),
        ("before\n\n# Engine\n\ntext", "before\n\n# Engine\n\ntext"),
        ("```\n# Engine\n```", "```\n# Engine\n```"),
        ("# Engine", ""),
        ("", ""),
    ],
)
def test_a_title_that_only_repeats_the_notes_is_left_out(body: str, rest: str) -> None:
    assert draft.without_title(body, "Engine") == rest


@pytest.mark.parametrize(
    ("body", "below", "moved"),
    [
        ("# A\n\n## B\n", 1, "## A\n\n### B\n"),
        ("# A\n\n## B\n", 3, "#### A\n\n##### B\n"),
        ("## A\n", 1, "## A\n"),
        ("#### A\n", 3, "#### A\n"),
        ("# A\n\n###### F\n", 3, "#### A\n\n###### F\n"),
        ("A\n===\n\nB\n---\ntext", 1, "## A\n\n### B\ntext"),
        ("```\n# A\n```\n", 3, "```\n# A\n```\n"),
        ("text", 3, "text"),
    ],
)
def test_headings_move_below_a_level_and_keep_their_order(
    body: str, below: int, moved: str
) -> None:
    assert draft.demote(body, below=below) == moved


@pytest.mark.parametrize(
    "title", ["A %% b", "%%", "C #", "#", "##", "A $$ b", "A <!-- b", "`", "- x", "---", "> x", "é"]
)
def test_a_title_of_any_signs_is_a_title_and_hides_no_section(title: str) -> None:
    made = draft.new(
        routing.table().kinds["project"],
        Proposal(title, "project", "Text."),
        body="Text.",
        today=date(2026, 3, 14),
    )

    first, status = sections.headings(made)
    assert (first.level, first.title.replace("\\", "")) == (1, title)
    assert status.path.endswith("::Status")
