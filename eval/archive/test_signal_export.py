"""signal-export's folders are read, whichever version wrote them and however often."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exports import Reading, read_all, written


def _line(date: str, body: str, **said: Any) -> str:
    row = {"date": date, "sender": "Ada", "body": f"{body}  ", "quote": "", "reactions": []}
    return json.dumps(row | {"sticker": None, "attachments": [], "deleted": False} | said) + "\n"


def _markdown(folder: Path, text: str, name: str = "Ada/chat.md") -> Reading:
    written(folder, name, text)
    return read_all(folder)


def test_a_second_run_doubles_nothing_and_its_reactions_count(tmp_path: Path) -> None:
    first = _line("2024-03-31T10:30:09.250000", "a") + _line("2024-03-31T10:30:10", "b")
    again = first.replace('"reactions": []', '"reactions": [["Ada", "🎉"]]')
    written(tmp_path, "Ada/data.json", first + again + _line("2024-03-31T10:31:00", "c"))

    reading = read_all(tmp_path)

    assert reading.bodies == ["a", "b", "c"]
    assert [len(one.reactions) for one in reading.messages] == [1, 1, 0]
    assert "2 rows stand in the file again" in reading.whys


def test_two_messages_of_one_second_are_two(tmp_path: Path) -> None:
    rows = "".join(f"[2024-04-01 09:00:00] Ada: {text}  \n\n" for text in "aab")

    assert _markdown(tmp_path, rows).bodies == ["a", "a", "b"]


def test_a_second_run_into_the_markdown_doubles_nothing(tmp_path: Path) -> None:
    run = "[2024-04-01 09:00:00] Ada: a  \n\n[2024-04-01 09:00:01] Me: b  \n\n"

    assert _markdown(tmp_path, run + run).bodies == ["a", "b"]


@pytest.mark.parametrize(
    ("header", "precision"),
    [
        ("[2019-12-24, 12:23]", "minute"),
        ("[2021-03-14 01:59]", "minute"),
        ("[2021-03-14 01:59:07]", "second"),
    ],
)
def test_the_headers_of_every_version_are_read(tmp_path: Path, header: str, precision: str) -> None:
    reading = _markdown(tmp_path, f"{header} Ada: hi  \n\n", "Ada/index.md")

    assert reading.bodies == ["hi"]
    assert reading.messages[0].precision == precision


def test_own_reactions_under_their_old_name_are_the_owners(tmp_path: Path) -> None:
    reading = _markdown(tmp_path, "[2024-04-01 09:00:00] Ada: hi  \n(- Note to Self: 🎉 -)\n\n")

    (reaction,) = reading.messages[0].reactions
    assert reaction.actor is not None and reaction.actor.is_me


def test_a_row_cut_short_is_told(tmp_path: Path) -> None:
    written(tmp_path, "Ada/data.json", _line("2024-03-31T10:30:09", "a") + '{"date": "2024-0')

    reading = read_all(tmp_path)

    assert reading.bodies == ["a"]
    assert [one.line for one in reading.skipped] == [2]


def test_a_date_that_is_none_is_told(tmp_path: Path) -> None:
    written(tmp_path, "Ada/data.json", _line("yesterday", "a") + _line("2024-03-31T10:30:09", "b"))

    reading = read_all(tmp_path)

    assert reading.bodies == ["b"]
    assert "date" in reading.whys


def test_what_was_deleted_is_not_handed_out(tmp_path: Path) -> None:
    attached = [{"name": "a.jpg", "path": "media/a.jpg", "missing_kind": None}]
    row = _line("2024-03-31T10:30:09", "secret", deleted=True, attachments=attached)
    written(tmp_path, "Ada/data.json", row)

    reading = read_all(tmp_path)

    assert "secret" not in repr(reading)
    assert reading.messages[0].deleted


def test_a_stickers_key_is_in_nothing_that_is_read(tmp_path: Path) -> None:
    sticker = {"id": "3", "packId": "abc", "packKey": "very-secret", "emoji": "🦀"}
    written(tmp_path, "Ada/data.json", _line("2024-03-31T10:30:09", "", sticker=sticker))

    reading = read_all(tmp_path)

    assert "very-secret" not in repr(reading)
    assert reading.messages[0].attachments[0].name == "🦀"


def test_a_path_out_of_the_export_is_not_followed(tmp_path: Path) -> None:
    attached = [{"name": "x", "path": "../../%2e%2e/etc/passwd", "missing_kind": None}]
    written(tmp_path, "Ada/data.json", _line("2024-03-31T10:30:09", "", attachments=attached))

    reading = read_all(tmp_path)

    assert reading.messages[0].attachments[0].path is None
    assert "leaves the export" in reading.whys


def test_brackets_and_blank_lines_in_a_body_are_the_writers(tmp_path: Path) -> None:
    body = "see [a](b) and\n\n> this\n\n(- no -) end"

    reading = _markdown(tmp_path, f"[2024-04-01 09:00:00] Ada: {body}  \n\n")

    assert reading.bodies == [body]
    assert not reading.messages[0].attachments


def test_one_chat_that_is_not_text_does_not_stop_the_next(tmp_path: Path) -> None:
    (tmp_path / "Ada").mkdir()
    (tmp_path / "Ada/data.json").write_bytes(b'{"date"\xff\xfe\x00')
    written(tmp_path, "Bo/data.json", _line("2024-03-31T10:30:09", "b"))

    assert read_all(tmp_path).bodies == ["b"]


def test_a_row_too_deep_for_the_parser_costs_no_other(tmp_path: Path) -> None:
    deep = '{"x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    row = '{"date": "2024-01-01 10:00", "sender": "Ada", "body": "a"}'

    reading = read_all(written(tmp_path, "Ada/data.json", f"{row}\n{deep}\n{row}\n").parent)

    assert reading.bodies == ["a", "a"]
