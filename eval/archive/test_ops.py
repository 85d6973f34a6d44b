"""Conversations, transcripts, context, media and links: right, bounded, each row traceable."""

from __future__ import annotations

from collections import Counter
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archives import ADA, ADA_CHAT, BO, ME, MINUTE, MORNING, WALKERS, Topics, message, put
from echo_archive.errors import BadArgument, NotFound
from echo_archive.export import exported
from echo_archive.filling import fill
from echo_archive.nearness import Nearness
from echo_archive.ops.conversations import list_conversations_op
from echo_archive.ops.links import list_links_op
from echo_archive.ops.media import KINDS, list_media_op
from echo_archive.ops.search import search_messages_op, semantic_search_op
from echo_archive.ops.transcript import get_context_op, get_conversation_op
from echo_archive.quoting import QUOTED
from echo_archive.reading import Archive
from echo_archive.records import Attachment, Conversation, Options, Reaction

COORDINATES = {
    "message_id", "hash", "conversation", "conversation_id", "source", "sender", "is_me",
    "timestamp", "local_time", "zone",
}  # fmt: skip


@pytest.fixture
def filled(database: Path, archive: Archive) -> Archive:
    (database.parent / "photos").mkdir()
    (database.parent / "photos/here.jpg").touch()
    rows = [
        message(0, "Morning https://a.example/x and https://b.example"),
        message(1, "", attachments=(Attachment("image", "here.jpg", "photos/here.jpg", size=3),)),
        message(2, "", attachments=(Attachment("video", "gone.mp4", missing=True),), sender=ME),
        message(3, "again https://a.example/x", reply_to="0", sender=ME),
        message(4, "walk?", conversation=WALKERS, sender=BO, reactions=(Reaction("👍", ADA),)),
        message(5, "Bo joined", conversation=WALKERS, sender=None, system=True),
        message(6, "https://sub.a.example/y", conversation=WALKERS, sender=ADA),
    ]
    put(database, rows, options=Options(timezone="Europe/Berlin"))
    return archive


def _all_pages(archive: Archive, op: Any, field: str, **said: Any) -> list[dict[str, Any]]:
    rows, cursor = [], None
    while True:
        page = op(archive, cursor=cursor, **said)
        rows += page[field]
        cursor = page["next_cursor"]
        if cursor is None:
            return rows


def test_conversations_are_listed_newest_first_with_their_figures(filled: Archive) -> None:
    walkers, ada = list_conversations_op(filled)["conversations"]

    assert (walkers["conversation"], walkers["kind"], walkers["message_count"]) == (
        "Harbour Walkers", "group", 3,
    )  # fmt: skip
    assert set(walkers["participants"]) == {"Ada Fenn", "Bo Harrow"}
    assert (ada["image_count"], ada["video_count"], ada["link_count"]) == (1, 1, 3)
    assert (ada["first_timestamp"], ada["last_timestamp"]) == (
        "2024-05-02T06:00:00Z", "2024-05-02T06:03:00Z",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("query", "names"),
    [("HARBOUR", ["Harbour Walkers"]), ("bo h", ["Harbour Walkers"]), ("zzz", [])],
)
def test_conversations_are_found_by_a_part_of_a_name(
    filled: Archive, query: str, names: list[str]
) -> None:
    page = list_conversations_op(filled, query=query)

    assert [one["conversation"] for one in page["conversations"]] == names


def test_a_transcript_is_ascending_from_either_end(filled: Archive) -> None:
    oldest = get_conversation_op(filled, conversation="Ada Fenn", page="oldest", limit=2)
    newest = get_conversation_op(filled, conversation="Ada Fenn", page="newest", limit=2)

    assert [row["timestamp"][14:16] for row in oldest["messages"]] == ["00", "01"]
    assert [row["timestamp"][14:16] for row in newest["messages"]] == ["02", "03"]


