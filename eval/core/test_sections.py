"""Editing at headings: where content lands, what sets it off, and that nothing else changes."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from awkward import NOTES
from echo_memory import frontmatter
from echo_memory.errors import BadRequest, InvalidTarget
from echo_memory.sections import (
    OPERATIONS,
    append_at,
    append_line,
    append_lines,
    append_under,
    find,
    headings,
    patch,
    section,
)


def changed(text: str, operation: str, content: str, target: str = "A") -> str:
    return patch(text, operation, "heading", target, content)


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("# A\n\na\n", "b", "# A\n\na\n\nb\n"),
        ("# A\n\na\n", "\n \nb\nc\n\n", "# A\n\na\n\nb\nc\n"),
        ("# A\n\na\n\n# B\n", "b", "# A\n\na\n\nb\n\n# B\n"),
        ("# A\n\na\n\n\n# B\n", "b", "# A\n\na\n\nb\n\n\n# B\n"),
        ("# A\na\n# B\n", "b", "# A\na\n\nb\n# B\n"),
        ("# A\n\na\n\n## B\n\nb\n", "c", "# A\n\na\n\nc\n\n## B\n\nb\n"),
        ("# A\n# B\n", "b", "# A\nb\n# B\n"),
        ("# A\n\n# B\n", "b", "# A\n\nb\n\n# B\n"),
        ("# A\n", "b", "# A\n\nb\n"),
        ("# A", "b", "# A\n\nb\n"),
        ("# A\n\n", "b", "# A\n\nb\n"),
        ("A\n=\n", "b", "A\n=\n\nb\n"),
        ("# A\n\na", "b", "# A\n\na\n\nb\n"),
        ("# A\n\na\n\n\n", "b", "# A\n\na\n\nb\n\n\n"),
        ("# A\n\na  \n", "b", "# A\n\na  \n\nb\n"),
        ("# A\r\n\r\na\r\n\r\n# B\r\n", "b\nc", "# A\r\n\r\na\r\n\r\nb\r\nc\r\n\r\n# B\r\n"),
        ("# A\r\n\r\na", "b", "# A\r\n\r\na\r\n\r\nb\r\n"),
        ("# A\n\na\n", "b\r\nc\rd", "# A\n\na\n\nb\nc\nd\n"),
        ("# A\r\n\na\r\n\n# B\r\n", "b", "# A\r\n\na\r\n\r\nb\r\n\n# B\r\n"),
        ("# A\n\na\n", "## B\n\nb", "# A\n\na\n\n## B\n\nb\n"),
        ("# A\n\n## B\n\nb\n", "## C\n\nc", "# A\n\n## B\n\nb\n\n## C\n\nc\n"),
        ("# A\n\n## B\n\nb\n\n# D\n", "## C\n\nc", "# A\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n"),
        ("# A\n\na\n", "# A\n\nb", "# A\n\na\n\nb\n"),
        ("# A\n\na\n", "A\n===\nb", "# A\n\na\n\nb\n"),
        ("# A\n\na\n", "# A", "# A\n\na\n"),
        ("# A\n\na", " \n", "# A\n\na"),
        ("# A\n\na\n", "    b", "# A\n\na\n\n    b\n"),
    ],
)
def test_append_adds_to_the_end_of_the_sections_own_text(
    text: str, content: str, expected: str
) -> None:
    assert changed(text, "append", content) == expected


@pytest.mark.parametrize(
    ("last", "content"),
    [
        ("- a", "- b"),
        ("- a", "- [ ] b"),
        ("- [x] a", "- [ ] b"),
        ("* a", "* b\n* c"),
        ("1. a", "2. b"),
        ("1) a", "7) b"),
        ("- a\n  - b", "- c"),
        ("- a", "  - b"),
        ("- a\n  b", "- c"),
        ("- a\n\n  b", "- c"),
        ("- a\n\n- b", "- c"),
        ("- a\n  ```\n  b\n  ```", "- c"),
        ("- a\nlazy", "- b"),
        ("| a | b |\n| - | - |", "| 1 | 2 |"),
        ("| a | b |\n| - | - |\n| 1 | 2 |", "| 3 | 4 |\n| 5 | 6 |"),
        ("a | b\n- | -\n1 | 2".replace("- | -", "--- | ---"), "3 | 4"),
        ("> a", "> b"),
        ("> [!note] a\n> b", "> c"),
        ("> - a", "> - b"),
        ("> a\n>\n> | b |\n> | - |", "> | 1 |"),
        ("[^1]: a", "[^2]: b"),
        ("a\n1. b", "2. c"),
    ],
)
def test_what_goes_on_with_a_list_table_or_quote_follows_at_once(last: str, content: str) -> None:
    assert changed(f"# A\n\n{last}\n\n# B\n", "append", content) == (
        f"# A\n\n{last}\n{content}\n\n# B\n"
    )


@pytest.mark.parametrize(
    ("last", "content"),
    [
        ("a", "- b"),
        ("- a", "b"),
        ("- a", "  b"),
        ("- a", "* b"),
        ("- a", "1. b"),
        ("1. a", "2) b"),
        ("- a", "> b"),
        ("- a\n\nb", "- c"),
        ("- a\n\n```\nb\n```", "- c"),
        ("    - a", "- b"),
        ("```\n- a\n```", "- b"),
        ("%%\n- a\n%%", "- b"),
        ("| a | b |\n| - | - |\n| 1 | 2 |", "| c | d |\n| - | - |\n| 3 | 4 |"),
        ("| a | b |\n| - | - |\n| 1 | 2 |", "b"),
        ("a | b", "| c | d |\n| - | - |"),
        ("> a", "b"),
        ("> a", "> [!note] b"),
        ("> a ^id", "> b"),
        ("```\na\n```", "```\nb\n```"),
        ("a", "---"),
        ("a", "==="),
        ("a\n\n---", "b"),
        ("<div>\na\n</div>", "b"),
        ("$$\na\n$$", "b"),
        ("a", "[^1]: b"),
        ("a\n2. b", "3. c"),
        ("a\n*", "* b"),
        ("a", "    b"),
        ("a", "$$b$$"),
        ("a", "$$\nb\n$$"),
        ("a", "b $$ c"),
        ("a", "<pre>\nb\n</pre>"),
        ("a", "%% b %%"),
        ("a", "<!-- b -->"),
    ],
)
def test_everything_else_is_one_blank_line_apart(last: str, content: str) -> None:
    assert changed(f"# A\n\n{last}\n\n# B\n", "append", content) == (
        f"# A\n\n{last}\n\n{content}\n\n# B\n"
    )


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("# A\n\na\n", "b", "# A\n\nb\n\na\n"),
        ("# A\na\n", "b", "# A\nb\n\na\n"),
        ("# A\n\n\na\n", "b", "# A\n\n\nb\n\na\n"),
        ("# A\n\n- a\n", "- b", "# A\n\n- b\n- a\n"),
        ("# A\n- a\n", "- b\n  - c", "# A\n- b\n  - c\n- a\n"),
        ("# A\n\n- a\n", "b", "# A\n\nb\n\n- a\n"),
        ("# A\n\na\n", "- b", "# A\n\n- b\n\na\n"),
        ("# A\n\n> a\n", "> b", "# A\n\n> b\n> a\n"),
        ("# A\n\n> [!note] a\n", "> b", "# A\n\n> b\n\n> [!note] a\n"),
        ("# A\n\n> a\n", "> [!note] b", "# A\n\n> [!note] b\n\n> a\n"),
        ("# A\n\n| a |\n| - |\n", "| b |", "# A\n\n| b |\n\n| a |\n| - |\n"),
        ("# A\n\n---\n", "b", "# A\n\nb\n\n---\n"),
        ("# A\n", "b", "# A\n\nb\n"),
        ("# A\n\n## B\n", "b", "# A\n\nb\n\n## B\n"),
        ("# A\n## B\n", "b", "# A\nb\n## B\n"),
        ("# A\n\na\n\n## B\n", "## C\n\nc", "# A\n\na\n\n## C\n\nc\n\n## B\n"),
        ("# A\n\na", "b", "# A\n\nb\n\na"),
        ("# A\r\n\r\n- a\r\n", "- b", "# A\r\n\r\n- b\r\n- a\r\n"),
        ("# A\n\na\n", "", "# A\n\na\n"),
        ("# A\nB\n-\n", "b", "# A\nb\n\nB\n-\n"),
        ("# A\nB\n-\n", "- b", "# A\n- b\n\nB\n-\n"),
        ("# A\n## B\n", "<div>", "# A\n<div>\n\n## B\n"),
    ],
)
def test_prepend_adds_right_below_the_heading(text: str, content: str, expected: str) -> None:
    assert changed(text, "prepend", content) == expected


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("# A\n\na\nb\n\n- c\n\n# B\n", "d", "# A\n\nd\n\n# B\n"),
        ("# A\n\na\n\n\n# B\n", "b", "# A\n\nb\n\n\n# B\n"),
        ("# A\na\n# B\n", "b", "# A\nb\n# B\n"),
        ("# A\n\na\n\n## B\n\nb\n", "c", "# A\n\nc\n\n## B\n\nb\n"),
        ("# A\n\na\n\n## B\n\nb\n\n# C\n", "c\n\n## D\n\nd", "# A\n\nc\n\n## D\n\nd\n\n# C\n"),
        ("# A\n\na\n\n## B\n\nb\n", "# A\n\nc", "# A\n\nc\n\n## B\n\nb\n"),
        ("# A\n\n## B\n", "b", "# A\n\nb\n\n## B\n"),
        ("# A\n\na\n\n# B\n", "", "# A\n\n# B\n"),
        ("# A\na\n# B\n", "\n\n", "# A\n# B\n"),
        ("# A\n\n# B\n", "", "# A\n\n# B\n"),
        ("# A\n\na", "b", "# A\n\nb\n"),
        ("# A\n\na", "a", "# A\n\na"),
        ("# A\r\n\r\na\r\n", "b\nc", "# A\r\n\r\nb\r\nc\r\n"),
        ("# A\n\n```\nnever closed", "b", "# A\n\nb\n"),
        ("# A\n\na\n\nB\n-\n", "b", "# A\n\nb\n\nB\n-\n"),
    ],
)  # fmt: skip
def test_replace_changes_the_sections_own_text_and_no_more(
    text: str, content: str, expected: str
) -> None:
    assert changed(text, "replace", content) == expected


@pytest.mark.parametrize(
    ("content", "closing"),
    [
        ("```\n# x", "```"),
        ("~~~~py\n```", "~~~~"),
        ("a %% b", "%%"),
        ("<!-- a", "-->"),
        ("$$\na", "$$"),
        ("<pre>\na", "</pre>"),
        ("> ```\n> a", "> ```"),
        ("- a\n  ```\n  b", "  ```"),
    ],
)
def test_what_content_leaves_open_is_closed(content: str, closing: str) -> None:
    text = changed("# A\n\na\n\n# B\n\nb\n", "append", content)

    assert text == f"# A\n\na\n\n{content}\n{closing}\n\n# B\n\nb\n"
    assert [heading.title for heading in headings(text)] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "closing"), [("```\nb", "```"), ("~~~~\nb\n~~~\n\n", "~~~~"), ("%% b", "%%")]
)
def test_what_a_note_leaves_open_at_its_end_is_closed_before_more_comes(
    text: str, closing: str
) -> None:
    before = f"# A\n\n{text}"

    after = append_line(before, "- c")

    assert after.startswith(before)
    assert after.endswith(f"{closing}\n\n- c\n")
    assert append_line(after, "- c") == after
    assert append_line(after, "- d") == f"{after}- d\n"


@pytest.mark.parametrize("first", ["---", "---  ", "---\ntitle: open"])
def test_a_rule_never_turns_what_is_above_it_into_frontmatter(first: str) -> None:
    text = f"{first}\n# A\n\na\n"

    after = changed(text, "append", "---\n\nb")

    assert after == f"{text}\n ---\n\nb\n"
    assert frontmatter.split(after)[0] == ""


def test_the_frontmatter_need_not_be_readable() -> None:
    text = NOTES["yaml-broken"]

    assert changed(text, "append", "- more", "Status") == text + "- more\n"


@pytest.mark.parametrize(
    ("operation", "target_type", "target", "field"),
    [
        ("insert", "heading", "A", "operation"),
        ("", "heading", "A", "operation"),
        ("append", "line", "A", "target_type"),
        ("append", "heading", " ", "target"),
        ("append", "block", "^", "target"),
        ("append", "frontmatter", "", "target"),
    ],
)
def test_a_wrong_argument_is_named(
    operation: str, target_type: str, target: str, field: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        patch("# A\n", operation, target_type, target, "b")

    assert caught.value.details["field"] == field


def test_a_heading_that_is_missing_leaves_the_answer_with_those_there_are() -> None:
    with pytest.raises(InvalidTarget) as caught:
        changed("# A\n## B\n", "append", "b", "C")

    assert caught.value.details == {"headings": ["A", "A::B"]}


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", "a", "a\n"),
        ("a", "b", "a\n\nb\n"),
        ("- a\n", "- b", "- a\n- b\n"),
        ("- a\r\n- b", "- c", "- a\r\n- b\r\n- c\r\n"),
        ("# A\n", "- b", "# A\n\n- b\n"),
        ("---\na: 1\n---\n", "b", "---\na: 1\n---\n\nb\n"),
        ("---\na: 1\n---", "b", "---\na: 1\n---\n\nb\n"),
        ("---\nb\n---\n", "b", "---\nb\n---\n\nb\n"),
        ("- a\n\n\n", "- b", "- a\n- b\n\n\n"),
        ("ab\n", "a", "ab\n\na\n"),
        ("- a  \n", "- a", "- a  \n"),
        ("- a\r\n", "- a\n", "- a\r\n"),
        ("a\n\nb\n", "a", "a\n\nb\n"),
        ("- a\n  b\n", "- a\n  b", "- a\n  b\n"),
        ("- a\n- b\n", "- a\n  b", "- a\n- b\n- a\n  b\n"),
        ("\n\n", "a", "\n\na\n"),
        ("\ufeff# A\n", "a", "\ufeff# A\n\na\n"),
        ("\ufeff", "a", "\ufeffa\n"),
        ("", "---", " ---\n"),
    ],
)
def test_a_line_is_appended_unless_it_is_there(text: str, line: str, expected: str) -> None:
    assert append_line(text, line) == expected


def test_an_empty_line_is_refused() -> None:
    with pytest.raises(BadRequest) as caught:
        append_line("a\n", " \n")

    assert caught.value.details == {"field": "line"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "## Log\n\n- a\n"),
        ("# A", "# A\n\n## Log\n\n- a\n"),
        ("# A\n\n- b\n", "# A\n\n- b\n\n## Log\n\n- a\n"),
        ("# A\n\n## Log\n\n- b\n\n## C\n", "# A\n\n## Log\n\n- b\n- a\n\n## C\n"),
        ("# A\n\n## log ##\n\n## C\n", "# A\n\n## log ##\n\n- a\n\n## C\n"),
        ("## Log\n\n## Log\n", "## Log\n\n- a\n\n## Log\n"),
        ("## LOG\n\n## Log\n", "## LOG\n\n## Log\n\n- a\n"),
        ("# Log\n\n### Log\n", "# Log\n\n### Log\n\n## Log\n\n- a\n"),
        ("```\n## Log\n```\n", "```\n## Log\n```\n\n## Log\n\n- a\n"),
        ("# A\r\n", "# A\r\n\r\n## Log\r\n\r\n- a\r\n"),
    ],
)
def test_a_missing_section_is_made_at_the_end(text: str, expected: str) -> None:
    assert append_under(text, "Log", "- a") == expected


def test_a_day_comes_after_the_days_before_it() -> None:
    text = append_under("# A\n", "Log", "### 2026-01-01\n\n- a")
    text = append_under(text, "Log", "### 2026-01-02\n\n- b")
    text = append_at(text, find(text, "2026-01-01"), "- c")
    text = append_under(text, "Log", "above the days")

    assert text == (
        "# A\n\n## Log\n\nabove the days\n\n### 2026-01-01\n\n- a\n- c\n\n### 2026-01-02\n\n- b\n"
    )


# Any one of these may be put anywhere: none has headings, and none is indented.
CONTENTS = [
    "new", "new\nlines", "- new", "- new\n  - nested", "* new", "3. new", "- [ ] new", "> new",
    "> [!tip] new\n> text", "| new | row |", "| a | b |\n|---|---|\n| 1 | 2 |", "```py\n# new\n```",
    "~~~\nnever closed", "%% new", "<!-- new", "***", "---", "<div>\nnew\n</div>", "new `code",
    "[^9]: new", "[9]: new", "#new", "new ^new", "new|new", "- new\n\n  text", "- ```\n  new",
]  # fmt: skip
FRAGMENTS = [
    "text", "more text", "- item", "  - nested", "\t- tab", "1. one", "> quote", "> [!note] x",
    "lazy", "| a | b |\n| - | - |", "| 1 | 2 |", "```", "~~~", "# A", "## B", "### C", "## D",
    "B\n-", "T\n=", "---", "***", "%%", "%% c %%", "<b>", "text ^id", "^id2", "[^1]: foot", "`a",
    "b`", "[x]: y", "- [ ] task", "* star", "", "", "", " ",
]  # fmt: skip


def written(parts: list[str], end: str, eol: str, head: str) -> str:
    return (head + "\n".join(parts) + end).replace("\n", eol)


notes = st.one_of(
    st.builds(
        written,
        st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=14),
        st.sampled_from(["\n", "\n\n", ""]),
        st.sampled_from(["\n", "\r\n"]),
        st.sampled_from(["", "---\nkey: value\n---\n", "---\nkey: [\n---\n\n"]),
    ),
    st.sampled_from([text for name, text in NOTES.items() if name != "headings-indented"]),
)


def own_texts(text: str) -> list[tuple[str, str]]:
    return [(h.path, text[h.body : h.own_end].rstrip("\r\n")) for h in headings(text)]


def plain(text: str) -> str:
    """A text with LF endings, and rules as they were sent."""
    return re.sub(r"^ ---", "---", text.replace("\r\n", "\n"), flags=re.MULTILINE)


def is_insertion(text: str, after: str) -> bool:
    pairs = enumerate(zip(text, after, strict=False))
    kept = next((at for at, (old, new) in pairs if old != new), len(text))
    return after.endswith(text[kept:]) and len(after) >= len(text)


def unique(text: str) -> list[str]:
    paths = [heading.path for heading in headings(text)]
    return [path for path in paths if paths.count(path) == 1 and path.strip(":")]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "# A\n\tcode\nB\n-\n",
            "# A\n- new\n\n<!-- -->\n\n\tcode\nB\n-\n",
        ),
        ("# A\n\n  text\n", "# A\n\n- new\n\n<!-- -->\n\n  text\n"),
        ("# A\n\ntext\n", "# A\n\n- new\n\ntext\n"),
    ],
)
def test_what_is_indented_below_a_new_list_stays_out_of_it(text: str, after: str) -> None:
    assert changed(text, "prepend", "- new", "A") == after


@given(st.data(), notes, st.sampled_from(OPERATIONS), st.sampled_from(CONTENTS))
@settings(max_examples=500, deadline=None)
def test_only_the_addressed_sections_own_text_changes(
    data: st.DataObject, text: str, operation: str, content: str
) -> None:
    assume(unique(text))
    target = data.draw(st.sampled_from(unique(text)))

    after = changed(text, operation, content, target)

    before, now = own_texts(text), own_texts(after)
    at = [path for path, _ in before].index(target)
    assert [path for path, _ in before] == [path for path, _ in now]
    assert before[:at] + before[at + 1 :] == now[:at] + now[at + 1 :]
    assert content in plain(now[at][1])
    assert content in plain(section(after, target))


@given(st.data(), notes, st.sampled_from(["append", "prepend"]), st.sampled_from(CONTENTS))
@settings(max_examples=500, deadline=None)
def test_adding_keeps_every_byte_in_its_order(
    data: st.DataObject, text: str, operation: str, content: str
) -> None:
    assume(unique(text))
    target = data.draw(st.sampled_from(unique(text)))

    after = changed(text, operation, content, target)

    assert is_insertion(text, after)
    assert frontmatter.split(after)[0] == frontmatter.split(text)[0]
    assert after.count("\r\n") - text.count("\r\n") in (0, after.count("\n") - text.count("\n"))


@given(notes, st.sampled_from([content for content in CONTENTS if "\n" not in content]))
@settings(max_examples=300, deadline=None)
def test_appending_a_line_twice_is_appending_it_once(text: str, line: str) -> None:
    once = append_line(text, line)

    assert append_line(once, line) == once
    assert is_insertion(text, once)
    assert line in plain(once)


@given(notes, st.sampled_from(CONTENTS), st.sampled_from(CONTENTS))
@settings(max_examples=200, deadline=None)
def test_what_is_appended_under_a_title_is_found_there(text: str, one: str, two: str) -> None:
    assume(not any(heading.title == "Log" for heading in headings(text)))

    after = append_under(append_under(text, "Log", one), "Log", two)

    logs = [heading for heading in headings(after) if heading.title == "Log"]
    assert len(logs) == 1
    body = plain(after[logs[0].body : logs[0].end])
    assert body.index(one) <= body.rindex(two)


def test_lines_are_appended_whether_or_not_they_are_there() -> None:
    assert append_lines("- a\n", "- a") == "- a\n- a\n"
    assert append_lines("- a", "\n") == "- a"
