"""Editing made-up notes: PyYAML reads what was meant, and all other bytes are the same."""

import json

import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from echo_memory import frontmatter
from echo_memory.errors import Unparseable
from yaml_documents import judged, notes

TEXT = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["yes", "1e3", "2026-01-05", "a: b", "x # y", "- x", "[[Note]]", "a\nb", "", "😀"]
    ),
)
SCALAR = st.one_of(
    TEXT,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
VALUE = st.recursive(
    st.one_of(SCALAR, st.lists(TEXT, max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=4,
)


def key_of(part):
    return next(iter(yaml.load(part.partition(":")[0] + ": x", yaml.BaseLoader)))


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@given(notes(), VALUE, st.data())
@settings(max_examples=150)
def test_a_key_that_is_set_means_the_value_and_its_neighbours_keep_their_bytes(note, value, data):
    before, parts, after = note
    text = before + "".join(parts) + after
    number = data.draw(st.integers(0, len(parts) - 1))
    key = key_of(parts[number])

    changed = frontmatter.set_keys(text, {key: value})

    head, tail = before + "".join(parts[:number]), "".join(parts[number + 1 :]) + after
    assert changed.startswith(head)
    assert changed.endswith(tail)
    assert len(changed) > len(head) + len(tail)
    assert same(judged(changed), {**judged(text), key: value})
    assert same(frontmatter.parse(changed), judged(changed))
    assert frontmatter.set_keys(changed, {key: value}) == changed


@given(notes(), st.dictionaries(st.text(max_size=6), VALUE, min_size=1, max_size=3))
@settings(max_examples=120)
def test_keys_that_are_missing_are_added_at_the_end_of_the_block(note, values):
    before, parts, after = note
    text = before + "".join(parts) + after
    assume(not values.keys() & {key_of(part) for part in parts})

    changed = frontmatter.set_keys(text, values)

    assert changed.startswith(before + "".join(parts))
    assert changed.endswith(after)
    assert same(judged(changed), {**judged(text), **values})


@given(notes(), st.lists(TEXT, max_size=3), st.data())
@settings(max_examples=150)
def test_items_are_united_with_what_is_there_and_its_lines_stay(note, items, data):
    before, parts, after = note
    text = before + "".join(parts) + after
    number = data.draw(st.integers(0, len(parts) - 1))
    key = key_of(parts[number])
    held = judged(text)[key]
    assume(not isinstance(held, dict))
    held = held if isinstance(held, list) else [] if held in (None, "") else [held]
    missing = [item for item in dict.fromkeys(items) if item not in held]

    changed = frontmatter.add_items(text, key, items)

    if not missing:
        assert changed == text
        return
    assert changed.startswith(before + "".join(parts[:number]))
    assert changed.endswith("".join(parts[number + 1 :]) + after)
    assert same(judged(changed), {**judged(text), key: [*held, *missing]})
    lines = parts[number].splitlines(keepends=True)
    if any(line.lstrip().startswith("- ") for line in lines) and isinstance(
        judged(text)[key], list
    ):
        remaining = iter(changed.splitlines(keepends=True))
        assert all(line in remaining for line in lines)


@given(st.text(), VALUE)
@settings(max_examples=120)
def test_any_note_is_edited_or_refused_and_keeps_its_body(text, value):
    for note in (text, f"---\n{text}\n---\n{text}", f"---\r\nk: {text}\r\n---\r\n{text}"):
        try:
            changed = frontmatter.set_keys(note, {"k": value})
        except Unparseable:
            continue

        body = frontmatter.split(note)[1]
        assert frontmatter.split(changed)[1] == (
            body if frontmatter.split(note)[0] else body.removeprefix("\ufeff")
        )
        assert same(frontmatter.parse(changed)["k"], value)
