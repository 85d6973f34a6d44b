"""Searching finds what a person means, never fails on what he types, and says where it looked."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archives import ADA, ADA_CHAT, BO, ME, WALKERS, Topics, message, put
from echo_archive.errors import BadArgument, Unavailable
from echo_archive.filling import fill
from echo_archive.highlights import highlights, passage
from echo_archive.nearness import Nearness
from echo_archive.ops.search import search_messages_op, semantic_search_op
from echo_archive.query import parse
from echo_archive.reading import Archive
from echo_archive.records import Attachment

BODIES = [
    "The lighthouse keeper was walking home",
    "cake at nine? 🎂",
    "we met at 灯塔公园 yesterday",
    "snake_case and camelCase, version v2.1",
    "Don't forget Ada's naïve café plan",
    "keeper of the lighthouse",
    "สวัสดีครับ",
    "plain row about cake and the lighthouse",
]


@pytest.fixture
def filled(database: Path, archive: Archive) -> Archive:
    put(database, [message(number, body) for number, body in enumerate(BODIES)])
    return archive


def _found(archive: Archive, query: str, **said: Any) -> list[str]:
    page = search_messages_op(archive, query=query, **said)
    return [hit.get("body", hit["text"]) for hit in page["hits"]]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("walk", {0}),
        ("WALKED", {0}),
        ("🎂", {1}),
        ("灯塔", {2}),
        ("公", {2}),
        ("塔公园", {2}),
        ("v2.1", {3}),
        ("case", {3}),
        ("dont", {4}),
        ("ada", {4}),
        ("naive CAFE", {4}),
        ("สวัสดี", {6}),
        ('"keeper of the lighthouse"', {5}),
        ('"lighthouse keeper"', {0}),
        ("cake -lighthouse", {1}),
        ("+cake +lighthouse", {7}),
        ("ligh*", {0, 5, 7}),
        ("cake nonexistentword", {1, 7}),
        ("nonexistentword", set()),
    ],
)
def test_a_query_finds_what_holds_its_words_and_obeys_its_operators(
    filled: Archive, query: str, numbers: set[int]
) -> None:
    assert set(_found(filled, query)) == {BODIES[number] for number in numbers}


def test_a_message_that_has_all_the_words_comes_first(filled: Archive) -> None:
    assert _found(filled, "cake lighthouse")[0] == BODIES[7]


def test_a_message_that_has_the_words_side_by_side_comes_before_one_that_has_them_apart(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "harbour walk again"), message(2, "walk to our harbour")])

    assert _found(archive, "harbour walk")[0] == "harbour walk again"


def test_a_message_whose_neighbours_say_the_rest_comes_first(
    database: Path, archive: Archive
) -> None:
    put(
        database,
        [
            message(1, "which lighthouse?"),
            message(2, "the one by the harbour"),
            *(message(number, f"filler {number}") for number in range(3, 20)),
            message(20, "the one with a harbour"),
        ],
    )

    found = _found(archive, "lighthouse harbour")

    assert found.index("the one by the harbour") < found.index("the one with a harbour")


def test_matches_stand_between_marks_and_ranges_are_of_the_body(filled: Archive) -> None:
    [hit] = search_messages_op(filled, query="walk keeper +lighthouse +walking")["hits"]

    assert hit["text"] == "The **lighthouse** **keeper** was **walking** home"
    assert [hit["body"][start:end] for start, end in hit["highlights"]] == [
        "lighthouse", "keeper", "walking",
    ]  # fmt: skip


def test_of_a_long_message_the_passage_that_was_found_is_shown(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "word " * 500 + "needle " + "word " * 500)])

    [hit] = search_messages_op(archive, query="needle")["hits"]

    assert "**needle**" in hit["text"]
    assert len(hit["text"]) < 400


def test_the_name_of_a_file_is_found(database: Path, archive: Archive) -> None:
    put(database, [message(1, "", attachments=(Attachment("file", "Tide table.pdf"),))])

    [hit] = search_messages_op(archive, query="tide")["hits"]

    assert hit["attachments"][0]["name"] == "Tide table.pdf"


def test_an_edited_message_is_found_by_its_new_text_only(database: Path, archive: Archive) -> None:
    put(database, [message(1, "apple")])
    put(database, [message(1, "pear", edited=True)], name="second")

    assert (_found(archive, "apple"), _found(archive, "pear")) == ([], ["pear"])


def test_filters_narrow_what_is_found(database: Path, archive: Archive) -> None:
    put(
        database,
        [
            message(1, "cake one"),
            message(2, "cake two", sender=ME),
            message(3, "cake three", conversation=WALKERS, sender=BO),
        ],
    )
    put(database, [message(4, "cake four", sender=ADA)], name="other", source="signal")

    assert _found(archive, "cake", sender="Me") == ["cake two"]
    assert _found(archive, "cake", conversation="harbour walkers") == ["cake three"]
    assert _found(archive, "cake", source="signal") == ["cake four"]
    assert set(_found(archive, "cake", sender="ada fenn")) == {"cake one", "cake four"}
    assert _found(archive, "cake", end="2024-05-02T06:01:59Z") == ["cake one"]
    assert _found(archive, "cake", start="2024-05-03") == []


def test_pages_show_every_match_once_however_many_there_are(
    database: Path, archive: Archive
) -> None:
    bodies = [f"common {'rare' if number % 700 == 3 else ''} {number}" for number in range(2_600)]
    put(database, [message(number, body) for number, body in enumerate(bodies)])

    seen, cursor = [], None
    while True:
        page = search_messages_op(archive, query="common rare", limit=100, cursor=cursor)
        seen += [hit["message_id"] for hit in page["hits"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert (len(seen), len(set(seen))) == (2_600, 2_600)
    assert "newest" in search_messages_op(archive, query="common")["note"]


def test_all_pages_of_one_common_word_show_every_message(database: Path, archive: Archive) -> None:
    put(database, [message(number, f"common {number}") for number in range(2_600)])

    seen, cursor = [], None
    while True:
        page = search_messages_op(archive, query="common", limit=100, cursor=cursor)
        seen += [hit["message_id"] for hit in page["hits"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert (len(seen), len(set(seen))) == (2_600, 2_600)


def test_a_rare_word_is_found_however_old_beside_a_common_one(
    database: Path, archive: Archive
) -> None:
    rows = [message(0, "common needle"), *(message(n, "common hay") for n in range(1, 3_000))]
    put(database, rows)

    assert _found(archive, "common needle")[0] == "common needle"


def test_a_message_that_has_all_of_several_common_words_is_found_however_old(
    database: Path, archive: Archive
) -> None:
    said = ("sea", "harbour", "walk")
    rows = [message(number + 2, said[number % 3]) for number in range(3_300)]
    put(database, [message(0, "sea harbour"), message(1, "walk the sea harbour"), *rows])

    assert _found(archive, "sea harbour walk")[0] == "walk the sea harbour"


@pytest.mark.parametrize(
    ("argument", "value", "says"),
    [
        ("limit", 1000, "1 to 100"),
        ("limit", 0, "1 to 100"),
        ("start", "yesterday", "no date"),
        ("end", "2024-13-01", "no date"),
        ("conversation", "Ada Fen", "Nearest: Ada Fenn"),
        ("sender", "Ada Fen", "Nearest: Ada Fenn"),
        ("source", "icq", "telegram"),
        ("cursor", "xyz", "does not belong"),
        ("query", "  ", "empty"),
    ],
)
def test_a_wrong_argument_is_an_error_that_names_it(
    filled: Archive, argument: str, value: Any, says: str
) -> None:
    with pytest.raises(BadArgument) as caught:
        search_messages_op(filled, **{"query": "cake", argument: value})

    assert caught.value.details["field"] == argument
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("don'*", "don't stop"),
        ("don't*", "don't stop"),
        ("+don't*", "don't stop"),
        ("v1.2*", "v1.2.3 is out"),
        ("v1*", "v1.2.3 is out"),
        ("snake_c*", "a snake_case name"),
        ("हिन*", "हिन्दी"),
        ("か\u3099*", "がんばる"),
        ("灯*", "灯塔公园"),
        ("灯塔公*", "灯塔公园"),
        ("½*", "½ cup"),
        ("l'éc*", "à l'école"),
    ],
)
def test_the_beginning_of_a_word_finds_it_and_nothing_else(
    database: Path, archive: Archive, query: str, body: str
) -> None:
    others = ["take the train", "2024 plans", "नमक", "two more", "本"]
    put(database, [message(number, one) for number, one in enumerate([body, *others])])

    assert [hit.replace("**", "") for hit in _found(archive, query)] == [body]


@pytest.mark.parametrize("edges", [[[[9], 0]], [[[], 0]], [[[0, 0], 0]], [[[-1], 0]], [["0"]]])
def test_a_cursor_that_nobody_gave_is_refused(
    database: Path, archive: Archive, edges: list[Any]
) -> None:
    put(database, [message(number, "cake") for number in range(30)])
    given = search_messages_op(archive, query="cake", limit=5)["next_cursor"]
    mark, _ = json.loads(urlsafe_b64decode(given + "=" * (-len(given) % 4)))
    forged = urlsafe_b64encode(json.dumps([mark, [0, edges, False, 1]]).encode()).decode()

    with pytest.raises(BadArgument, match="does not belong"):
        search_messages_op(archive, query="cake", cursor=forged)


def test_a_cursor_of_before_an_import_is_refused_and_says_what_to_do(
    database: Path, archive: Archive
) -> None:
    put(database, [message(number, "cake") for number in range(30)])
    cursor = search_messages_op(archive, query="cake", limit=5)["next_cursor"]
    put(database, [message(40, "more cake")], name="second")

    with pytest.raises(BadArgument, match=r"imported since.*search anew"):
        search_messages_op(archive, query="cake", limit=5, cursor=cursor)


class Silent(Topics):
    """A model that answers for a while."""

    answers = True

    def query(self, text: str) -> bytes:
        if not self.answers:
            raise Unavailable("It does not answer.")
        return super().query(text)


@pytest.mark.parametrize("first", [True, False])
def test_pages_of_one_answer_are_all_in_the_order_of_the_first(
    database: Path, archive: Archive, first: bool
) -> None:
    put(database, [message(number, f"sea {number}") for number in range(30)])
    fill(database, Topics(), lambda _: None)
    model = Silent()
    archive = Archive(database, Nearness(database, model))

    model.answers = first
    page = search_messages_op(archive, query="sea", limit=5)
    model.answers = not first

    if first:
        with pytest.raises(BadArgument, match=r"does not answer now.*search anew"):
            search_messages_op(archive, query="sea", limit=5, cursor=page["next_cursor"])
    else:
        following = search_messages_op(archive, query="sea", limit=5, cursor=page["next_cursor"])
        assert (page["mode"], following["mode"]) == ("keyword", "keyword")
        assert {hit["message_id"] for hit in page["hits"]}.isdisjoint(
            hit["message_id"] for hit in following["hits"]
        )


def test_a_cursor_of_another_question_is_refused(database: Path, archive: Archive) -> None:
    put(database, [message(number, "cake") for number in range(30)])
    cursor = search_messages_op(archive, query="cake", limit=5)["next_cursor"]

    with pytest.raises(BadArgument, match="does not belong"):
        search_messages_op(archive, query="pie", limit=5, cursor=cursor)


def test_without_a_model_search_says_so_and_semantic_search_is_an_error(filled: Archive) -> None:
    page = search_messages_op(filled, query="cake")

    with pytest.raises(Unavailable, match="no embedding model is configured"):
        semantic_search_op(filled, query="cake")

    assert page["mode"] == "keyword"
    assert "no embedding model" in page["note"]


def test_a_query_of_signs_alone_finds_nothing_and_says_why(filled: Archive) -> None:
    page = search_messages_op(filled, query="?!… --- ()")

    assert (page["hits"], "no word" in page["note"]) == ([], True)


_PIECES = st.sampled_from(
    ['"', "'", "(", ")", "*", "+", "-", "^", ":", "{", "}", "AND", "OR", "NOT", "NEAR(", "text:",
     "filter:c1", "cake", "灯", "🎂", " ", "\0", "\ud800", "%", "_", "\\", ";", "ﷺ", "a\u0301"]
)  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    database = tmp_path_factory.mktemp("archive") / "archive.db"
    put(database, [message(number, body) for number, body in enumerate(BODIES)])
    return Archive(database)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(_PIECES, max_size=12).map("".join), st.text(max_size=40)))
def test_no_query_is_ever_an_error_of_syntax(shared: Archive, query: str) -> None:
    if not query.strip():
        return

    page = search_messages_op(shared, query=query)

    assert page["count"] == len(page["hits"])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.text(max_size=20))
def test_what_a_body_holds_is_found_by_its_own_words(body: str, query: str) -> None:
    ranges = highlights(body, parse(query))

    assert all(0 <= start < end <= len(body) for start, end in ranges)
    assert all(one[1] < two[0] for one, two in pairwise(ranges))
    assert passage(body, ranges).replace("**", "") == body.replace("**", "")


@given(
    st.lists(
        st.sampled_from(["👩‍👩‍👧", "👍🏽", "🇩🇪", "e\u0301", "n\u0303"]), min_size=400, max_size=420
    )
)
def test_a_passage_cuts_no_character(characters: list[str]) -> None:
    middle = len(characters) // 2
    body = "".join([*characters[:middle], " needle ", *characters[middle:]])

    shown = passage(body, highlights(body, parse("needle")))

    start = body.index(shown.replace("**", "").strip("…"))
    edges = {0, *accumulate(map(len, [*characters[:middle], " needle ", *characters[middle:]]))}
    assert {start, start + len(shown.replace("**", "").strip("…"))} <= edges


def test_the_filter_column_cannot_be_reached_by_a_query(filled: Archive) -> None:
    assert _found(filled, "c1") == []
    assert _found(filled, "filter:c1") == []


def test_a_conversation_of_many_names_is_found_by_each(database: Path, archive: Archive) -> None:
    put(database, [message(1, "cake")])
    renamed = message(2, "pie", conversation=type(ADA_CHAT)("user1", "Ada Moor", "1", "direct"))
    put(database, [renamed], name="second")

    assert set(_found(archive, "cake pie", conversation="ADA FENN")) == {"cake", "pie"}
    assert set(_found(archive, "cake pie", conversation="telegram:user1")) == {"cake", "pie"}
