"""The attempt: a change is made at most once, whatever broke off where."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from echo_memory.attempt import Attempt, Record
from echo_memory.errors import Conflict

PATH = "resources/people/ada.md"
LINE = "\n- one more line\n"
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)


def added(text: str | None) -> str:
    return (text or "") + LINE


def record_of(before: str | None, after: str) -> Record:
    """What a try remembers that is about to make a change."""
    trying = Attempt()
    trying.once(PATH, lambda _: after)(before)
    return trying.record


@given(
    start=st.none() | TEXTS,
    breaks=st.lists(st.sampled_from(["before the write", "after the write", "after saving"])),
)
def test_a_change_is_made_once_whatever_broke_off_where(
    start: str | None, breaks: list[str]
) -> None:
    vault, kept = start, Record()

    def saved(record: Record) -> None:
        nonlocal kept
        kept = json.loads(json.dumps(record))

    for broken in [*breaks, "not at all"]:
        change = Attempt(kept, saved).once(PATH, added)
        if broken != "before the write":
            after = change(vault)
            if broken != "after saving":
                vault = after

    assert vault == added(start)


@given(start=TEXTS, others=st.none() | TEXTS)
def test_a_change_that_others_came_between_is_not_made_again(
    start: str, others: str | None
) -> None:
    assume((others or "") != start)
    kept = record_of(start, added(start))

    with pytest.raises(Conflict) as refusal:
        Attempt(kept).once(PATH, added)(others)

    assert refusal.value.details == {"path": PATH}


def test_a_note_that_is_gone_needs_a_decision() -> None:
    kept = record_of("# Ada\n", added("# Ada\n"))

    with pytest.raises(Conflict):
        Attempt(kept).once(PATH, added)(None)


def test_no_note_and_an_empty_note_are_not_told_apart_where_the_change_was_not_made() -> None:
    kept = record_of(None, added(None))

    assert Attempt(kept).once(PATH, added)("") == added("")


def test_what_was_remembered_of_another_note_holds_up_nothing() -> None:
    kept = {"other.md": record_of("a", "b")[PATH]}

    assert Attempt(kept).once(PATH, added)("c") == added("c")


def test_the_record_is_saved_before_the_change_is_given_back_and_names_no_text() -> None:
    saved: list[Record] = []
    trying = Attempt(save=saved.append)

    after = trying.once(PATH, added)("# A secret\n")

    assert after == added("# A secret\n")
    assert saved == [trying.record]
    assert "secret" not in json.dumps(saved)
    assert set(saved[0]) == {PATH}


def test_where_the_record_cannot_be_saved_the_change_is_not_given_back() -> None:
    def full(_: Record) -> None:
        raise OSError

    with pytest.raises(OSError):
        Attempt(save=full).once(PATH, added)("# Ada\n")


def test_a_change_that_fails_leaves_nothing_to_remember() -> None:
    saved: list[Record] = []

    def failing(_: str | None) -> str:
        raise Conflict("no")

    trying = Attempt(save=saved.append)
    with pytest.raises(Conflict):
        trying.once(PATH, failing)("# Ada\n")

    assert (trying.record, saved) == ({}, [])


def test_a_try_that_wrote_nothing_remembers_what_earlier_ones_may_have_written() -> None:
    saved: list[Record] = []
    earlier = {"other.md": record_of("a", "b")[PATH]}
    trying = Attempt(earlier, saved.append)
    trying.once(PATH, added)("# Ada\n")

    trying.forget()

    assert trying.record == {}
    assert saved[-1] == earlier


def test_what_was_expected_before_anything_was_tried_counts_as_a_try() -> None:
    waiting = Attempt()
    waiting.expect(PATH, "# Old\n", "# New\n")
    later = Attempt(waiting.record)
    change = later.once(PATH, lambda _: "# New\n")

    assert change("# Old\n") == "# New\n"
    assert change("# New\n") == "# New\n"
    with pytest.raises(Conflict):
        change("# An editor's\n")


@pytest.mark.parametrize("text", ["\udcff", "\ud800", "", "\0", "😀"])
def test_any_text_can_be_remembered(text: str) -> None:
    kept = record_of(text, added(text))

    assert Attempt(kept).once(PATH, added)(text) == added(text)
    assert Attempt(kept).once(PATH, added)(added(text)) == added(text)
