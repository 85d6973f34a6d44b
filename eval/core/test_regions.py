"""Regions and lines: what of a note is prose, and what is code, comment, math, HTML or YAML."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from awkward import NOTES
from echo_memory import frontmatter
from echo_memory.markdown.regions import lines, regions

FRAGMENTS = [
    "text", "- item", "  - nested", "\t- tab", "> quote", "| a | b |", "| - | - |", "```", "~~~~",
    "````", "# A", "---", "===", "%%", "%% c %%", "$$", "$x$", "<!--", "-->", "<b>", "<pre>",
    "</pre>", "`a", "b`", "    code", "[^1]: foot", "", " ", "\ufeff", "\\`", "\u2028", "\r",
]  # fmt: skip

texts = st.builds(
    lambda parts, end: "".join(parts) + end,
    st.lists(
        st.builds(str.__add__, st.sampled_from(FRAGMENTS), st.sampled_from(["\n", "\r\n", ""]))
    ),
    st.sampled_from(FRAGMENTS),
)


def found(text: str) -> list[tuple[str, str]]:
    return [(region.kind, text[region.start : region.end]) for region in regions(text)]


def opaque(text: str) -> list[str]:
    return [line.text for line in lines(text) if line.opaque]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a` and ``b ` c``", [("code", "`a`"), ("code", "``b ` c``")]),
        ("over `two\nlines` here", [("code", "`two\nlines`")]),
        ("never `closed", []),
        ("one `a` %%b\nc%% two `d`", [("code", "`a`"), ("comment", "%%b\nc%%"), ("code", "`d`")]),
        ("`a\n- b`", []),
        ("> `a\n> b`", []),
        ("never `closed\n\nin its paragraph`", []),
        ("\\`escaped\\`", []),
        ("`` a ` b", []),
        ("`\\` is code", [("code", "`\\`")]),
        ("%%a%% b %% c\n\nd %% e", [("comment", "%%a%%"), ("comment", "%% c\n\nd %%")]),
        ("a %% b\n\n# c\n", [("comment", "%% b\n\n# c\n")]),
        ("`%%` and \\%% c", [("code", "`%%`")]),
        ("a <!-- b --> c", [("comment", "<!-- b -->")]),
        ("<!--\n# a\n\n--> b", [("comment", "<!--\n# a\n\n-->")]),
        ("<!--\n# a\n", [("comment", "<!--\n# a\n")]),
        ("a <!-- b\n\n# c", []),
        ("<!--> a", [("comment", "<!-->")]),
        ("$x$, $a b$", [("math", "$x$"), ("math", "$a b$")]),
        ("$5 and $10", []),
        ("5$ and 6$", []),
        ("$ x$ and $x $", []),
        ("US$ 5, \\$x\\$", []),
        ("a $$b$$ c", [("math", "$$b$$")]),
        ("$$\n# a\n\nb\n$$\n", [("math", "$$\n# a\n\nb\n$$")]),
        ("$$ never closed\n\n# a", []),
        ("a $$ b\n\nc $$ d", []),
        (
            "<b class='x'>a</b><br/>",
            [("html", "<b class='x'>"), ("html", "</b>"), ("html", "<br/>")],
        ),
        ('<a title="x > y">', [("html", '<a title="x > y">')]),
        ("a <b\nc='d'>\n`e`", [("html", "<b\nc='d'>"), ("code", "`e`")]),
        ("<pre> never\n\n`a`", [("html", "<pre>"), ("code", "`a`")]),
        ("a <pre>`b`</pre>", [("html", "<pre>"), ("code", "`b`"), ("html", "</pre>")]),
        ("a < b, <3, <https://x.y>, <me@x.y>", []),
        ("[a](<b c.md>)", []),
        ("<pre>\n# a\n\n*b*</pre> c", [("html", "<pre>\n# a\n\n*b*</pre>")]),
        ("```\n# a\n```\nb", [("fence", "```\n# a\n```")]),
        ("~~~~ info\n~~~\n```\n~~~~~\nb", [("fence", "~~~~ info\n~~~\n```\n~~~~~")]),
        ("   ```\n a\n   ```", [("fence", "```\n a\n   ```")]),
        ("```\nnever closed\n\n# a", [("fence", "```\nnever closed\n\n# a")]),
        ("``` a `b\nc", []),
        ("```\na\n    ```\nb", [("fence", "```\na\n    ```\nb")]),
        ("````\na\n```\n````\nb", [("fence", "````\na\n```\n````")]),
        ("```\na\n``` b\n```\nc", [("fence", "```\na\n``` b\n```")]),
        ("-     a", [("fence", "a")]),
        ("-    a", []),
        ("-\n  a\n\n  b", []),
        ("> " * 40 + "```\na", []),
        ("- ```\n  a\n  ```\n- b", [("fence", "```\n  a\n  ```")]),
        ("- ```\n  a\nb `c`", [("fence", "```\n  a"), ("code", "`c`")]),
        ("1. a\n\n   - b\n\n     ```\n     c\n     ```", [("fence", "```\n     c\n     ```")]),
        ("> [!note]\n> ```\n> a\n> ```\n> b", [("fence", "```\n> a\n> ```")]),
        ("> ```\n> a\nb `c`", [("fence", "```\n> a"), ("code", "`c`")]),
        ("a\n\n    # b\n\n    c\n\nd", [("fence", "# b"), ("fence", "c")]),
        ("a\n    b", []),
        ("- a\n\n    b", []),
        ("- a\n\n      b", [("fence", "b")]),
        ("- a\n\t- b\n\t\t- c\n", []),
        ("[^1]: a\n\n    b", []),
        ("---\na: `1`\n---\n`b`", [("frontmatter", "---\na: `1`\n---\n"), ("code", "`b`")]),
        ("\ufeff---\r\na: 1\r\n---", [("frontmatter", "\ufeff---\r\na: 1\r\n---")]),
        ("---\na: 1\n----\n", []),
        ("\n---\na: 1\n---\n", []),
        ("---\n# `a`\n%%\n---\n# b", [("frontmatter", "---\n# `a`\n%%\n---\n")]),
        ("```\n%%\n```\na %%b%%", [("fence", "```\n%%\n```"), ("comment", "%%b%%")]),
        ("%%\n```\n%%\n`a`", [("comment", "%%\n```\n%%"), ("code", "`a`")]),
        ("# `a` %%b%%\n`c`", [("code", "`a`"), ("comment", "%%b%%"), ("code", "`c`")]),
        ("| `a | b` |\n| - | - |\n| ` | c` |", [("code", "`a | b`"), ("code", "` | c`")]),
    ],
)
def test_what_is_not_prose_is_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1\n---\nb\n", ["---", "a: 1", "---"]),
        ("```\na\n```\nb", ["```", "a", "```"]),
        ("a %% b\nc\nd %% e\nf", ["c", "d %% e"]),
        ("%% a %%\nb", ["%% a %%"]),
        ("a %% b %%\n$x$\n`c`\n<b>", []),
        ("$$\na\n\n$$\nb", ["$$", "a", "", "$$"]),
        ("<!--\n- a\n-->\nb", ["<!--", "- a", "-->"]),
        ("<script>\n# a\n</script>\nb", ["<script>", "# a", "</script>"]),
        ("- a\n  ```\n  - b\n  ```", ["  ```", "  - b", "  ```"]),
    ],
)
def test_lines_of_blocks_that_are_not_prose_are_opaque(text: str, expected: list[str]) -> None:
    assert opaque(text) == expected


@pytest.mark.parametrize("separator", list("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
def test_only_a_line_feed_ends_a_line(separator: str) -> None:
    text = f"a{separator}b\nc{separator}\r\n"

    assert [line.text for line in lines(text)] == [f"a{separator}b", f"c{separator}"]


@pytest.mark.parametrize("name", NOTES)
def test_frontmatter_is_what_the_frontmatter_editor_edits(name: str) -> None:
    head, _ = frontmatter.split(NOTES[name])
    read = [text for kind, text in found(NOTES[name]) if kind == "frontmatter"]

    assert read == ([head] if head else [])


@given(st.one_of(texts, st.sampled_from(sorted(NOTES.values())), st.text()))
@settings(max_examples=400, deadline=None)
def test_lines_follow_one_another_and_regions_are_apart(text: str) -> None:
    rows, parts = lines(text), regions(text)

    assert "".join(text[row.start : row.end] for row in rows) == text
    assert all(
        text[row.start : row.end] in (row.text, row.text + "\n", row.text + "\r\n") for row in rows
    )
    assert all(before.end <= after.start for before, after in pairwise(parts))
    assert all(0 <= part.start < part.end <= len(text) for part in parts)


@given(texts, texts)
@settings(max_examples=200, deadline=None)
def test_what_is_above_a_heading_does_not_depend_on_what_is_below_it(
    above: str, below: str
) -> None:
    assume("$$" not in above and "<" not in above)  # what closes these may stand below
    assume(not above.startswith(("---", "\ufeff---")))
    whole = f"{above}\n\n# Here\n\n{below}"
    at = whole.index("# Here")

    alone = [region for region in regions(whole[:at]) if region.end < at]

    assert [region for region in regions(whole) if region.end < at] == alone


@pytest.mark.parametrize(
    "unit",
    [
        "`", "$", "%", "<", ">", "#", "-", "|", "\\", "[", " ", "\n", "\t", "> ", "- ", "1. ",
        "`a ", "$a ", "$$a ", "<a ", "<!-- ", "a <!-- \n", "<pre>\n", "``a\n", "| - ",
        "<a b='<a b=\"",
        "\n\n- ", "\t- ", "a\n---\n", "- $$\n", "[^", "$$ a\n\n", "~~~a\n",
    ],
)  # fmt: skip
def test_a_hundred_thousand_of_the_same_are_read(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert lines(text)[-1].end == len(text)
