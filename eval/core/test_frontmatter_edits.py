"""Editing frontmatter: one key changes, every other byte stays."""

import pytest

from echo_memory import frontmatter
from echo_memory.errors import BadRequest, Unparseable

BODY = "\n# Title\n\n---\ntitle: body\n"


def note(yaml):
    return f"---\n{yaml}---\n{BODY}"


SET = {
    "a plain value": ("a: 1\nk: x\nb: 2\n", "new", "a: 1\nk: new\nb: 2\n"),
    "its comment stays": ("k: x   # said\n", "new", "k: new   # said\n"),
    "its alignment stays": ("k:     x\n", "new", "k:     new\n"),
    "a quoted key": ('"k": x\n', "new", '"k": new\n'),
    "space before the colon": ("k : x\n", "new", "k : new\n"),
    "an empty value": ("k:\nb: 1\n", "new", "k: new\nb: 1\n"),
    "an empty value and spaces": ("k:   \nb: 1\n", "new", "k: new\nb: 1\n"),
    "an empty value and a comment": ("k: # said\n", "new", "k: new # said\n"),
    "a value over lines": ("k: x\n  y\n\n  z\nb: 1\n", "new", "k: new\nb: 1\n"),
    "quotes over lines": ('k: "x\n  y" # said\nb: 1\n', "new", "k: new # said\nb: 1\n"),
    "a value below": ("k:\n  x\nb: 1\n", "new", "k: new\nb: 1\n"),
    "literal text": ("k: |\n  x\n\n  y\n\n# c\nb: 1\n", "new", "k: new\n\n# c\nb: 1\n"),
    "kept text": ("k: |+\n  x\n\nb: 1\n", "new", "k: new\nb: 1\n"),
    "a map": ("k:\n  a: 1 # one\n  b: 2 # two\n# c\nb: 1\n", "new", "k: new\n# c\nb: 1\n"),
    "a list becomes a value": ("k:\n- a\n- b\nb: 1\n", "new", "k: new\nb: 1\n"),
    "brackets over lines": ("k: [a,\n  b,\n] # said\nb: 1\n", "new", "k: new # said\nb: 1\n"),
    "an anchor nobody uses": ("k: &x y\n", "new", "k: new\n"),
    "comments around it": ("# a\nk: x\n# b\n", "new", "# a\nk: new\n# b\n"),
    "a value becomes nothing": ("k: x # said\nb: 1\n", None, "k: # said\nb: 1\n"),
    "the last key before dots": ("k: x\n...\n", "new", "k: new\n...\n"),
    "an indented root": ("  k: x\n  b: 1\n", "new", "  k: new\n  b: 1\n"),
    "a flush list": ("k:\n- a\n- b\nb: 1\n", ["c", "d"], "k:\n- c\n- d\nb: 1\n"),
    "an indented list": ("k: # tags\n    - a # x\nb: 1\n", ["c"], "k: # tags\n    - c\nb: 1\n"),
    "a list in brackets": ("k: [a, b] # said\n", ["c", "d,e"], 'k: [c, "d,e"] # said\n'),
    "brackets over lines stay brackets": ("k: [\n  a\n]\nb: 1\n", ["c"], "k: [c]\nb: 1\n"),
    "a value becomes a list": ("k: x # said\nb: 1\n", ["c"], "k: # said\n  - c\nb: 1\n"),
    "text becomes a list": ("k: |\n  x\nb: 1\n", ["c"], "k:\n  - c\nb: 1\n"),
    "nothing becomes a list": ("k:\nb: 1\n", ["c", "d"], "k:\n  - c\n  - d\nb: 1\n"),
    "a list becomes empty": ("k:\n  - a\nb: 1\n", [], "k: []\nb: 1\n"),
    "an indented root's list": ("  k: x\n  b: 1\n", ["c"], "  k:\n    - c\n  b: 1\n"),
    "a missing key": ("a: 1\n# end\n\n", "new", "a: 1\n# end\n\nk: new\n"),
    "a missing list": ("a: 1\n", ["x", "y: z"], 'a: 1\nk:\n  - x\n  - "y: z"\n'),
    "a missing key under indentation": ("  a: 1\n", ["x"], "  a: 1\n  k:\n    - x\n"),
    "a missing key before dots": ("a: 1\n... # over\n", "new", "a: 1\nk: new\n... # over\n"),
    "a missing key behind kept text": ("a: |+\n  x\n\n", "new", "a: |+\n  x\n\nk: new\n"),
    "an empty block": ("", "new", "k: new\n"),
    "a block of comments": ("# c\n", "new", "# c\nk: new\n"),
    "a map of JSON": (
        "k: 1\n",
        {"a": [1, None, "x: y"], "b": {}},
        'k: {a: [1, null, "x: y"], b: {}}\n',
    ),
    "numbers": (
        "k: 1\n",
        [1, 1.5, 1e-7, 1e22, True],
        "k:\n  - 1\n  - 1.5\n  - 1.0e-07\n  - 1.0e+22\n  - true\n",
    ),
}


