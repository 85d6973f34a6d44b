"""WhatsApp-Chat-Exporter's JSON is read, its own faults made good."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exports import Reading, read_all, written

ADA, GROUP = "447700900111@s.whatsapp.net", "447700900222-16@g.us"


def _row(key: str | None = "A1", **said: Any) -> dict[str, Any]:
    row = {"from_me": False, "timestamp": 1717243200, "media": False, "key_id": key, "meta": False}
    return row | {"data": "hi", "sender": None, "mime": None, "message_type": 0} | said


def _chat(*rows: Any, **said: Any) -> dict[str, Any]:
    about = {"name": "Ada Fenn", "type": "android", "my_avatar": None, "media_base": ""}
    return about | said | {"messages": {str(n): row for n, row in enumerate(rows)}}


def _read(folder: Path, *rows: Any, jid: str = ADA, **said: Any) -> Reading:
    return read_all(written(folder, "result.json", json.dumps({jid: _chat(*rows, **said)})))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_row_whose_file_the_exporter_lost_is_a_missing_attachment(
    tmp_path: Path, number: int
) -> None:
    reading = _read(tmp_path, _row(message_type=number, data="caption"))

    (one,) = reading.messages[0].attachments
    assert (one.missing, reading.bodies) == (True, ["caption"])


def test_a_typed_mark_of_html_stays(tmp_path: Path) -> None:
    reading = _read(tmp_path, _row(data="a <b>&amp; <br>c<br>d"))

    assert reading.bodies == ["a <b>&amp;\nc\nd"]


def test_an_iphones_cut_keys_still_find_each_other(tmp_path: Path) -> None:
    rows = (_row("A" * 17), _row("B" * 17, reply="A" * 20))

    reading = _read(tmp_path, *rows, type="ios")

    assert reading.messages[1].reply_to == reading.messages[0].native_id


def test_a_row_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    reading = _read(
        tmp_path, _row("A1"), {"data": "x"}, "no row", _row("A4", timestamp="x"), _row("A5")
    )

    assert [one.native_id for one in reading.messages] == ["A1", "A5"]
    assert [one.line for one in reading.skipped] == [2, 3, 4]


def test_somebody_in_a_group_is_who_he_is_in_his_own_chat(tmp_path: Path) -> None:
    chats = {ADA: _chat(_row("A1")), GROUP: _chat(_row("G1", sender="Ada Fenn"), name="Walkers")}

    reading = read_all(written(tmp_path, "result.json", json.dumps(chats)))

    one, other = reading.messages
    assert one.sender == other.sender


def test_a_file_of_one_chat_is_read_as_well(tmp_path: Path) -> None:
    written(tmp_path, "Ada Fenn.json", json.dumps({ADA: _chat(_row("A1"))}))
    written(tmp_path, "Bo.json", json.dumps({GROUP: _chat(_row("G1"))}))

    assert len(read_all(tmp_path).messages) == 2


def test_a_file_cut_short_gives_what_it_holds(tmp_path: Path) -> None:
    text = json.dumps({ADA: _chat(_row("A1"), _row("A2"))})

    reading = read_all(written(tmp_path, "result.json", text[:-60]))

    assert [one.native_id for one in reading.messages] == ["A1"]
    assert "ends in the middle" in reading.whys


def test_several_cards_in_one_row_are_several_contacts(tmp_path: Path) -> None:
    data = 'This media include:<br><a href="v/Bo.vcf">Bo</a> | <a href="v/Cy.vcf">Cy</a>'

    reading = _read(tmp_path, _row(mime="text/x-vcard", meta=True, data=data))

    assert [one.name for one in reading.messages[0].attachments] == ["Bo", "Cy"]
