"""The tools as clients see them: names, arguments, hints, words, and what all of it costs.

`tools/list` is paid for in every conversation, so it is pinned here line by line and its size has a
limit. What a schema promises is held to the operation behind it: the same arguments, the same
defaults, the same kinds.
"""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client

from echo_mcp.server import EchoServer
from echo_mcp.tools import history as looking_back
from echo_mcp.tools import read, write
from echo_mcp.tools.registry import registered
from echo_memory import routing
from echo_memory.memory import Memory
from echo_memory.ops import (
    capture,
    health,
    history,
    link,
    load,
    note,
    recall,
    reflect,
    resolve,
    rollup,
    scope,
    session,
    triage,
)
from echo_memory.proposal import PROPOSAL_SCHEMA
from tools import arguments_shown

MAX_CHARS = 10_500

ARGUMENTS = {
    "echo_load": "brief=true budget_chars=6000:500-200000",
    "echo_recall": "query limit=6:1-20 include_linked=true budget_chars=4000:500-20000",
    "echo_resolve": "mention",
    "echo_get_note": "path [section] max_chars=8000:200-100000",
    "echo_get_scope": "",
    "echo_health": "deep=false",
    "echo_set_scope": "scope",
    "echo_capture": "title [kind] [body] [tags] [aliases] [sources] [status] [date] [domain]"
    " [merge_into] force=false dry_run=false",
    "echo_link": "a b",
    "echo_append_note": "path line",
    "echo_patch_note": "path operation target_type target content",
    "echo_triage_inbox": "[proposals] apply=false",
    "echo_reflect": "proposals apply=false",
    "echo_log_session": "slug log_body agent_log_line [scope] [reflect] apply=false",
    "echo_rollup_data": "period [date]",
    "echo_note_history": "path",
    "echo_restore_note": "path version_id confirm=false",
}
CORE = {
    "echo_load",
    "echo_recall",
    "echo_capture",
    "echo_triage_inbox",
    "echo_log_session",
    "echo_health",
}
READ_ONLY = {
    "echo_recall",
    "echo_resolve",
    "echo_get_note",
    "echo_get_scope",
    "echo_health",
    "echo_rollup_data",
    "echo_note_history",
}
DESTRUCTIVE = {"echo_patch_note", "echo_restore_note"}
IDEMPOTENT = {
    "echo_recall",
    "echo_resolve",
    "echo_get_note",
    "echo_get_scope",
    "echo_set_scope",
    "echo_capture",
    "echo_link",
    "echo_append_note",
    "echo_log_session",
    "echo_rollup_data",
    "echo_note_history",
}
MUST_SAY = {
    "echo_recall": ["truncated", "echo_get_note"],
    "echo_resolve": ["before creating any note by hand", "echo_capture"],
    "echo_get_scope": ["Confirm", "operator", "sessions_since", "3 or more"],
    "echo_capture": ["never retry", "merge_into", "force", "operator confirmed"],
    "echo_patch_note": ["full `::` path from the H1", "headings there are"],
    "echo_triage_inbox": ["lists", "Propose", "preview", "only after", "confirm"],
    "echo_reflect": ["Never apply", "go-ahead", "never invent"],
    "echo_note_history": ["deleted", "echo_restore_note"],
    "echo_restore_note": ["operator", "`confirm: true` only after they confirm"],
}
OPERATIONS = {
    "echo_load": load.load_op,
    "echo_recall": recall.recall_op,
    "echo_resolve": resolve.resolve_op,
    "echo_get_note": note.get_note_op,
    "echo_get_scope": scope.scope_show_op,
    "echo_health": health.health_op,
    "echo_set_scope": scope.scope_set_op,
    "echo_capture": capture.capture_op,
    "echo_link": link.link_op,
    "echo_append_note": note.append_op,
    "echo_patch_note": note.patch_op,
    "echo_triage_inbox": triage.triage_op,
    "echo_reflect": reflect.apply_op,
    "echo_log_session": session.session_end_op,
    "echo_rollup_data": rollup.rollup_op,
    "echo_note_history": history.history_op,
    "echo_restore_note": history.restore_op,
}

TOOLS = (*read.TOOLS, *write.TOOLS, *looking_back.TOOLS)


@pytest.fixture(scope="module")
def listed() -> dict[str, dict[str, Any]]:
    """What `tools/list` sends, by name, as the official client gets it."""
    return _list("full")


