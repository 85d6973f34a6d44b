"""Calls of the tools through the real application: every one of them does its work, tells what is
wrong with its arguments by name, and answers with an envelope whose text is the same answer.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from echo_mcp.results import OUTPUT_SCHEMA
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op

Call = Callable[..., tuple[dict[str, Any], str, bool]]

ADA = "resources/people/ada-lovelace.md"
ENGINE = "projects/active/analytical-engine.md"
PROPOSAL = {"title": "Prefers metric units", "kind": "semantic", "body": "States millimetres."}

# For each tool: arguments that work in the seeded vault, what the envelope is called, and what its
# text has to say.
WORKING: list[tuple[str, dict[str, Any], str, str]] = [
    ("echo_load", {}, "load", "Call the foundry"),
    ("echo_load", {"brief": False}, "load", "Call the foundry"),
    ("echo_recall", {"query": "first program", "limit": 3}, "recall", ADA),
    ("echo_recall", {"query": "zzzz"}, "recall", "Nothing found"),
    ("echo_resolve", {"mention": "ADA  lovelace"}, "resolve", ADA),
    ("echo_get_note", {"path": "ada-lovelace"}, "get", "first published program"),
    ("echo_get_note", {"path": ENGINE, "section": "Analytical Engine"}, "get", "Gears."),
    ("echo_get_scope", {}, "scope", "No scope is set"),
    ("echo_health", {}, "health", "vault"),
    ("echo_health", {"deep": True}, "health", "vault"),
    ("echo_set_scope", {"scope": "Rebuild the engine"}, "scope", "Rebuild the engine"),
    ("echo_capture", {"title": "Buy brass"}, "capture", "inbox"),
    (
        "echo_capture",
        {"title": "Brass", "kind": "concept", "tags": ["metal"]},
        "capture",
        "created",
    ),
    ("echo_capture", {"title": "Ada Lovelase", "kind": "person"}, "capture", "merge_into"),
    ("echo_capture", {"title": "X", "kind": "person", "dry_run": True}, "capture", "would"),
    ("echo_link", {"a": "Ada Lovelace", "b": "analytical-engine"}, "link", ENGINE),
    ("echo_append_note", {"path": ENGINE, "line": "- [ ] call"}, "append", ENGINE),
    (
        "echo_patch_note",
        {
            "path": ENGINE,
            "operation": "append",
            "target_type": "heading",
            "target": "Analytical Engine::Status",
            "content": "Gears ordered.",
        },
        "patch",
        ENGINE,
    ),
    ("echo_triage_inbox", {}, "triage", "Call the foundry"),
    ("echo_reflect", {"proposals": [PROPOSAL]}, "reflect", "Preview"),
    (
        "echo_log_session",
        {"slug": "kickoff", "log_body": "Done.", "agent_log_line": "Kickoff", "apply": True},
        "session-end",
        "kickoff",
    ),
]


@pytest.fixture
def seeded(memory: Memory) -> Memory:
    """A person, a project and an inbox line."""
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first published program.")
    capture_op(memory, "Analytical Engine", kind="project", body="Gears.")
    capture_op(memory, "Call the foundry")
    return memory


@pytest.mark.usefixtures("seeded")
@pytest.mark.parametrize(("tool", "arguments", "op", "says"), WORKING)
def test_a_tool_does_its_work_and_tells_it_twice(
    call: Call, tool: str, arguments: dict[str, Any], op: str, says: str
) -> None:
    envelope, text, failed = call(tool, **arguments)

    assert not failed
    assert envelope["op"] == op
    assert says in text
    assert "structured" not in text
    validate(envelope, OUTPUT_SCHEMA)


@pytest.mark.parametrize("tool", sorted({tool for tool, *_ in WORKING}))
def test_an_unknown_argument_is_named_and_nothing_is_done(
    call: Call, vault_folder: Path, tool: str
) -> None:
    arguments = next(arguments for name, arguments, *_ in WORKING if name == tool)
    before = _bytes(vault_folder)
    envelope, text, failed = call(tool, **arguments, qery="y")

    assert failed
    assert text.splitlines()[0].startswith("bad-request (qery): qery is not an argument of " + tool)
    assert envelope["error"]["field"] == "qery"
    assert envelope["op"] == next(op for name, _, op, _ in WORKING if name == tool)
    assert _bytes(vault_folder) == before


ONE_TO_TWENTY = "limit must be a whole number from 1 to 20."
YES_OR_NO = "include_linked must be true or false."


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "says"),
    [
        ("recall", {}, "query", "query is missing: give a string."),
        ("recall", {"query": None}, "query", "query is missing: give a string."),
        ("recall", {"query": 5}, "query", "query must be a string."),
        ("recall", {"query": ["x"]}, "query", "query must be a string."),
        ("recall", {"query": "x", "limit": 21}, "limit", ONE_TO_TWENTY),
        ("recall", {"query": "x", "limit": 0}, "limit", ONE_TO_TWENTY),
        ("recall", {"query": "x", "limit": 10**400}, "limit", ONE_TO_TWENTY),
        ("recall", {"query": "x", "limit": "5"}, "limit", ONE_TO_TWENTY),
        ("recall", {"query": "x", "limit": 5.5}, "limit", ONE_TO_TWENTY),
        ("recall", {"query": "x", "limit": True}, "limit", ONE_TO_TWENTY),
        ("recall", {"query": "x", "include_linked": "yes"}, "include_linked", YES_OR_NO),
        ("recall", {"query": "x", "include_linked": 1}, "include_linked", YES_OR_NO),
        (
            "recall",
            {"query": "x", "qurey": "x"},
            "qurey",
            "qurey is not an argument of echo_recall. Did you mean query?",
        ),
        ("get_scope", {"x": 1}, "x", "x is not an argument of echo_get_scope. It takes none."),
        (
            "capture",
            {"title": "x", "tags": "a"},
            "tags",
            "tags must be a list, each item a string.",
        ),
        ("capture", {"title": "x", "tags": ["a", 1]}, "tags[1]", "tags[1] must be a string."),
        ("reflect", {"proposals": ["x"]}, "proposals[0]", "proposals[0] must be an object."),
        (
            "reflect",
            {"proposals": {}},
            "proposals",
            "proposals must be a list, each item an object.",
        ),
    ],
)
def test_what_is_wrong_with_an_argument_stands_in_the_first_line(
    call: Call, tool: str, arguments: dict[str, Any], field: str, says: str
) -> None:
    envelope, text, failed = call(f"echo_{tool}", **arguments)

    assert failed
    assert envelope["error"] == {"code": "bad-request", "field": field, "message": says}
    assert text == f"bad-request ({field}): {says}"


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("echo_capture", {"title": "x", "kind": "alien"}, "kind"),
        ("echo_capture", {"title": "x", "kind": "null"}, "kind"),
        ("echo_capture", {"title": "x", "kind": "area", "domain": "moon"}, "domain"),
        ("echo_capture", {"title": "x", "kind": "meeting", "date": "yesterday"}, "date"),
        ("echo_capture", {"title": ""}, "title"),
        ("echo_capture", {"title": "a\0b"}, "title"),
        ("echo_capture", {"title": "x" * 100_000}, "title"),
        ("echo_capture", {"title": "x", "body": "\ud83d"}, "body"),
        ("echo_capture", {"title": "x", "tags": ["a", "\0"]}, "tags[1]"),
        ("echo_recall", {"query": " "}, "query"),
        ("echo_recall", {"query": "x" * 1_000_000}, "query"),
        ("echo_get_note", {"path": "../x.md"}, "path"),
        ("echo_get_note", {"path": "a\0.md"}, "path"),
        ("echo_resolve", {"mention": ""}, "mention"),
        ("echo_set_scope", {"scope": "two\nlines"}, "scope"),
        ("echo_append_note", {"path": ADA, "line": "two\nlines"}, "line"),
        ("echo_reflect", {"proposals": [{"title": "x", "knd": "person"}]}, "proposals[0].knd"),
        ("echo_reflect", {"proposals": [{"title": "x", "kind": "alien"}]}, "proposals[0].kind"),
        ("echo_reflect", {"proposals": [{"title": "x"}, {}]}, "proposals[1].title"),
        ("echo_reflect", {"proposals": [{"title": 5}]}, "proposals[0].title"),
        ("echo_triage_inbox", {"proposals": [{"title": "x", "knd": "y"}]}, "proposals[0].knd"),
        (
            "echo_log_session",
            {"slug": "x", "log_body": "x", "agent_log_line": "x", "reflect": [{"ttle": "x"}]},
            "reflect[0].ttle",
        ),
        (
            "echo_patch_note",
            {
                "path": ADA,
                "operation": "delete",
                "target_type": "heading",
                "target": "x",
                "content": "",
            },
            "operation",
        ),
    ],
)
def test_a_value_that_an_operation_refuses_is_named_too(
    call: Call, vault_folder: Path, tool: str, arguments: dict[str, Any], field: str
) -> None:
    before = _bytes(vault_folder)
    envelope, text, failed = call(tool, **arguments)

    assert failed
    assert envelope["error"]["code"] == "bad-request"
    assert envelope["error"]["field"] == field
    assert text.startswith(f"bad-request ({field}): ")
    assert len(text) < 1_000
    assert _bytes(vault_folder) == before


def test_several_faults_are_all_named(call: Call) -> None:
    envelope, text, _ = call("echo_recall", limit=99, qery="x", budget="y")

    assert envelope["error"]["fields"] == ["query", "limit", "qery", "budget"]
    assert all(field in text for field in envelope["error"]["fields"])


def test_a_thousand_unknown_arguments_are_not_listed(call: Call) -> None:
    unknown = {f"{number}{'x' * 1_000}": 1 for number in range(1_000)}
    envelope, text, failed = call("echo_recall", query="x", **unknown)

    assert failed
    assert "And 995 more." in text
    assert len(json.dumps(envelope)) < 2_000


def test_null_means_absent_where_an_argument_is_optional(call: Call) -> None:
    envelope, _, failed = call(
        "echo_capture", title="Buy brass", kind=None, tags=None, force=None, body=None
    )

    assert not failed
    assert envelope["action"] == "inbox"


def test_a_null_in_a_proposal_means_absent_too(call: Call) -> None:
    _, _, failed = call("echo_reflect", proposals=[{**PROPOSAL, "tags": None, "status": None}])

    assert not failed


def test_an_empty_string_means_absent_where_an_argument_is_optional(call: Call) -> None:
    envelope, _, failed = call("echo_capture", title="Buy brass", kind="", date="", domain="")

    assert not failed
    assert envelope["action"] == "inbox"


def test_a_whole_number_may_be_written_with_a_fraction_of_zero(call: Call) -> None:
    _, _, failed = call("echo_recall", query="x", limit=6.0)

    assert not failed


def test_a_list_that_a_client_sends_as_a_string_is_read(call: Call, vault_folder: Path) -> None:
    envelope, _, failed = call("echo_capture", title="Brass", kind="concept", tags='["metal"]')

    assert not failed
    assert "metal" in (vault_folder / envelope["path"]).read_text("utf-8")


def test_text_that_looks_like_json_stays_text(call: Call, vault_folder: Path) -> None:
    for body in ('{"a": 1}', "[1, 2]", "null", "true", "5"):
        envelope, _, failed = call("echo_capture", title=f"About {body}", kind="concept", body=body)

        assert not failed
        assert body in (vault_folder / envelope["path"]).read_text("utf-8")


def test_an_unknown_tool_is_a_result_that_names_those_there_are(call: Call) -> None:
    envelope, text, failed = call("echo_recal" + "l" * 10_000)

    assert failed
    assert envelope["error"]["code"] == "bad-request"
    assert "echo_recall" in text
    assert len(text) < 1_000


def test_a_note_with_bytes_that_are_no_text_can_still_be_read(
    call: Call, vault_folder: Path
) -> None:
    (vault_folder / "resources/concepts").mkdir(parents=True)
    (vault_folder / "resources/concepts/odd.md").write_bytes(b"# Odd\n\nbefore \xff after \x00\n")
    envelope, text, failed = call("echo_get_note", path="odd")

    assert not failed
    assert "before \ufffd after" in envelope["content"]
    assert "before \ufffd after" in text


def test_a_missing_note_is_told_with_what_comes_near(call: Call, seeded: Memory) -> None:
    envelope, text, failed = call("echo_get_note", path="resources/people/ada-lovelase.md")

    assert failed
    assert envelope["error"]["code"] == "not-found"
    assert envelope["error"]["did_you_mean"] == [ADA]
    assert ADA in text


def test_a_missing_heading_is_told_with_those_there_are(call: Call, seeded: Memory) -> None:
    arguments = {"operation": "append", "target_type": "heading", "target": "Statsu"}
    envelope, text, failed = call("echo_patch_note", path=ENGINE, content="x", **arguments)

    assert failed
    assert envelope["error"]["code"] == "invalid-target"
    assert "Analytical Engine::Status" in text


def of_calls(caplog: pytest.LogCaptureFixture) -> list[Any]:
    """What was logged of calls, and not of what runs beside them."""
    return [record for record in caplog.records if record.name == "echo_mcp.server"]


def test_a_crash_is_told_in_a_line_and_logged_without_a_word_of_the_note(
    call: Call, memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "what-the-note-says"

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(secret)

    memory.catalog.search = fail
    caplog.set_level(logging.INFO, "echo_mcp")
    envelope, text, failed = call("echo_recall", query="x")

    assert failed
    assert envelope["error"]["code"] == "internal"
    assert secret not in text
    (crash, line) = of_calls(caplog)
    assert crash.fields == {"tool": "echo_recall", "reference": envelope["error"]["reference"]}
    assert line.fields["outcome"] == "error"


def test_a_call_is_logged_in_one_line_with_how_it_ended(
    call: Call, seeded: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "echo_mcp")
    call("echo_recall", query="program")
    call("echo_recall", qery="program")
    call("echo_capture", title="Ada Lovelase", kind="person")
    call("no-such-tool")

    logged = [(record.fields["tool"], record.fields["outcome"]) for record in of_calls(caplog)]
    assert logged == [
        ("echo_recall", "ok"),
        ("echo_recall", "error"),
        ("echo_capture", "gated"),
        ("unknown", "error"),
    ]
    assert all(record.fields["ms"] >= 0 for record in of_calls(caplog))
    assert "program" not in caplog.text
    assert "Lovelase" not in caplog.text


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
