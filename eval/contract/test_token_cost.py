"""What the tools cost a conversation: the list of them once, and each answer.

No tokenizer is at hand; a token is taken to be four characters of ASCII, or one other character.
The figures are of the notes of the quality set, and are printed (`pytest -s`). Whoever makes
something longer, or shorter, by more than a tenth says so here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from starlette.testclient import TestClient

from echo_mcp.app import create_app
from tools import HEADERS, memory_over, settings_for

NOTES = Path(__file__).parents[1] / "fixtures/quality/vault"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOLERANCE = 0.1
CHARS_PER_TOKEN = 4

LISTS = {"full": 15_114, "core": 6_657}
"""Characters of the tools that `tools/list` sends, as JSON, by profile."""

ANSWERS: list[tuple[str, dict[str, Any], int, int]] = [
    ("echo_load", {}, 898, 1_006),
    ("echo_recall", {"query": "which varnish goes on Flemish instruments"}, 2_768, 3_540),
    ("echo_recall", {"query": "what meetings were there in June 2026", "limit": 3}, 1_201, 1_653),
    ("echo_resolve", {"mention": "Amelie Durant"}, 173, 232),
    ("echo_get_note", {"path": "hanna-kiefer"}, 359, 466),
    ("echo_get_note", {"path": "kyoto-tour"}, 1_293, 1_421),
    ("echo_get_note", {"path": "kyoto-tour", "section": "Customs"}, 237, 332),
    ("echo_health", {}, 520, 1_019),
    ("echo_health", {"deep": True}, 769, 1_374),
    ("echo_triage_inbox", {}, 372, 648),
    (
        "echo_capture",
        {"title": "Hana Kiefer", "kind": "person", "body": "Builds actions."},
        341,
        248,
    ),
    (
        "echo_capture",
        {"title": "Ada Ittner", "kind": "person", "body": "Teacher in Weimar, knows Ruth."},
        69,
        182,
    ),
]
"""Calls in this order, each with the characters of its answer as text and as structured content."""

Ask = Callable[..., dict[str, Any]]


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    plain = sum(letter.isascii() for letter in text)
    return plain // CHARS_PER_TOKEN + len(text) - plain


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(params=LISTS)
def profile(request: pytest.FixtureRequest) -> str:
    """The profile that is served."""
    name: str = request.param
    return name


@pytest.fixture
def rpc(tmp_path: Path, profile: str) -> Iterator[Ask]:
    """One request to a server over the notes of the set: its result."""
    copytree(NOTES, tmp_path / "vault")
    settings = settings_for(tmp_path / "vault", tmp_path / "state", ECHO_MCP_TOOLS=profile)
    memory = memory_over(tmp_path / "vault", tmp_path / "state", clock=lambda: NOON)
    app = create_app(settings, memory)
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=HEADERS) as client:

        def ask(method: str, **params: Any) -> dict[str, Any]:
            request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            result: dict[str, Any] = client.post("/mcp", json=request).json()["result"]
            return result

        yield ask


def test_the_list_of_the_tools_costs_what_was_decided(rpc: Ask, profile: str) -> None:
    listed = as_json(rpc("tools/list")["tools"])

    print(f"\n{profile}: {len(listed)} characters, about {tokens(listed)} tokens")
    assert len(listed) == pytest.approx(LISTS[profile], rel=TOLERANCE)


@pytest.mark.parametrize("profile", ["full"], indirect=True)
def test_typical_answers_cost_what_was_decided(rpc: Ask) -> None:
    found = []
    for tool, arguments, _, _ in ANSWERS:
        result = rpc("tools/call", name=tool, arguments=arguments)
        text, structured = result["content"][0]["text"], as_json(result["structuredContent"])
        found.append((tool, arguments, len(text), len(structured)))
        print(
            f"\n{tool} {arguments}: {len(text)} characters, about {tokens(text)} tokens;"
            f" structured {len(structured)}, {tokens(structured)}",
            end="",
        )

    for (tool, arguments, text, structured), (*_, text_now, structured_now) in zip(
        ANSWERS, found, strict=True
    ):
        said = f"{tool} {arguments}"
        assert (said, text_now) == (said, pytest.approx(text, rel=TOLERANCE))
        assert (said, structured_now) == (said, pytest.approx(structured, rel=TOLERANCE))
