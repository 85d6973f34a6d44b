"""The shared index follows the notes, once for several writes, and never costs a write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW
from echo_memory import shared_index, vault_lock
from echo_memory.envelope import Envelope
from echo_memory.memory import Memory
from echo_memory.ops.bootstrap import reindex_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.reflect import apply_op
from echo_memory.shared_index import Later, publish, publish_now, published_once
from folders import put
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY, rest

INDEX = "_agent/index/entities.json"


@pytest.fixture
def plugin(memory: Memory, vault_folder: Path) -> Iterator[StandIn]:
    """The memory's folder behind the plugin, with an index in it."""
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first program.")
    with StandIn(vault_folder, KEY) as stand_in:
        yield stand_in


@pytest.fixture
def far(memory: Memory, plugin: StandIn, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """The memory over the plugin."""
    with rest(plugin) as vault:
        monkeypatch.setattr(memory.mirror, "_vault", vault)
        yield replace(memory, vault=vault)


def concept(echo: Memory, title: str) -> Envelope:
    return capture_op(echo, title, kind="concept", body="Known.")


def index(folder: Path) -> str:
    return (folder / INDEX).read_text()


def writes(calls: list[tuple[str, str]]) -> int:
    """How often the index was written."""
    return calls.count(("PUT", f"/vault/{INDEX}"))


def test_a_capture_brings_the_index_to_what_the_notes_say(
    memory: Memory, vault_folder: Path
) -> None:
    concept(memory, "Tea")

    assert index(vault_folder) == memory.catalog.entities.to_json()
    assert "resources/concepts/tea.md" in index(vault_folder)


def test_an_index_that_is_right_is_not_written_nor_the_lock_taken(
    far: Memory, plugin: StandIn
) -> None:
    with plugin.counting() as calls:
        assert publish_now(far) == []

    assert [call for call in calls if call[0] in {"PUT", "PATCH", "DELETE"}] == []


def several(echo: Memory, *titles: str) -> dict[str, Any]:
    """Captures as one operation."""

    def run(batch: Memory) -> dict[str, Any]:
        for title in titles:
            concept(batch, title)
        return {"ok": True}

    return published_once(echo, run)


def test_several_captures_are_published_once(far: Memory, plugin: StandIn) -> None:
    with plugin.counting() as calls:
        several(far, "Tea", "Brass", "Steam")

    assert writes(calls) == 1
    assert all(f"{name}.md" in index(plugin.folder) for name in ("tea", "brass", "steam"))


def test_a_batch_within_a_batch_is_published_with_the_outer_one(
    far: Memory, plugin: StandIn
) -> None:
    def outer(batch: Memory) -> dict[str, Any]:
        apply_op(batch, [{"title": "Tea", "kind": "concept"}], apply=True)
        return several(batch, "Brass")

    with plugin.counting() as calls:
        published_once(far, outer)

    assert writes(calls) == 1


def test_a_batch_that_wrote_nothing_asks_nothing(far: Memory, plugin: StandIn) -> None:
    with plugin.counting() as calls:
        several(far)

    assert calls == []


def test_somebody_who_publishes_for_all_is_asked_once_a_batch(memory: Memory) -> None:
    later = Later()

    several(replace(memory, publisher=later), "Tea", "Brass")

    assert later.is_asked
    assert publish(replace(memory, publisher=later)) == []


def test_a_batch_warns_of_a_lock_as_a_single_capture_does(memory: Memory) -> None:
    several(memory, "Tea")
    vault_lock.acquire(memory, holder="Grace", nonce="hers", seconds=60)

    answer = several(memory, "Brass")

    assert any("Grace" in warning for warning in answer["warnings"])


def test_a_lock_of_somebody_else_warns_and_the_capture_stands(
    memory: Memory, vault_folder: Path
) -> None:
    concept(memory, "Tea")
    before = index(vault_folder)
    vault_lock.acquire(memory, holder="Grace", nonce="hers", seconds=60)

    answer = concept(memory, "Brass")

    assert (answer["ok"], answer["action"]) == (True, "created")
    assert answer["warnings"] == ["The shared index is locked by Grace; it follows later."]
    assert index(vault_folder) == before
    held = vault_lock.holding(memory)
    assert held is not None
    assert held.holder == "Grace"


def test_a_later_publish_makes_good_what_a_lock_kept_out(
    memory: Memory, vault_folder: Path
) -> None:
    concept(memory, "Tea")
    vault_lock.acquire(memory, holder="Grace", nonce="hers", seconds=60)
    concept(memory, "Brass")

    vault_lock.release(memory, "hers")
    answer = concept(memory, "Steam")

    assert "warnings" not in answer
    assert all(f"{name}.md" in index(vault_folder) for name in ("tea", "brass", "steam"))
    assert vault_lock.holding(memory) is None


def test_a_lock_that_was_left_behind_is_taken_over_when_its_time_is_up(
    memory: Memory, vault_folder: Path
) -> None:
    concept(memory, "Tea")
    vault_lock.acquire(memory, holder="Grace", nonce="hers", seconds=60)

    answer = concept(replace(memory, clock=lambda: NOW + timedelta(seconds=61)), "Brass")

    assert "warnings" not in answer
    assert "brass.md" in index(vault_folder)


def test_the_lock_is_free_after_a_publish_that_failed(far: Memory, plugin: StandIn) -> None:
    plugin.fail(faults.refuse(50000), method="PUT", path=f"/vault/{INDEX}", times=None)

    answer = concept(far, "Tea")

    assert answer["action"] == "created"
    assert "could not be written now" in answer["warnings"][0]
    assert vault_lock.holding(far) is None
    plugin.recover()
    assert reindex_op(far)["ok"]
    assert "tea.md" in index(plugin.folder)


@pytest.mark.parametrize("nth", range(1, 12))
def test_a_vault_that_dies_while_the_index_is_published_costs_only_a_warning(
    far: Memory, plugin: StandIn, nth: int
) -> None:
    said: list[str] = []
    concept(replace(far, publisher=Later()), "Tea")
    plugin.fail(faults.dies_before, nth=nth)

    warnings = publish_now(replace(far, notify=said.append))
    plugin.recover()
    plugin.up()

    assert len(warnings) == len([line for line in said if "index was not written" in line])
    assert publish_now(replace(far, clock=lambda: NOW + timedelta(minutes=1))) == []
    assert index(plugin.folder) == far.catalog.entities.to_json()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b"null\n"])
def test_a_spoiled_index_is_made_anew(memory: Memory, vault_folder: Path, content: bytes) -> None:
    put(vault_folder / INDEX, content)

    answer = concept(memory, "Tea")

    assert "warnings" not in answer
    assert "tea.md" in json.dumps(json.loads(index(vault_folder)))


def test_a_folder_in_the_place_of_the_index_warns_and_the_capture_stands(
    memory: Memory, vault_folder: Path
) -> None:
    (vault_folder / INDEX).unlink(missing_ok=True)
    (vault_folder / INDEX).mkdir(parents=True)
    said: list[str] = []

    answer = concept(replace(memory, notify=said.append), "Tea")

    assert answer["action"] == "created"
    assert "could not be written now" in answer["warnings"][0]
    assert len(said) == 1


def test_only_places_of_entities_may_hold_one() -> None:
    asked: dict[str, Any] = {
        path: shared_index.may_be_entity(path)
        for path in ("resources/people/a.md", "journal/daily/2026-03-14.md", "elsewhere/a.md")
    }

    assert asked == {
        "resources/people/a.md": True,
        "journal/daily/2026-03-14.md": False,
        "elsewhere/a.md": False,
    }
