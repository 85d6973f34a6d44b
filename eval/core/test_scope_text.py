"""The scope as text: reading it, changing its note, and counting the sessions since."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import sections
from echo_memory.errors import Unparseable
from echo_memory.markdown import headings
from echo_memory.note import Note
from echo_memory.scope import Scope, read, sessions_since, set_scope

ZONE = timezone(timedelta(hours=1))
NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=ZONE)
PATH = "_agent/context/current-context.md"

NOTE = """\
---
type: context
scope:   # what counts now
scope_updated:
mine: {keep: me}
---

# Current context

## Scope

## Scope History
"""


def scope_of(text: str) -> Scope:
    return read(Note(PATH, text))


def history(text: str) -> list[str]:
    lines = sections.section(text, "Scope History").splitlines()
    return [line for line in lines if line.startswith("- ")]


def session(name: str, created: str = "") -> Note:
    return Note(f"_agent/sessions/{name}.md", f"---\ncreated: {created}\n---\n\n# Log\n")


def test_a_scope_is_stamped_shown_and_remembered_and_nothing_else_changes() -> None:
    text = set_scope(NOTE, "Rebuild the engine", NOW)

    assert (
        text
        == """\
---
type: context
scope: Rebuild the engine   # what counts now
scope_updated: "2026-03-14T09:26:53+01:00"
mine: {keep: me}
---

# Current context

## Scope

Rebuild the engine

## Scope History

- 2026-03-14: Rebuild the engine
"""
    )
    assert scope_of(text) == Scope("Rebuild the engine", "2026-03-14T09:26:53+01:00")


def test_the_newest_scope_is_at_the_top_of_the_history() -> None:
    text = set_scope(NOTE, "gears", NOW)

    text = set_scope(text, "brass: cheap", NOW + timedelta(days=1))

    assert history(text) == ["- 2026-03-15: brass: cheap", "- 2026-03-14: gears"]
    assert sections.section(text, "Scope").strip() == "brass: cheap"


def test_the_same_scope_again_has_a_new_stamp_and_no_further_line() -> None:
    text = set_scope(NOTE, "gears", NOW)

    again = set_scope(text, "gears", NOW + timedelta(hours=2))

    assert again == text.replace("T09:26:53", "T11:26:53")


def test_a_former_scope_that_returns_is_remembered_again() -> None:
    text = NOTE
    for scope in ("gears", "brass", "gears"):
        text = set_scope(text, scope, NOW)

    assert [line[-5:] for line in history(text)] == ["gears", "brass", "gears"]


def test_what_a_person_wrote_around_the_history_stays_where_it_is() -> None:
    text = NOTE.replace("History\n", "History\n\n```\n- code\n```\n\n* old\n  more\n\nEnd")

    changed = set_scope(text, "gears", NOW)

    assert changed.endswith(
        "History\n\n```\n- code\n```\n\n- 2026-03-14: gears\n* old\n  more\n\nEnd"
    )


@pytest.mark.parametrize("text", ["", "# Notes\n\nMine.", "---\ntags: [a]\n---\r\nMine.\r\n"])
def test_sections_that_are_missing_are_made(text: str) -> None:
    changed = set_scope(text, "gears", NOW)

    assert scope_of(changed).scope == "gears"
    assert history(changed) == ["- 2026-03-14: gears"]
    assert all(line in changed.splitlines() for line in text.splitlines() if line)


def test_line_endings_follow_the_note() -> None:
    text = NOTE.replace("\n", "\r\n")

    changed = set_scope(set_scope(text, "gears", NOW), "brass", NOW)

    assert "\n" not in changed.replace("\r\n", "")
    assert changed == set_scope(set_scope(NOTE, "gears", NOW), "brass", NOW).replace("\n", "\r\n")


def test_frontmatter_that_cannot_be_read_is_left_alone() -> None:
    with pytest.raises(Unparseable):
        set_scope("---\nscope: [open\n---\n", "gears", NOW)


@pytest.mark.parametrize(
    "scope",
    [
        "# not a heading",
        "```not a fence",
        "~~~ nor this",
        "50 %% of it",
        "<!-- hidden",
        "$$ money",
        "<script>",
        "- a bullet",
        "yes",
        "2026-03-14",
        "a: b # c",
        "`%%` and \\%%",
        "---",
    ],
)
def test_words_that_look_like_markdown_hide_nothing_of_the_note(scope: str) -> None:
    text = NOTE + "\n## Mine\n\nkeep\n"

    changed = set_scope(set_scope(text, scope, NOW), scope, NOW)

    assert [heading.title for heading in headings.headings(changed)] == [
        "Current context",
        "Scope",
        "Scope History",
        "Mine",
    ]
    assert scope_of(changed).scope == scope
    assert len(history(changed)) == 1


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
)
def test_any_line_comes_back_as_it_was_set(scope: str) -> None:
    changed = set_scope(NOTE + "\n## Mine\n", scope, NOW)

    assert scope_of(changed).scope == scope
    assert [heading.title for heading in headings.headings(changed)][-1] == "Mine"


def test_a_scope_that_a_person_wrote_below_the_heading_counts_where_no_other_is_set() -> None:
    text = NOTE.replace("## Scope\n", "## Scope\n\nGears\nand brass\n", 1)

    assert scope_of(text) == Scope("Gears and brass", "")
    assert scope_of("no headings") == Scope()


@pytest.mark.parametrize(
    ("note", "counts"),
    [
        (session("2026-03-13-before", "2026-03-13T23:00:00+01:00"), False),
        (session("2026-03-14-earlier", "2026-03-14T09:26:52+01:00"), False),
        (session("2026-03-14-just-then", "2026-03-14T09:26:53+01:00"), False),
        (session("2026-03-14-later", "2026-03-14T09:26:54+01:00"), True),
        (session("2026-03-14-elsewhere", "2026-03-14T08:30:00Z"), True),
        (session("2026-03-14-no-zone", "2026-03-14 09:30:00"), True),
        (session("2026-03-14-no-time", "2026-03-14"), False),
        (session("2026-03-14-nothing"), False),
        (session("2026-03-14-words", "about noon, I think"), False),
        (session("2026-03-15-after"), True),
        (Note("journal/daily/2026-03-15.md", ""), False),
    ],
)
def test_sessions_count_that_are_later_than_the_scope(note: Note, counts: bool) -> None:
    current = Scope("gears", NOW.isoformat())

    assert sessions_since(current, [note]) == int(counts)


@pytest.mark.parametrize("updated", ["", "some day"])
def test_all_sessions_count_where_the_scope_has_no_date(updated: str) -> None:
    notes = [session("2026-03-13-a"), session("2026-03-14-b")]

    assert sessions_since(Scope("gears", updated), notes) == 2
