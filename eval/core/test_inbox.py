"""The inbox: what counts as an item, how one is named, and what removing one leaves."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import inbox

TODAY = date(2026, 3, 14)


def lines(text: str) -> list[str]:
    return [item.line for item in inbox.items(text, TODAY)]


def without(text: str, line: str) -> str:
    item = next(item for item in inbox.items(text, TODAY) if item.line == line)
    return inbox.remove(text, item.id)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("# Inbox\n\nSomething\n---\n\n## Later\n", []),
        ("- one\n* two\n+ three\n1. four\n2) five\n", ["one", "two", "three", "four", "five"]),
        ("- [ ] open\n- [x] done\n- [?] odd\n", ["open", "done", "odd"]),
        ("- [1](note.md) and [2]\n", ["[1](note.md) and [2]"]),
        ("- one\n  more\n\n  still more\n- two\n", ["one\nmore\n\nstill more", "two"]),
        ("- one\n\t- nested\n- two\n", ["one\n- nested", "two"]),
        ("1. one\n  two\n   - nested\n", ["one\ntwo\n - nested"]),
        ("- one\n  ```\n  - code\n  ```\n- two\n", ["one\n```\n- code\n```", "two"]),
        ("- one\nat the margin\n\nnot any more\n", ["one\nat the margin", "not any more"]),
        (
            "A thought\nof two lines\n\nanother\n- a list\n",
            ["A thought\nof two lines", "another", "a list"],
        ),
        ("> quoted\n> twice\n", ["> quoted\n> twice"]),
        ("```\n- code\n```\n%%\n- hidden\n%%\n$$\n- x\n$$\n<!--\n- y\n-->\n", []),
        ("---\ntype: inbox\nlist:\n- one\n---\n- two\n", ["two"]),
        ("- \n- [ ]\n* * *\n---\n", []),
        ("- one\r\n  more\r\n- two", ["one\nmore", "two"]),
    ],
)
def test_items_are_list_items_at_the_margin_and_paragraphs(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


def test_an_item_begins_with_its_date_and_has_an_age() -> None:
    text = "- 2026-03-01 a: b\n- [ ] [[2026-03-14]] c\n- 2027-01-01 d\n- e\n- 2026-02-30 f\n"

    found = inbox.items(text, TODAY)

    assert [(item.date, item.age_days) for item in found] == [
        ("2026-03-01", 13),
        ("2026-03-14", 0),
        ("2027-01-01", 0),
        ("", None),
        ("", None),
    ]


def test_an_id_depends_on_the_text_and_its_occurrence_alone() -> None:
    before = inbox.items("- brass\n- gears\n- brass\n", TODAY)
    after = inbox.items("# Inbox\n\n* [ ] gears\n\n1. brass\n- new\n- brass\n", TODAY)

    assert before[2].id == f"{before[0].id}-2"
    assert [after[at].id for at in (1, 0, 3)] == [item.id for item in before]
    assert len({item.id for item in after}) == 4


def test_the_range_of_an_item_is_its_own_lines() -> None:
    text = "- one\n  more\n\n- two\n"

    first, second = inbox.items(text, TODAY)

    assert text[first.start : first.end] == "- one\n  more\n"
    assert text[second.start : second.end] == "- two\n"


@pytest.mark.parametrize(
    "reference",
    [
        "2026-03-01 brass: cheap\nand good",
        "- 2026-03-01  brass: cheap",
        "brass: cheap",
        "* [ ] brass: cheap and good",
    ],
)
def test_an_item_is_found_by_its_text_or_its_first_line(reference: str) -> None:
    waiting = inbox.items("- gears\n- 2026-03-01 brass: cheap\n  and good\n", TODAY)

    assert inbox.find(waiting, reference) == waiting[1]
    assert inbox.find(waiting, f" {waiting[1].id} ") == waiting[1]


def test_a_text_that_fits_nothing_or_several_items_finds_none() -> None:
    waiting = inbox.items("- 2026-03-01 brass\n- 2026-03-02 brass\n- gears\n- gears\n", TODAY)

    assert inbox.find(waiting, "bras") is None
    assert inbox.find(waiting, "brass") is None
    assert inbox.find(waiting, "gears") == waiting[2]
    assert inbox.find([], "gears") is None


@pytest.mark.parametrize(
    ("text", "line", "left"),
    [
        ("# Inbox\n\n- one\n- two\n", "one", "# Inbox\n\n- two\n"),
        ("# Inbox\n\n- one\n\n- two\n", "one", "# Inbox\n\n- two\n"),
        ("- one\n- two", "two", "- one\n"),
        ("- one\r\n  more\r\n- two\r\n", "one\nmore", "- two\r\n"),
        ("Thought\n- one\n2. Another\n", "one", "Thought\n\n2. Another\n"),
        ("Thought\r\n- one\r\n---\r\n", "one", "Thought\r\n\r\n---\r\n"),
        ("- one\n---\nkey: value\n\n---\n", "one", "\n---\nkey: value\n\n---\n"),
        ("- one\n===\n- two", "one\n===", "- two"),
        ("one %% aside\n- two\n%%\n- three", "one %% aside\n- two\n%%", "- three"),
    ],
)
def test_removing_an_item_leaves_every_other_line(text: str, line: str, left: str) -> None:
    assert without(text, line) == left


def test_removing_what_is_not_there_changes_nothing() -> None:
    text = "- one\n"

    assert inbox.remove(text, "00000000") == text
    assert inbox.remove(text, "") == text


def test_two_items_of_one_text_can_be_removed_by_the_ids_that_they_had() -> None:
    text = "- brass\n- gears\n- brass\n"
    first, _, second = inbox.items(text, TODAY)

    assert inbox.remove(inbox.remove(text, first.id), second.id) == "- gears\n"
    assert inbox.remove(inbox.remove(text, second.id), first.id) == "- gears\n"


PIECES = st.sampled_from(
    [
        "- a", "- a\n  b", "- a\n\n  b", "* [ ] c\n\t- d", "1. e", "2. e", "f", "f\n  g", "", "# h",
        "***", "---", "===", "```", "> i", "%%", "| j | k |", "|-|-|",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=9).map("\n".join), st.data())
def test_removing_an_item_keeps_all_other_items_and_lines(text: str, data: st.DataObject) -> None:
    waiting = inbox.items(text, TODAY)
    if not waiting:
        return
    item = data.draw(st.sampled_from(waiting))

    left = inbox.remove(text, item.id)

    others = [other.line for other in waiting if other is not item]
    kept = text[: item.start] + text[item.end :]
    assert lines(left) == others
    assert [line for line in left.split("\n") if line] == [
        line for line in kept.split("\n") if line
    ]


@pytest.mark.parametrize("unit", ["- a\n", "a", "- ", " ", "\t", "[", "> ", "- a\n\n", "%%", "`"])
def test_a_large_inbox_is_read(unit: str) -> None:
    text = unit * 50_000

    assert len(inbox.items(text, TODAY)) <= 50_000
