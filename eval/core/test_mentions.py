import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.links import links, strip
from echo_memory.mentions import Added, link_mentions, mentioned
from echo_memory.naming.names import MAX_WORDS, Names, ends_of, forms_of, words

PEOPLE = "resources/people"


def put(names: Names, key: str, written: Sequence[str], *, person: bool = False) -> None:
    """Have an entity bear these names, as the catalogue does."""
    names.put(key, forms_of(written), ends_of(written) if person else ())


def vault() -> Names:
    names = Names()
    put(names, f"{PEOPLE}/ada-lovelace.md", ["Ada Lovelace", "Ada", "Countess of Lovelace"])
    put(names, f"{PEOPLE}/mark.md", ["Mark"])
    put(names, f"{PEOPLE}/zoe.md", ["Zoë Łukasz", "iZoe"])
    put(names, f"{PEOPLE}/tolkien.md", ["J. R. R. Tolkien"])
    put(names, f"{PEOPLE}/nakamura.md", ["中村 太郎", "中村"])
    put(names, f"{PEOPLE}/rina.md", ["リナ"])
    put(names, f"{PEOPLE}/kim.md", ["김구"])
    put(names, f"{PEOPLE}/somchai.md", ["สมชาย"])
    put(names, "resources/companies/acme.md", ["Acme", "Acme, Inc.", "AT&T"])
    put(names, "resources/concepts/memory-palace.md", ["Memory palace"])
    put(names, "resources/concepts/c-plus-plus.md", ["C++"])
    put(names, "resources/concepts/compiler.md", ["compiler"])
    put(names, "projects/active/launch.md", ["🚀 Launch"])
    return names


VAULT = vault()


