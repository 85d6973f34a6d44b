"""What the command line takes from standard input and from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Echo
from folders import put, snapshot

PROPOSALS = json.dumps([{"title": "Prefers tea", "kind": "semantic", "body": "Green."}])
BUNDLE = {"slug": "kickoff", "log_body": "Ordered gears.", "agent_log_line": "Kickoff done"}


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["capture", "Tide", "--kind", "concept", "--body", "-"], "resources/concepts/tide.md"),
        (["append", "engine", "-"], "projects/active/engine.md"),
        (["patch", "engine", "append", "heading", "Status", "-"], "projects/active/engine.md"),
        (["put", "resources/references/x.md", "-"], "resources/references/x.md"),
        (
            ["session-end", "--slug", "s", "--agent-log-line", "x", "--apply", "--log-body", "-"],
            "_agent/sessions/2026-03-14-s.md",
        ),
    ],
)
def test_a_dash_stands_for_standard_input_which_is_utf_8(
    echo: Echo, vault_folder: Path, words: list[str], path: str
) -> None:
    said = echo(*words, stdin="Zoë says 日本.\n".encode())

    assert said.status == 0
    assert "Zoë says 日本.\n" in (vault_folder / path).read_text("utf-8")


@pytest.mark.parametrize("way", ["inline", "file", "stdin", "stdin with a mark"])
@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["reflect", "--proposals"], [{"title": "Zoë", "kind": "person"}]),
        (["session-end", "--bundle"], {**BUNDLE, "log_body": "Zoë"}),
        (["triage", "--proposals"], [{"title": "Zoë", "kind": "person", "line": "x"}]),
    ],
)
def test_json_comes_inline_from_a_file_or_from_standard_input(
    echo: Echo, tmp_path: Path, way: str, words: list[str], value: Any
) -> None:
    written = json.dumps(value, ensure_ascii=False)
    put(tmp_path / "given.json", written)
    source = {"inline": written, "file": "given.json"}.get(way, "-")
    mark = b"\xef\xbb\xbf" if way == "stdin with a mark" else b""

    said = echo(*words, source, "--json", stdin=mark + written.encode())

    assert (said.status, said.envelope["action"]) == (0, "preview")


@pytest.mark.parametrize(
    ("words", "stdin", "field"),
    [
        (["capture", "x", "--body", "-"], b"", "body"),
        (["capture", "x", "--body", "-"], b"caf\xe9", "body"),
        (["put", "resources/references/x.md", "-"], b"", "text"),
        (["append", "engine", "-"], b"\xff", "line"),
        (["patch", "engine", "replace", "heading", "Status", "-"], b"", "content"),
        (["reflect", "--proposals", "-"], b"", "proposals"),
        (["reflect", "--proposals", "-"], b"{broken", "proposals"),
        (["reflect", "--proposals", "-"], b"\xff\xfe\xff", "proposals"),
        (["reflect", "--proposals", "[1"], b"", "proposals"),
        (["reflect", "--proposals", "[" * 100_000], b"", "proposals"),
        (["reflect", "--proposals", "missing.json"], b"", "proposals"),
        (["reflect", "--proposals", "."], b"", "proposals"),
        (["reflect", "--proposals", ""], b"", "proposals"),
        (["reflect", "--proposals", "{}"], b"", "proposals"),
        (["triage", "--proposals", ""], b"", "proposals"),
        (["triage", "--proposals", '[{"line": "x"}]'], b"", "proposals[0].title"),
        (["session-end", "--bundle", "[]"], b"", "bundle"),
        (["session-end", "--bundle", '{"slog": "x"}'], b"", "bundle.slog"),
        (["session-end", "--bundle", '{"slug": 5}'], b"", "slug"),
        (["session-end", "--bundle", '{"slug": "x"}'], b"", "log_body"),
        (["session-end", "--bundle", "-", "--log-body", "-"], b"{}", "log_body"),
        (["session-end", "--apply"], b"", "slug"),
        (["session-end", "--reflect", "missing.json"], b"", "reflect"),
    ],
)
def test_input_that_cannot_be_used_is_refused_by_name_and_nothing_is_written(
    echo: Echo, vault_folder: Path, words: list[str], stdin: bytes, field: str
) -> None:
    before = snapshot(vault_folder)

    said = echo(*words, "--json", stdin=stdin)

    assert said.status == 64
    assert (said.envelope["op"], said.envelope["error"]["code"]) == (words[0], "bad-request")
    assert said.envelope["error"]["field"] == field
    assert snapshot(vault_folder) == before
