"""Importing again adds what is new, keeps every key, and loses nothing."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archives import ADA, ADA_CHAT, BO, ME, MINUTE, MORNING, WALKERS, message, put, unnamed
from echo_archive.export import exported
from echo_archive.importing import import_exports
from echo_archive.merge import BATCH
from echo_archive.ops.search import search_messages_op
from echo_archive.reading import Archive
from echo_archive.records import (
    Attachment,
    Conversation,
    Export,
    Message,
    Options,
    Person,
    Reaction,
)
from echo_archive.reports import ExportReport


def _all(archive: Archive) -> list[dict[str, Any]]:
    return list(exported(archive))


def _keys(archive: Archive) -> dict[str, str]:
    return {row["body"]: row["message_id"] for row in _all(archive)}


def test_a_second_import_of_the_same_rows_changes_nothing(database: Path, archive: Archive) -> None:
    rows = [message(1, "Morning"), message(2, "nine?", sender=ME), message(3, "fine")]
    put(database, rows)
    before = _all(archive)

    report = put(database, rows, name="second")

    assert (report.added, report.changed, report.unchanged) == (0, 0, 3)
    assert _all(archive) == before


def test_an_unchanged_file_is_not_read_again(database: Path) -> None:
    put(database, [message(1, "Morning")])

    report = put(database, [message(1, "Morning")])

    assert report.outcome == "unchanged"


def test_a_touched_file_with_the_same_content_is_not_read_again(database: Path) -> None:
    put(database, [message(1, "Morning")])
    (database.parent / "first.json").touch()

    report = put(database, [message(1, "Morning")])

    assert report.outcome == "unchanged"


def test_a_shorter_export_deletes_nothing(database: Path, archive: Archive) -> None:
    put(database, [message(number, f"row {number}") for number in range(10)])

    put(database, [message(9, "row 9")], name="shorter")

    assert len(_all(archive)) == 10


def test_an_older_export_finds_its_place_before_what_is_there(
    database: Path, archive: Archive
) -> None:
    put(database, [message(5, "later")])

    put(database, [message(1, "earlier")], name="older")

    assert [row["body"] for row in _all(archive)] == ["earlier", "later"]


def test_an_edit_keeps_the_key_and_the_earlier_text(database: Path, archive: Archive) -> None:
    put(database, [message(1, "meet at nien")])
    key = _keys(archive)["meet at nien"]

    report = put(database, [message(1, "meet at nine", edited=True)], name="second")

    [row] = _all(archive)
    assert (report.changed, row["message_id"], row["edited"]) == (1, key, True)
    assert row["revisions"] == ["meet at nien", "meet at nine"]


def test_an_older_export_does_not_take_an_edit_back(database: Path, archive: Archive) -> None:
    put(database, [message(1, "meet at nine", edited=True)])

    put(database, [message(1, "meet at nien")], name="older")

    [row] = _all(archive)
    assert (row["body"], row["revisions"]) == ("meet at nine", ["meet at nien", "meet at nine"])


def test_a_deletion_leaves_an_empty_row_under_the_same_key(
    database: Path, archive: Archive
) -> None:
    link = "see https://cake.example"
    put(database, [message(1, link, attachments=(Attachment("image", "cake.jpg"),))])
    key = _keys(archive)[link]

    put(database, [message(1, "still in the export", deleted=True)], name="second")

    [row] = _all(archive)
    assert (row["message_id"], row["body"], row["deleted"]) == (key, "", True)
    assert (row["attachments"], row["links"], row["revisions"]) == ([], [], [])


def test_an_older_export_does_not_bring_back_what_was_deleted(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "", deleted=True)])

    put(database, [message(1, "secret")], name="older")

    assert [row["body"] for row in _all(archive)] == [""]


def test_a_renamed_contact_stays_one_person_with_the_same_keys(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "Morning")])
    before = _keys(archive)
    renamed = {
        "conversation": replace(ADA_CHAT, name="Ada Fenn-Moor"),
        "sender": Person("user1", "Ada Fenn-Moor"),
    }

    put(database, [message(1, "Morning", **renamed)], name="second")

    [row] = _all(archive)
    assert (row["sender"], row["conversation"]["name"]) == ("Ada Fenn-Moor", "Ada Fenn-Moor")
    assert _keys(archive) == before


def test_another_time_zone_moves_the_instants_and_keeps_the_keys(
    database: Path, archive: Archive
) -> None:
    rows = [unnamed(1, "one"), unnamed(2, "two")]
    put(database, rows)
    before = _keys(archive)
    moved = [
        row._replace(instant_ms=row.instant_ms - 60 * MINUTE, zone="assumed:Europe/Berlin")
        for row in rows
    ]

    put(database, moved, options=Options(timezone="Europe/Berlin"))

    assert _keys(archive) == before
    assert {row["timestamp"] for row in _all(archive)} == {
        "2024-05-02T05:01:00Z", "2024-05-02T05:02:00Z",
    }  # fmt: skip


def test_a_new_reaction_is_added_and_one_who_changes_his_mind_counts_once(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "cake", reactions=(Reaction("👍", ADA), Reaction("🎉", BO)))])

    put(database, [message(1, "cake", reactions=(Reaction("❤️", ADA),))], name="second")

    [row] = _all(archive)
    assert {(one["emoji"], one["actor"]) for one in row["reactions"]} == {
        ("❤️", "Ada Fenn"), ("🎉", "Bo Harrow"),
    }  # fmt: skip


def test_an_export_without_media_does_not_take_a_file_away(
    database: Path, archive: Archive
) -> None:
    there = Attachment("image", "a.jpg", "photos/a.jpg")
    put(database, [message(1, "", attachments=(there,))])

    put(
        database, [message(1, "", attachments=(there._replace(path=None, missing=True),))], name="b"
    )

    [row] = _all(archive)
    assert row["attachments"][0]["path"] == "photos/a.jpg"


def test_equal_rows_of_one_minute_are_several_messages(database: Path, archive: Archive) -> None:
    rows = [unnamed(1, "ha"), unnamed(1, "ha"), unnamed(1, "ho")]
    put(database, rows)

    put(database, rows, name="second")

    assert [row["body"] for row in _all(archive)] == ["ha", "ha", "ho"]


def test_an_export_that_begins_inside_a_minute_is_aligned_by_its_texts(
    database: Path, archive: Archive
) -> None:
    put(database, [unnamed(1, "first"), unnamed(1, "second"), unnamed(1, "third")])
    before = _keys(archive)

    report = put(database, [unnamed(1, "third"), unnamed(1, "fourth")], name="later")

    assert report.added == 1
    assert before.items() <= _keys(archive).items()
    assert set(_keys(archive)) == {"first", "second", "third", "fourth"}


def test_an_edited_row_of_a_text_export_keeps_its_key(database: Path, archive: Archive) -> None:
    put(database, [unnamed(0, "x"), unnamed(1, "one"), unnamed(1, "two")])
    before = _keys(archive)

    put(
        database,
        [unnamed(0, "x"), unnamed(1, "one"), unnamed(1, "two!", edited=True)],
        name="second",
    )

    assert _keys(archive)["two!"] == before["two"]


def test_a_deletion_in_a_text_export_is_not_mistaken_for_a_row_that_has_no_text(
    database: Path, archive: Archive
) -> None:
    image = unnamed(1, "", attachments=(Attachment("image", "a.jpg", missing=True),))
    put(database, [unnamed(0, "x"), image, unnamed(1, "regretted")])

    put(database, [unnamed(0, "x"), image, unnamed(1, "", deleted=True)], name="second")

    rows = list(exported(archive))
    assert [(row["body"], row["deleted"], len(row["attachments"])) for row in rows] == [
        ("x", False, 0), ("", False, 1), ("", True, 0),
    ]  # fmt: skip


def test_rows_out_of_order_by_a_minute_are_not_taken_for_versions_of_each_other(
    database: Path, archive: Archive
) -> None:
    rows = [unnamed(0, "z"), unnamed(2, "a"), unnamed(1, "b"), unnamed(2, "c"), unnamed(2, "a")]
    put(database, rows)

    report = put(database, rows, name="second")

    assert (report.added, report.changed) == (0, 0)
    assert sorted(row["body"] for row in _all(archive)) == ["a", "a", "b", "c", "z"]


def test_rows_of_one_minute_stay_in_the_order_of_the_export_whoever_wrote_them(
    database: Path, archive: Archive
) -> None:
    rows = [unnamed(1, "when?"), unnamed(1, "at nine", sender=BO), unnamed(1, "fine")]

    put(database, rows)

    assert [row["body"] for row in _all(archive)] == ["when?", "at nine", "fine"]


def test_one_id_given_to_two_messages_names_two(database: Path, archive: Archive) -> None:
    rows = [message(1, "one"), message(2, "two", native_id="1", sender=BO)]
    put(database, rows)

    report = put(database, rows, name="second")

    assert (report.unchanged, len(_all(archive))) == (2, 2)


def test_the_same_id_in_two_conversations_names_two_messages(
    database: Path, archive: Archive
) -> None:
    put(database, [message(1, "here"), message(1, "there", conversation=WALKERS)])

    assert len({row["message_id"] for row in _all(archive)}) == 2


def test_a_thousand_messages_of_one_millisecond_stay_in_order(
    database: Path, archive: Archive
) -> None:
    rows = [message(number, f"row {number}", instant_ms=MORNING) for number in range(3000)]

    put(database, rows)
    put(database, [message(9999, "row 3000", instant_ms=MORNING)], name="second")

    assert [row["body"] for row in _all(archive)] == [f"row {number}" for number in range(3001)]


def test_halves_of_characters_and_far_times_are_stored(database: Path, archive: Archive) -> None:
    rows = [
        message(1, "half \ud83d"), message(2, "nul \0 here"), message(3, "old", instant_ms=-1),
        message(4, "far", instant_ms=253_402_300_799_999),
    ]  # fmt: skip

    put(database, rows)

    assert [row["body"] for row in _all(archive)] == ["old", "half ?", "nul \0 here", "far"]


def test_what_the_first_export_says_twice_far_apart_is_one_message(
    database: Path, archive: Archive
) -> None:
    rows = [message(number, f"row {number}") for number in range(BATCH)]
    again = [message(7, "row 7"), message(8, "row 8, put right", edited=True)]

    report = put(database, [*rows, *again, message(BATCH, "last")])

    said = {row["native_id"]: row for row in _all(archive)}
    assert (report.added, report.changed, report.unchanged) == (BATCH + 1, 1, 1)
    assert (len(said), said["7"]["body"]) == (BATCH + 1, "row 7")
    assert said["8"]["revisions"] == ["row 8", "row 8, put right"]


@pytest.mark.parametrize("rows", [[message(1, "a")], [message(1, "a"), message(1, "b")], []])
def test_keys_are_indexed_after_an_import_into_an_empty_archive(
    database: Path, rows: list[Message]
) -> None:
    put(database, rows)

    with sqlite3.connect(database) as opened:
        plan = opened.execute("explain query plan select 1 from message where hash = x'00'")
        assert "message_hash" in plan.fetchone()[3]
    opened.close()


def test_the_index_of_words_is_one_piece_after_a_large_import_and_left_so_by_a_small_one(
    database: Path,
) -> None:
    pieces = []
    for name, numbers in (("first", range(100)), ("more", range(100, 300)), ("new", range(301))):
        put(database, [message(number, f"row {number}") for number in numbers], name=name)
        with sqlite3.connect(database) as opened:
            query = "select count(distinct segid) from message_words_idx"
            pieces.append(opened.execute(query).fetchone()[0])
        opened.close()

    assert pieces == [1, 1, 2]


_BODIES = st.sampled_from(["", "a", "b", "see https://a.example"])


@st.composite
def _histories(draw: st.DrawFn) -> list[list[Message]]:
    """Exports of one chat: each says something of some messages."""
    exports = []
    for _ in range(draw(st.integers(1, 4))):
        rows = []
        for number in draw(st.lists(st.integers(0, 5), max_size=6)):
            deleted = draw(st.booleans()) and draw(st.booleans())
            edited, body = draw(st.booleans()), draw(_BODIES)
            maker = draw(st.sampled_from([message, unnamed]))
            # An edit that changes nothing cannot be told from a repetition where there is no id.
            body += "!" if edited and maker is unnamed else ""
            rows.append(maker(number, body, edited=edited, deleted=deleted))
        exports.append(rows)
    return exports


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_histories())
def test_whatever_exports_say_keys_stay_and_the_last_one_again_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, exports: list[list[Message]]
) -> None:
    database = tmp_path_factory.mktemp("archive") / "archive.db"
    archive, keys = Archive(database), dict[str, str]()

    for number, rows in enumerate(exports):
        put(database, rows, name=f"export{number}")
        now = {row["message_id"]: row["written"] for row in _all(archive)}
        assert keys.items() <= now.items()
        keys = now
    before = _all(archive)
    put(database, exports[-1], name="again")

    assert _all(archive) == before
    archive.close()


def test_conversations_with_one_name_and_different_keys_stay_two(
    database: Path, archive: Archive
) -> None:
    other = Conversation("user99", "Ada Fenn", "99", "direct")

    put(database, [message(1, "one"), message(2, "two", conversation=other)])

    assert {row["conversation"]["id"] for row in _all(archive)} == {"1", "99"}


def test_an_index_of_words_of_another_kind_is_made_anew(database: Path, archive: Archive) -> None:
    put(database, [message(1, "lighthouse"), message(2, "cake")])
    with sqlite3.connect(database) as older:
        older.execute("update meta set value = 0 where key = 'words'")
        older.execute("insert into message_words(message_words) values('delete-all')")
    older.close()

    put(database, [message(1, "pear", edited=True)], name="second")

    found = search_messages_op(archive, query="lighthouse pear cake")["hits"]
    assert {hit["text"] for hit in found} == {"**pear**", "**cake**"}


A, B = (Attachment("image", name, f"media/{name}", size=3) for name in ("a.jpg", "b.jpg"))


def missing(one: Attachment) -> Attachment:
    return one._replace(path=None, missing=True, size=None)


def put_in(folder: Path, *attachments: Attachment, database: Path) -> ExportReport:
    """Import one message from a folder that holds the media that are not missing."""
    (folder / "media").mkdir(parents=True)
    for one in attachments:
        if one.path:
            (folder / one.path).write_bytes(b"jpg")
    (folder / "result.json").write_text(folder.name)
    export = Export("telegram", "invented", folder)
    rows = [message(1, "", attachments=attachments)]
    report = import_exports(database, [export], lambda *_: iter(rows), Options(), lambda *_: None)
    return report.exports[0]


def test_each_attachment_lies_where_the_export_that_holds_it_lies(
    database: Path, archive: Archive, tmp_path: Path
) -> None:
    put_in(tmp_path / "one", A, missing(B), database=database)
    put_in(tmp_path / "two", missing(A), B, database=database)

    (row,) = exported(archive)
    lie = [Path(one["root"]) / one["path"] for one in row["attachments"]]
    assert [path.is_file() for path in lie] == [True, True]
    assert [path.parts[-3:] for path in lie] == [
        ("one", "media", "a.jpg"), ("two", "media", "b.jpg"),
    ]  # fmt: skip


def test_attachments_of_one_name_belong_together_in_whatever_order_they_come(
    database: Path, archive: Archive, tmp_path: Path
) -> None:
    other = Attachment("image", "c.jpg", missing=True)
    put_in(tmp_path / "one", A, B, database=database)

    reports = [
        put_in(tmp_path / f"again {number}", B, other, database=database) for number in range(2)
    ]

    (row,) = exported(archive)
    assert [one["name"] for one in row["attachments"]] == ["a.jpg", "b.jpg"]
    assert reports[1].changed == 0