def linked(text: str) -> str:
    return link_mentions(text, VAULT)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Met Ada Lovelace.", "Met [[ada-lovelace|Ada Lovelace]]."),
        ("Met ada-lovelace.", "Met [[ada-lovelace]]."),
        ("ADA LOVELACE", "[[ada-lovelace|ADA LOVELACE]]"),
        ("the countess of lovelace", "the [[ada-lovelace|countess of lovelace]]"),
        ("Ada  Lovelace", "[[ada-lovelace|Ada  Lovelace]]"),
        ("Ada\u00a0Lovelace", "[[ada-lovelace|Ada\u00a0Lovelace]]"),
        ("Zoe Lukasz", "[[zoe|Zoe Lukasz]]"),
        (unicodedata.normalize("NFD", "zoë łukasz"), "[[zoe|zoe\u0308 łukasz]]"),
        ("ＡＤＡ", "[[ada-lovelace|ＡＤＡ]]"),
        ("J. R. R. Tolkien", "[[tolkien|J. R. R. Tolkien]]"),
        ("J.R.R. Tolkien", "[[tolkien|J.R.R. Tolkien]]"),
        ("j r r tolkien", "[[tolkien|j r r tolkien]]"),
        ("Acme, Inc. sells", "[[acme|Acme, Inc]]. sells"),
        ("Acme Inc", "[[acme|Acme Inc]]"),
        ("AT&T", "[[acme|AT&T]]"),
        ("in C++, of course", "in [[c-plus-plus|C++]], of course"),
        ("the 🚀 launch", "the [[launch|🚀 launch]]"),
    ],
)
def test_a_name_is_found_in_every_spelling_that_folds_to_it(text: str, expected: str) -> None:
    assert linked(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada's notes", "[[ada-lovelace|Ada]]'s notes"),
        ("Ada’s notes", "[[ada-lovelace|Ada]]’s notes"),
        ("d'Ada", "d'[[ada-lovelace|Ada]]"),
        ("'Ada'", "'[[ada-lovelace|Ada]]'"),
        ("“Ada”?", "“[[ada-lovelace|Ada]]”?"),
        ("(Ada)", "([[ada-lovelace|Ada]])"),
        ("**Ada**, _Ada_", "**[[ada-lovelace|Ada]]**, _Ada_"),
        ("_Ada_", "_[[ada-lovelace|Ada]]_"),
        ("==Ada==", "==[[ada-lovelace|Ada]]=="),
        ("Ada/Bob", "[[ada-lovelace|Ada]]/Bob"),
        ("Ada—Bob", "[[ada-lovelace|Ada]]—Bob"),
        ("to:Ada", "to:[[ada-lovelace|Ada]]"),
        ("Ada[^1]", "[[ada-lovelace|Ada]][^1]"),
        ("- [ ] call Ada\r\n", "- [ ] call [[ada-lovelace|Ada]]\r\n"),
        ("> [!note] Ada", "> [!note] [[ada-lovelace|Ada]]"),
        ("Ada\nLovelace", "[[ada-lovelace|Ada]]\nLovelace"),
        ("<b>Ada</b>", "<b>[[ada-lovelace|Ada]]</b>"),
        ("5 < 6, Ada > 4", "5 < 6, [[ada-lovelace|Ada]] > 4"),
    ],
)
def test_a_whole_word_is_linked_whatever_stands_beside_it(text: str, expected: str) -> None:
    assert linked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Adam, Nevada, Ada2, ada_lovelace, Ada_x",
        "Ada-Marie, Anna-Ada, Ada‑Marie",
        "O'Ada, Ada'm, Mark'll",
        "Ada.py, x.Ada",
        "mark my words, ada",
        "countess-of / lovelace",
        "Countess. Of. Lovelace",
        "the compilers, decompiler",
        "a C, a C# and a D++",
        "launch without a rocket",
        "@Ada",
        "Ada@home",
        "Hey!Ada",
        "Ada]",
        "x^Ada",
        "C++Ada, F#Ada",
        r"\Ada",
    ],
)
def test_a_part_of_something_longer_is_no_mention(text: str) -> None:
    assert linked(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "# Ada\n",
        "> ## Ada\n",
        "Ada\n===\n",
        "Met Ada\nand Mark\n---\n",
        "`Ada`",
        "```\nAda\n```\n",
        "    Ada\n",
        "%% Ada %%",
        "<!-- Ada -->",
        "$Ada$",
        "$$\nAda\n$$",
        '<img alt="Ada">',
        "<https://x.org/Ada>",
        "https://x.org/Ada/Mark?q=Acme#Ada",
        "see www.x.org/Ada",
        "mailto:Ada",
        "write to ada@acme.org or Ada+Mark@x.org",
        "<Ada@x.org>",
        "#Ada and #person/Ada",
        "[Ada](https://x.org)",
        "![Ada](ada.png)",
        "[Ada][ref] and [Ada]",
        "[over\nAda](x.md)",
        "[ref]: https://x.org 'Ada'",
        "[^1]: Ada said so",
        "^[Ada said so]",
        "[[x|Ada]] and [[Ada]] and ![[Ada]]",
        "---\ntitle: Ada\n---\n",
        "text ^Ada\n",
        "src/Ada/x and ~/Ada and Ada/x.py and C:\\Ada\\x",
        "&Ada;",
        "Ada\n--- | ---\n",
    ],
)
def test_what_is_not_plain_prose_has_no_mentions(text: str) -> None:
    assert linked(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("昨日、中村太郎さんと", "昨日、[[nakamura|中村太郎]]さんと"),
        ("中村は", "[[nakamura|中村]]は"),
        ("中村　太郎", "[[nakamura|中村　太郎]]"),
        ("リナさん", "[[rina|リナ]]さん"),
        ("カタリナさん", "カタリナさん"),
        ("ﾘﾅさん", "[[rina|ﾘﾅ]]さん"),
        ("김구 선생", "[[kim|김구]] 선생"),
        ("김구라", "김구라"),
        ("คุณสมชายมา", "คุณ[[somchai|สมชาย]]มา"),
        ("詳しくはhttps://x.org/中村 を", "詳しくはhttps://x.org/中村 を"),
        ("iPhone版Ada版", "iPhone版[[ada-lovelace|Ada]]版"),
    ],
)
def test_scripts_without_spaces_are_searched_character_by_character(
    text: str, expected: str
) -> None:
    assert linked(text) == expected


def test_only_the_first_mention_of_each_entity_is_linked_and_reported() -> None:
    text = "So Mark told Ada of Acme. Ada Lovelace told Mark of a memory palace."

    new, added = link_mentions(text, VAULT)

    assert new == (
        "So [[mark|Mark]] told [[ada-lovelace|Ada]] of [[acme|Acme]]."
        " Ada Lovelace told Mark of a [[memory-palace|memory palace]]."
    )
    assert added == [
        Added("mark", "Mark"),
        Added("ada-lovelace", "Ada"),
        Added("acme", "Acme"),
        Added("memory-palace", "memory palace"),
    ]


