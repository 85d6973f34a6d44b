"""DiscordChatExporter's JSON is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from exports import Reading, read_all, written

ADA = {"id": "7", "name": "ada_f", "nickname": "Ada"}


def _row(number: int, **said: Any) -> dict[str, Any]:
    row = {"id": str(number), "type": "Default", "timestamp": "2024-06-01T14:00:00.25+02:00"}
    return row | {"content": "hi", "author": ADA} | said


def _read(folder: Path, *rows: Any, kind: str = "GuildTextChat") -> Reading:
    said = {
        "guild": {"id": "1", "name": "Harbour"},
        "channel": {"id": "2", "type": kind, "name": "walks"},
        "messages": list(rows),
        "messageCount": len(rows),
    }
    return read_all(written(folder, "Harbour - walks [2].json", json.dumps(said, indent=2)))


def test_a_message_is_read_with_its_instant_and_its_writer(tmp_path: Path) -> None:
    me = {"id": "9", "name": "Nell Quill"}

    reading = _read(tmp_path, _row(1), _row(2, author=me), kind="DirectTextChat")

    assert reading.senders == ["Ada", "Me"]
    assert reading.messages[0].instant_ms == 1717243200250
    assert reading.messages[0].conversation.kind == "direct"


def test_answers_reactions_and_events_are_what_they_are(tmp_path: Path) -> None:
    reactions = [{"emoji": {"id": "", "name": "🦀"}, "count": 2, "users": [ADA]}]
    answer = {"type": "Reply", "reference": {"messageId": "1", "channelId": "2"}}

    reading = _read(
        tmp_path, _row(1, reactions=reactions), _row(2, **answer), _row(3, type="GuildMemberJoin")
    )

    first, second, third = reading.messages
    assert [(one.emoji, one.count) for one in first.reactions] == [("🦀", 1), ("🦀", 1)]
    assert second.reply_to == "1"
    assert (third.system, third.event) == (True, "member_added")


def test_the_token_in_the_address_of_a_file_is_not_kept(tmp_path: Path) -> None:
    url = "https://cdn.example/a.png?ex=abc&hm=token"
    files = [{"id": "1", "url": url, "fileName": "a.png", "fileSizeBytes": 9}]

    reading = _read(tmp_path, _row(1, attachments=files))

    (one,) = reading.messages[0].attachments
    assert (one.kind, one.missing, one.size) == ("image", True, 9)
    assert "token" not in repr(reading)


def test_a_row_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    reading = _read(tmp_path, _row(1), {"id": "2"}, 7, _row(4))

    assert [one.native_id for one in reading.messages] == ["1", "4"]
    assert [one.line for one in reading.skipped] == [2, 3]