@pytest.mark.parametrize("page", ["oldest", "newest"])
def test_the_pages_of_a_transcript_are_the_whole_of_it(filled: Archive, page: str) -> None:
    rows = _all_pages(
        filled, get_conversation_op, "messages", conversation="Ada Fenn", page=page, limit=1
    )

    assert len({row["message_id"] for row in rows}) == 4


def test_a_transcript_shows_everything_of_a_message(filled: Archive) -> None:
    rows = get_conversation_op(filled, conversation="telegram:user1")["messages"]
    walkers = get_conversation_op(filled, conversation="Harbour Walkers")["messages"]

    assert rows[3]["reply_to"] == rows[0]["message_id"]
    assert rows[0]["links"] == ["https://a.example/x", "https://b.example"]
    assert rows[0]["local_time"] == "2024-05-02T08:00:00+02:00"
    assert walkers[0]["reactions"] == [{"emoji": "👍", "actor": "Ada Fenn", "count": 1}]
    assert (walkers[1]["system"], walkers[1]["sender"]) == (True, None)


def test_a_span_ends_with_the_whole_day_it_names(filled: Archive) -> None:
    inside = get_conversation_op(
        filled, conversation="Ada Fenn", start="2024-05-02", end="2024-05-02"
    )
    after = get_conversation_op(filled, conversation="Ada Fenn", start="2024-05-03")

    assert (inside["count"], after["count"]) == (4, 0)


def test_an_ambiguous_name_is_an_error_with_the_candidates(database: Path, filled: Archive) -> None:
    put(
        database,
        [message(9, "x", conversation=Conversation("k", "ada fenn", None, "direct"))],
        name="other",
        source="signal",
    )

    with pytest.raises(BadArgument) as caught:
        get_conversation_op(filled, conversation="Ada Fenn")

    assert {one["conversation_id"] for one in caught.value.details["candidates"]} == {
        "telegram:user1", "signal:k",
    }  # fmt: skip


def test_context_is_the_messages_around_one_by_id_and_by_hash(filled: Archive) -> None:
    rows = get_conversation_op(filled, conversation="Ada Fenn")["messages"]

    by_id = get_context_op(filled, message_id=rows[1]["message_id"], window=1)
    by_hash = get_context_op(filled, message_id=rows[1]["hash"], window=1)

    assert [row["message_id"] for row in by_id["messages"]] == [
        row["message_id"] for row in rows[:3]
    ]
    assert [row["asked_for"] for row in by_id["messages"]] == [False, True, False]
    assert by_hash == by_id


@pytest.mark.parametrize("reference", ["nothing", "0" * 20, "g" * 20, "0" * 32, "%", "1"])
def test_the_context_of_no_message_is_not_found(filled: Archive, reference: str) -> None:
    with pytest.raises(NotFound, match="Message not found"):
        get_context_op(filled, message_id=reference)


def test_media_are_listed_newest_first_with_whether_the_file_is_there(filled: Archive) -> None:
    video, image = list_media_op(filled)["media"]

    assert (video["kind"], video["available"], video["is_me"]) == ("video", False, True)
    assert (image["name"], image["available"], image["size"]) == ("here.jpg", True, 3)


def test_media_are_narrowed_by_kind_and_sender(filled: Archive) -> None:
    assert list_media_op(filled, kind="image")["count"] == 1
    assert list_media_op(filled, sender="me")["count"] == 1
    assert list_media_op(filled, conversation="Harbour Walkers")["count"] == 0
    assert len(_all_pages(filled, list_media_op, "media", limit=1)) == 2


def test_links_are_listed_once_newest_first_with_their_count(filled: Archive) -> None:
    rows = list_links_op(filled)["links"]

    assert [(row["url"], row["occurrences"]) for row in rows] == [
        ("https://sub.a.example/y", 1), ("https://a.example/x", 2), ("https://b.example", 1),
    ]  # fmt: skip
    assert rows[1]["timestamp"] == "2024-05-02T06:03:00Z"
    assert _all_pages(filled, list_links_op, "links", limit=1) == rows


