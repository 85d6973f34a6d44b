"""How often a call asks the vault: every time is a wait, so the numbers are kept."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from olrapi.standin import StandIn
from server.process import until
from tools import Call, serving

SHARED = ("/vault/_agent/index/entities.json", "/vault/_agent/locks/vault.json")

# What is asked, and how often the vault may be for it; the shared index, which many captures share,
# is not counted.
LIMITS: list[tuple[str, dict[str, Any], int]] = [
    ("echo_recall", {"query": "first program"}, 0),
    ("echo_resolve", {"mention": "Ada Lovelace"}, 0),
    ("echo_get_note", {"path": "ada-lovelace"}, 0),
    ("echo_get_scope", {}, 0),
    ("echo_triage_inbox", {}, 0),
    ("echo_load", {}, 8),
    ("echo_capture", {"title": "Babbage", "kind": "person", "body": "Built engines."}, 5),
    ("echo_capture", {"title": "Ada Lovelace", "kind": "person", "body": "A countess."}, 5),
    ("echo_capture", {"title": "Buy brass"}, 3),
    ("echo_append_note", {"path": "ada-lovelace", "line": "- [ ] write"}, 3),
    ("echo_set_scope", {"scope": "Gears"}, 3),
    ("echo_link", {"a": "Ada Lovelace", "b": "analytical-engine"}, 5),
    ("echo_log_session", {"slug": "x", "log_body": "y", "agent_log_line": "z", "apply": True}, 7),
]


@pytest.fixture
def call(plugin: StandIn, tmp_path: Path) -> Iterator[Call]:
    """A warm server that compares the vault so rarely that it does not during a test."""
    with serving(plugin, tmp_path / "state", ECHO_MCP_INDEX_TTL="3600") as warm:
        until(lambda: warm("/health")[0]["index_age_s"] is not None)
        yield warm


@pytest.mark.parametrize(("tool", "arguments", "limit"), LIMITS)
def test_a_call_asks_the_vault_no_oftener_than_this(
    plugin: StandIn, call: Call, tool: str, arguments: dict[str, Any], limit: int
) -> None:
    with plugin.counting() as seen:
        envelope, _, _ = call(tool, **arguments)

    assert envelope["ok"]
    assert len([path for _, path in seen if path not in SHARED]) <= limit, seen


def test_many_captures_at_once_are_few_writes_of_the_shared_index(
    plugin: StandIn, call: Call
) -> None:
    with plugin.counting() as seen:
        for number in range(20):
            call("echo_capture", title=f"Concept {number}", kind="concept")

    assert sum(1 for method, path in seen if method == "PUT" and path == SHARED[0]) < 10


def test_the_log_says_how_often_the_vault_was_asked(
    call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "echo_mcp.server")

    call("echo_recall", query="program")
    call("echo_append_note", path="ada-lovelace", line="- [ ] write")

    calls = [record for record in caplog.records if record.name == "echo_mcp.server"]
    assert [record.fields["vault"] for record in calls] in ([0, 2], [0, 3])
