"""The outbox for the operator: what waits, why something is parked, and a way out of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from command_line import Echo
from conftest import NOW
from echo_memory.errors import BadRequest, NotFound, VaultIO
from echo_memory.memory import Memory
from echo_memory.ops import outbox as outbox_ops
from echo_memory.ops.capture import capture_op
from echo_memory.ops.outbox import (
    outbox_adopt_op,
    outbox_drop_op,
    outbox_list_op,
    outbox_retry_op,
    outbox_show_op,
)
from echo_memory.outbox import Outbox
from echo_memory.waiting import outbox as in_words
from folders import put, snapshot

TEA = {"title": "Tea", "kind": "concept", "body": "Green.\n\nOr black."}
GATE = {
    "ok": False,
    "op": "capture",
    "action": "duplicate-gate",
    "candidates": [],
    "resolutions": ["merge_into", "force"],
}
MISSING = {"ok": False, "error": {"code": "not-found", "message": "No such note. Recall it."}}


def add(memory: Memory, op: str = "capture", **given: Any) -> int:
    return memory.outbox.add(op, given or TEA, NOW)


def spoil(memory: Memory, entry_id: int) -> None:
    """Damage one entry's row."""
    memory.outbox.close()
    with closing(sqlite3.connect(memory.config.state_dir / "outbox.sqlite")) as other:
        other.execute("UPDATE entries SET arguments = '[1' WHERE id = ?", (entry_id,))
        other.commit()


# The list


def test_an_empty_outbox_says_so_and_makes_no_file(memory: Memory) -> None:
    shown = outbox_list_op(memory)

    assert shown == {
        "ok": True,
        "op": "outbox",
        "action": "list",
        "entries": [],
        "waiting": 0,
        "parked": 0,
        "elsewhere": {},
    }
    assert in_words(shown) == "The outbox is empty."
    assert not (memory.config.state_dir / "outbox.sqlite").exists()


def test_the_list_tells_what_waits_what_is_parked_and_why(memory: Memory) -> None:
    add(memory)
    memory.outbox.park(add(memory, "append", path="engine", line="- x"), MISSING)

    shown = outbox_list_op(memory)

    assert shown["entries"] == [
        {
            "id": 1,
            "operation": "capture",
            "about": "Tea",
            "accepted": "2026-03-14T09:26:53+01:00",
            "state": "waiting",
            "why": "",
        },
        {
            "id": 2,
            "operation": "append",
            "about": "engine",
            "accepted": "2026-03-14T09:26:53+01:00",
            "state": "parked",
            "why": "not-found: No such note. Recall it.",
        },
    ]
    assert (shown["waiting"], shown["parked"]) == (1, 1)
    assert in_words(shown).splitlines() == [
        "Waiting: 1. Parked: 1.",
        "1. waiting: capture Tea, 2026-03-14T09:26:53+01:00",
        "2. parked: append engine, 2026-03-14T09:26:53+01:00 (not-found: No such note. Recall it.)",
    ]


def test_the_list_is_bounded_and_says_how_many_more_there_are(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_ops, "MAX_LISTED", 3)
    for _ in range(5):
        add(memory, title="x" * 10_000)

    shown = outbox_list_op(memory)

    assert [entry["id"] for entry in shown["entries"]] == [1, 2, 3]
    assert all(len(entry["about"]) <= 120 for entry in shown["entries"])
    assert in_words(shown).endswith("\n… and 2 more.")


RESULTS = {"ok": True, "op": "reflect", "results": [{"ok": True}, GATE]}


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (GATE, "duplicate-gate"),
        (MISSING, "not-found: No such note. Recall it."),
        (RESULTS, "duplicate-gate"),
        ({"ok": True, "results": [{"ok": True}, MISSING]}, "not-found: No such note. Recall it."),
        (
            {"ok": True, "steps": [{"ok": True}, {"ok": True, "results": [{"ok": True}, GATE]}]},
            "duplicate-gate",
        ),
        ({**MISSING, "steps": [{"ok": False}]}, "not-found: No such note. Recall it."),
    ],
)
def test_it_is_told_for_which_part_an_entry_is_parked(
    memory: Memory, outcome: dict[str, Any], why: str
) -> None:
    memory.outbox.park(add(memory), outcome)

    assert outbox_show_op(memory, 1)["why"] == why


# One entry


