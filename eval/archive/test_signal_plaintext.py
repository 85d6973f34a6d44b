"""Signal's own plaintext export is read, frame by frame."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from exports import Reading, read_all, written

HEAD: list[dict[str, Any]] = [
    {"version": "1", "backupTimeMs": "1", "mediaRootBackupKey": "secret-one"},
    {"account": {"profileKey": "secret-two"}},
    {"recipient": {"id": "1", "self": {}}},
    {"recipient": {"id": "3", "contact": {"aci": "AAA=", "profileGivenName": "Ada"}}},
    {"recipient": {"id": "5", "group": {"masterKey": "secret-three", "snapshot": {}}}},
    {"chat": {"id": "10", "recipientId": "3"}},
    {"chat": {"id": "11", "recipientId": "5"}},
]


def _item(sent: int, said: dict[str, Any], **more: Any) -> dict[str, Any]:
    item = {"chatId": "10", "authorId": "3", "dateSent": str(sent), "incoming": {}}
    return {"chatItem": item | said | more}


def _text(body: str, **more: Any) -> dict[str, Any]:
    return {"standardMessage": {"text": {"body": body} | more}}


def _read(folder: Path, *frames: Any) -> Reading:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in (*HEAD, *frames)]
    return read_all(written(folder, "main.jsonl", "\n".join(lines)))


def test_a_frame_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    frames = ['{"chatItem": {"cha', {"novelty": {}}, {"novelty": {}}, {}, {"chatItem": {}}, [1], 7]

    reading = _read(tmp_path, _item(1, _text("a")), *frames, _item(2, _text("b")))

    assert reading.bodies == ["a", "b"]
    assert "'novelty' are not known" in reading.whys
    assert len(reading.skipped) == 6


def test_an_item_without_content_direction_or_chat_is_told(tmp_path: Path) -> None:
    item: dict[str, Any] = {"chatId": "10", "authorId": "3", "dateSent": "1", **_text("x")}

    reading = _read(
        tmp_path, {"chatItem": item}, _item(2, {}), _item(3, _text("lost"), chatId="99")
    )

    assert not reading.messages
    assert len(reading.skipped) == 3


def test_an_edited_message_keeps_its_time_and_its_earlier_texts(tmp_path: Path) -> None:
    older = [
        {"authorId": "3", "dateSent": "100", "incoming": {}, **_text("nien")},
        {"authorId": "3", "dateSent": "150", "incoming": {}, **_text("nine!")},
    ]
    quote = {"targetSentTimestamp": "150", "authorId": "3", "text": {"body": "nine!"}}
    answer = {"standardMessage": {"text": {"body": "ok"}, "quote": quote}}

    reading = _read(tmp_path, _item(200, _text("nine"), revisions=older), _item(300, answer))

    edited, reply = reading.messages
    assert (edited.instant_ms, edited.edited) == (100, True)
    assert edited.revisions == ("nien", "nine!", "nine")
    assert reply.reply_to == edited.native_id


def test_a_quote_points_at_its_message_by_whichever_version_it_names(tmp_path: Path) -> None:
    older = [{"authorId": "3", "dateSent": "100", "incoming": {}, **_text("nien")}]
    edited = _item(200, _text("nine"), revisions=older)
    answers = [
        _item(300 + sent, {"standardMessage": {"quote": {"authorId": "3", **said}}})
        for sent, said in enumerate(
            [
                {"targetSentTimestamp": "100"},
                {"targetSentTimestamp": "200"},
                {"targetSentTimestamp": "300"},
                {},
            ]
        )
    ]

    first, *replies = _read(tmp_path, edited, *answers).messages

    assert [one.reply_to for one in replies] == [
        first.native_id, first.native_id, replies[0].native_id, None,
    ]  # fmt: skip


def test_a_mention_is_a_name_counted_in_units_of_utf_16(tmp_path: Path) -> None:
    ranges = [{"start": 3, "length": 1, "mentionAci": "AAA="}]

    reading = _read(tmp_path, _item(1, _text("🦀 \ufffc hi", bodyRanges=ranges)))

    assert reading.bodies == ["🦀 @Ada hi"]


def test_no_secret_is_in_what_is_read(tmp_path: Path) -> None:
    reading = _read(tmp_path, _item(1, _text("a")), _item(2, _text("b"), chatId="11"))

    assert len(reading.messages) == 2
    assert "secret" not in repr(reading)


def test_numbers_may_be_numbers(tmp_path: Path) -> None:
    item = {"chatItem": {"chatId": 10, "authorId": 3, "dateSent": 5, "incoming": {}, **_text("a")}}

    reading = _read(tmp_path, item)

    assert [(one.body, one.instant_ms) for one in reading.messages] == [("a", 5)]


def test_polls_stories_and_view_once_are_read(tmp_path: Path) -> None:
    options = [{"option": "Sat", "votes": [{"voterId": "3"}]}, {"option": "Sun"}]

    reading = _read(
        tmp_path,
        _item(1, {"poll": {"question": "When?", "options": options}}),
        _item(2, {"directStoryReplyMessage": {"emoji": "🔥"}}),
        _item(3, {"viewOnceMessage": {}}),
        _item(4, {"updateMessage": {"simpleUpdate": "IDENTITY_UPDATE"}}),
        _item(5, {"adminDeletedMessage": {"adminId": "1"}}),
    )

    assert reading.bodies[:3] == ["When?\n- Sat (1)\n- Sun (0)", "🔥", ""]
    assert reading.messages[2].attachments[0].missing
    assert reading.messages[3].system
    assert reading.messages[4].deleted
