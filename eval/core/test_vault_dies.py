"""The vault dies at any request of any write, stays away, and comes back: as if it never had."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from echo_memory import vault_lock
from echo_memory.config import Config
from echo_memory.envelope import Envelope
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op, reindex_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from echo_memory.ops.note import append_op, patch_op, put_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import triage_op
from echo_memory.queueing import flush
from echo_memory.rest.access import Access
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY

NOW = datetime(2026, 3, 14, 9, 26, 53, tzinfo=timezone(timedelta(hours=1)))
TEA = {"title": "Tea", "kind": "concept", "body": "With Ada Lovelace."}

WRITES: dict[str, Callable[[Memory], Envelope]] = {
    "a new note": lambda echo: capture_op(echo, "Babbage", kind="person", body="Built engines."),
    "an addition": lambda echo: capture_op(echo, "Ada Lovelace", kind="person", body="A countess."),
    "a merge": lambda echo: capture_op(echo, "Countess", body="Of L.", merge_into="ada-lovelace"),
    "an inbox line": lambda echo: capture_op(echo, "Buy brass", body="And steel."),
    "a link": lambda echo: link_op(echo, "Ada Lovelace", "engine"),
    "a line": lambda echo: append_op(echo, "engine", "- [ ] call"),
    "a patch of a section": lambda echo: patch_op(
        echo,
        "engine",
        operation="append",
        target_type="heading",
        target="Engine::Status",
        content="Gears arrived.",
    ),
    "a patch of a name": lambda echo: patch_op(
        echo,
        "ada-lovelace",
        operation="append",
        target_type="frontmatter",
        target="aliases",
        content="Countess",
    ),
    "a whole note": lambda echo: put_op(echo, "resources/references/x", "# X\n\nNew.\n"),
    "a whole note in another's place": lambda echo: put_op(echo, "projects/active/engine", "# E\n"),
    "a scope": lambda echo: scope_set_op(echo, "Rebuild the engine"),
    "several memories": lambda echo: apply_op(
        echo, [TEA, {"title": "Prefers millimetres", "kind": "semantic"}], apply=True
    ),
    "the inbox filed": lambda echo: triage_op(
        echo, proposals=[{**TEA, "line": "Order gears"}], apply=True
    ),
    "a session": lambda echo: session_end_op(
        echo,
        slug="kickoff",
        log_body="Gears with Ada Lovelace.",
        agent_log_line="Kickoff done",
        scope="Gears",
        reflect=[TEA],
        apply=True,
    ),
}

DEATHS = {"before the request": faults.dies_before, "after the request": faults.dies_after}


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    """A vault with a person, a project and an inbox line, as a folder to copy."""
    folder = tmp_path / "seed"
    folder.mkdir()
    echo = open_memory(
        Config(folder, tmp_path / "seed-state"), clock=lambda: NOW - timedelta(days=1)
    )
    bootstrap_op(echo)
    capture_op(echo, "Ada Lovelace", kind="person", body="Wrote the first program.")
    capture_op(echo, "Engine", kind="project", body="Gears.")
    capture_op(echo, "Order gears")
    echo.close()
    return folder


@contextmanager
def opened(seed: Path, place: Path, *, compares: bool) -> Iterator[tuple[StandIn, Memory]]:
    """A memory over the plugin over a copy of the seed, that has seen the notes once."""
    shutil.copytree(seed, place / "vault")
    with StandIn(place / "vault", KEY) as plugin:
        config = Config(Access.of(plugin.url, KEY), place / "state")
        echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
        echo.look()
        yield plugin, replace(echo, compares=compares)
        echo.close()


def settled(plugin: StandIn, echo: Memory) -> dict[str, Any]:
    """The vault, when everything is in it and a lock that was left behind has expired."""
    plugin.recover()
    plugin.up()
    flush(echo)
    assert echo.outbox.entries() == []
    later = replace(echo, clock=lambda: NOW + timedelta(minutes=1))
    assert reindex_op(later)["ok"]
    assert vault_lock.holding(later) is None
    root = Path(plugin.folder)
    return {
        str(path.relative_to(root)): path.read_text()
        for path in root.rglob("*")
        if path.is_file() and path.name != "vault.json"
    }


@pytest.mark.parametrize("compares", [True, False], ids=["one that compares", "a warm one"])
@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize("name", WRITES)
def test_whenever_the_vault_dies_the_write_is_there_once_when_it_is_back(
    seed: Path, tmp_path: Path, name: str, death: str, compares: bool
) -> None:
    write = WRITES[name]
    with opened(seed, tmp_path / "calm", compares=compares) as (plugin, echo):
        with plugin.counting() as calls:
            assert write(echo)["ok"]
        undisturbed = settled(plugin, echo)

    for nth in range(1, len(calls) + 1):
        with opened(seed, tmp_path / str(nth), compares=compares) as (plugin, echo):
            plugin.fail(DEATHS[death], nth=nth)
            answer = write(echo)

            assert answer["ok"], (calls[nth - 1], answer)
            assert settled(plugin, echo) == undisturbed, (calls[nth - 1], answer)


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_never_reached_the_vault_is_made_as_of_when_it_was_accepted(
    seed: Path, tmp_path: Path, name: str
) -> None:
    write = WRITES[name]
    with opened(seed, tmp_path / "calm", compares=True) as (plugin, echo):
        write(echo)
        undisturbed = settled(plugin, echo)

    with opened(seed, tmp_path / "away", compares=True) as (plugin, echo):
        with plugin.away():
            answer = write(echo)
            kept = echo.outbox.get(answer["queue_id"])
        tomorrow = replace(echo, clock=lambda: NOW + timedelta(days=1))
        flush(tomorrow)

        assert answer == {"ok": True, "op": answer["op"], "queued": True, "queue_id": 1}
        assert kept is not None
        assert kept.accepted == NOW
        assert settled(plugin, echo) == undisturbed