@pytest.mark.parametrize(
    "link",
    [
        "[[ada-lovelace]]",
        "[[Ada-Lovelace.md|her]]",
        f"[[{PEOPLE}/ada-lovelace#Work]]",
        "[[people/ada-lovelace]]",
        "![[ada-lovelace]]",
        "[her](../people/ada-lovelace.md)",
        "[her](ada%2Dlovelace.md)",
    ],
)
def test_an_entity_that_the_text_links_to_is_not_linked_again(link: str) -> None:
    text = f"Ada and Mark. See {link}."

    new, added = link_mentions(text, VAULT)

    assert new == f"Ada and [[mark|Mark]]. See {link}."
    assert [link.slug for link in added] == ["mark"]


def test_a_link_to_another_note_of_that_name_leaves_the_mention() -> None:
    assert linked("Ada, [[other/ada-lovelace]]") == ("[[ada-lovelace|Ada]], [[other/ada-lovelace]]")


def test_an_excluded_entity_is_not_linked_and_hides_no_other() -> None:
    text = "Ada and Mark"

    new, _ = link_mentions(text, VAULT, exclude={f"{PEOPLE}/ada-lovelace.md"})

    assert new == "Ada and [[mark|Mark]]"


def test_the_longest_of_names_that_overlap_is_linked() -> None:
    names = Names()
    put(names, "north", ["North Bank"])
    put(names, "boe", ["Bank of England Inc"])
    put(names, "bank", ["Bank of England"])
    put(names, "nor", ["north"])

    new, _ = link_mentions("the north bank of England Inc. of the North Bank", names)

    assert new == "the [[nor|north]] [[boe|bank of England Inc]]. of the [[north|North Bank]]"


def test_a_name_within_a_longer_name_is_no_mention_even_where_that_one_is_not_linked() -> None:
    names = Names()
    put(names, "ada-byron", ["Ada Byron"])
    put(names, "ada", ["Ada"])

    new, added = link_mentions("[[ada-byron]]: Ada Byron", names)

    assert (new, added) == ("[[ada-byron]]: Ada Byron", [])


def test_a_name_that_two_entities_bear_is_left_alone() -> None:
    names = Names()
    put(names, "mark-one", ["Mark", "Mark One"])
    put(names, "mark-two", ["MARK"])

    assert link_mentions("to Mark and Mark One", names)[0] == "to Mark and [[mark-one|Mark One]]"

    names.drop("mark-two")

    assert link_mentions("to Mark", names)[0] == "to [[mark-one|Mark]]"


def alma() -> Names:
    names = Names()
    put(names, "anna-schmidt", ["Anna Schmidt", "Anna"], person=True)
    put(names, "will-green", ["Will Green", "Will"], person=True)
    put(names, "may", ["May"], person=True)
    put(names, "rosa", ["Rosa"], person=True)
    put(names, "monday", ["Monday"])
    put(names, "siemens", ["Siemens"])
    put(names, "compiler", ["compiler"])
    return names


ALMA = alma()


@pytest.mark.parametrize(
    "text",
    [
        "We met at Café Anna Blume.",
        "Anna Schmidts Hund",
        "to Anna B. and to Anna K.",
        "the Dom Anna",
        "the [[dom|Dom]] Anna",
        "Anna [[blume|Blume]]",
        "Anna [Blume](blume.md)",
        "Will we go home in May?",
        "A regatta in May 2027. Will it be? - Will you?",
        "- Will it\n- [ ] Will he\n> Will she\n\n1. Will they",
        "He said: Will you?",
        'He said "Will you?"',
        "the Will of the people, die Rosa, eine Rosa",
        "on Monday, every Monday and May",
    ],
)
def test_one_word_that_may_well_mean_another_thing_is_not_linked(text: str) -> None:
    assert link_mentions(text, ALMA) == (text, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna", "[[anna-schmidt|Anna]]"),
        ("Met Anna today", "Met [[anna-schmidt|Anna]] today"),
        ("It rains. Gestern Anna besucht", "It rains. Gestern [[anna-schmidt|Anna]] besucht"),
        ("Bob, Anna and Cy", "Bob, [[anna-schmidt|Anna]] and Cy"),
        ("to Bob\nAnna", "to Bob\n[[anna-schmidt|Anna]]"),
        ("with Mrs Anna", "with Mrs [[anna-schmidt|Anna]]"),
        ("call Anna Tuesday", "call [[anna-schmidt|Anna]] Tuesday"),
        ("told Anna I would", "told [[anna-schmidt|Anna]] I would"),
        ("Anna's Dog", "[[anna-schmidt|Anna]]'s Dog"),
        ("Café Anna Blume, Anna", "Café Anna Blume, [[anna-schmidt|Anna]]"),
        ("Anna Schmidt", "[[anna-schmidt|Anna Schmidt]]"),
        ("the Dom Anna Schmidt", "the Dom [[anna-schmidt|Anna Schmidt]]"),
        ("Ask Will about it", "Ask [[will-green|Will]] about it"),
        ("Will Green will", "[[will-green|Will Green]] will"),
        ("by the Siemens AG", "by the [[siemens|Siemens]] AG"),
        ("GNU Compiler", "GNU [[compiler|Compiler]]"),
    ],
)
def test_a_name_of_one_word_is_linked_where_nothing_speaks_against_it(
    text: str, expected: str
) -> None:
    assert link_mentions(text, ALMA)[0] == expected