def test_links_of_a_domain_are_those_below_it_too(filled: Archive) -> None:
    rows = list_links_op(filled, domain="A.example")["links"]

    assert {row["domain"] for row in rows} == {"a.example", "sub.a.example"}


@pytest.fixture
def answers(filled: Archive) -> list[tuple[str, dict[str, Any]]]:
    """What each operation that tells of messages says, and where its rows are."""
    fill(filled.path, Topics(), lambda _: None)
    near = Archive(filled.path, Nearness(filled.path, Topics()))
    transcript = get_conversation_op(filled, conversation="Ada Fenn")
    first = transcript["messages"][0]["message_id"]
    return [
        ("messages", transcript),
        ("messages", get_context_op(filled, message_id=first)),
        ("hits", search_messages_op(filled, query="again walk morning")),
        ("hits", search_messages_op(near, query="again walk morning")),
        ("hits", semantic_search_op(near, query="the sea")),
        ("media", list_media_op(filled)),
        ("links", list_links_op(filled)),
    ]


def test_every_row_that_comes_from_a_message_carries_its_coordinates(
    answers: list[tuple[str, dict[str, Any]]],
) -> None:
    rows = [row for field, answer in answers for row in answer[field]]

    assert all(answer[field] for field, answer in answers)
    assert all(row.keys() >= COORDINATES for row in rows)


def test_every_answer_that_quotes_messages_says_so(
    answers: list[tuple[str, dict[str, Any]]],
) -> None:
    assert {answer["quoted"] for _, answer in answers} == {QUOTED}


def test_the_coordinates_of_any_row_lead_to_its_message(
    filled: Archive, answers: list[tuple[str, dict[str, Any]]]
) -> None:
    for field, answer in answers:
        for row in answer[field]:
            context = get_context_op(filled, message_id=row["hash"], window=1)
            [same] = [one for one in context["messages"] if one["asked_for"]]
            assert {name: same[name] for name in COORDINATES} == {
                name: row[name] for name in COORDINATES
            }


@pytest.mark.parametrize(
    ("op", "amount", "usual", "most"),
    [
        (list_conversations_op, "limit", 50, 200),
        (get_conversation_op, "limit", 100, 500),
        (search_messages_op, "limit", 20, 100),
        (semantic_search_op, "k", 20, 100),
        (get_context_op, "window", 5, 50),
        (list_media_op, "limit", 50, 200),
        (list_links_op, "limit", 50, 200),
    ],
)
def test_an_operation_has_a_usual_amount_and_refuses_more_than_its_most(
    filled: Archive, op: Any, amount: str, usual: int, most: int
) -> None:
    wanted = {"conversation": "Ada Fenn", "query": "sea", "message_id": "0" * 20}
    parameters = signature(op).parameters
    said = {
        name: wanted[name] for name, one in parameters.items()
        if name in wanted and one.default is one.empty
    }  # fmt: skip

    assert parameters[amount].default == usual
    for wrong in (most + 1, 0, -1, "5", 2.0):
        with pytest.raises(BadArgument, match=f"from 1 to {most}") as caught:
            op(filled, **said, **{amount: wrong})
        assert caught.value.details["field"] == amount


@pytest.mark.parametrize(
    "op", [search_messages_op, semantic_search_op, list_media_op, list_links_op]
)
def test_operations_over_all_conversations_take_the_same_filters(op: Any) -> None:
    assert {"conversation", "source", "start", "end"} <= set(signature(op).parameters)


def test_the_clock_of_a_message_is_the_one_it_was_written_by(
    database: Path, archive: Archive
) -> None:
    read_on = message(1, "by a clock on the wall", zone="assumed:America/New_York")
    put(database, [read_on, message(2, "by UTC")], options=Options(timezone="Europe/Berlin"))

    rows = get_conversation_op(archive, conversation="Ada Fenn")["messages"]

    assert [(row["zone"], row["local_time"][-6:]) for row in rows] == [
        ("America/New_York", "-04:00"), ("Europe/Berlin", "+02:00"),
    ]  # fmt: skip


