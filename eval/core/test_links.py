from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.links import (
    Link,
    bracketed,
    frontmatter_links,
    hide,
    links,
    relative,
    strip,
    wikilink,
)


def only(text: str) -> Link:
    (link,) = links(text)
    return link


@pytest.mark.parametrize(
    ("written", "target", "heading", "block", "shown"),
    [
        ("[[ada]]", "ada", "", "", "ada"),
        ("[[ ada ]]", "ada", "", "", "ada"),
        ("[[ada.md]]", "ada.md", "", "", "ada.md"),
        ("[[people/ada|Ada L.]]", "people/ada", "", "", "Ada L."),
        ("[[ada|]]", "ada", "", "", "ada"),
        ("[[ada|a|b]]", "ada", "", "", "a|b"),
        ("[[ada#Work]]", "ada", "Work", "", "ada > Work"),
        ("[[ada#Work#Notes]]", "ada", "Work::Notes", "", "ada > Work > Notes"),
        ("[[ada#Work|her work]]", "ada", "Work", "", "her work"),
        ("[[ada^b1]]", "ada", "", "b1", "ada > ^b1"),
        ("[[ada#^b1]]", "ada", "", "b1", "ada > ^b1"),
        ("[[#Work]]", "", "Work", "", "Work"),
        ("[[#^b1]]", "", "", "b1", "^b1"),
        (r"[[ada\|Ada]]", "ada", "", "", "Ada"),
        ("[[The Never `!` Type]]", "The Never `!` Type", "", "", "The Never `!` Type"),
        ("[[ada|`a[0]`]]", "ada", "", "", "`a[0]`"),
        ("[[a [1] b]]", "a [1] b", "", "", "a [1] b"),
        ("[[Straße nach Łódź]]", "Straße nach Łódź", "", "", "Straße nach Łódź"),
    ],
)
def test_every_form_of_a_wikilink_is_read(
    written: str, target: str, heading: str, block: str, shown: str
) -> None:
    text = f"See {written}, and so on."

    link = only(text)

    assert (link.target, link.heading, link.block, link.shown) == (target, heading, block, shown)
    assert text[link.start : link.end] == written
    assert not link.embed
    assert not link.markdown


