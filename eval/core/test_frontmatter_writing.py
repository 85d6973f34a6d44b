"""Writing frontmatter: every reader of YAML reads back the text that was given."""

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import frontmatter

# What YAML 1.2's core schema and js-yaml take for null, truth, a number or a date.
CORE = re.compile(
    r"|~|null|Null|NULL|true|True|TRUE|false|False|FALSE"
    r"|[-+]?[0-9][0-9_]*|0o[0-7_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?0b[01_]+"
    r"|[-+]?(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?"
    r"|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN"
    r"|\d{4}-\d\d?-\d\d?([Tt \t]+[\d:.]+([ \t]*(Z|[-+][\d:]+))?)?",
    re.ASCII,
)
QUOTED = [
    *("yes", "No", "ON", "off", "y", "N", "true", "FALSE", "null", "Null", "~", "", " "),
    *("0", "12", "-1", "+1", "1.5", "1e3", "1E3", "1e+3", ".5", "1.", "0o7", "0x1f", "0b1", "010"),
    *("1_000", "12:30", "12:30:00", "-1:30", ".inf", "-.INF", ".nan", "e3", "1,000"),
    *("2026-01-05", "2026-1-5", "2026-01-05T10:00:00Z", "2026-01-05 10:00:00 +01:00", "20260105"),
    *("@x", "`x`", "- x", "-x", "-", "? x", "?", ": x", ":", "#x", "&x", "*x", "!x", "|", ">"),
    *("%x", "{x}", "[x]", "[[x]]", "]", "}", ",", '"', '"x"', "'", "'x'", "a: b", "a:", "a #b"),
    *("=", "<<", " x", "x ", "\tx", "x\t", "\xa0x", "😀", "😀 party", "…", "--- x", "...", "."),
    *("~x", "$x", "*", "a\nb", "a\r\nb", "\n", "a\x85b", "a\u2028b", "a\u2029b", "\ufeffa"),
    *("a\x00b", "a\x1bb", "a\tb"),
    *("\\", "\\n", "a: \\", "a: 'b' \"c\"", "a\n\"b\\", "\x7f", "\ufffe", "a:\n- b"),
]  # fmt: skip
BARE = [
    *("Ada", "Ada Fenn", "it's", "C#", "F# & G", "a:b", "https://example.org/#x", "3 cats", "é"),
    *("x - y", 'he said "no"', "a, b [c] {d}", "50%", "v1.2", "2026-W05", "/path", "(x)", "_x"),
    *("x😀", "日本", "nullable", "yesterday", "1st", "10 km"),
]  # fmt: skip


def read_back(block):
    return yaml.safe_load(block.strip("-\n") + "\n")


@pytest.mark.parametrize("text", QUOTED)
def test_text_that_yaml_would_take_for_something_else_is_quoted(text):
    block = frontmatter.render({"k": text, "l": [text], "m": {"n": [text]}, f"key {text}": 1})

    lines = block.split("\n")
    assert lines[1][3] in "\"'"
    assert lines[3][4] in "\"'"
    assert len(lines) == 8
    assert read_back(block) == {"k": text, "l": [text], "m": {"n": [text]}, f"key {text}": 1}
    assert frontmatter.parse(block) == read_back(block)


@pytest.mark.parametrize("text", BARE)
def test_ordinary_text_is_not_quoted(text):
    block = frontmatter.render({"k": text, "l": [text]})

    assert block == f"---\nk: {text}\nl:\n  - {text}\n---\n"
    assert read_back(block) == {"k": text, "l": [text]}


def test_quotes_are_chosen_so_that_little_has_to_be_escaped():
    values = {"a": "x: y", "b": 'x: "y"', "c": "x: \\d", "d": "it's: 'y' \"z\"", "e": 'x\n"y"\\'}

    assert frontmatter.render(values).split("\n")[1:-2] == [
        'a: "x: y"',
        "b: 'x: \"y\"'",
        "c: 'x: \\d'",
        "d: 'it''s: ''y'' \"z\"'",
        'e: "x\\n\\"y\\"\\\\"',
    ]


def test_a_new_block_holds_every_kind_of_value():
    values = {
        "type": "person",
        "tags": ["a", "b: c"],
        "none": None,
        "empty": [],
        "count": 3,
        "share": 0.5,
        "tiny": 1e-7,
        "done": False,
        "created": "2026-01-05",
        "due": "2026-01-05",
    }

    block = frontmatter.render(values, date_keys=("created",))

    assert block.split("\n") == [
        *("---", "type: person", "tags:", "  - a", '  - "b: c"', "none:", "empty: []", "count: 3"),
        *("share: 0.5", "tiny: 1.0e-07", "done: false", "created: 2026-01-05", 'due: "2026-01-05"'),
        *("---", ""),
    ]
    assert frontmatter.parse(block) == values


def test_no_values_make_an_empty_block():
    assert frontmatter.render({}) == "---\n---\n"
    assert frontmatter.parse(frontmatter.render({})) == {}


@given(st.text(max_size=12), st.text(max_size=5))
@settings(max_examples=400)
def test_any_text_reads_back_the_same_and_bare_only_where_all_readers_agree(text, key):
    block = frontmatter.render({key: text, "list" + key: [text], "map" + key: {key: [text, text]}})

    assert list(read_back(block).values()) == [text, [text], {key: [text, text]}]
    assert list(read_back(block)) == list(frontmatter.parse(block))
    bare = frontmatter.render({"k": text}).split("\n")[1][3:]
    assert bare != text or not CORE.fullmatch(text)


@given(st.from_regex(CORE, fullmatch=True, alphabet=st.characters(codec="ascii")))
@settings(max_examples=200)
def test_what_looks_like_a_value_of_yaml_is_never_bare_text(text):
    assert frontmatter.render({"k": text}).split("\n")[1][3] in "\"'"
    assert read_back(frontmatter.render({"k": text})) == {"k": text}


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans()))
def test_any_number_reads_back_the_same(number):
    block = frontmatter.render({"k": number, "l": [number]})

    for read in (read_back(block), frontmatter.parse(block)):
        assert read == {"k": number, "l": [number]}
        assert type(read["k"]) is type(number)
