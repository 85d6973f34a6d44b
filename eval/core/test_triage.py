"""Triage and reflect: preview, then each proposal through capture, with its audit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.triage import triage_op
from echo_memory.report import text_of
from folders import snapshot

INBOX = "inbox/captures/inbox.md"
LOG = "inbox/processing-log/2026-03-14.md"


@pytest.fixture
def waiting(memory: Memory) -> list[dict[str, Any]]:
    capture_op(memory, "Buy brass", body="from the usual place")
    capture_op(memory, "Call with Babbage", body="about gears")
    items: list[dict[str, Any]] = triage_op(memory)["items"]
    return items


def brass(line: str, **changes: Any) -> dict[str, Any]:
    return {
        "title": "Brass sources",
        "kind": "reference",
        "body": "There.",
        "line": line,
        **changes,
    }


def test_the_listing_names_every_item_with_its_age_and_a_likely_kind(
    waiting: list[dict[str, Any]],
) -> None:
    assert [
        (item["line"], item["date"], item["age_days"], item["suggested_kind"]) for item in waiting
    ] == [
        ("2026-03-14 Buy brass: from the usual place", "2026-03-14", 0, None),
        ("2026-03-14 Call with Babbage: about gears", "2026-03-14", 0, "meeting"),
    ]


def test_a_preview_writes_nothing(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    before = snapshot(vault_folder)

    answer = triage_op(memory, proposals=[brass(waiting[0]["id"])])

    assert (answer["action"], answer["remaining"]) == ("preview", 2)
    assert answer["results"][0]["path"] == "resources/references/brass-sources.md"
    assert snapshot(vault_folder) == before


@pytest.mark.parametrize("by", ["id", "line"])
def test_applying_files_the_item_keeps_its_words_in_the_log_and_takes_its_line_out(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]], by: str
) -> None:
    answer = triage_op(memory, proposals=[brass(waiting[0][by])], apply=True)

    assert (answer["action"], answer["remaining"]) == ("applied", 1)
    assert (vault_folder / "resources/references/brass-sources.md").exists()
    assert "Buy brass" not in (vault_folder / INBOX).read_text()
    assert "Call with Babbage" in (vault_folder / INBOX).read_text()
    log = (vault_folder / LOG).read_text()
    assert "2026-03-14 Buy brass: from the usual place" in log
    assert "[[brass-sources|Brass sources]]" in log


def test_the_same_call_again_finds_its_item_filed_and_changes_nothing(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    triage_op(memory, proposals=[brass(waiting[0]["id"])], apply=True)
    before = snapshot(vault_folder)

    answer = triage_op(memory, proposals=[brass(waiting[0]["id"])], apply=True)

    assert answer["results"][0]["action"] == "unchanged"
    assert snapshot(vault_folder) == before


def test_a_run_that_broke_off_before_the_line_went_is_finished(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    inbox = (vault_folder / INBOX).read_bytes()
    triage_op(memory, proposals=[brass(waiting[0]["id"])], apply=True)
    whole = snapshot(vault_folder)
    (vault_folder / INBOX).write_bytes(inbox)

    triage_op(memory, proposals=[brass(waiting[0]["id"])], apply=True)

    assert snapshot(vault_folder) == whole


def test_a_gated_item_stays_and_says_why(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    capture_op(memory, "Brass source", kind="reference", body="x")
    before = (vault_folder / INBOX).read_bytes()

    answer = triage_op(memory, proposals=[brass(waiting[0]["id"])], apply=True)

    assert (answer["ok"], answer["filed"]) == (True, 0)
    assert answer["results"][0]["action"] == "duplicate-gate"
    assert text_of(answer).startswith("0 of 1 filed.\n")
    assert (vault_folder / INBOX).read_bytes() == before


def test_two_notes_from_one_item_take_its_line_out_once_both_are_written(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    proposals = [
        brass(waiting[0]["id"]),
        brass(waiting[0]["id"], title="Usual place", kind="company"),
    ]

    answer = triage_op(memory, proposals=proposals, apply=True)

    assert [result["action"] for result in answer["results"]] == ["created", "created"]
    assert answer["remaining"] == 1
    log = (vault_folder / LOG).read_text()
    assert "[[brass-sources|Brass sources]]" in log
    assert "[[usual-place|Usual place]]" in log


def test_an_item_that_is_split_stays_while_one_of_its_notes_is_gated(
    memory: Memory, waiting: list[dict[str, Any]]
) -> None:
    capture_op(memory, "Brass source", kind="reference", body="x")
    proposals = [
        brass(waiting[0]["id"]),
        brass(waiting[0]["id"], title="Usual place", kind="company"),
    ]

    answer = triage_op(memory, proposals=proposals, apply=True)

    assert [result["ok"] for result in answer["results"]] == [False, True]
    assert answer["remaining"] == 2


def test_an_item_that_is_not_there_is_an_error_of_its_own(
    memory: Memory, waiting: list[dict[str, Any]]
) -> None:
    answer = triage_op(memory, proposals=[brass("no such"), brass(waiting[0]["id"])], apply=True)

    assert answer["results"][0]["error"]["code"] == "not-found"
    assert answer["results"][1]["action"] == "created"


@pytest.mark.parametrize(
    ("proposal", "field"),
    [
        ({"title": "x", "kind": "person"}, "proposals[0].line"),
        ({"title": "x", "line": "y"}, "proposals[0].kind"),
        ({"title": "x", "knd": "person", "line": "y"}, "proposals[0].knd"),
        ({"kind": "person", "line": "y"}, "proposals[0].title"),
        ({"title": "x", "kind": "alien", "line": "y"}, "proposals[0].kind"),
        ("x", "proposals[0]"),
    ],
)
def test_a_malformed_proposal_is_refused_by_name_before_any_is_applied(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]], proposal: Any, field: str
) -> None:
    before = snapshot(vault_folder)

    with pytest.raises(BadRequest) as raised:
        triage_op(memory, proposals=[proposal, brass(waiting[0]["id"])], apply=True)

    assert raised.value.details["field"] == field
    assert snapshot(vault_folder) == before


def test_reflect_previews_then_applies(memory: Memory, vault_folder: Path) -> None:
    proposals = [{"title": "Prefers metric units", "kind": "semantic", "body": "Millimetres."}]
    before = snapshot(vault_folder)

    preview = apply_op(memory, proposals)
    unwritten = snapshot(vault_folder) == before
    applied = apply_op(memory, proposals, apply=True)

    assert (preview["action"], preview["results"][0]["dry_run"], unwritten) == (
        "preview",
        True,
        True,
    )
    assert (applied["action"], applied["results"][0]["action"]) == ("applied", "created")
    assert "nothing was written. 1 of 1 would be filed.\n" in text_of(preview)
    assert text_of(applied).startswith("1 of 1 filed.\n")
    assert (vault_folder / "_agent/memory/semantic/prefers-metric-units.md").exists()


def test_one_bad_target_among_several_proposals_does_not_stop_the_others(memory: Memory) -> None:
    answer = apply_op(
        memory,
        [
            {"title": "A", "kind": "person", "merge_into": "nobody"},
            {"title": "Tea", "kind": "semantic", "body": "Green."},
        ],
        apply=True,
    )

    assert answer["ok"] is True
    assert answer["results"][0]["error"]["code"] == "not-found"
    assert answer["results"][1]["action"] == "created"


def test_of_items_that_say_the_same_each_is_filed_once_whenever_a_run_breaks_off(
    memory: Memory, vault_folder: Path
) -> None:
    (vault_folder / INBOX).write_text("# Inbox\n\n- call Bob\n- call Bob\n")
    one, two = triage_op(memory)["items"]
    proposals = [
        {"title": "First thing", "kind": "concept", "body": "one", "line": one["id"]},
        {"title": "Second thing", "kind": "concept", "body": "two", "line": two["id"]},
    ]
    triage_op(memory, proposals=proposals[:1], apply=True)

    answer = triage_op(memory, proposals=proposals, apply=True)
    again = triage_op(memory, proposals=proposals, apply=True)

    assert [result["action"] for result in answer["results"]] == ["unchanged", "created"]
    assert [result["action"] for result in again["results"]] == ["unchanged", "unchanged"]
    assert answer["remaining"] == 0


def test_an_item_that_somebody_else_has_filed_is_not_filed_again(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    triage_op(memory, proposals=[brass(waiting[0]["id"])], apply=True)

    answer = triage_op(memory, proposals=[brass(waiting[0]["id"], title="Metals")], apply=True)

    assert answer["results"][0]["error"]["code"] == "not-found"
    assert not (vault_folder / "resources/references/metals.md").exists()


def test_callers_at_the_same_time_file_one_item_once(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    titles = ["Alloys", "Brass sources", "Copper", "Dealers in metal"]

    with ThreadPoolExecutor(len(titles)) as callers:
        answers = callers.map(
            lambda title: triage_op(
                memory, proposals=[brass(waiting[0]["id"], title=title)], apply=True
            ),
            titles,
        )

    assert sum(answer["filed"] for answer in answers) == 1
    assert len(list((vault_folder / "resources/references").iterdir())) == 1


def test_the_same_call_by_the_items_words_finds_it_filed(
    memory: Memory, waiting: list[dict[str, Any]]
) -> None:
    triage_op(memory, proposals=[brass(waiting[0]["line"])], apply=True)

    answer = triage_op(memory, proposals=[brass(waiting[0]["line"])], apply=True)

    assert answer["results"][0]["action"] == "unchanged"


def test_words_in_brackets_in_the_log_are_no_ids(
    memory: Memory, vault_folder: Path, waiting: list[dict[str, Any]]
) -> None:
    (vault_folder / LOG).parent.mkdir(parents=True, exist_ok=True)
    (vault_folder / LOG).write_text("# Log\n\n- (00000000) [[x]]: Foo (x) bar\n")

    answer = triage_op(memory, proposals=[brass("x")], apply=True)

    assert answer["results"][0]["error"]["code"] == "not-found"


def test_a_preview_says_which_proposal_depends_on_an_earlier_one_of_the_call(
    memory: Memory,
) -> None:
    proposals = [
        {"title": "Ada Lovelace", "kind": "person", "body": "one"},
        {"title": "Charles Babbage", "kind": "person"},
        {"title": "Ada Lovelase", "kind": "person", "body": "two"},
    ]

    answer = apply_op(memory, proposals)
    applied = apply_op(memory, proposals, apply=True)

    assert [bool(result.get("warnings")) for result in answer["results"]] == [False, False, True]
    assert applied["results"][2]["action"] == "duplicate-gate"
    assert not any(result.get("warnings") for result in applied["results"])
