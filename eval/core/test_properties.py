"""Editing at frontmatter keys: what a value becomes, and what it is added to."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awkward import NOTES
from echo_memory import frontmatter
from echo_memory.errors import BadRequest, InvalidTarget, Unparseable
from echo_memory.sections import OPERATIONS, patch


def changed(text: str, operation: str, target: str, content: str) -> str:
    return patch(text, operation, "frontmatter", target, content)


HEAD = """\
---
title: Title  # why
tags: [a, b]
aliases:
  - One
  # between
  - Two
empty:
number: 4
done: false
nested:
  x: 1
---
# Body
"""


@pytest.mark.parametrize(
    ("operation", "key", "content", "value"),
    [
        ("append", "tags", "c", ["a", "b", "c"]),
        ("append", "tags", '"c"', ["a", "b", "c"]),
        ("append", "tags", '["c", "d", "a"]', ["a", "b", "c", "d"]),
        ("append", "tags", "b", ["a", "b"]),
        ("append", "tags", "2", ["a", "b", 2]),
        ("append", "aliases", "Three", ["One", "Two", "Three"]),
        ("append", "title", "more", "Title more"),
        ("append", "title", '" more"', "Title more"),
        ("append", "empty", "text", "text"),
        ("append", "empty", "[1, 2]", [1, 2]),
        ("append", "nested", '{"y": 2}', {"x": 1, "y": 2}),
        ("append", "nested", '{"x": 2}', {"x": 2}),
        ("prepend", "tags", "c", ["c", "a", "b"]),
        ("prepend", "tags", '["b", "c"]', ["c", "a", "b"]),
        ("prepend", "title", "A", "A Title"),
        ("prepend", "empty", "text", "text"),
        ("prepend", "nested", '{"y": 2}', {"y": 2, "x": 1}),
        ("replace", "tags", '["x"]', ["x"]),
        ("replace", "title", "a: b", "a: b"),
        ("replace", "title", '"yes"', "yes"),
        ("replace", "title", "yes", "yes"),
        ("replace", "title", "007", "007"),
        ("replace", "title", "NaN", "NaN"),
        ("replace", "title", "[[Note|alias]]", "[[Note|alias]]"),
        ("replace", "title", "  text\n", "text"),
        ("replace", "title", "", ""),
        ("replace", "number", "4.5", 4.5),
        ("replace", "number", "null", None),
        ("replace", "done", "true", True),
        ("replace", "nested", '{"x": [1, 2]}', {"x": [1, 2]}),
        ("replace", "Title", "text", "text"),
    ],
)
def test_a_value_is_set_or_added(operation: str, key: str, content: str, value: object) -> None:
    after = changed(HEAD, operation, key, content)

    assert frontmatter.parse(after) == {**frontmatter.parse(HEAD), key.lower(): value}
    assert after.endswith("\n---\n# Body\n")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_only_the_lines_of_the_key_change(operation: str) -> None:
    after = changed(HEAD, operation, "tags", '["c"]')

    kept = [line for line in HEAD.splitlines() if not line.startswith("tags")]
    assert [line for line in after.splitlines() if not line.startswith("tags")] == kept


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [("tags", "a", ["a", "b"]), ("aliases", "", ["b"]), ("sources", "[a]", ["a", "b"])],
)
def test_keys_that_hold_lists_become_lists(key: str, text: str, expected: list[str]) -> None:
    note = f"---\n{key}: {text}\n---\n"

    assert frontmatter.parse(changed(note, "append", key, "b")) == {key: expected}
    assert sorted(frontmatter.parse(changed(note, "prepend", key, "b"))[key]) == expected


def test_a_date_key_takes_a_date_without_quotes() -> None:
    text = "---\nupdated: 2026-01-01\nname: x\n---\n"

    for key, expected in (("updated", "updated: 2026-02-03\n"), ("name", 'name: "2026-02-03"\n')):
        after = patch(text, "replace", "frontmatter", key, "2026-02-03", date_keys=["updated"])
        assert expected in after.replace("'", '"')


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    ("text", "keys"), [("---\na: 1\nb: 2\n---\n", ["a", "b"]), ("# A\n", []), ("", [])]
)
def test_a_missing_key_is_answered_with_those_there_are(
    operation: str, text: str, keys: list[str]
) -> None:
    with pytest.raises(InvalidTarget) as caught:
        changed(text, operation, "c", "x")

    assert caught.value.details == {"keys": keys}


@pytest.mark.parametrize(
    ("key", "content"), [("number", "1"), ("done", "x"), ("nested", "x"), ("title", "[1]")]
)
def test_what_cannot_be_added_is_refused(key: str, content: str) -> None:
    with pytest.raises(BadRequest) as caught:
        changed(HEAD, "append", key, content)

    assert caught.value.details == {"field": "content"}


def test_frontmatter_that_cannot_be_read_is_left_alone() -> None:
    with pytest.raises(Unparseable):
        changed(NOTES["yaml-broken"], "replace", "title", "x")


@pytest.mark.parametrize(
    ("key", "content"),
    [
        ("tags", "x"),
        ("aliases", "null"),
        ("title", '{"a": '),
        ("title", "[" * 100_000),
        ("created", "soon"),
        ("created", "2026-02-30"),
        ("created", "20260203"),
        ("type", "alien"),
    ],
)
def test_a_value_of_another_sort_than_its_key_holds_is_refused(key: str, content: str) -> None:
    text = HEAD.replace("number: 4\n", "created: 2026-01-01\ntype: person\n")

    with pytest.raises(BadRequest) as caught:
        patch(text, "replace", "frontmatter", key, content, date_keys=["created"], kinds=["person"])

    assert caught.value.details == {"field": "content"}


@given(st.text(max_size=20), st.sampled_from(["\n", "\r\n"]))
def test_text_is_read_back_as_it_was_sent(value: str, eol: str) -> None:
    text = "---\na: b\nc: d\n---\nbody\n".replace("\n", eol)

    after = changed(text, "replace", "a", json.dumps(value))

    assert frontmatter.parse(after) == {"a": value, "c": "d"}
    assert after.endswith(text[text.index("c: d") :])
