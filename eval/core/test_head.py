"""The head of a note, kept for the next process: read back it is what it was, or it is nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo_memory import head
from echo_memory.naming.entity import Entity
from echo_memory.naming.handles import Handles
from echo_memory.note import Note

ADA = "resources/people/ada-lovelace.md"
TEXT = "---\ntype: person\ntitle: Ada Lovelace\naliases: [Ada, 'Ada, Countess']\n---\n\nHi.\n"
READ = ("title", "frontmatter", "handles", "head", "signature")
NAMES = st.text(max_size=20) | st.sampled_from(
    ["Dr. Anna Kern", "C++", "中村 太郎", "AT&T", "\udcff"]
)


def again(text: str, head: bytes | None) -> Note:
    """Ada's note, as a later process knows it."""
    return Note.known(ADA, text, head, Note(ADA, text).signature)


@given(st.sampled_from(["person", "project"]), NAMES, st.lists(NAMES, max_size=3))
def test_the_handles_of_any_names_come_back(kind: str, title: str, aliases: list[str]) -> None:
    handles = Handles.of(Entity("ada", ADA, kind, title, tuple(aliases)))

    whole = head.Head({"title": title}, title, handles)

    packed = head.packed(whole)

    assert packed is not None
    assert head.unpacked(packed) == whole


def test_a_note_that_was_read_before_is_the_same_note() -> None:
    read = Note(ADA, TEXT)

    known = again(TEXT, read.head)

    assert all(getattr(known, name) == getattr(read, name) for name in READ)


def test_what_a_note_is_called_by_its_heading_is_known_without_reading_its_text() -> None:
    read = Note(ADA, "Before.\n\n# The Countess\n")

    known = again(read.text, read.head)

    assert vars(known)["title"] == read.title == "The Countess"


def test_what_is_no_entity_has_no_handles() -> None:
    assert Note("journal/daily/2026-03-14.md", "# Day\n").handles is None


def test_a_head_that_does_not_parse_is_not_kept() -> None:
    assert Note(ADA, "---\ntitle: [Ada\n---\n").head is None


def test_a_head_that_json_would_change_is_not_kept() -> None:
    assert head.packed(head.Head({"at": (1, 2)}, "At", None)) is None


def test_the_head_that_another_version_read_is_not_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packed = Note(ADA, TEXT).head
    monkeypatch.setattr(head, "__version__", "0.0.0")

    known = again(TEXT.replace("Ada Lovelace", "Ada Byron"), packed)

    assert known.title == "Ada Byron"


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"[",
        b"\xff",
        b"7",
        b"[1, 2]",
        b'["VERSION", "Ada", null, []]',
        b'["VERSION", 1, null, {}]',
        b'["VERSION", "Ada", 1, {}]',
        b'["VERSION", "Ada", [1, 2, 3], {}]',
        b'["VERSION", "Ada", [[], {"ada": 1}, []], {}]',
        b'["VERSION", "Ada", null, {}] and more',
        b"[" * 100_000,
    ],
)
def test_a_damaged_head_is_none(damaged: bytes) -> None:
    written = damaged.replace(b"VERSION", json.loads(Note(ADA, TEXT).head or b"[]")[0].encode())

    assert again(TEXT, written).title == "Ada Lovelace"