@pytest.mark.parametrize(
    ("written", "target", "heading", "block", "shown"),
    [
        ("[x](ada.md)", "ada.md", "", "", "x"),
        ("[x](ADA.MD)", "ADA.MD", "", "", "x"),
        ("[x](my%20people/ada%23.md)", "my people/ada#.md", "", "", "x"),
        ("[x](ada.md#A%20heading)", "ada.md", "A heading", "", "x"),
        ("[x](ada.md#A#B)", "ada.md", "A::B", "", "x"),
        ("[x](ada.md#^b1)", "ada.md", "", "b1", "x"),
        ("[x](#Work)", "", "Work", "", "x"),
        ('[x](ada.md "Ada, the first")', "ada.md", "", "", "x"),
        ("[x](ada.md 'Ada')", "ada.md", "", "", "x"),
        ("[x]( ada.md\n  (Ada) )", "ada.md", "", "", "x"),
        ("[x](<my people/ada (1).md> 'Ada')", "my people/ada (1).md", "", "", "x"),
        ("[x](ada_(poet).md)", "ada_(poet).md", "", "", "x"),
        ("[x](a(b(c)).md)", "a(b(c)).md", "", "", "x"),
        (r"[x](ada\).md)", "ada).md", "", "", "x"),
        ("[x](../people/ada.md)", "../people/ada.md", "", "", "x"),
        ("[`code` and *more*](ada.md)", "ada.md", "", "", "`code` and *more*"),
        ("[a [b] c](ada.md)", "ada.md", "", "", "a [b] c"),
        ("[over\ntwo lines](ada.md)", "ada.md", "", "", "over\ntwo lines"),
        ("[![pic](p.png)](ada.md)", "ada.md", "", "", "![pic](p.png)"),
        ("[![pic](p.md)](ada.md)", "ada.md", "", "", "![pic](p.md)"),
    ],
)
def test_every_form_of_a_markdown_link_to_a_note_is_read(
    written: str, target: str, heading: str, block: str, shown: str
) -> None:
    text = f"See {written}, and so on."

    link = only(text)

    assert (link.target, link.heading, link.block, link.shown) == (target, heading, block, shown)
    assert text[link.start : link.end] == written
    assert link.markdown


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://example.org/a.md)",
        "[x](obsidian://open?vault=a.md)",
        "[x](//host/a.md)",
        "[x](picture.png)",
        "[x](my note.md)",
        "[x] (a.md)",
        "[x](a.md",
        "[x](a.md 'title)",
        "[x](<a.md)",
        "[x](a.md\n\n)",
        "[one\n\ntwo](a.md)",
        r"\[x](a.md)",
        r"\[[ada]]",
        r"[\[ada]]",
        "[[ada",
        "[[ada\nlovelace]]",
        "[[]]",
        "[[ ]]",
        "[[|shown]]",
        "[[#]]",
        "[x]()",
        "[ada][ref]",
        "- [ ] a task",
    ],
)
def test_what_only_looks_like_a_link_to_a_note_is_none(text: str) -> None:
    assert links(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "`[[ada]]` and ``a ` [[ada]]``",
        "```\n[[ada]]\n```",
        "~~~\n[x](ada.md)",
        "%% [[ada]] %%",
        "<!-- [x](ada.md) -->",
        "$[[ada]]$",
        "$$\n[[ada]]\n$$",
        '<a href="[[ada]]">',
        "`[[a` b]]",
        "[[a `b]]`",
        "[[a `b\nc` d]]",
        "---\nup: '[[ada]]'\n---\n",
    ],
)
def test_what_is_not_prose_has_no_links(text: str) -> None:
    assert links(text) == []


def test_an_embed_says_that_it_is_one() -> None:
    wiki, markdown = links("![[ada#Work]] ![x](ada.md)")

    assert wiki.embed
    assert wiki.start == 0
    assert markdown.embed
    assert markdown.start == 14


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[[ada]]]", ["ada"]),
        ("[[a [[b]]", ["b"]),
        ("[[a]][[b]]", ["a", "b"]),
        ("[see [[b]] here](c.md)", ["b"]),
        ("[see [x](b.md) here](c.md)", ["b.md"]),
        ("[x](<[[b]].md>)", ["[[b]].md"]),
        (r"\\[[ada]]", ["ada"]),
        (r"| [[a\|b]] | [[c]] |", ["a", "c"]),
        ("> [!note] [[a]]\n> - [ ] [x](b.md)", ["a", "b.md"]),
        ("[" * 20_000 + "[x](a.md)" + "](b.md)" * 20_000, ["a.md"]),
        ("![" * 60 + "[x](a.md)" + "](b.md)" * 60, ["b.md"]),
    ],
)
def test_where_links_meet_no_two_overlap(text: str, expected: list[str]) -> None:
    assert [link.target for link in links(text)] == expected


@pytest.mark.parametrize(
    ("target", "attachment"),
    [("pic.PNG", True), ("a/board.canvas", True), ("ada", False), ("v1.2", False), ("pdf", False)],
)
def test_an_attachment_is_known_by_its_suffix(target: str, attachment: bool) -> None:
    assert only(f"[[{target}]]").attachment is attachment


def test_frontmatter_links_are_the_wikilinks_between_its_marks() -> None:
    text = '---\nup: "[[ada|Ada]]"\n# not [[x]]\nrelated:\n  - "[[b#c]]"\n---\n[[d]]\n'

    found = frontmatter_links(text)

    assert [(link.target, link.heading) for link in found] == [("ada", ""), ("b", "c")]
    assert text[found[0].start : found[0].end] == "[[ada|Ada]]"
    assert frontmatter_links("[[d]]\n") == []


