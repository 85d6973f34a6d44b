"""Messenger and Instagram downloads are read, with their letters put right."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from echo_archive.records import Options
from exports import Reading, read_all, written

THREAD = "your_facebook_activity/messages/inbox/ada_1"


def _row(time: int, content: str, **said: Any) -> dict[str, Any]:
    return {"sender_name": "Ada", "timestamp_ms": time, "content": content} | said


def _thread(*rows: Any, **said: Any) -> str:
    names = [{"name": "Ada"}, {"name": "Nell Quill"}]
    about = {"participants": names, "title": "Ada", "thread_path": "inbox/ada_1"}
    return json.dumps(about | said | {"messages": list(rows)})


def _read(folder: Path, *rows: Any, **said: Any) -> Reading:
    written(folder, f"{THREAD}/message_1.json", _thread(*rows, **said))
    return read_all(folder)


@pytest.mark.parametrize(
    ("found", "meant"),
    [
        ("caf\u00c3\u00a9", "café"),
        ("\u00f0\u009f\u0094\u00a5", "🔥"),
        ("already ☕ right é", "already ☕ right é"),
        ("a lone \u00e9", "a lone é"),
        ("cut \u00f0\u009f\u0094", "cut \u00f0\u009f\u0094"),
        ("plain", "plain"),
    ],
)
def test_letters_are_put_right_where_they_went_wrong(
    tmp_path: Path, found: str, meant: str
) -> None:
    reading = _read(tmp_path, _row(1, found, reactions=[{"reaction": found, "actor": found}]))

    (reaction,) = reading.messages[0].reactions
    assert reading.bodies == [meant]
    assert (reaction.emoji, reaction.actor and reaction.actor.name) == (meant, meant)


def test_a_thread_in_several_files_is_one_oldest_first(tmp_path: Path) -> None:
    written(tmp_path, f"{THREAD}/message_10.json", _thread(_row(2, "b"), _row(1, "a")))
    written(tmp_path, f"{THREAD}/message_2.json", _thread(_row(4, "d"), _row(3, "c")))

    reading = read_all(tmp_path)

    assert reading.bodies == ["a", "b", "c", "d"]
    assert len({one.conversation for one in reading.messages}) == 1


def test_a_row_that_stands_twice_counts_once(tmp_path: Path) -> None:
    reading = _read(tmp_path, _row(1, "a"), _row(1, "a"), _row(1, "b"))

    assert sorted(reading.bodies) == ["a", "b"]


def test_a_download_in_zips_is_read_with_its_media(tmp_path: Path) -> None:
    photo = {"photos": [{"uri": f"{THREAD}/photos/1.jpg"}]}
    for number in (1, 2):
        with zipfile.ZipFile(tmp_path / f"facebook-{number}.zip", "w") as zipped:
            row = _row(number, str(number), **photo)
            zipped.writestr(f"{THREAD}/message_1.json", _thread(row))
            zipped.writestr(f"{THREAD}/photos/1.jpg", b"x")

    reading = read_all(tmp_path)

    assert reading.bodies == ["1", "2"]
    assert not any(one.attachments[0].missing for one in reading.messages)


def test_an_archived_thread_is_still_the_same(tmp_path: Path) -> None:
    before = _read(tmp_path / "a", _row(1, "a"))
    after = _read(tmp_path / "b", _row(1, "a"), thread_path="archived_threads/ada_1")

    assert before.messages[0].conversation.key == after.messages[0].conversation.key


def test_a_broken_file_or_row_costs_no_other(tmp_path: Path) -> None:
    written(tmp_path, f"{THREAD}/message_2.json", _thread(_row(1, "old"))[:-20])
    written(tmp_path, f"{THREAD}/message_1.json", _thread(_row(3, "new"), {"content": "x"}, 7))

    reading = read_all(tmp_path)

    assert reading.bodies == ["new"]
    assert len(reading.skipped) == 3


@pytest.mark.parametrize(
    ("content", "event"),
    [
        ("Liked a message", "reaction"),
        ("Nell named the group Walkers.", "title_changed"),
        ("Ada added Bo to the group.", "member_added"),
        ("Ada left the group.", "member_left"),
        ("I left the oven on", None),
        ("Liked a message?", None),
    ],
)
def test_what_nobody_typed_is_an_event(tmp_path: Path, content: str, event: str | None) -> None:
    reading = _read(tmp_path, _row(1, content))

    assert reading.messages[0].event == event
    assert reading.messages[0].system == (event is not None)


def test_who_shared_something_typed_no_note_about_it(tmp_path: Path) -> None:
    row = _row(1, "Ada sent an attachment.", share={"link": "https://a.example/"})

    reading = _read(tmp_path, row, _row(2, "Ada sent an attachment."))

    assert sorted(reading.bodies) == ["", "Ada sent an attachment."]
    assert [one.links for one in reading.messages if not one.body] == [("https://a.example/",)]


def test_an_unsent_message_is_empty(tmp_path: Path) -> None:
    reading = _read(tmp_path, _row(1, "gone", is_unsent=True, photos=[{"uri": "a.jpg"}]))

    (one,) = reading.messages
    assert (one.deleted, one.body, one.attachments) == (True, "", ())


def test_an_address_of_the_net_in_the_download_is_not_read(tmp_path: Path) -> None:
    reading = _read(tmp_path, _row(1, "x", ip="203.0.113.7"))

    assert "203.0.113.7" not in repr(reading)


def test_an_encrypted_chats_own_shape_is_read_and_its_letters_left_alone(tmp_path: Path) -> None:
    said = {
        "participants": ["Ada", "Nell Quill"],
        "threadName": "Ada",
        "messages": [
            {
                "senderName": "Ada",
                "text": "Ã© stays",
                "timestamp": 5,
                "isUnsent": False,
                "media": [],
            }
        ],
    }

    reading = read_all(written(tmp_path, "Ada_1.json", json.dumps(said)))

    assert reading.bodies == ["Ã© stays"]


def test_in_a_thread_of_two_that_bears_ones_name_the_other_is_the_owner(tmp_path: Path) -> None:
    row = _row(1, "mine", sender_name="Nell Quill")
    written(tmp_path, f"{THREAD}/message_1.json", _thread(row, _row(2, "hers")))

    reading = read_all(tmp_path, Options())

    assert sorted(reading.senders, key=str) == ["Ada", "Me"]
