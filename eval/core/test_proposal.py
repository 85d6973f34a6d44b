"""Proposals: what a caller may describe, and the form in which it goes into a note."""

from __future__ import annotations

from typing import Any

import pytest

from echo_memory import proposal
from echo_memory.errors import BadRequest


def test_everything_but_the_title_may_be_left_out_or_null() -> None:
    nothing = dict.fromkeys(proposal.PROPOSAL_SCHEMA)

    assert proposal.parse({"title": "x"}) == proposal.Proposal("x")
    assert proposal.parse({**nothing, "title": " x "}) == proposal.Proposal("x")


def test_every_key_of_the_schema_is_understood() -> None:
    values = {
        "title": "Kickoff",
        "kind": "meeting",
        "body": "Ordered gears.",
        "tags": ["a"],
        "aliases": ["Start"],
        "sources": ["mail"],
        "status": "done",
        "date": "2026-03-14",
        "domain": "learning",
        "merge_into": "other",
        "force": True,
    }

    parsed = proposal.parse(values)

    assert values.keys() == proposal.PROPOSAL_SCHEMA.keys()
    assert {key: getattr(parsed, key) for key in values} == {
        **values,
        "tags": ("a",),
        "aliases": ("Start",),
        "sources": ("mail",),
    }


def test_tags_lose_their_hash_and_spaces_and_are_there_once() -> None:
    tags = ["#work", "work", "two  words", "#", "##", " ", "a/b"]

    assert proposal.parse({"title": "x", "tags": tags}).tags == ("work", "two-words", "a/b")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("text", "text"),
        ("\n\r\n  text  \r\n\n", "  text  "),
        ("    code\n", "    code"),
        ("```python\nx", "```python\nx\n```"),
        ("~~~~\nx\n~~~", "~~~~\nx\n~~~\n~~~~"),
        ("100%% sure", "100%% sure\n%%"),
        ("$$\nx", "$$\nx\n$$"),
        ("<!-- x", "<!-- x\n-->"),
        ("```\nx\n```", "```\nx\n```"),
        (" \n\t\n", ""),
        ("", ""),
    ],
)
def test_a_body_leaves_nothing_open_for_what_stands_below_it(body: str, kept: str) -> None:
    assert proposal.parse({"title": "x", "body": body}).body == kept


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "title"),
        ({"title": None}, "title"),
        ({"title": "x", "tittle": "y"}, "tittle"),
        ({"title": "x", 5: "y"}, "5"),
        ({"title": "x", "kind": "alien"}, "kind"),
        ({"title": "x", "body": ["y"]}, "body"),
        ({"title": "x", "tags": ["a\nb"]}, "tags[0]"),
        ({"title": "x", "date": "today"}, "date"),
        ({"title": "x", "force": "true"}, "force"),
        ({"title": "x", "merge_into": "a\nb"}, "merge_into"),
    ],
)
def test_what_is_wrong_is_refused_by_its_place(values: Any, field: str) -> None:
    with pytest.raises(BadRequest) as raised:
        proposal.parse_list([{"title": "fine"}, values], "proposals")

    assert raised.value.details["field"] == f"proposals[1].{field}"


@pytest.mark.parametrize("values", [None, 5, "x", {"title": "x"}, b"x"])
def test_what_is_no_list_of_proposals_is_refused(values: Any) -> None:
    with pytest.raises(BadRequest) as raised:
        proposal.parse_list(values, "reflect")

    assert raised.value.details["field"].startswith("reflect")


def test_more_proposals_than_a_person_can_look_through_are_refused() -> None:
    with pytest.raises(BadRequest):
        proposal.parse_list([{"title": "x"}] * (proposal.MAX_PROPOSALS + 1), "proposals")