def test_strip_leaves_what_a_reader_sees() -> None:
    text = "Met [[ada|Ada]] at [the lab](lab.md 'x'), [[b]], [out](http://x.org), ![[pic.png]]."

    assert strip(text) == "Met Ada at the lab, b, [out](http://x.org), ![[pic.png]]."


@pytest.mark.parametrize(
    ("key", "shown", "table", "expected"),
    [
        ("ada", "", False, "[[ada]]"),
        ("ada", "ada", False, "[[ada]]"),
        ("ada", "Ada", False, "[[ada|Ada]]"),
        ("ada", "Ada", True, r"[[ada\|Ada]]"),
        ("ada", "A|B", False, "[[ada|A|B]]"),
        ("ada", "A|B", True, r"[[ada\|A\|B]]"),
        ("ada", "Ada [1]]", False, "[[ada|Ada (1))]]"),
        ("ada", " Ada\nLovelace\r\n", False, "[[ada|Ada Lovelace]]"),
        ("ada", "\n", False, "[[ada]]"),
        ("ada", "C# ^2", False, "[[ada|C# ^2]]"),
        ("ada", "100%% sure", False, "[[ada|100% sure]]"),
    ],
)
def test_a_wikilink_that_is_written_shows_its_text(
    key: str, shown: str, table: bool, expected: str
) -> None:
    assert wikilink(key, shown, table=table) == expected


@given(shown=st.text(st.characters(exclude_characters="`$<\\"), max_size=20), table=st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_wikilink_that_is_written_reads_back(shown: str, table: bool) -> None:
    written = wikilink("ada", shown, table=table)

    link = only(f"x {written} y")

    assert (link.target, link.start, link.end) == ("ada", 2, 2 + len(written))


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("b.md", "x/y/a.md", "x/y/b.md"),
        ("./b.md", "x/y/a.md", "x/y/b.md"),
        ("../b.md", "x/y/a.md", "x/b.md"),
        ("../../z//b.md", "x/y/a.md", "z/b.md"),
        ("/b.md", "x/y/a.md", "b.md"),
        ("b.md", "a.md", "b.md"),
        ("../b.md", "a.md", None),
        ("../../../b.md", "x/y/a.md", None),
        ("/../b.md", "x/y/a.md", None),
        ("../x/../../b.md", "x/a.md", None),
    ],
)
def test_a_relative_target_never_leaves_the_vault(
    target: str, source: str, expected: str | None
) -> None:
    assert relative(target, source) == expected


def test_bracketed_ranges_cover_everything_in_brackets() -> None:
    text = "[a](http://b) [^1] - [ ] [x [y] z] [[w]] ]["

    found = {text[start:end] for start, end in bracketed(text)}

    assert found == {"[a](http://b)", "[^1]", "[ ]", "[y]", "[x [y] z]", "[[w]]"}


def test_hidden_ranges_keep_the_length_and_may_overlap() -> None:
    assert hide("abcdefgh", [(1, 4), (2, 3), (3, 5), (7, 8)]) == "a\0\0\0\0fg\0"


SIGNS = ("](b.md)", "[[a|b]]", "b.md", "![", "%%", "\r\n", "\n\n", *'[]()|\\<>`$#^a- é\n"')


@given(st.lists(st.sampled_from(SIGNS), max_size=30).map("".join))
@settings(max_examples=300, deadline=None)
def test_links_are_in_order_disjoint_and_begin_with_a_bracket(text: str) -> None:
    found = links(text)

    assert all(text[link.start : link.end].lstrip("!")[0] == "[" for link in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert "".join(text.split()).count("[") >= len(found)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[[" * 50_000,
        "![" * 50_000,
        "[](" * 33_000,
        "[](<" * 25_000,
        "[[a" * 33_000,
        """[](a "[](a '""" * 8_000,
        "[x](a\\" * 16_000,
        "[](a" + " " * 100_000,
        "\\" * 100_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_openings_without_an_end_are_read_to_the_end(text: str) -> None:
    assert links(f"{text}\n\n[[ada]]")[-1].target == "ada"
