"""Reading frontmatter: what is a block, what it means, and what is refused."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import frontmatter
from echo_memory.errors import Unparseable
from echo_memory.markdown import regions
from yaml_documents import judged, notes

FIXTURES = Path(__file__).parents[1] / "fixtures" / "frontmatter"
READABLE = sorted((FIXTURES / "readable").glob("*.md"))
REFUSED = sorted((FIXTURES / "refused").glob("*.md"))
SIGNS = st.sampled_from(
    [
        *("---\n", "...", "\n", "\r\n", "\n  ", "\n- ", "  ", "a: ", "k:", "- ", "? ", ": ", ", "),
        *("[", "]", "{", "}", '"', "'", "|", ">-\n  ", "#", " # c", "&x ", "*x", "!!str ", "%"),
        *("\\", "\\n", "\t", "\ufeff", "\u2028", "\ud800", "12", "0x1", "yes", "<<", "=", "a b"),
    ]
)


def named(paths):
    return [pytest.param(path.read_bytes().decode(), id=path.stem) for path in paths]


def in_block(yaml):
    return f"---\n{yaml}---\n"


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("---\na: 1\n---\nbody", "---\na: 1\n---\n"),
        ("---\n---\nbody", "---\n---\n"),
        ("---\na: 1\n---", "---\na: 1\n---"),
        ("---\r\na: 1\r\n---\r\nbody", "---\r\na: 1\r\n---\r\n"),
        ("--- \t\na: 1\n---  \nbody\n---\n", "--- \t\na: 1\n---  \n"),
        ("\ufeff---\na: 1\n---\nbody", "\ufeff---\na: 1\n---\n"),
        ("---\n ---\n----\n--- x\n---\n", "---\n ---\n----\n--- x\n---\n"),
        ("---\nA thematic break that nothing closes\n", ""),
        ("---\na: 1\n...\nbody", ""),
        ("\n---\na: 1\n---\n", ""),
        (" ---\na: 1\n---\n", ""),
        ("----\na: 1\n---\n", ""),
        ("--- x\na: 1\n---\n", ""),
        ("# Title\n\n---\na: 1\n---\n", ""),
        ("---", ""),
        ("---\n", ""),
        ("", ""),
    ],
)
def test_frontmatter_is_what_stands_between_a_first_line_of_dashes_and_the_next(text, head):
    assert frontmatter.split(text) == (head, text[len(head) :])


@given(st.lists(st.sampled_from(["---", "--- ", "\n", "\r\n", "\r", "\ufeff", "a: 1\n", "```\n"])))
@settings(max_examples=200)
def test_both_readers_of_a_note_agree_where_the_frontmatter_ends(pieces):
    text = "".join(["---\n", *pieces])

    head, body = frontmatter.split(text)

    ends = [region.end for region in regions.regions(text) if region.kind == "frontmatter"]
    assert head + body == text
    assert ends == ([len(head)] if head else [])


@pytest.mark.parametrize("text", named(READABLE))
def test_every_readable_sample_means_what_pyyaml_says(text):
    assert json.dumps(frontmatter.parse(text)) == json.dumps(judged(text))


@pytest.mark.parametrize("text", named(REFUSED))
def test_every_other_sample_is_refused_with_its_line_and_without_its_text(text):
    with pytest.raises(Unparseable) as caught:
        frontmatter.parse(text)

    assert 2 <= caught.value.details["line"] <= text.count("\n")
    assert text.splitlines()[1] not in caught.value.message


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ("title: Two: colons\n", 2),
        ("a: 1\nb: 2\na: 3\n", 4),
        ("a: 1\n\n# c\nb:\n  - x\n - y\n", 7),
        ("a: |\n  x\nb: @c\n", 4),
        ("a: [x,\n y,\n @]\n", 4),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_the_line_of_a_fault_is_counted_from_the_top_of_the_file(yaml, line, eol):
    with pytest.raises(Unparseable) as caught:
        frontmatter.parse(in_block(yaml).replace("\n", eol))

    assert caught.value.details == {"line": line}


@pytest.mark.parametrize("body", ["", "a: 2\n", "---\na: 2\n---\n", "\t@%\x00\u2028", "a: [\n"])
def test_the_body_has_no_say_in_what_the_frontmatter_means(body):
    assert frontmatter.parse(in_block("a: 1\n") + body) == {"a": 1}


def test_a_note_without_frontmatter_has_no_keys():
    assert frontmatter.parse("# Title\n\n---\na: 1\n---\n") == {}


def test_dates_times_and_infinite_numbers_are_text_as_written():
    yaml = "a: 2026-01-05\nb: 12:30\nc: 2026-01-05T10:00:00Z\nd: .inf\ne: [2026-02-31, .nan]\n"

    read = frontmatter.parse(in_block(yaml))

    assert list(read.values()) == [
        *("2026-01-05", "12:30", "2026-01-05T10:00:00Z", ".inf", ["2026-02-31", ".nan"]),
    ]


def test_keys_are_text_as_written():
    yaml = "2024: a\nyes: b\n~: c\n2026-01-05: d\n'quoted': e\nk: {1: f, on: g}\n"

    read = frontmatter.parse(in_block(yaml))

    assert list(read) == ["2024", "yes", "~", "2026-01-05", "quoted", "k"]
    assert read["k"] == {"1": "f", "on": "g"}


@given(notes())
@settings(max_examples=200)
def test_made_up_notes_mean_what_pyyaml_says(note):
    before, keys, after = note
    text = before + "".join(keys) + after

    assert json.dumps(frontmatter.parse(text)) == json.dumps(judged(text))


@given(st.lists(SIGNS, max_size=12))
@settings(max_examples=800)
def test_any_text_is_read_as_pyyaml_reads_it_or_refused(pieces):
    text = in_block("k: " + "".join(pieces).replace("---", "--") + "\n")
    try:
        read = frontmatter.parse(text)
    except Unparseable:
        return

    assert json.dumps(read, allow_nan=False) == json.dumps(judged(text))


@given(st.text())
@settings(max_examples=200)
def test_any_text_at_all_gives_data_or_unparseable(text):
    try:
        read = frontmatter.parse(in_block(text))
    except Unparseable:
        return

    assert isinstance(read, dict)


@pytest.mark.parametrize(
    "yaml",
    [
        *("a: " + sign * 100_000 for sign in "[{\"'\\ :#-&*!|>?\t\n0@"),
        *(sign * 100_000 for sign in ("- ", "a: ", "? ", "&a ", "...\n", "\r\n", "a:\n", "#\n")),
        'a: "' + "\\" * 100_001 + 'x\\\n y"',
        'a: "' + " " * 100_000 + '"',
        "a: 0x" + "f" * 100_000,
        "a: 1" + ":1" * 100_000,
        "a: |\n" + " x\n\n" * 100_000,
        "a: x\n" + " y\n" * 100_000,
        "a: [" + "x, " * 100_000 + "]",
        "a: &x y\nb: [" + "*x, " * 100_000 + "]",
        "".join(f"k{n}: v\n" for n in range(100_000)),
        "".join(" " * n + "a:\n" for n in range(2000)),
        "".join(" " * n + "-\n" for n in range(2000)),
    ],
    ids=lambda yaml: yaml[:8].encode("unicode_escape").decode(),
)
def test_hostile_text_is_read_or_refused_and_never_overflows(yaml):
    try:
        read = frontmatter.parse(in_block(yaml + "\n"))
    except Unparseable:
        return

    json.dumps(read, allow_nan=False)


def test_a_long_value_is_read_whole():
    text = "word " * 400_000

    assert frontmatter.parse(in_block(f"a: {text}\n")) == {"a": text.rstrip()}


def test_fifty_levels_are_read_and_more_are_refused():
    deep = "[" * 50 + "]" * 50

    assert frontmatter.parse(in_block(f"a: {deep[1:-1]}\n"))
    with pytest.raises(Unparseable):
        frontmatter.parse(in_block(f"a: [{deep}]\n"))


def test_more_values_than_anybody_has_are_refused():
    assert len(frontmatter.parse(in_block("a:\n" + "- x\n" * 19_000))["a"]) == 19_000
    with pytest.raises(Unparseable):
        frontmatter.parse(in_block("a:\n" + "- x\n" * 20_000))
