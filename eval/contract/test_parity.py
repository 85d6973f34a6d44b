"""Both doors run the same operations: twin vaults end with the same bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from echo_memory.cli import main
from echo_memory.ops.bootstrap import bootstrap_op
from olrapi.standin import StandIn
from tools import memory_over, serving
from vaults import KEY

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=timezone(timedelta(hours=1)))

ADA = {
    "title": "Ada Lovelace",
    "kind": "person",
    "aliases": ["Countess of Lovelace"],
    "tags": ["maths", "first of all"],
    "sources": ["a letter: page 3"],
    "body": "# Ada Lovelace\n\nWrote the first program.\n\n## Family\n\nDaughter of Byron.",
}
PROPOSAL = {"title": "Brass sources", "kind": "reference", "body": "Ask Ada Lovelace."}
BUNDLE = {
    "slug": "engine-kickoff",
    "log_body": "Ordered gears with Ada Lovelace.",
    "agent_log_line": "Engine kickoff done",
    "scope": "Rebuild the engine: gears",
    "reflect": [{"title": "Prefers millimetres", "kind": "semantic"}],
}
CAPTURE_ADA = [
    "capture", ADA["title"], "--kind", "person", "--alias", "Countess of Lovelace",
    "--tag", "maths", "--tag", "first of all", "--source", "a letter: page 3",
    "--body", ADA["body"],
]  # fmt: skip

# What an assistant calls, and what is typed for the same; `-` has standard input behind it.
DAY: list[tuple[str, dict[str, Any], list[str], Any]] = [
    ("echo_capture", ADA, CAPTURE_ADA, None),
    (
        "echo_capture",
        {"title": "Engine", "kind": "project", "body": "By Ada Lovelace."},
        ["capture", "Engine", "--kind", "project", "--body", "By Ada Lovelace."],
        None,
    ),
    (
        "echo_capture",
        {"title": "Ada Lovelase", "kind": "person", "body": "x"},
        ["capture", "Ada Lovelase", "--kind", "person", "--body", "x"],
        None,
    ),
    (
        "echo_capture",
        {"title": "Ada Lovelase", "body": "Studied.", "merge_into": "ada-lovelace"},
        ["capture", "Ada Lovelase", "--body", "Studied.", "--merge-into", "ada-lovelace"],
        None,
    ),
    ("echo_capture", {"title": "Buy brass"}, ["capture", "Buy brass"], None),
    (
        "echo_triage_inbox",
        {"proposals": [{**PROPOSAL, "line": "Buy brass"}], "apply": True},
        ["triage", "--proposals", "-", "--apply"],
        [{**PROPOSAL, "line": "Buy brass"}],
    ),
    (
        "echo_reflect",
        {"proposals": [PROPOSAL], "apply": True},
        ["reflect", "--proposals", "-", "--apply"],
        [PROPOSAL],
    ),
    (
        "echo_patch_note",
        {
            "path": "engine",
            "operation": "append",
            "target_type": "heading",
            "target": "Engine::Status",
            "content": "Gears ordered.",
        },
        ["patch", "engine", "append", "heading", "Engine::Status", "Gears ordered."],
        None,
    ),
    (
        "echo_append_note",
        {"path": "engine", "line": "- [ ] call"},
        ["append", "engine", "- [ ] call"],
        None,
    ),
    (
        "echo_link",
        {"a": "Ada Lovelace", "b": "engine"},
        ["link", "Ada Lovelace", "engine"],
        None,
    ),
    ("echo_set_scope", {"scope": "Gears"}, ["scope", "set", "Gears"], None),
    (
        "echo_log_session",
        {**BUNDLE, "apply": True},
        ["session-end", "--bundle", "-", "--apply"],
        BUNDLE,
    ),
    (
        "echo_patch_note",
        {
            "path": "engine",
            "operation": "replace",
            "target_type": "heading",
            "target": "Engine::Status",
            "content": "Done.",
        },
        ["patch", "engine", "replace", "heading", "Engine::Status", "Done."],
        None,
    ),
    ("echo_note_history", {"path": "engine"}, ["history", "engine"], None),
    ("echo_rollup_data", {"period": "week"}, ["rollup", "week"], None),
    ("echo_load", {}, ["load"], None),
    ("echo_recall", {"query": "who wrote it"}, ["recall", "who wrote it"], None),
    ("echo_resolve", {"mention": "countess"}, ["resolve", "countess"], None),
    ("echo_get_note", {"path": "engine"}, ["get", "engine"], None),
    ("echo_get_scope", {}, ["scope"], None),
]


@contextmanager
def vault_at(kind: str, folder: Path) -> Iterator[StandIn | Path]:
    """A bootstrapped vault, as a folder or behind the plugin."""
    folder.mkdir()
    with StandIn(folder, KEY) if kind == "rest" else nullcontext(folder) as vault:
        echo = memory_over(vault, folder.with_name(f"{folder.name}-state"), clock=lambda: NOW)
        bootstrap_op(echo)
        echo.close()
        yield vault


def typed_in(value: Any) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(json.dumps(value).encode()))


def notes(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("kind", ["folder", "rest"])
def test_a_day_through_mcp_and_through_the_command_line_leaves_the_same_bytes_and_answers(
    kind: str,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served, typed = tmp_path / "served", tmp_path / "typed"
    with vault_at(kind, served) as mine, vault_at(kind, typed) as other:
        state = tmp_path / "typed-state"
        monkeypatch.setenv("ECHO_BASE", other.as_uri() if isinstance(other, Path) else other.url)
        monkeypatch.setenv("ECHO_KEY", KEY)
        with serving(mine, tmp_path / "served-state", clock=lambda: NOW) as call:
            for tool, arguments, words, stdin in DAY:
                monkeypatch.setattr("sys.stdin", typed_in(stdin))
                main(["--state-dir", str(state), "--json", *words], clock=lambda: NOW)

                assert json.loads(capsysbinary.readouterr().out) == call(tool, **arguments)[0], tool

            (version, *_) = call("echo_note_history", path="engine")[0]["versions"]
            for more in ({}, {"confirm": True}, {"confirm": True}):
                words = ["restore", "engine", version["id"], *(["--confirm"] if more else [])]
                main(["--state-dir", str(state), "--json", *words], clock=lambda: NOW)
                said = call("echo_restore_note", path="engine", version_id=version["id"], **more)

                assert json.loads(capsysbinary.readouterr().out) == said[0], more

    assert notes(typed) == notes(served)