def test_an_entry_is_shown_whole_so_that_it_can_be_filed_anew(memory: Memory) -> None:
    memory.outbox.park(add(memory), GATE)

    shown = outbox_show_op(memory, 1)

    assert shown["arguments"] == TEA
    assert (shown["state"], shown["tries"], shown["outcome"]) == ("parked", 0, GATE)
    words = in_words(shown)
    assert words.startswith("1. parked: capture Tea, 2026-03-14T09:26:53+01:00 (duplicate-gate)\n")
    assert all(line in words for line in ("title: Tea", "kind: concept", "Green.", "Or black."))


def test_what_is_no_text_is_shown_as_json(memory: Memory) -> None:
    add(memory, "reflect", proposals=[{"title": "Zoë"}], apply=True)

    words = in_words(outbox_show_op(memory, 1))

    assert '"title": "Zoë"' in words
    assert "apply: true" in words


def test_a_title_of_several_lines_stays_on_its_line(memory: Memory) -> None:
    add(memory, title="Tea\n9. waiting: forged")

    assert len(in_words(outbox_list_op(memory)).splitlines()) == 2


@pytest.mark.parametrize("one", [outbox_show_op, outbox_retry_op, outbox_drop_op])
@pytest.mark.parametrize(
    ("entry_id", "kind"),
    [(7, NotFound), (2**63 - 1, NotFound), (0, BadRequest), (2**63, BadRequest), ("1", BadRequest)],
)
def test_an_entry_that_is_not_there_is_said_and_the_others_stay(
    memory: Memory, one: Any, entry_id: Any, kind: type[Exception]
) -> None:
    add(memory)

    with pytest.raises(kind):
        one(memory, entry_id)

    assert memory.outbox.waiting() == 1


# Out of it


def test_what_is_dropped_is_gone_for_good_and_told_once_more(memory: Memory) -> None:
    memory.outbox.park(add(memory), GATE)
    add(memory, "append", path="engine", line="- x")

    dropped = outbox_drop_op(memory, 1)

    assert (dropped["action"], dropped["arguments"]) == ("drop", TEA)
    assert in_words(dropped).startswith("Dropped for good: 1. parked: capture Tea")
    assert [entry.id for entry in memory.outbox.entries()] == [2]


def test_a_retry_writes_what_can_be_written_now_and_the_rest_is_parked_again(
    memory: Memory, vault_folder: Path
) -> None:
    capture_op(memory, "Ada Lovelace", kind="person")
    memory.outbox.park(add(memory), MISSING)
    memory.outbox.park(add(memory, title="Ada Lovelase", kind="person"), GATE)

    retried = outbox_retry_op(memory)

    assert (retried["done"], retried["parked"], retried["left"]) == (1, 1, 0)
    assert in_words(retried) == (
        "Written now: 1. Parked again: 1. See `outbox` for the reasons."
        " Still waiting for the vault: 0."
    )
    assert (vault_folder / "resources/concepts/tea.md").exists()
    assert [entry["why"] for entry in outbox_list_op(memory)["entries"]] == ["duplicate-gate"]


def test_a_retry_of_one_leaves_the_other_parked(memory: Memory) -> None:
    for title in ("Tea", "Brass"):
        memory.outbox.park(add(memory, title=title, kind="concept"), MISSING)

    retried = outbox_retry_op(memory, 2)

    assert retried["done"] == 1
    assert [entry.arguments["title"] for entry in memory.outbox.entries()] == ["Tea"]