def _list(profile: str) -> dict[str, dict[str, Any]]:
    async def ask() -> list[dict[str, Any]]:
        # Listing touches no vault, so none is opened.
        server = EchoServer({"echo": Memory.__new__(Memory)}, registered(profile))
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            return [
                tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools
            ]

    return {tool["name"]: tool for tool in anyio.run(ask)}


def test_there_are_seventeen_tools_and_six_in_the_core_profile(
    listed: dict[str, dict[str, Any]],
) -> None:
    assert listed.keys() == ARGUMENTS.keys()
    assert _list("core").keys() == CORE


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_tool_takes_exactly_its_arguments_with_their_defaults_and_ranges(
    listed: dict[str, dict[str, Any]], name: str
) -> None:
    schema = listed[name]["inputSchema"]

    assert arguments_shown(schema) == ARGUMENTS[name]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_hints_are_all_given_and_true(listed: dict[str, dict[str, Any]], name: str) -> None:
    assert listed[name]["annotations"] == {
        "readOnlyHint": name in READ_ONLY,
        "destructiveHint": name in DESTRUCTIVE,
        "idempotentHint": name in IDEMPOTENT,
        "openWorldHint": name == "echo_load",
    }


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_description_is_short_and_says_what_it_must(
    listed: dict[str, dict[str, Any]], name: str
) -> None:
    description = listed[name]["description"]

    assert 0 < len(description) <= 400
    assert len(re.findall(r"[.!?](?= [A-Z`]|$)", description)) <= 3
    assert [words for words in MUST_SAY.get(name, ()) if words not in description] == []


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_tool_and_its_operation_take_the_same(name: str) -> None:
    functions = {spec.function.__name__: spec.function for spec in TOOLS}
    tool = dict(inspect.signature(functions[name]).parameters)
    operation = dict(inspect.signature(OPERATIONS[name]).parameters)
    required = {"proposals"} if name == "echo_reflect" else set()

    assert list(tool) == list(operation)
    assert {key: value.default for key, value in tool.items() if key not in required} == {
        key: value.default for key, value in operation.items() if key not in required
    }


def test_kinds_domains_and_operations_are_the_cores(listed: dict[str, dict[str, Any]]) -> None:
    captured = listed["echo_capture"]["inputSchema"]["properties"]
    patched = listed["echo_patch_note"]["inputSchema"]["properties"]

    assert captured["kind"]["enum"] == list(routing.table().kinds)
    assert captured["domain"]["enum"] == list(routing.table().kinds["area"].domains)
    assert listed["echo_rollup_data"]["inputSchema"]["properties"]["period"]["enum"] == [
        "week",
        "month",
    ]
    assert patched["operation"]["enum"] == ["append", "prepend", "replace"]
    assert sorted(patched["target_type"]["enum"]) == ["block", "frontmatter", "heading"]


@pytest.mark.parametrize(
    ("name", "field", "also"),
    [
        ("echo_triage_inbox", "proposals", ["line"]),
        ("echo_reflect", "proposals", []),
        ("echo_log_session", "reflect", []),
    ],
)
def test_a_proposal_is_described_key_by_key_wherever_one_is_taken(
    listed: dict[str, dict[str, Any]], name: str, field: str, also: list[str]
) -> None:
    items = listed[name]["inputSchema"]["properties"][field]["items"]
    capture_schema = listed["echo_capture"]["inputSchema"]["properties"]

    assert list(items["properties"]) == [*PROPOSAL_SCHEMA, *also]
    assert items["required"] == ["title", *also]
    assert items["additionalProperties"] is False
    for key in PROPOSAL_SCHEMA:
        without_default = {k: v for k, v in capture_schema[key].items() if k != "default"}
        assert items["properties"][key] == without_default


def test_a_schema_is_plain_and_valid(listed: dict[str, dict[str, Any]]) -> None:
    for tool in listed.values():
        Draft202012Validator.check_schema(tool["inputSchema"])
        Draft202012Validator.check_schema(tool["outputSchema"])
        written = json.dumps(tool)
        for clutter in ("$ref", "anyOf", '"title": "', "null"):
            assert clutter not in written


def test_the_whole_list_stays_small(listed: dict[str, dict[str, Any]]) -> None:
    paid_for = [
        {key: tool[key] for key in ("name", "description", "inputSchema")}
        for tool in listed.values()
    ]
    size = len(json.dumps(paid_for, separators=(",", ":"), ensure_ascii=False))
    print(f"tools/list: {size} characters of names, descriptions and input schemas")

    assert size <= MAX_CHARS
