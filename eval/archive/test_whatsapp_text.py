"""WhatsApp's own text exports are read in every dress that phones give them."""

from __future__ import annotations

import os
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from exports import BERLIN, Reading, read_all, whatsapp, written

IOS = "_chat.txt"


def _times(reading: Reading) -> list[str]:
    """Times as UTC, without the zone of the tests."""
    moments = (datetime.fromtimestamp(one.instant_ms / 1000, UTC) for one in reading.messages)
    return [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in moments]


@pytest.mark.parametrize(
    ("line", "utc"),
    [
        ("[1/15/24, 1:02:03\u202fPM] Dee: hi", "2024-01-15 12:02:03"),
        ("25/3/24, 9:29 p.\u00a0m. - Dee: hola", "2024-03-25 20:29:00"),
        ("25/3/24, 0:08 a.\u202fm. - Dee: hola", "2024-03-24 23:08:00"),
        ("25/3/24, 12:08 a. m. - Dee: hola", "2024-03-24 23:08:00"),
        ("2023-12-20, 5:46 p.m. - Dee: hi", "2023-12-20 16:46:00"),
        ("2023/12/20, 17:46 - Dee: hi", "2023-12-20 16:46:00"),
        ("2019/01/20, 11:23 - Dee: hi", "2019-01-20 10:23:00"),
        ("13.02.24, 9:05 PM - Dee: hi", "2024-02-13 20:05:00"),
        ("[13.02.24, 09:05:10] Dee: hi", "2024-02-13 08:05:10"),
        ("[12.3.2022 klo 14.08.18] Dee: moi", "2022-03-12 13:08:18"),
        ("09/17/19, 8:30:52 AM \u2013 Dee: hi", "2019-09-17 06:30:52"),
        ("19/12/2012 17:03:48: Dee: hi", "2012-12-19 16:03:48"),
        ("٢٥\u200f/٣\u200f/٢٠٢٤، ٩:٢٩ م - Dee: hi", "2024-03-25 20:29:00"),
        ("[۲۰۲۴/۳/۲۵،\u00a0۲۱:۲۹:۰۱] Dee: hi", "2024-03-25 20:29:01"),
        ("[2022/3/12 午後2:08:18] Dee: hi", "2022-03-12 13:08:18"),
        ("2022. 3. 12. 오후 2:08 - Dee: hi", "2022-03-12 13:08:00"),
    ],
)
def test_a_header_of_any_land_is_read(tmp_path: Path, line: str, utc: str) -> None:
    reading = whatsapp(tmp_path, line + "\n")

    assert _times(reading) == [utc]
    assert reading.senders == ["Dee"]
    assert not reading.skipped


def test_a_line_of_another_shape_is_text_that_somebody_pasted(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path,
        "13.02.24, 09:05 - Dee: look:\n"
        "[1/15/24, 1:02:03 PM] Ada: pasted\n13/02/2024, 10:00 - x: y\n",
    )

    assert reading.bodies == ["look:\n[1/15/24, 1:02:03 PM] Ada: pasted\n13/02/2024, 10:00 - x: y"]


def test_a_date_that_is_none_is_text(tmp_path: Path) -> None:
    reading = whatsapp(tmp_path, "30/03/2024, 09:05 - Dee: a\n31/02/2024, 09:06 - Dee: b\n")

    assert reading.bodies == ["a\n31/02/2024, 09:06 - Dee: b"]


@pytest.mark.parametrize(
    ("second", "utc"),
    [
        ("13/02/24, 09:05 - Dee: b", "2024-02-01 08:00:00"),  # no thirteenth month
        ("02/13/24, 09:05 - Dee: b", "2024-01-02 08:00:00"),
        ("01/02/24, 09:05 - Dee: IMG-20240201-WA0001.jpg (file attached)", "2024-02-01 08:00:00"),
        ("01/02/24, 09:05 - Dee: IMG-20240102-WA0001.jpg (file attached)", "2024-01-02 08:00:00"),
        ("02/01/24, 09:05 - Dee: b", "2024-01-02 08:00:00"),  # else it would go back in time
        ("03/01/24, 09:05 - Dee: b", "2024-01-02 08:00:00"),
    ],
)
def test_day_and_month_are_told_apart_by_what_the_file_holds(
    tmp_path: Path, second: str, utc: str
) -> None:
    reading = whatsapp(tmp_path, f"01/02/24, 09:00 - Dee: a\n{second}\n")

    assert _times(reading)[0] == utc
    assert "told apart" not in reading.whys