def test_a_first_or_last_name_that_several_persons_have_links_to_none_of_them() -> None:
    names = Names()
    put(names, "anna-schmidt", ["Anna Schmidt", "Anna", "Schmidt"], person=True)
    put(names, "bob", ["Bob"], person=True)
    put(names, "bob-sled", ["Bob sled"])
    text = "about Anna, about Schmidt, about Bob, about Anna Schmidt"
    assert [link.text for link in link_mentions(text, names)[1]] == ["Anna", "Bob"]

    put(names, "anna-kern", ["Dr. Anna Kern"], person=True)
    put(names, "schmidt", ["Peter Schmidt"], person=True)
    assert [link.text for link in link_mentions(text, names)[1]] == ["Bob", "Anna Schmidt"]

    names.drop("anna-kern")
    put(names, "schmidt", ["Peter Schmidt"])
    assert [link.text for link in link_mentions(text, names)[1]] == ["Anna", "Bob"]


def test_what_is_no_person_keeps_a_name_that_persons_have_as_their_first() -> None:
    names = Names()
    put(names, "phoenix", ["Phoenix"])
    put(names, "phoenix-jones", ["Phoenix Jones"], person=True)
    put(names, "phoenix-lee", ["Phoenix Lee"], person=True)

    assert link_mentions("about Phoenix", names)[1] == [Added("phoenix", "Phoenix")]


def test_who_asks_by_one_word_names_the_note_wherever_it_stands() -> None:
    assert mentioned("Will Anna Blume in May", ALMA) == ["will-green", "anna-schmidt", "may"]


def test_in_a_table_the_bar_of_a_link_is_escaped() -> None:
    text = "Ada:\n\n| who | what |\n| --- | --- |\n| by Mark | Acme |\n\nC++\n"

    new, _ = link_mentions(text, VAULT)

    assert new == (
        "[[ada-lovelace|Ada]]:\n\n| who | what |\n| --- | --- |\n"
        "| by [[mark\\|Mark]] | [[acme\\|Acme]] |\n\n[[c-plus-plus|C++]]\n"
    )


def test_mentioned_entities_are_listed_once_in_order_linked_or_not() -> None:
    text = "Mark, Ada and Ada Lovelace; `Acme`, AI. [[mark]]"

    assert mentioned(text, VAULT) == [f"{PEOPLE}/mark.md", f"{PEOPLE}/ada-lovelace.md"]


def test_the_caller_says_what_a_link_calls_a_note() -> None:
    new, added = link_mentions("Ada", VAULT, key_of=lambda path: path.removesuffix(".md"))

    assert new == "[[resources/people/ada-lovelace|Ada]]"
    assert added == [Added("resources/people/ada-lovelace", "Ada")]


@pytest.mark.parametrize("key", ["a#b", "a|b", "a[b]", "a^b", "a%%b"])
def test_a_note_whose_file_name_no_link_can_hold_is_not_linked(key: str) -> None:
    names = Names()
    put(names, f"x/{key}.md", ["Ada"])

    assert link_mentions("Ada", names) == ("Ada", [])


def test_one_word_written_small_is_a_name_in_any_case() -> None:
    assert linked("Compiler") == "[[compiler|Compiler]]"
    assert linked("compiler") == "[[compiler]]"
    assert linked("izoe") == "[[zoe|izoe]]"


@pytest.mark.parametrize(
    "name",
    ["", " ", "AI", "R & D", "R&D", "線", "ดี", "—", "A$AP Rocky", "Ada (poet)", "x " * 33],
)
def test_a_name_that_is_too_short_or_too_odd_is_never_linked(name: str) -> None:
    names = Names()
    put(names, "x", [name])

    assert link_mentions(f"about {name} it is", names)[1] == []


def test_a_name_of_as_many_words_as_are_looked_at_is_found() -> None:
    names = Names()
    title = " ".join(["word"] * MAX_WORDS)
    put(names, "x", [title])

    assert link_mentions(title, names)[1] == [Added("x", title)]


