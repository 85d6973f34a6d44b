"""The vault comes and goes behind the server: what its tools answer, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echo_memory.config import Config
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.load import load_op
from folders import put
from olrapi import faults
from olrapi.standin import StandIn
from server.process import until
from tools import memory_over, serving

ADA = "resources/people/ada-lovelace.md"
READS: list[tuple[str, dict[str, Any]]] = [
    ("echo_load", {}),
    ("echo_recall", {"query": "first program"}),
    ("echo_resolve", {"mention": "Ada Lovelace"}),
    ("echo_get_note", {"path": "ada-lovelace"}),
    ("echo_get_scope", {}),
    ("echo_triage_inbox", {}),
]
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("echo_capture", {"title": "Charles Babbage", "kind": "person", "body": "Built engines."}),
    ("echo_capture", {"title": "Buy brass"}),
    ("echo_append_note", {"path": "ada-lovelace", "line": "- [ ] write to her"}),
    (
        "echo_patch_note",
        {
            "path": "ada-lovelace",
            "operation": "append",
            "target_type": "heading",
            "target": "Ada Lovelace",
            "content": "Daughter of Byron.",
        },
    ),
    ("echo_link", {"a": "Ada Lovelace", "b": "Analytical Engine"}),
    ("echo_set_scope", {"scope": "Rebuild the engine"}),
    ("echo_reflect", {"proposals": [{"title": "Tea", "kind": "concept"}], "apply": True}),
    (
        "echo_triage_inbox",
        {
            "proposals": [{"line": "Order gears", "title": "Gears", "kind": "concept"}],
            "apply": True,
        },
    ),
    (
        "echo_log_session",
        {"slug": "kickoff", "log_body": "Gears.", "agent_log_line": "Kickoff", "apply": True},
    ),
]


@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_a_read_with_nothing_warm_says_that_the_vault_is_away_and_what_that_means(
    plugin: StandIn, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    plugin.down()

    with serving(plugin, tmp_path / "state") as call:
        envelope, text, failed = call(tool, **arguments)

    assert failed
    assert envelope["error"]["code"] == "vault-unreachable"
    assert "vault unreachable (Obsidian/REST plugin likely down); proceed without memory" in text
    assert plugin.url not in json.dumps(envelope)


@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_a_warm_read_answers_as_before_and_says_that_it_is_offline(
    plugin: StandIn, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    with serving(plugin, tmp_path / "state") as call:
        online, _, _ = call(tool, **arguments)
        with plugin.away():
            envelope, text, failed = call(tool, **arguments)

    assert not failed
    assert envelope.pop("offline") is True
    assert envelope.pop("age_s") >= 0
    assert "Offline: the vault is away." in text
    online.pop("offline", None)
    assert envelope == online


def test_a_server_that_starts_while_the_vault_is_away_answers_from_the_last_copy(
    plugin: StandIn, tmp_path: Path
) -> None:
    with serving(plugin, tmp_path / "state") as call:
        call("echo_recall", query="program")

    with plugin.away(), serving(plugin, tmp_path / "state") as call:
        envelope, _, failed = call("echo_recall", query="program")

    assert not failed
    assert envelope["offline"]
    assert [hit["path"] for hit in envelope["primary"]] == [ADA]


@pytest.mark.parametrize(("tool", "arguments"), WRITES)
def test_a_write_while_the_vault_is_away_is_queued_and_made_when_it_is_back(
    plugin: StandIn, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    with serving(plugin, tmp_path / "state") as call:
        call("echo_recall", query="x")
        with plugin.away():
            envelope, text, failed = call(tool, **arguments)
            health, _, _ = call("/health")
        until(lambda: call("/health")[0]["outbox_depth"] == 0)
        again, _, _ = call(tool, **arguments)
        parked = call("/health")[0]["parked"]

    assert (failed, parked) == (False, 0)
    assert (envelope["ok"], envelope["queued"]) == (True, True)
    assert "do not repeat it" in text
    assert (health["outbox_depth"], health["vault_reachable"]) == (1, False)
    # What was asked for is there: asked for once more, it changes nothing.
    assert again["ok"]


def test_writes_that_waited_are_made_in_their_order_with_the_next_load(
    plugin: StandIn, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    with plugin.away(), serving(plugin, state) as call:
        for number in range(5):
            assert call("echo_append_note", path="ada-lovelace", line=f"- {number}")[0]["queued"]

    echo = memory_over(plugin, state)
    loaded = load_op(echo)
    echo.close()

    assert loaded["queued_flushed"] == 5
    lines = (tmp_path / "vault" / ADA).read_text().splitlines()
    assert [line for line in lines if line[:3] in {f"- {n}" for n in range(5)}] == [
        f"- {n}" for n in range(5)
    ]


def test_a_vault_that_hangs_is_away_for_who_starts_then(plugin: StandIn, tmp_path: Path) -> None:
    with serving(plugin, tmp_path / "state") as call:
        call("echo_recall", query="program")

    plugin.fail(faults.never_answer, times=None)
    with serving(plugin, tmp_path / "state", ECHO_TIMEOUT="1") as call:
        envelope, _, failed = call("echo_recall", query="program")

    assert not failed
    assert envelope["offline"]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The folder of another vault, whose owner made it a memory as well."""
    folder = tmp_path / "other"
    folder.mkdir()
    put(folder / "Work.md", "# Work\n")
    env = {"ECHO_BASE": folder.as_uri(), "ECHO_STATE_DIR": str(tmp_path / "o"), "ECHO_OWNER": "Eve"}
    echo = open_memory(Config.from_env(env), notify=lambda _: None)
    bootstrap_op(echo)
    echo.close()
    return folder


