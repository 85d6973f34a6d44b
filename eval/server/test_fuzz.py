"""Whatever is sent: an answer comes, it is clear, and bad input leaves the vault as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import validate

from echo_mcp.results import OUTPUT_SCHEMA
from echo_mcp.server import EchoServer
from echo_mcp.tools.registry import registered
from echo_memory.config import Config
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op

TOOLS = registered("full")

APT = st.sampled_from(
    [
        "ada-lovelace",
        "Ada Lovelace",
        "Ada Lovelase",
        "analytical-engine",
        "resources/people/ada-lovelace.md",
        "Analytical Engine::Status",
        "tags",
        "person",
        "2026-02-28",
        "Some [[ada-lovelace]] words",
        "```\n# x",
        "---\na: [\n---\n",
        "^",
        "#",
        "-",
    ]
)
WORDS = APT | st.text(st.characters(), max_size=30) | st.just("x" * 5_000) | st.just("../../x")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool, and arguments that fit it, or nearly, or not at all."""
    name = draw(st.sampled_from(sorted(TOOLS)))
    schema = TOOLS[name].tool.parameters
    if draw(st.integers(0, 2)):
        required = set(schema.get("required", ()))
        fitting = {key: _near(entry, APT) for key, entry in schema["properties"].items()}
        return name, draw(
            st.fixed_dictionaries(
                {key: values for key, values in fitting.items() if key in required},
                optional={key: values for key, values in fitting.items() if key not in required},
            )
        )
    odd = {key: _near(entry, WORDS) | VALUES for key, entry in schema["properties"].items()}
    unknown = draw(st.dictionaries(WORDS, VALUES, max_size=1))
    return name, draw(st.fixed_dictionaries({}, optional=odd)) | unknown


def _near(schema: dict[str, Any], words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Values of the type that a schema asks for."""
    if "enum" in schema:
        return st.sampled_from([*schema["enum"], "alien"])
    if schema["type"] == "array":
        return st.lists(_near(schema["items"], words), max_size=3)
    if schema["type"] == "object":
        keys = {key: _near(entry, words) for key, entry in schema["properties"].items()}
        title = keys.pop("title")
        return st.fixed_dictionaries({"title": title}, optional={**keys, "knd": words})
    return {
        "string": words,
        "integer": st.integers(schema.get("minimum", 0) - 1, schema.get("maximum", 10) + 1),
        "boolean": st.booleans(),
    }[schema["type"]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EchoServer, Path]]:
    """A server over a small vault, and the vault's folder."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "vault").mkdir()
    config = Config(vault=folder / "vault", state_dir=folder / "state")
    memory = open_memory(config, notify=lambda _: None)
    bootstrap_op(memory)
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first program.")
    capture_op(memory, "Analytical Engine", kind="project", body="A ^block\n\n- one ^")
    return EchoServer({"echo": memory}, TOOLS), folder / "vault"


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(calls())
def test_every_call_has_a_clear_answer_and_a_refused_one_changes_nothing(
    world: tuple[EchoServer, Path], sent: tuple[str, dict[str, Any]]
) -> None:
    server, folder = world
    name, arguments = sent
    before = _bytes(folder)

    result = anyio.run(server.call_tool, name, arguments)

    envelope = result.structured_content
    assert envelope is not None
    validate(envelope, OUTPUT_SCHEMA)
    json.dumps(envelope, allow_nan=False).encode()
    (block,) = result.content
    assert block.text
    if result.is_error:
        error = envelope["error"]
        assert error["code"] != "internal", (name, arguments)
        assert block.text.splitlines()[0].startswith(error["code"])
        assert len(block.text) <= 8_000
        if error["code"] == "bad-request":
            assert error["field"]
            assert _bytes(folder) == before


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