def test_no_message_is_younger_than_the_export(tmp_path: Path) -> None:
    path = written(tmp_path, "x.txt", "01/02/24, 09:00 - Dee: a\n01/03/24, 09:00 - Dee: b\n")
    written_at = datetime(2024, 1, 4, tzinfo=UTC).timestamp()
    os.utime(path, (written_at, written_at))

    reading = read_all(path)

    assert _times(reading)[0] == "2024-01-02 08:00:00"


def test_what_cannot_be_told_apart_is_said_and_can_be_told(tmp_path: Path) -> None:
    path = written(tmp_path, "x.txt", "01/02/12, 09:00 - Dee: a\n")

    guessed, told = read_all(path), read_all(path, replace(BERLIN, date_order="mdy"))

    assert "--date-order" in guessed.whys
    assert _times(told) == ["2012-01-02 08:00:00"]
    assert not told.skipped


def test_the_hour_that_autumn_repeats_is_told_by_the_order_of_the_rows(tmp_path: Path) -> None:
    hours = ("02:10", "02:50", "02:20", "03:10")
    rows = "".join(f"27/10/2024, {hour} - Dee: x\n" for hour in hours)

    reading = whatsapp(tmp_path, rows)

    assert _times(reading) == [
        "2024-10-27 00:10:00",
        "2024-10-27 00:50:00",
        "2024-10-27 01:20:00",
        "2024-10-27 02:10:00",
    ]


def test_a_time_that_spring_leaves_out_is_moved_and_told(tmp_path: Path) -> None:
    reading = whatsapp(tmp_path, "31/03/2024, 02:30 - Dee: x\n")

    assert _times(reading) == ["2024-03-31 01:30:00"]
    assert "does not exist" in reading.whys


def test_a_mark_before_the_bracket_does_not_hide_a_row(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path,
        "[15/1/24, 13:00:00] Dee: text\r\n\u200e[15/1/24, 13:04:00] Dee: \u200eimage omitted\r\n",
        IOS,
    )

    assert reading.bodies == ["text", ""]
    assert reading.messages[1].attachments[0].kind == "image"


def test_the_same_words_typed_by_a_person_are_words(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path,
        "[15/1/24, 13:00:00] Dee: image omitted\n"
        "[15/1/24, 13:01:00] Dee: This message was deleted\n"
        "[15/1/24, 13:02:00] Dee: Missed voice call\n[15/1/24, 13:03:00] Dee: <attached>\n",
        IOS,
    )

    assert reading.bodies == [
        "image omitted",
        "This message was deleted",
        "Missed voice call",
        "<attached>",
    ]
    assert not any(one.attachments or one.deleted or one.system for one in reading.messages)


def test_a_groups_name_is_no_person(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path,
        "[15/1/24, 12:00:00] Rope Team: \u200eBo added Dee\n[15/1/24, 12:00:05] Dee: hello\n",
        IOS,
    )

    assert reading.senders == [None, "Dee"]
    assert {(one.conversation.name, one.conversation.kind) for one in reading.messages} == {
        ("Rope Team", "group")
    }


def test_a_name_with_a_colon_is_kept_where_something_else_speaks_of_it(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path,
        '13.02.24, 09:06 - Dr: Who created group "Rope"\n13.02.24, 09:07 - Dr: Who: hi: there\n'
        "13.02.24, 09:08 - Dee: note: I added sugar\n",
        "WhatsApp Chat with Rope.txt",
    )

    assert reading.senders == [None, "Dr: Who", "Dee"]
    assert reading.bodies[1:] == ["hi: there", "note: I added sugar"]


def test_an_event_with_a_colon_is_no_message(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path, '13.02.24, 09:06 - Ada changed the subject from "A" to "Sunday: walk"\n'
    )

    assert (reading.messages[0].event, reading.senders) == ("title_changed", [None])


@pytest.mark.parametrize(
    ("body", "kind", "name", "text"),
    [
        ("\u200e<adjunto: 0003-PHOTO.jpg>", "image", "0003-PHOTO.jpg", ""),
        ("\u200e<مرفق: 0004-AUDIO-x.opus>", "audio", "0004-AUDIO-x.opus", ""),
        ("look \u200e<attached: 0005-VIDEO-x.mp4>", "video", "0005-VIDEO-x.mp4", "look"),
        ("A.pdf • \u200e2 pages \u200e<attached: 0013-A.pdf>", "file", "A.pdf", ""),
        ("A.pdf • \u200e2 pages \u200edocument omitted", "file", "A.pdf", ""),
        ("\u200eContact card omitted", "contact", None, ""),
        ("\u200eGIF weggelassen", "image", None, ""),
        ("\u200eimagen omitida", "image", None, ""),
    ],
)
def test_an_iphones_attachment_is_read(
    tmp_path: Path, body: str, kind: str, name: str | None, text: str
) -> None:
    reading = whatsapp(tmp_path, f"[15/1/24, 13:00:00] Dee: {body}\n", IOS)

    (one,) = reading.messages[0].attachments
    assert (one.kind, one.name, one.missing) == (kind, name, True)
    assert reading.bodies == [text]


