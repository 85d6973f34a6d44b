"""Results: an envelope becomes a tool's answer; the table of errors is kept word by word."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import validate
from mcp_types import CallToolResult

from echo_mcp import results
from echo_memory.envelope import GATED, LOCKED
from echo_memory.errors import (
    BadRequest,
    Conflict,
    EchoError,
    InvalidTarget,
    Misconfigured,
    NotFound,
    VaultIO,
    VaultUnreachable,
)

UNREACHABLE = (
    "vault unreachable (Obsidian/REST plugin likely down); proceed without memory,"
    " writes will queue server-side"
)
NO_CREDENTIALS = (
    "server deployment is missing vault credentials (operator: check the deployment's environment)"
)


def _text(result: CallToolResult) -> str:
    (block,) = result.content
    return str(block.text)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            BadRequest("limit is out of range. Give 1 to 20.", field="limit"),
            "bad-request (limit): ",
        ),
        (NotFound("There is no such note.", path="x.md"), "not-found (x.md): "),
        (InvalidTarget("No such heading.", headings=["A::B"]), "invalid-target: "),
        (VaultIO("The disk is full."), "vault-io: "),
        (Conflict("The note changed.", path="x.md"), "conflict (x.md): "),
        (VaultUnreachable("No route to 10.0.0.7"), f"vault-unreachable: {UNREACHABLE}"),
        (Misconfigured("ECHO_KEY", faults=["/srv"]), f"misconfigured: {NO_CREDENTIALS}"),
        (EchoError("It broke."), "internal: "),
    ],
)
def test_an_error_is_marked_and_its_first_line_says_what_to_do(error: EchoError, says: str) -> None:
    result = results.refused("recall", error)

    assert result.is_error
    assert _text(result).splitlines()[0].startswith(says)
    assert result.structured_content is not None
    assert result.structured_content["error"]["code"] == error.code
    assert result.structured_content["op"] == "recall"


@pytest.mark.parametrize(
    "error", [VaultUnreachable("10.0.0.7"), Misconfigured("x", faults=["/srv"])]
)
def test_what_belongs_to_the_host_stays_there(error: EchoError) -> None:
    result = results.refused("recall", error)

    assert "10.0.0.7" not in result.model_dump_json()
    assert "/srv" not in result.model_dump_json()


@pytest.mark.parametrize(
    ("envelope", "is_error", "outcome"),
    [
        ({"ok": True, "action": "updated", "path": "x.md"}, False, "ok"),
        ({"ok": True, "queued": True, "queue_id": 1}, False, "queued"),
        ({"ok": False, "action": LOCKED, "holder": "laptop"}, False, "gated"),
        ({"ok": False, "error": {"code": "x", "message": "y"}}, True, "error"),
    ],
)
def test_only_what_is_wrong_is_an_error(
    envelope: dict[str, Any], is_error: bool, outcome: str
) -> None:
    result = results.answer({"op": "anything", **envelope})

    assert result.is_error is is_error
    assert results.outcome(result) == outcome


def test_a_gate_is_no_error_and_its_text_names_candidates_and_both_ways_out() -> None:
    candidate = {"slug": "ada", "path": "a/ada.md", "title": "Ada", "kind": "person"}
    result = results.answer(
        {
            "ok": False,
            "op": "capture",
            "action": GATED,
            "candidates": [{**candidate, "score": 0.9, "why": "spelling"}],
            "resolutions": ["merge_into", "force"],
        }
    )

    assert not result.is_error
    assert results.outcome(result) == "gated"
    assert {"ada", "merge_into", "force"} <= set(
        _text(result).replace("=", " ").replace(":", " ").split()
    )


def test_a_crash_tells_a_reference_and_nothing_else() -> None:
    result = results.crashed("load", "cafe")

    assert result.is_error
    assert _text(result).startswith("internal: ")
    assert "cafe" in _text(result)
    assert len(_text(result).splitlines()) == 1


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_kept() -> None:
    result = results.answer({"ok": True, "op": "x", "a\udc80": ["\ud83d\ude00", "b\udcff", "é😀"]})

    assert result.structured_content == {"ok": True, "op": "x", "a�": ["😀", "b�", "é😀"]}
    result.model_dump_json()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(st.characters()), JSON))
def test_whatever_a_note_holds_can_be_sent(fields: dict[str, Any]) -> None:
    envelope = {**fields, "ok": True, "op": "anything", "warnings": []}
    for key in ("error", "action", "queued", "steps"):
        envelope.pop(key, None)
    result = results.answer(envelope)

    json.dumps(result.structured_content, ensure_ascii=False, allow_nan=False).encode()
    result.model_dump_json().encode()
    validate(result.structured_content, results.OUTPUT_SCHEMA)