def test_new_names_replace_the_ones_before() -> None:
    names = Names()
    put(names, "x", ["First name", "Second name"])
    put(names, "x", ["Second name", "Third name"])

    assert link_mentions("first name", names)[1] == []
    assert link_mentions("second name", names)[1] == [Added("x", "second name")]
    assert link_mentions("third name", names)[1] == [Added("x", "third name")]


NAMES = st.sampled_from(["Ada", "ada", "Ada Byron", "Ada, Byron", "Ada Byron King", "Byron"])


@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.none() | st.lists(NAMES, max_size=3), st.booleans()),
        max_size=10,
    )
)
@settings(max_examples=200, deadline=None)
def test_names_that_come_and_go_leave_no_trace(
    changes: list[tuple[str, list[str] | None, bool]],
) -> None:
    kept, there = Names(), dict[str, tuple[list[str], bool]]()
    for key, given_names, person in changes:
        if given_names is None:
            kept.drop(key)
            there.pop(key, None)
        else:
            put(kept, key, given_names, person=person)
            there[key] = given_names, person
    fresh = Names()
    for key, (given_names, person) in there.items():
        put(fresh, key, given_names, person=person)

    for first in ("ada", "byron"):
        assert kept.spans(first) == fresh.spans(first)
        for key in "xyz":
            assert kept.is_shared(key, first) == fresh.is_shared(key, first)
    for mention in ("Ada", "ada", "Byron", "Ada Byron", "Ada Byron King"):
        one, other = (names.find(words(mention)) for names in (kept, fresh))
        assert (one and one.key) == (other and other.key)
        assert link_mentions(mention, kept) == link_mentions(mention, fresh)


PIECES = [
    *["Ada", "Lovelace", "Mark", "acme", "Inc", "中村", "太郎", "C++", "'s", "x.md", "](", "[["],
    *["]]", "[[mark|", "[x](a.md)", "(a.md)", "```", "$$", "%%", "# ", "\n---\n", "\n\n", "\r\n"],
    *["- ", "> ", "    ", "| --- | --- |", "--- | ---", "http://", "&amp;", "<b>", "<!--", "-->"],
    *["Café", "Will", "will", "May", ". "],
    *"  \n[]()<>|\\`$#!^_*@.,'’-/:\"",
]


PROSE = [
    "Ada",
    "Lovelace",
    "Mark",
    "Acme",
    "Will",
    "Café",
    "met",
    "the",
    "Ada Lovelace",
    "[[mark]]",
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
    | st.lists(st.sampled_from(PROSE), max_size=12).map(" ".join)
)
@settings(max_examples=600, deadline=None)
def test_linking_adds_links_and_changes_nothing_else(text: str) -> None:
    new, added = link_mentions(text, VAULT)

    assert strip(new) == strip(text)
    assert len(links(new)) == len(links(text)) + len(added)
    assert link_mentions(new, VAULT) == (new, [])


PLAIN = [*"_,;?!'’ 17", "Ada", "Mark", "Zoë Łukasz", "中村", "s", "the", "  ", "iZoe", "Lovelace"]


@given(st.lists(st.sampled_from(PLAIN), max_size=12).map("".join))
@settings(max_examples=300, deadline=None)
def test_a_line_is_linked_the_same_whether_or_not_something_that_is_no_prose_follows(
    text: str,
) -> None:
    assert linked(f"{text}\n\n`x`") == f"{linked(text)}\n\n`x`"


@pytest.mark.parametrize(
    "text",
    [
        "Ada ",
        "Ada",
        "Countess of ",
        "a+",
        "@",
        "a@",
        "a:/",
        "#",
        "/",
        "a/",
        "<a",
        "&",
        "_",
        "中",
        "++",
    ],
)
def test_a_long_run_of_one_thing_is_read_to_the_end(text: str) -> None:
    long = text * (100_000 // len(text))

    new, added = link_mentions(f"{long}\n\nAcme", VAULT)

    assert added[-1] == Added("acme", "Acme")
    assert len(new) == len(long) + 6 + sum(len(link.slug) + 5 for link in added)


def test_twenty_thousand_entities_that_share_a_first_name_are_told_apart() -> None:
    names = Names()
    for number in range(20_000):
        put(names, f"maria-{number}", [f"Maria Number{number}", "Maria"], person=True)

    new, added = link_mentions("Maria Maria Number7 and Maria Number19999 " * 1_000, names)

    assert [link.slug for link in added] == ["maria-7", "maria-19999"]
    assert new.startswith("Maria [[maria-7|Maria Number7]] and [[maria-19999|Maria Number19999]] ")