@pytest.mark.parametrize(("yaml", "value", "expected"), SET.values(), ids=SET)
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_setting_a_key_changes_its_lines_only(yaml, value, expected, eol):
    text = note(yaml).replace("\n", eol)

    changed = frontmatter.set_keys(text, {"k": value})

    assert changed == note(expected).replace("\n", eol)
    assert frontmatter.parse(changed)["k"] == value


ADDED = {
    "to a flush list": ("k:\n- a\n- b\nz: 1\n", "k:\n- a\n- b\n- c\n- d\nz: 1\n"),
    "to an indented list": ("k:\n    - a # x\n# y\n", "k:\n    - a # x\n    - c\n    - d\n# y\n"),
    "behind maps": ("k:\n- a: 1\n  b: 2\n", "k:\n- a: 1\n  b: 2\n- c\n- d\n"),
    "behind an empty item": ("k:\n- \n", "k:\n- \n- c\n- d\n"),
    "behind text": ("k:\n- |\n  x\n\nz: 1\n", "k:\n- |\n  x\n- c\n- d\n\nz: 1\n"),
    "behind kept text": ("k:\n- |+\n  x\n\nz: 1\n", "k:\n- |+\n  x\n\n- c\n- d\nz: 1\n"),
    "to brackets": ("k: [a, 'b'] # x\n", "k: [a, 'b', c, d] # x\n"),
    "to brackets with a last comma": ("k: [a, b, ]\n", "k: [a, b, c, d, ]\n"),
    "to brackets over lines": ("k: [\n  a,\n  b # y\n]\n", "k: [\n  a,\n  b, c, d # y\n]\n"),
    "to empty brackets": ("k: [] # x\n", "k: [c, d] # x\n"),
    "to a value": ("k: a\nz: 1\n", "k:\n  - a\n  - c\n  - d\nz: 1\n"),
    "to a value with a comment": ("k: 'a' # x\n", "k: # x\n  - 'a'\n  - c\n  - d\n"),
    "to a date": ("k: 2026-01-05\n", "k:\n  - 2026-01-05\n  - c\n  - d\n"),
    "to an anchored value": ("k: &x a\nz: *x\n", "k:\n  - &x a\n  - c\n  - d\nz: *x\n"),
    "to a value over lines": ("k: a\n  b\n", "k:\n  - a b\n  - c\n  - d\n"),
    "to a text": ("k: |\n  a\n", 'k:\n  - "a\\n"\n  - c\n  - d\n'),
    "to an alias of a list": ("z: &x [a]\nk: *x\n", "z: &x [a]\nk:\n  - a\n  - c\n  - d\n"),
    "to nothing": ("k:\nz: 1\n", "k:\n  - c\n  - d\nz: 1\n"),
    "to null": ("k: ~ # x\n", "k: # x\n  - c\n  - d\n"),
    "to empty text": ("k: ''\n", "k:\n  - c\n  - d\n"),
    "to a note without the key": ("z: 1\n", "z: 1\nk:\n  - c\n  - d\n"),
    "what is missing only": ("k: [d, a]\n", "k: [d, a, c]\n"),
    "what is missing beside one value": ("k: d\n", "k:\n  - d\n  - c\n"),
    "nothing if all is there": ("k: [ d,c ]\n", "k: [ d,c ]\n"),
}  # fmt: skip


@pytest.mark.parametrize(("yaml", "expected"), ADDED.values(), ids=ADDED)
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_items_are_added_behind_those_that_are_there(yaml, expected, eol):
    text = note(yaml).replace("\n", eol)

    changed = frontmatter.add_items(text, "k", ["c", "d", "c"])

    assert changed == note(expected).replace("\n", eol)
    assert frontmatter.add_items(changed, "k", ["d", "c"]) == changed


def test_items_are_compared_exactly():
    text = note("k: [C, 2024, true, 'c ']\n")

    changed = frontmatter.add_items(text, "k", ["c", "2024", "true"])

    assert changed == note('k: [C, 2024, true, \'c \', c, "2024", "true"]\n')