def test_times_before_1970_are_times(database: Path, archive: Archive) -> None:
    put(database, [message(1, "long ago", instant_ms=-86_400_000), message(2, "now")])

    page = get_conversation_op(archive, conversation="Ada Fenn", end="1969-12-31")

    assert [row["text"] for row in page["messages"]] == ["long ago"]


def test_files_of_every_kind_are_in_one_list_by_time(database: Path, archive: Archive) -> None:
    rows = [
        message(number, "", attachments=(Attachment(kind, "x", media_type="a/b", size=number),))
        for number, kind in enumerate(KINDS)
    ]
    put(database, rows)

    listed = list_media_op(archive)["media"]

    assert [row["kind"] for row in listed] == list(KINDS)[::-1]
    assert all(row["media_type"] == "a/b" for row in listed)
    assert {row["export"] for row in listed} == {str(database.parent / "first.json")}


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.booleans(), st.integers(0, 8)), max_size=12),
    st.integers(1, 5),
    st.booleans(),
)
def test_links_are_each_listed_once_at_their_newest_whatever_the_page(
    tmp_path_factory: pytest.TempPathFactory,
    said: list[tuple[str, bool, int]],
    limit: int,
    walkers_only: bool,
) -> None:
    database = tmp_path_factory.mktemp("archive") / "archive.db"
    put(
        database,
        [message(0, "no link"), message(1, "none", conversation=WALKERS)] + [
            message(number, f"https://{host}.example", instant_ms=MORNING + minute * MINUTE,
                    conversation=WALKERS if walkers else ADA_CHAT)
            for number, (host, walkers, minute) in enumerate(said, 2)
        ],
    )  # fmt: skip
    archive = Archive(database)
    only = {"conversation": "Harbour Walkers"} if walkers_only else {}
    rows = [row for row in exported(archive) if row["links"]]
    rows = [row for row in rows if not only or row["conversation"]["name"] == "Harbour Walkers"]
    newest: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: str(row["timestamp"])):
        newest[row["links"][0]] = row["timestamp"]

    listed = _all_pages(archive, list_links_op, "links", limit=limit, **only)

    counts = Counter(row["links"][0] for row in rows)
    assert {row["url"]: row["timestamp"] for row in listed} == newest
    assert {row["url"]: row["occurrences"] for row in listed} == counts
    assert len(listed) == len(newest)
    times = [row["timestamp"] for row in listed]
    assert times == sorted(times, reverse=True)
    archive.close()


@pytest.mark.parametrize(
    ("op", "said", "field"),
    [
        (get_conversation_op, {"conversation": "Ada Fenn", "limit": 501}, "limit"),
        (get_conversation_op, {"conversation": "Ada Fenn", "page": "last"}, "page"),
        (get_conversation_op, {"conversation": ""}, "conversation"),
        (get_context_op, {"message_id": "x", "window": 51}, "window"),
        (get_context_op, {"message_id": "x", "window": True}, "window"),
        (list_media_op, {"kind": "picture"}, "kind"),
        (list_media_op, {"start": "2024-02-30"}, "start"),
        (list_media_op, {"end": "20240502"}, "end"),
        (list_media_op, {"end": "2024-W18-4"}, "end"),
        (list_links_op, {"start": "2024-05-02", "end": "2024-05-01"}, "end"),
        (list_links_op, {"cursor": "AAAA"}, "cursor"),
        (list_conversations_op, {"limit": 1000}, "limit"),
        (list_conversations_op, {"source": "icq"}, "source"),
    ],
)
def test_a_wrong_argument_is_named(
    filled: Archive, op: Any, said: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadArgument) as caught:
        op(filled, **said)

    assert caught.value.details["field"] == field


def test_a_contact_called_me_is_not_the_owner(database: Path, archive: Archive) -> None:
    other = type(ADA)("user5", "Me")
    put(database, [message(1, "I am not you", sender=other), message(2, "I am", sender=ME)])

    hits = search_messages_op(archive, query="am", sender="Me")["hits"]

    assert [hit["is_me"] for hit in hits] == [True]