def swapped(plugin: StandIn, other: Path) -> None:
    """Another vault is opened, at the same address."""
    plugin.folder.rename(plugin.folder.with_name("first"))
    other.rename(plugin.folder)
    plugin.hang_up()


@pytest.mark.parametrize("is_memory", [True, False])
def test_another_vault_at_the_same_address_is_not_written_to(
    plugin: StandIn, tmp_path: Path, other: Path, is_memory: bool
) -> None:
    if not is_memory:
        (other / "_agent/echo-vault.md").unlink()
    before = {path: path.read_bytes() for path in other.rglob("*") if path.is_file()}
    with serving(plugin, tmp_path / "state", ECHO_MCP_INDEX_TTL="3600") as call:
        until(lambda: call("/health")[0]["index_age_s"] is not None)
        swapped(plugin, other)

        captured, _, _ = call("echo_capture", title="Secret of the first", kind="concept")
        loaded, text, _ = call("echo_load")

    assert captured["queued"]
    assert loaded["offline"]
    assert "bootstrap` first" not in text
    assert loaded["queued_flushed"] == 0
    after = {path: (plugin.folder / path.relative_to(other)).read_bytes() for path in before}
    assert after == before
    assert not list(plugin.folder.rglob("secret*"))


def test_what_waits_for_one_vault_is_not_replayed_into_another(
    plugin: StandIn, tmp_path: Path, other: Path
) -> None:
    echo = memory_over(plugin, tmp_path / "state")
    echo.look()
    with plugin.away():
        assert capture_op(echo, "Secret of the first", kind="concept")["queued"]
        swapped(plugin, other)

    with serving(plugin, tmp_path / "state") as call:
        call("echo_load")
        health, _, _ = call("/health")
    echo.close()

    assert health["outbox_depth"] == 1
    assert not list(plugin.folder.rglob("secret*"))


def test_a_server_that_starts_makes_what_waits_by_itself(plugin: StandIn, tmp_path: Path) -> None:
    echo = memory_over(plugin, tmp_path / "state")
    with plugin.away():
        assert capture_op(echo, "Steam", kind="concept")["queued"]
    echo.close()

    with serving(plugin, tmp_path / "state") as call:
        until(lambda: call("/health")[0]["outbox_depth"] == 0)

    assert (plugin.folder / "resources/concepts/steam.md").exists()