def test_several_keys_are_set_at_once_and_in_place():
    text = note("a: 1\nb:\n- x\n# c\nd: 4 # four\n")

    changed = frontmatter.set_keys(text, {"d": "D", "new": 1, "a": "A", "b": ["Z"], "other": "o"})

    assert changed == note("a: A\nb:\n- Z\n# c\nd: D # four\nnew: 1\nother: o\n")


def test_a_key_that_has_the_value_keeps_its_bytes():
    text = note("a: 'x'\nb: [ 1,2 ]\nc: 2026-01-05\nd: ~\ne:\n- \"y\"\n")
    values = {"a": "x", "b": [1, 2], "c": "2026-01-05", "d": None, "e": ["y"]}

    assert frontmatter.set_keys(text, values) == text


def test_a_value_of_another_type_is_another_value():
    assert frontmatter.set_keys(note("k: 1\n"), {"k": True}) == note("k: true\n")
    assert frontmatter.set_keys(note("k: 1\n"), {"k": "1"}) == note('k: "1"\n')


def test_dates_are_bare_in_date_keys_only():
    values = {"created": "2026-01-05", "other": "2026-01-05", "updated": "2026-02-31"}

    changed = frontmatter.set_keys(note("created: x\n"), values, date_keys=("created", "updated"))

    assert changed == note('created: 2026-01-05\nother: "2026-01-05"\nupdated: "2026-02-31"\n')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "---\nk: x\n---\n"),
        ("Body", "---\nk: x\n---\nBody"),
        ("\ufeff# T\n", "\ufeff---\nk: x\n---\n# T\n"),
        ("# T\r\nx\n", "---\r\nk: x\r\n---\r\n# T\r\nx\n"),
        ("---\nNo end\n", "---\nk: x\n---\n---\nNo end\n"),
        ("---", "---\nk: x\n---\n---"),
    ],
)
def test_a_note_without_frontmatter_gets_a_block_at_the_top(text, expected):
    assert frontmatter.set_keys(text, {"k": "x"}) == expected


def test_items_added_to_a_note_without_frontmatter_get_a_block():
    assert frontmatter.add_items("Body", "k", ["x"]) == "---\nk:\n  - x\n---\nBody"


def test_new_lines_end_as_the_block_does_and_others_as_they_did():
    text = "---\r\na: 1\nk:\n- x\n---\nbody\r"

    changed = frontmatter.set_keys(frontmatter.add_items(text, "k", ["z"]), {"b": 2})

    assert changed == "---\r\na: 1\nk:\n- x\r\n- z\nb: 2\r\n---\nbody\r"


def test_a_missing_final_newline_stays_missing():
    assert frontmatter.set_keys("---\na: 1\n---", {"b": 2}) == "---\na: 1\nb: 2\n---"


REFUSED = {
    "broken YAML": "k: x\nb: 'open\n",
    "a key twice": "k: x\nk: y\n",
    "a list": "- k\n",
    "text": "words\n",
    "braces": "{k: x}\n",
    "an anchor in use": "k: &x v\nb: *x\n",
    "a map merged elsewhere": "k: &x {a: 1}\nb:\n  <<: *x\n",
}


@pytest.mark.parametrize("yaml", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_edited_surely_is_refused(yaml):
    with pytest.raises(Unparseable) as caught:
        frontmatter.set_keys(note(yaml), {"k": "new"})
    assert caught.value.details["line"] >= 2


def test_items_are_not_added_to_a_map_nor_to_a_list_that_others_share():
    with pytest.raises(Unparseable):
        frontmatter.add_items(note("k:\n  a: 1\n"), "k", ["x"])
    with pytest.raises(Unparseable):
        frontmatter.add_items(note("k: &x [a]\nb: *x\n"), "k", ["c"])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", b"x", {1: 2}, [object()]])
def test_what_json_cannot_say_is_a_bad_request_that_names_the_key(value):
    for write in (
        lambda: frontmatter.set_keys(note("k: 1\n"), {"k": value}),
        lambda: frontmatter.add_items(note("k: 1\n"), "k", [value]),
        lambda: frontmatter.render({"k": value}),
    ):
        with pytest.raises(BadRequest) as caught:
            write()
        assert caught.value.details == {"field": "k"}


def test_a_value_nested_beyond_measure_is_a_bad_request():
    value = []
    for _ in range(5000):
        value = [value]

    with pytest.raises(BadRequest):
        frontmatter.set_keys("", {"k": value})