def test_a_retry_while_the_vault_is_away_leaves_everything_waiting(
    memory: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    memory.outbox.park(add(memory), MISSING)
    vault_folder.rename(tmp_path / "unmounted")

    retried = outbox_retry_op(memory)

    assert (retried["done"], retried["parked"], retried["left"]) == (0, 0, 1)


def test_a_retried_entry_is_dated_as_of_when_it_was_accepted(
    memory: Memory, vault_folder: Path
) -> None:
    memory.outbox.park(add(memory), MISSING)
    memory.clock = lambda: NOW + timedelta(days=60)

    outbox_retry_op(memory)

    text = (vault_folder / "resources/concepts/tea.md").read_text()
    assert "created: 2026-03-14" in text


@pytest.mark.parametrize("state", ["waiting", "parked"])
def test_a_damaged_entry_is_named_and_can_be_dropped(memory: Memory, state: str) -> None:
    add(memory)
    add(memory, "append", path="engine", line="- x")
    if state == "parked":
        memory.outbox.park(1, GATE)
    spoil(memory, 1)

    for use in (outbox_list_op, outbox_retry_op, lambda echo: outbox_show_op(echo, 1)):
        with pytest.raises(VaultIO, match=r"Entry 1 .*`outbox drop 1`"):
            use(memory)
    dropped = outbox_drop_op(memory, 1)

    assert dropped == {"ok": True, "op": "outbox", "action": "drop", "id": 1, "state": "damaged"}
    assert in_words(dropped) == "Dropped for good: 1, which was damaged."
    assert [entry["id"] for entry in outbox_list_op(memory)["entries"]] == [2]


def test_a_damaged_file_is_said_and_left(memory: Memory) -> None:
    file = put(memory.config.state_dir / "outbox.sqlite", "no outbox at all" * 100)

    for use in (outbox_list_op, outbox_retry_op, lambda echo: outbox_drop_op(echo, 1)):
        with pytest.raises(VaultIO, match="cannot be read"):
            use(memory)

    assert file.read_text() == "no outbox at all" * 100


# From the command line


@contextmanager
def unmounted(folder: Path) -> Iterator[None]:
    """The vault's folder is away for a while."""
    elsewhere = folder.rename(folder.with_name("unmounted"))
    try:
        yield
    finally:
        elsewhere.rename(folder)


def test_a_write_that_waits_is_shown_replayed_and_gone(echo: Echo, vault_folder: Path) -> None:
    with unmounted(vault_folder):
        queued = echo("capture", "Tea", "--kind", "concept", "--body", "Green.")
        listed, shown, early = echo("outbox"), echo("outbox", "show", "1"), echo("outbox", "retry")
    late = echo("outbox", "retry")

    assert (queued.status, listed.status, shown.status, early.status) == (0, 0, 0, 0)
    assert listed.out.startswith("Waiting: 1. Parked: 0.\n1. waiting: capture Tea, ")
    assert "body: Green." in shown.out
    assert "Still waiting for the vault: 1." in early.out
    assert late.out == "Written now: 1. Parked again: 0. Still waiting for the vault: 0.\n"
    assert echo("outbox", "list").out == "The outbox is empty.\n"


def test_looking_at_the_outbox_and_dropping_need_no_vault_and_touch_none(
    echo: Echo, vault_folder: Path
) -> None:
    with unmounted(vault_folder):
        echo("capture", "Tea", "--kind", "concept")
        dropped = echo("outbox", "drop", "1", "--json")
    before = snapshot(vault_folder)

    assert dropped.envelope["arguments"]["title"] == "Tea"
    assert echo("outbox", "--json").envelope["entries"] == []
    assert snapshot(vault_folder) == before


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["show"], 64, "id is missing. Say `outbox show ID`."),
        (["drop"], 64, "id is missing. Say `outbox drop ID`."),
        (["show", "0"], 64, "out of range"),
        (["show", "x"], 64, "id is not a number"),
        (["burn", "1"], 64, "invalid choice"),
        (["show", "9"], 66, "There is no such entry"),
        (["retry", "9"], 66, "There is no such entry"),
    ],
)
def test_a_mistake_is_said_with_its_exit_status(
    echo: Echo, words: list[str], status: int, says: str
) -> None:
    said = echo("outbox", *words)

    assert said.status == status
    assert says in said.out + said.err


def test_writes_that_wait_for_another_address_are_told_of_and_taken_over(
    memory: Memory, tmp_path: Path
) -> None:
    other = Outbox(memory.config.state_dir, "http://127.0.0.1:27999")
    other.add("capture", {"title": "Tea", "kind": "concept"}, NOW)
    other.close()

    listed = outbox_list_op(memory)
    adopted = outbox_adopt_op(memory, "http://127.0.0.1:27999")
    retried = outbox_retry_op(memory)

    assert listed["elsewhere"] == {"http://127.0.0.1:27999": 1}
    assert "outbox adopt http://127.0.0.1:27999" in in_words(listed)
    assert adopted["adopted"] == 1
    assert retried["done"] == 1
    assert (memory.config.vault / "resources/concepts/tea.md").exists()


def test_an_address_for_which_nothing_waits_is_said(memory: Memory) -> None:
    with pytest.raises(NotFound):
        outbox_adopt_op(memory, "http://127.0.0.1:27999")
