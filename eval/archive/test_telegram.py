"""Telegram's exports are read, also those that are not quite JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exports import Reading, read_all, written

ADA, NELL = "user7001", "user9001"


def _row(number: int, **said: Any) -> dict[str, Any]:
    row = {
        "id": number,
        "type": "message",
        "date": "2024-05-02T08:00:00",
        "date_unixtime": str(1714629600 + number),
        "from": "Ada Fenn",
        "from_id": ADA,
        "text": "hi",
    }
    return row | said


def _chat(*rows: dict[str, Any], **said: Any) -> dict[str, Any]:
    about = {"name": "Ada Fenn", "type": "personal_chat", "id": 7001}
    return about | said | {"messages": list(rows)}


def _read(folder: Path, said: object) -> Reading:
    return read_all(written(folder, "result.json", json.dumps(said, ensure_ascii=False)))


def _read_text(folder: Path, rows: str) -> Reading:
    head = '{"name": "Ada", "type": "personal_chat", "id": 7001, "messages": [\n'
    return read_all(written(folder, "result.json", head + rows))


def test_control_characters_and_values_without_quotes_are_put_right_and_told(
    tmp_path: Path,
) -> None:
    reading = _read_text(
        tmp_path,
        r"""
  {"id": 1, "type": "message", "date_unixtime": "1", "date": "", "text": "bell\x07rings \\x07 {["},
  {
   "id": 2, "type": "message", "date_unixtime": "2", "date": "",
   "text": [{"type": "custom_emoji", "text": "x", "document_id": video_files/a b.webm
   }, "hey"]
  },
  {"id": 3, "type": "message", "date_unixtime": "3", "date": "", "text": "sound"}
 ]}""",
    )

    assert reading.bodies == ["bell\x07rings \\x07 {[", "xhey", "sound"]
    assert [one.line for one in reading.skipped] == [1, 2]


def test_of_a_file_that_was_cut_short_the_beginning_is_read(tmp_path: Path) -> None:
    reading = _read_text(
        tmp_path,
        '{"id": 1, "type": "message", "date_unixtime": "1", "date": "", "from_id": 1, "text": "a"},'
        '\n{"id": 2, "type": "message", "date_unix',
    )

    assert reading.bodies == ["a"]
    assert "ends in the middle" in reading.whys


@pytest.mark.parametrize(
    "broken",
    [
        {"id": 2},
        {"id": 2, "type": "message", "date": "yesterday", "text": "x"},
        {"id": 2, "type": "message", "date": "", "date_unixtime": "1", "text": 7},
        {"id": 2, "type": "unsupported", "date": "2024-05-02T08:00:00"},
        "no object",
        None,
    ],
)
def test_a_row_that_cannot_be_read_is_told_and_costs_no_other(tmp_path: Path, broken: Any) -> None:
    reading = _read(tmp_path, _chat(_row(1), broken, _row(3)))

    assert [one.native_id for one in reading.messages] == ["1", "3"]
    assert [one.line for one in reading.skipped] == [2]


def test_a_time_without_a_zone_is_that_of_the_machine_that_exported(tmp_path: Path) -> None:
    first = {"date_unixtime": "", "date": "2020-10-25T02:40:00"}
    second = {"date_unixtime": "", "date": "2020-10-25T02:10:00"}

    reading = _read(tmp_path, _chat(_row(1, **first), _row(2, **second)))

    assert [one.instant_ms for one in reading.messages] == [1603586400000, 1603588200000]
    assert reading.messages[0].zone == "assumed:Europe/Berlin"


def test_an_edit_in_1970_is_none(tmp_path: Path) -> None:
    reading = _read(tmp_path, _chat(_row(1, edited="1970-01-01T01:00:00"), _row(2, edited="2024")))

    assert [one.edited for one in reading.messages] == [False, True]


def test_in_a_chat_of_two_whoever_is_not_the_other_is_the_owner(tmp_path: Path) -> None:
    mine = _row(2, **{"from": "N.", "from_id": NELL})
    reaction = {
        "type": "emoji",
        "emoji": "👍",
        "count": 1,
        "recent": [{"from": "N.", "from_id": NELL}],
    }

    reading = _read(tmp_path, _chat(_row(1, reactions=[reaction]), mine))

    assert reading.senders == ["Ada Fenn", "Me"]
    assert reading.messages[0].reactions[0].actor == reading.messages[1].sender


def test_people_are_known_by_their_ids_old_ones_too(tmp_path: Path) -> None:
    ids = (7001, "user7001", 2**33 + 5, 2**32 + 6)

    reading = _read(tmp_path, _chat(*(_row(n, from_id=one) for n, one in enumerate(ids))))

    keys = [one.sender.key for one in reading.messages if one.sender]
    assert keys == [ADA, ADA, "channel5", "chat6"]


@pytest.mark.parametrize(
    "path",
    [
        "(File not included. Change data exporting settings to download.)",
        "(File exceeds maximum size. Change data exporting settings to download.)",
        "(File unavailable, please try again later)",
    ],
)
def test_a_file_that_was_not_exported_is_missing(tmp_path: Path, path: str) -> None:
    reading = _read(tmp_path, _chat(_row(1, file=path, media_type="animation", file_name="a.mp4")))

    (one,) = reading.messages[0].attachments
    assert (one.kind, one.name, one.path, one.missing) == ("video", "a.mp4", None, True)


@pytest.mark.parametrize("path", ["/etc/hostname", "../../x.jpg", "C:\\x.jpg", "~/x.jpg", "a\x00b"])
def test_a_path_out_of_the_export_is_not_followed(tmp_path: Path, path: str) -> None:
    reading = _read(tmp_path, _chat(_row(1, photo=path)))

    (one,) = reading.messages[0].attachments
    assert (one.path, one.missing) == (None, True)
    assert "leaves the export" in reading.whys


def test_a_link_out_of_the_export_is_not_followed(tmp_path: Path) -> None:
    outside = written(tmp_path, "outside.jpg", "x")
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "link.jpg").symlink_to(outside)

    reading = _read(tmp_path / "export", _chat(_row(1, photo="link.jpg")))

    assert reading.messages[0].attachments[0].missing


def test_half_a_character_does_not_end_the_import(tmp_path: Path) -> None:
    path = written(tmp_path, "result.json", json.dumps(_chat(_row(1, **{"from": "A\ud83d"}))))

    reading = read_all(path)

    assert reading.senders == ["A?"]


def test_the_reactions_that_nobody_names_are_counted(tmp_path: Path) -> None:
    said = [
        {"type": "emoji", "emoji": "❤", "count": 3, "recent": [{"from": "Bo", "from_id": "user2"}]},
        {"type": "paid", "count": 2},
        {"type": "custom_emoji", "document_id": "s/1.webp", "count": 1},
    ]

    reading = _read(tmp_path, _chat(_row(1, reactions=said)))

    assert [(one.emoji, one.count) for one in reading.messages[0].reactions] == [
        ("❤", 1),
        ("❤", 2),
        ("paid", 2),
        ("custom:s/1.webp", 1),
    ]


def test_an_answer_into_another_chat_answers_nothing_here(tmp_path: Path) -> None:
    here, there = {"reply_to_message_id": 1}, {"reply_to_peer_id": "channel5"}

    reading = _read(tmp_path, _chat(_row(1), _row(2, **here), _row(3, **here, **there)))

    assert [one.reply_to for one in reading.messages] == [None, "1", None]


def test_a_chat_with_a_broken_list_does_not_stop_the_next(tmp_path: Path) -> None:
    chats = {"list": [_chat(_row(1)) | {"messages": None}, _chat(_row(2), id=7002)]}

    reading = _read(tmp_path, {"about": "x", "chats": chats})

    assert [one.native_id for one in reading.messages] == ["2"]


def test_the_order_of_a_chats_members_does_not_lose_its_messages(tmp_path: Path) -> None:
    text = json.dumps(_chat(_row(1)), sort_keys=True)

    reading = read_all(written(tmp_path, "result.json", text))

    assert reading.bodies == ["hi"]


def test_a_chat_whose_id_is_of_another_kind_has_not_two_owners(tmp_path: Path) -> None:
    mine = _row(2, **{"from": "Nell Quill", "from_id": NELL})

    reading = _read(tmp_path, _chat(_row(1), mine, id=2**33 + 7001))

    assert reading.senders == ["Ada Fenn", "Me"]
