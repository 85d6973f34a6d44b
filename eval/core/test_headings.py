"""Headings: which lines are one, what path it has, and which names find it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from awkward import NOTES
from echo_memory.errors import BadRequest, InvalidTarget
from echo_memory.sections import find, headings, section


def outline(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.path) for heading in headings(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("# A", [(1, "A")]),
        ("# A  \n", [(1, "A")]),
        ("\ufeff# A\n", [(1, "A")]),
        ("#\tA\r\n", [(1, "A")]),
        ("   # A\n", [(1, "A")]),
        ("#\n## \n", [(1, ""), (2, "::")]),
        ("#tag\n#1\n####### a\n\\# a\n", []),
        (
            "# A #\n# B ##  \n# C# #\n# D#\n# #\n",
            [(1, "A"), (1, "B"), (1, "C#"), (1, "D#"), (1, "")],
        ),
        ("# A\n### B\n## C\n#### D\n", [(1, "A"), (3, "A::B"), (2, "A::C"), (4, "A::C::D")]),
        ("## A\n# B\n## C\n", [(2, "A"), (1, "B"), (2, "B::C")]),
        ("# A::b\n## c\n", [(1, "A::b"), (2, "A::b::c")]),
        ("A\n===\nB\n---\n", [(1, "A"), (2, "A::B")]),
        ("A\nb  \n--  \n", [(2, "A b")]),
        ("A\r\n=\r\n", [(1, "A")]),
        ("\n---\n", []),
        ("- A\n---\n", []),
        ("> A\n---\n", []),
        ("> A\n> ---\n", []),
        ("| A |\n| - |\n---\n", []),
        ("# A\n---\n", [(1, "A")]),
        ("    A\n---\n", []),
        ("A\n***\nB\n= =\n", []),
        ("[a]: b\n---\n", []),
        ("[^a]: b\n---\n", []),
        ("A\n# B\n", [(1, "B")]),
        ("- a\n%% c %%\n  # B\n", [(1, "B")]),
        ("- a\n  %% c %%\n  # B\n", []),
        ("a\n2. # B\n   # C\n", [(1, "C")]),
        ("a\n1. b\n   # C\n", []),
        ("a\n*\n  # B\n", [(1, "B")]),
        ("^x\n---\n", [(2, "^x")]),
        ("> # A\n\n- # B\n\n  # C\n", []),
        ("```\n# A\n```\n~~~\nB\n---\n", []),
        ("%%\n# A\n%%\n$$\n# B\n$$\n<!--\n# C\n-->\n", []),
        ("    # A\n\n\t# B\n", []),
        ("---\n# a: b\n---\n# A\n", [(1, "A")]),
        ("# \u2028A\u2028b\x0c\n", [(1, "\u2028A\u2028b\x0c")]),
    ],
)
def test_the_outline_is_read(text: str, expected: list[tuple[int, str]]) -> None:
    assert outline(text) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("headings-in-fences", ["Real", "Real too", "Also real", "Also real::Last"]),
        ("headings-in-containers", ["Real", "Real::Real too"]),
        ("headings-setext", ["Title", "Title::Sub", "Title::Over two lines", "atx", "Trailing"]),
        ("headings-indented", ["One", "One::Three spaces", "One::Indented"]),
        ("yaml-broken", ["Broken above", "Broken above::Status"]),
        ("yaml-never-closed", ["Heading", "Heading::Part"]),
        ("comments", ["Title", "Title::Shown", "Title::After <!-- here -->"]),
        ("fence-never-closed", ["Title", "Title::Part"]),
        ("html", ["Title", "Title::Inside", "Title::Last"]),
        ("tables", ["Title", *(f"Title::{name}" for name in
            ("No pipes outside", "One column", "Not a table", "Flush"))]),
    ],
)  # fmt: skip
def test_the_outline_of_an_awkward_note_is_read(name: str, expected: list[str]) -> None:
    assert [path for _, path in outline(NOTES[name])] == expected


LINES = [
    "# A", "## B ##", "### C", "#", "#tag", "# `a` b", "text", "", "- item", "- # no", "> # no",
    "1. x", "  # D", "    # no", "\t# no", "===", "---", "- ---", "| a |", "[^1]: note",
    "[^1]: # no", "$5", "`a", "a`", "```", "~~~", "%%", "$$", "<!--", "-->", "<div>", "\\# no",
    "\x0b# no", "\u2028# no",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=9).map("\n".join))
@settings(max_examples=400, deadline=None)
def test_headings_are_the_same_whatever_the_rest_of_the_note_makes_of_its_lines(text: str) -> None:
    """A note that has code, HTML or the like is read line by line, others by the shape of lines."""
    plain, with_html = f"{text}\n\nend\n", f"{text}\n\nend <br>\n"

    one, other = headings(plain), headings(with_html)

    assert [(h.level, h.parts, h.start, h.body) for h in one] == [
        (h.level, h.parts, h.start, h.body) for h in other
    ]


def test_a_section_reaches_to_the_next_heading_of_its_level() -> None:
    text = "# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\n"
    found = {heading.title: heading for heading in headings(text)}

    assert text[found["B"].start : found["B"].body] == "## B\n"
    assert text[found["B"].body : found["B"].own_end] == "b\n"
    assert text[found["B"].body : found["B"].end] == "b\n### C\nc\n"
    assert text[found["A"].body : found["A"].end] == "a\n## B\nb\n### C\nc\n## D\nd\n"
    assert found["E"].body == found["E"].own_end == found["E"].end == len(text)


@pytest.mark.parametrize("name", NOTES)
def test_headings_divide_a_note_without_a_gap(name: str) -> None:
    text = NOTES[name]
    found = headings(text)

    starts = [heading.start for heading in found]
    assert [heading.own_end for heading in found] == [*starts[1:], len(text)][: len(found)]
    assert all(heading.start < heading.body <= heading.own_end <= heading.end for heading in found)


NOTE = """\
# Project X
## Status
## Log
### 2026-01-01
#### Status
## Über Café
# Other
## Log
## a::b
### c # d
"""


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("Project X", "Project X"),
        ("Project X::Status", "Project X::Status"),
        ("Project X::Log::2026-01-01", "Project X::Log::2026-01-01"),
        ("2026-01-01", "Project X::Log::2026-01-01"),
        ("Log::2026-01-01", "Project X::Log::2026-01-01"),
        ("2026-01-01::Status", "Project X::Log::2026-01-01::Status"),
        ("## Status", "Project X::Status"),
        ("#### Status", "Project X::Log::2026-01-01::Status"),
        ("# Other", "Other"),
        ("### Other", "Other"),
        ("Other::Log", "Other::Log"),
        ("# Other::## Log", "Other::Log"),
        ("  Other :: Log ", "Other::Log"),
        ("project x", "Project X"),
        ("uber  cafe", "Project X::Über Café"),
        ("U\u0308ber Cafe\u0301", "Project X::Über Café"),
        ("a::b", "Other::a::b"),
        ("Other::a::b", "Other::a::b"),
        ("a::b::c # d", "Other::a::b::c # d"),
        ("## a::b", "Other::a::b"),
    ],
)
def test_a_heading_is_found_by_any_name_that_is_unique(target: str, path: str) -> None:
    assert find(NOTE, target).path == path


@pytest.mark.parametrize(
    "target", ["Log", "Status", "## Log", "log", "Nothing", "X", "b", "Log::x"]
)
def test_a_name_that_is_missing_or_ambiguous_is_answered_with_all_paths(target: str) -> None:
    with pytest.raises(InvalidTarget) as caught:
        find(NOTE, target)

    assert caught.value.details["headings"] == [path for _, path in outline(NOTE)]


@pytest.mark.parametrize("target", ["", "  ", "\n"])
def test_an_empty_target_is_refused(target: str) -> None:
    with pytest.raises(BadRequest) as caught:
        find(NOTE, target)

    assert caught.value.details == {"field": "target"}


def test_the_spelling_of_the_note_comes_before_the_folded_one() -> None:
    text = "# Week\n## Notes\n## notes\n## Nótes\n"

    assert find(text, "notes").start == text.index("## notes")
    with pytest.raises(InvalidTarget):
        find(text, "NOTES")


def test_the_whole_path_comes_before_the_end_of_another() -> None:
    text = "# Log\n## Log\n# A\n"

    assert find(text, "Log").start == 0


def test_headings_with_the_same_path_cannot_be_told_apart() -> None:
    with pytest.raises(InvalidTarget, match="2 headings have the path"):
        find("# A\n## B\n## B\n", "A::B")


def test_a_separator_within_a_title_is_read_both_ways() -> None:
    text = "# P\n## a::b\n## a\n### c\n"

    assert find(text, "a::b").start == text.index("## a::b")
    assert find(text, "a::c").start == text.index("### c")


@pytest.mark.parametrize("name", NOTES)
def test_every_path_that_is_unique_finds_its_heading(name: str) -> None:
    text = NOTES[name]
    found = headings(text)
    paths = [heading.path for heading in found]

    for heading in found:
        if paths.count(heading.path) == 1 and heading.title.strip(":"):
            assert find(text, heading.path) == heading


def test_a_long_list_of_headings_is_cut() -> None:
    text = "".join(f"## {'long ' * 50}{at}\n" for at in range(1000))

    with pytest.raises(InvalidTarget) as caught:
        find(text, "none")

    assert 0 < len(caught.value.details["headings"]) < 100


def test_a_section_is_its_body_and_its_sub_headings() -> None:
    assert section("# A\n\na\n\n## B\n\nb\n\n# C\n", "A") == "\na\n\n## B\n\nb\n\n"
    assert section("# A\r\n\r\na", "a") == "\r\na"
