"""A note that is there and cannot be read: it is not forgotten, and whoever writes is told."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op

ADA = "resources/people/ada-lovelace.md"
INDEX = "_agent/index/entities.json"


def grown(memory: Memory) -> Memory:
    """Somebody new to the vault who comes when a note in it is larger than any that is read."""
    capture_op(memory, "Ada Lovelace", kind="person", body="x")
    os.truncate(memory.config.vault / ADA, 11_000_000)
    config = replace(memory.config, state_dir=memory.config.state_dir / "of-another")
    return open_memory(config, clock=memory.clock, notify=memory.notify)


def test_the_shared_index_keeps_a_note_that_cannot_be_read(
    memory: Memory, vault_folder: Path
) -> None:
    capture_op(grown(memory), "Charles Babbage", kind="person", body="x")

    assert "ada-lovelace" in json.loads((vault_folder / INDEX).read_text())


def test_a_capture_says_that_it_was_not_compared_with_it(memory: Memory) -> None:
    answer = capture_op(grown(memory), "Charles Babbage", kind="person", body="x")

    assert any(ADA in warning for warning in answer["warnings"])


def test_who_has_read_the_note_before_still_knows_its_name(memory: Memory) -> None:
    grown(memory)

    answer = capture_op(memory, "Ada Lovelase", kind="person", body="x")

    assert answer["action"] == "duplicate-gate"
