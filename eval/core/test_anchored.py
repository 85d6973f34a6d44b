"""Editing at block ids: which block an id names, and what is put beside it or in its place."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from awkward import NOTES
from echo_memory.errors import BadRequest, InvalidTarget
from echo_memory.sections import patch


def changed(text: str, operation: str, target: str, content: str) -> str:
    return patch(text, operation, "block", target, content)


def ids(text: str) -> list[str]:
    with pytest.raises(InvalidTarget) as caught:
        changed(text, "append", "no-such-id", "x")
    return list(caught.value.details["blocks"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ^x\n", ["^x"]),
        ("a\nb ^x", ["^x"]),
        ("a ^x  \r\n", ["^x"]),
        ("a ^x\nb\n", []),
        ("a^x\na ^x.\na ^\n^é\n", []),
        ("- a ^x\n  - b ^y\n- c ^z\n", ["^x", "^y", "^z"]),
        ("> a ^x\n", ["^x"]),
        ("# a ^x\n", ["^x"]),
        ("| a |\n| - |\n\n^x\n", ["^x"]),
        ("| a |\n| - |\n^x\n", ["^x"]),
        ("^x\n", []),
        ("# a\n\n^x\n", []),
        ("a\n\n^x\n---\n", []),
        ("- # a\n\n  ^x\n", ["^x"]),
        ("- a\n^x\n", ["^x"]),
        ("---\na: b ^x\n---\n^y\n", []),
        ("```\na ^x\n```\n", []),
        ("%%\na ^x\n%%\n$$\na ^y\n$$\n    a ^z\n", []),
        ("`a ^x`\n\n$y ^2$\n", []),
    ],
)
def test_ids_are_those_at_the_end_of_a_block(text: str, expected: list[str]) -> None:
    assert ids(text) == expected


def test_the_ids_of_an_awkward_note_are_found() -> None:
    names = (
        "title para item-1 nested item-2 item-2b list quote callout table code UPPER under below"
        " last"
    )

    assert ids(NOTES["block-ids"]) == [f"^{name}" for name in names.split()]


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("a ^x\n", "b", "a ^x\n\nb\n"),
        ("a ^x", "b\n", "a ^x\n\nb\n"),
        ("a ^x\n\nc\n", "b", "a ^x\n\nb\n\nc\n"),
        ("a ^x\n- c\n", "b", "a ^x\n\nb\n\n- c\n"),
        ("a\n^x\n\nc\n", "b", "a\n^x\n\nb\n\nc\n"),
        ("a ^x\r\n\r\nc\r\n", "b\nb", "a ^x\r\n\r\nb\r\nb\r\n\r\nc\r\n"),
        ("- a ^x\n- c\n", "- b", "- a ^x\n- b\n- c\n"),
        ("- a ^x\n  - d\n- c\n", "- b", "- a ^x\n  - d\n- b\n- c\n"),
        ("- a ^x\n\n  d\n- c\n", "- b", "- a ^x\n\n  d\n- b\n- c\n"),
        ("- c\n  - a ^x\n  - d\n", "- b", "- c\n  - a ^x\n  - b\n  - d\n"),
        ("- c\n  - a ^x\n  - d\n", "  - b", "- c\n  - a ^x\n  - b\n  - d\n"),
        ("- c\n\t- a ^x\n\t- d\n", "- b\n\t- e", "- c\n\t- a ^x\n\t- b\n\t\t- e\n\t- d\n"),
        ("- c\n  - a ^x\n  - d\n", "b", "- c\n  - a ^x\n\n  b\n\n  - d\n"),
        ("- a ^x\n- c\n", "b", "- a ^x\n\nb\n\n- c\n"),
        ("1. [ ] a ^x\n2. c\n", "3. [ ] b", "1. [ ] a ^x\n3. [ ] b\n2. c\n"),
        ("- a\n- c\n\n^x\n", "- b", "- a\n- c\n- b\n\n^x\n"),
        ("- a\n- c\n\n^x\n", "b", "- a\n- c\n\n^x\n\nb\n"),
        ("- a\n- c\n^x\n", "- b", "- a\n- c\n^x\n- b\n"),
        ("> a ^x\n\nc\n", "b", "> a ^x\n\nb\n\nc\n"),
        ("> a ^x\n\nc\n", "> b", "> a ^x\n>\n> b\n\nc\n"),
        ("> [!note] a\n> b ^x\n", "> c", "> [!note] a\n> b ^x\n>\n> c\n"),
        ("> a ^x\n", "> [!note] b", "> a ^x\n\n> [!note] b\n"),
        ("> a\n\n^x\n", "> b", "> a\n> b\n\n^x\n"),
        ("> - a ^x\n> - c\n", "- b", "> - a ^x\n> - b\n> - c\n"),
        ("1. - a ^x\n2. c\n", "- b", "1. - a ^x\n   - b\n2. c\n"),
        ("> a ^x\n>\n> c\n", "> b", "> a ^x\n>\n> c\n> b\n"),
        ("- c\n  > a ^x\n", "> b", "- c\n  > a ^x\n  >\n  > b\n"),
        ("- > a ^x\n- c\n", "b", "- > a ^x\n\n  b\n- c\n"),
        ("| a |\n| - |\n| 1 |\n\n^x\n", "| 2 |", "| a |\n| - |\n| 1 |\n| 2 |\n\n^x\n"),
        ("| a |\n| - |\n| 1 |\n^x\n", "| 2 |", "| a |\n| - |\n| 1 |\n| 2 |\n^x\n"),
        ("| a |\n| - |\n| 1 |\n\n^x\n", "b", "| a |\n| - |\n| 1 |\n\n^x\n\nb\n"),
        ("```\na\n```\n\n^x\n", "b", "```\na\n```\n\n^x\n\nb\n"),
        ("# a ^x\n\nc\n", "b", "# a ^x\n\nb\n\nc\n"),
        ("a ^x\n=\n\nc\n", "b", "a ^x\n=\n\nb\n\nc\n"),
        ("a ^x\n", "", "a ^x\n"),
    ],
)
def test_append_adds_below_the_block(text: str, content: str, expected: str) -> None:
    assert changed(text, "append", "x", content) == expected


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("a ^x\n", "b", "b\n\na ^x\n"),
        ("c\n\na\na ^x", "b", "c\n\nb\n\na\na ^x"),
        ("\ufeffa ^x\n", "b", "\ufeffb\n\na ^x\n"),
        ("- c\n- a ^x\n", "- b", "- c\n- b\n- a ^x\n"),
        ("- c\n  - a ^x\n", "- b", "- c\n  - b\n  - a ^x\n"),
        ("- a ^x\n", "b", "b\n\n- a ^x\n"),
        ("> a\n\n^x\n", "> b", "> b\n> a\n\n^x\n"),
        ("> [!note] a ^x\n", "> b", "> b\n\n> [!note] a ^x\n"),
        ("| a |\n| - |\n| 1 |\n\n^x\n", "| 0 |", "| a |\n| - |\n| 0 |\n| 1 |\n\n^x\n"),
        ("| a |\n| - |\n\n^x\n", "b", "b\n\n| a |\n| - |\n\n^x\n"),
        ("a ^x\n\n---\n", "---", " ---\n\na ^x\n\n---\n"),
    ],
)
def test_prepend_adds_above_the_block(text: str, content: str, expected: str) -> None:
    assert changed(text, "prepend", "^x", content) == expected


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ("a ^x\n", "b", "b ^x\n"),
        ("a\na ^x\n\nc\n", "b\nb", "b\nb ^x\n\nc\n"),
        ("a ^x\n- c\n", "b", "b ^x\n- c\n"),
        ("a ^x", "b ^x", "b ^x\n"),
        ("a ^x\n", "b\n\n^x", "b ^x\n"),
        ("a\n^x\n", "b", "b\n^x\n"),
        ("a\n\n^x\n", "b", "b\n\n^x\n"),
        ("a ^x\n", "```\nb\n```", "```\nb\n```\n\n^x\n"),
        ("- a ^x\n  - d\n- c\n", "b", "- b ^x\n  - d\n- c\n"),
        ("- a ^x\n", "* b", "* b ^x\n"),
        ("e:\n- a ^x\n- c\n", "b", "e:\n- b ^x\n- c\n"),
        ("- c\n  - a\n    a ^x\n  - d\n", "b\nb", "- c\n  - b\n    b ^x\n  - d\n"),
        ("- c\n    - a ^x\n", "- b", "- c\n    - b ^x\n"),
        ("- [ ] a ^x\n", "b", "- [ ] b ^x\n"),
        ("- [ ] a ^x\n", "- [x] b", "- [x] b ^x\n"),
        ("- [ ] a ^x\n", "[x] b", "- [x] b ^x\n"),
        ("- a\n\n  a ^x\n- c\n", "b", "- a\n\n  b ^x\n- c\n"),
        ("- a ^x\n- c\n", "```\nb\n```", "- ```\n  b\n  ```\n\n  ^x\n- c\n"),
        ("- a\n- c\n\n^x\n", "- b", "- b\n\n^x\n"),
        ("> a\n> a ^x\n", "b\nb", "> b\n> b ^x\n"),
        ("> a ^x\n", "> b", "> b ^x\n"),
        ("> a ^x\n>\n> c\n", "b", "> b ^x\n"),
        ("> > a ^x\n>\n> c\n", "b", "> b ^x\n"),
        ("- a\n- c\n^x\n", "- b", "- b\n\n^x\n"),
        ("- a ^x\n- c\n", "b\n\nb", "- b\n\n  b ^x\n- c\n"),
        ("- c\n  - a\n\n    ^x\n", "- b", "- c\n  - b\n\n    ^x\n"),
        ("- c\n  - a\n    ^x\n", "b", "- c\n  - b\n    ^x\n"),
        ("1. - a ^x\n2. c\n", "b", "1. - b ^x\n2. c\n"),
        ("[^1]: a ^x\n", "b", "[^1]: b ^x\n"),
        ("> [!note] a\n> a ^x\n", "b", "> [!note] a\n> b ^x\n"),
        ("> [!note] a\n> a ^x\n", "> [!tip] b", "> [!tip] b ^x\n"),
        ("> - a ^x\n> - c\n", "b", "> - b ^x\n> - c\n"),
        ("| a |\n| - |\n| 1 |\n\n^x\n", "| 2 |", "| a |\n| - |\n| 2 |\n\n^x\n"),
        ("| a |\n| - |\n^x\n", "| b |\n| - |\n| 1 |", "| b |\n| - |\n| 1 |\n^x\n"),
        ("## a ^x\n\nc\n", "b", "## b ^x\n\nc\n"),
        ("## a ^x\n\nc\n", "### b", "### b ^x\n\nc\n"),
        ("a ^x\n---\n", "b", "b ^x\n---\n"),
        ("```\na\n```\n\n^x\n", "~~~\nb\n~~~", "~~~\nb\n~~~\n\n^x\n"),
        ("a ^x\r\n\r\nc\r\n", "b\nb", "b\r\nb ^x\r\n\r\nc\r\n"),
    ],
)
def test_replace_changes_the_text_and_keeps_the_id(text: str, content: str, expected: str) -> None:
    assert changed(text, "replace", "x", content) == expected


@pytest.mark.parametrize("target", ["Item-1", "^ITEM-1", " ^item-1 "])
def test_an_id_is_found_in_any_case(target: str) -> None:
    assert "- item one ^item-1\n  - nested ^nested\n- new\n" in changed(
        NOTES["block-ids"], "append", target, "- new"
    )


@pytest.mark.parametrize("target", ["none", "dup", "^DUP", "not-this"])
def test_an_id_that_is_missing_or_ambiguous_is_answered_with_those_there_are(target: str) -> None:
    with pytest.raises(InvalidTarget) as caught:
        changed(NOTES["block-ids-duplicate"], "append", target, "new")

    assert caught.value.details == {"blocks": ["^dup", "^dup", "^Dup"]}


def test_the_spelling_of_the_note_comes_first() -> None:
    assert changed(NOTES["block-ids-duplicate"], "replace", "^Dup", "new").endswith("- new ^Dup\n")


@pytest.mark.parametrize(
    ("text", "content"), [("a ^x\n", " \n"), ("# a ^x\n", "b\nc"), ("a ^x\n=\n", "b\n\nc")]
)
def test_a_replacement_that_does_not_fit_is_refused(text: str, content: str) -> None:
    with pytest.raises(BadRequest) as caught:
        changed(text, "replace", "x", content)

    assert caught.value.details == {"field": "content"}


BLOCKS = [
    "a {}", "a\nb {}", "- a {}\n  - b\n- c", "- a\n  - b {}\n  - c", "1. [ ] a {}", "> a {}",
    "> [!note] a\n> b {}", "> - a {}\n> - b", "# a {}", "- a\n\n  b {}\n- c", "- a\n- b\n\n{}",
    "| a |\n| - |\n| 1 |\n\n{}", "```\na\n```\n\n{}", "a\n{}", "- > a {}\n- b",
]  # fmt: skip
AROUND = ["", "text", "- item", "> quote", "# Heading", "```\nfence\n```", "***", "| a |\n| - |"]
CONTENTS = [
    "new", "new\nlines", "- new", "- new\n  - nested", "* new", "> new", "> [!tip] new", "| new |",
    "| a |\n|---|", "```py\n# new\n```", "~~~\nnever closed", "%% new", "***", "new `code",
]  # fmt: skip


@given(
    st.sampled_from(BLOCKS),
    st.sampled_from(AROUND),
    st.sampled_from(AROUND),
    st.sampled_from(["\n", "\n\n"]),
    st.sampled_from(CONTENTS),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=500, deadline=None)
def test_adding_beside_a_block_keeps_every_byte_and_every_id(
    block: str, above: str, below: str, apart: str, content: str, eol: str
) -> None:
    text = apart.join([above, block.format("^x"), below, "end ^y\n"]).replace("\n", eol)
    assume(ids(text) == ["^x", "^y"])

    for operation in ("append", "prepend"):
        after = changed(text, operation, "x", content)

        kept = next((at for at, (a, b) in enumerate(zip(text, after, strict=False)) if a != b), 0)
        assert after.endswith(text[kept:])
        assert ids(after) == ["^x", "^y"]
        assert re.sub(r"\s|>", "", content) in re.sub(r"\s|>", "", after)
        assert after.count("\n") == after.count(eol)


@given(
    st.sampled_from([block for block in BLOCKS if not block.startswith("#")]),
    st.sampled_from(AROUND),
    st.sampled_from(CONTENTS),
)
@settings(max_examples=300, deadline=None)
def test_replacing_a_block_keeps_its_id_and_what_is_around_it(
    block: str, above: str, content: str
) -> None:
    assume(not (above.startswith("-") and block.startswith("-")))  # one list, which is one block
    head = f"{above}\n\n" if above else ""
    text = f"{head}{block.format('^x')}\n\nend ^y\n"

    after = changed(text, "replace", "x", content)

    assert after.startswith(head)
    assert after.endswith("\n\nend ^y\n")
    assert ids(after) == ["^x", "^y"]
    assert changed(after, "replace", "x", "last").count("^x") == 1
