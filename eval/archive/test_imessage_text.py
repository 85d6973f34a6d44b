"""imessage-exporter's text files are read, block by block, without gluing any to another."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports import Reading, read_all, written

FIRST = "May 17, 2022  5:29:42 PM\n"
LATER = "May 17, 2022  5:30:10 PM\n"


def _read(folder: Path, text: str, name: str = "Ada Fenn.txt") -> Reading:
    return read_all(written(folder, name, text))


def test_a_second_run_into_the_file_doubles_nothing(tmp_path: Path) -> None:
    run = f"{FIRST}Me\nhello\n\n{LATER}Ada Fenn\nhi\n\n"

    reading = _read(tmp_path, run + run + "May 17, 2022  5:31:00 PM\nMe\nnew\n\n")

    assert reading.bodies == ["hello", "hi", "new"]
    assert "2 rows stand in the file again" in reading.whys


def test_an_announcement_is_not_glued_to_the_block_before(tmp_path: Path) -> None:
    reading = _read(
        tmp_path,
        f"{FIRST}Me\nhello\n\nMay 17, 2022  5:30:00 PM You named the conversation Walkers\n\n"
        f"{LATER}Me\nnext\n\n",
    )

    assert reading.bodies == ["hello", "You named the conversation Walkers", "next"]
    assert [one.event for one in reading.messages] == [None, "title_changed", None]


@pytest.mark.parametrize(
    "body",
    [
        "Yes.\n\nTwo things:\n  1. oars",
        "Tapbacks:",
        "May 17, 2022  5:30:00 PM",
        "    indented\n    code",
        "a/b and attachments are words",
        "a\u2028b",
    ],
)
def test_what_somebody_typed_is_kept(tmp_path: Path, body: str) -> None:
    reading = _read(tmp_path, f"{FIRST}Me\n{body}\n\n{LATER}Ada Fenn\nnext\n\n")

    assert reading.bodies == [body, "next"]


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_any_blank_may_stand_before_the_half_of_the_day(tmp_path: Path, blank: str) -> None:
    reading = _read(
        tmp_path, f"May 17, 2022  5:29:42{blank}PM (Read by you after 5 seconds)\nMe\nx\n"
    )

    assert reading.bodies == ["x"]


def test_reactions_of_the_first_version_are_reactions(tmp_path: Path) -> None:
    reading = _read(
        tmp_path, f"{FIRST}Me\nhi\nReactions:\nLoved by Ada Fenn\n\n{LATER}Me\nnext\n\n"
    )

    assert reading.bodies == ["hi", "next"]
    assert reading.messages[0].reactions[0].emoji == "❤️"


def test_an_answer_knows_what_it_answers(tmp_path: Path) -> None:
    reading = _read(
        tmp_path,
        f"{FIRST}Ada Fenn\nWhat time?\n    {LATER}    Me\n    Ten\n\n"
        f"{LATER}Me\nTen\nThis message responded to an earlier message.\n\n",
    )

    assert reading.bodies == ["What time?", "Ten"]
    assert reading.messages[1].reply_to == reading.messages[0].native_id


@pytest.mark.parametrize(
    ("line", "name", "kind"),
    [
        ("attachments/12/IMG 1.heic", "IMG 1.heic", "image"),
        ("/Users/x/Library/Messages/Attachments/a/b/clip.mov", "clip.mov", "video"),
        ("rota.pdf", "rota.pdf", "file"),
        ("Outline Sticker from Me: attachments/1/s.heic (Genmoji prompt: a)", "s.heic", "sticker"),
    ],
)
def test_a_line_that_is_a_path_is_an_attachment(
    tmp_path: Path, line: str, name: str, kind: str
) -> None:
    reading = _read(tmp_path, f"{FIRST}Me\n{line}\nthe caption\n\n")

    (one,) = reading.messages[0].attachments
    assert (one.name, one.kind, one.missing) == (name, kind, True)
    assert reading.bodies == ["the caption"]


def test_what_was_deleted_or_unsent_is_empty(tmp_path: Path) -> None:
    reading = _read(
        tmp_path,
        f"{FIRST}Me\nThis message was deleted from the conversation!\nold plan\n\n"
        f"{LATER}Me\nYou unsent this message part 1 minute after sending!\n\n",
    )

    assert [(one.body, one.deleted) for one in reading.messages] == [("", True)] * 2


def test_nobody_is_called_unknown(tmp_path: Path) -> None:
    assert _read(tmp_path, f"{FIRST}Unknown\nx\n\n").senders == [None]


def test_a_folder_holds_a_conversation_in_each_file(tmp_path: Path) -> None:
    written(tmp_path, "Ada Fenn.txt", f"{FIRST}Me\na\n\n")
    written(tmp_path, "Walkers - 42.txt", f"{FIRST}Bo\nb\n\n")
    written(tmp_path, "orphaned.txt", f"{FIRST}Cy\nc\n\n")
    written(tmp_path, "attachments/1/note.txt", f"{FIRST}Cy\nno message\n\n")

    reading = read_all(tmp_path)

    kinds = {one.body: one.conversation.kind for one in reading.messages}
    assert kinds == {"a": "direct", "b": "group", "c": "other"}