@pytest.mark.parametrize(
    "body",
    [
        "IMG-1.jpg (archivo adjunto)",
        "\u200eIMG-1.jpg (Datei angehängt)",
        "IMG-1.jpg (fichier joint)",
    ],
)
def test_an_android_attachment_is_read_with_its_caption(tmp_path: Path, body: str) -> None:
    reading = whatsapp(tmp_path, f"15.01.24, 13:00 - Dee: {body}\nthe deck\n")

    (one,) = reading.messages[0].attachments
    assert (one.kind, one.name) == ("image", "IMG-1.jpg")
    assert reading.bodies == ["the deck"]


def test_a_venue_and_a_poll_are_what_they_are(tmp_path: Path) -> None:
    reading = whatsapp(
        tmp_path,
        "25/3/24, 9:31 p.\u00a0m. - Dee: ENCUESTA:\n¿Cuándo?\nOPCIÓN: Sábado (2 votos)\n"
        "25/3/24, 9:32 p.\u00a0m. - Dee: The Pub (1 Quay): https://foursquare.com/v/abc\n",
    )

    assert reading.bodies == ["¿Cuándo?\n- Sábado (2)", ""]
    assert reading.messages[1].attachments[0].name == "The Pub (1 Quay)"
    assert reading.messages[1].links == ("https://foursquare.com/v/abc",)


def test_joined_emoji_and_other_marks_of_the_writer_stay(tmp_path: Path) -> None:
    body = "\U0001f469\u200d\U0001f467 \u2764\ufe0f א\u200f!"

    reading = whatsapp(tmp_path, f"15.01.24, 13:00 - Dee: {body}\n")

    assert reading.bodies == [body]


def test_a_zip_is_read_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat - Ada Fenn.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr(IOS, "[15.1.24, 13:00:00] Ada Fenn: \u200e<attached: 1-PHOTO-.jpg>\n")
        zipped.writestr("1-PHOTO-.jpg", b"x")

    reading = read_all(path)

    (one,) = reading.messages[0].attachments
    assert reading.messages[0].conversation.name == "Ada Fenn"
    assert (one.path, one.missing, one.size) == ("1-PHOTO-.jpg", False, 1)


def test_the_owner_is_the_same_person_before_and_after_he_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "x.txt", "15.01.24, 13:00 - Nell Quill: hi\n")

    named, nameless = read_all(path).messages[0], read_all(path, replace(BERLIN, owner=()))

    assert named.sender is not None and named.sender.is_me
    assert nameless.messages[0].sender is not None
    assert named.sender.key == nameless.messages[0].sender.key


def test_a_file_beside_the_export_cannot_be_reached_through_it(tmp_path: Path) -> None:
    written(tmp_path, "secret.jpg", "x")
    chat = "15.01.24, 13:00 - Dee: ../secret.jpg (file attached)\n"

    reading = read_all(written(tmp_path, "export/WhatsApp Chat with Dee.txt", chat))

    (one,) = reading.messages[0].attachments
    assert (one.path, one.missing) == (None, True)
    assert "leaves the export" in reading.whys


def test_bytes_that_are_no_text_do_not_end_the_import(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"15.01.24, 13:00 - Dee: caf\xe9\n15.01.24, 13:01 - Dee: next\n")

    assert read_all(path).bodies == ["caf\ufffd", "next"]


def test_in_a_chat_of_two_that_bears_ones_name_the_other_is_the_owner(tmp_path: Path) -> None:
    rows = "15.01.24, 13:00 - Dee: hi\n15.01.24, 13:01 - Nell Quill: hello\n"
    path = written(tmp_path, "WhatsApp Chat with Dee.txt", rows)

    reading = read_all(path, replace(BERLIN, owner=()))

    assert reading.senders == ["Dee", "Me"]
    assert reading.messages[0].conversation.kind == "direct"


def test_in_a_group_nobody_is_taken_for_the_owner(tmp_path: Path) -> None:
    rows = "15.01.24, 13:00 - Dee: hi\n15.01.24, 13:01 - Nell Quill: hello\n"
    path = written(tmp_path, "WhatsApp Chat with Rope Team.txt", rows)

    reading = read_all(path, replace(BERLIN, owner=()))

    assert reading.senders == ["Dee", "Nell Quill"]
