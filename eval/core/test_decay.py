"""Decay: what nobody touched for long is proposed, and nothing is done to it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from conftest import NOW
from echo_memory.ledger import DECAY, Ledger
from echo_memory.memory import Memory
from echo_memory.ops.decay import MAX_SHOWN, decay_op
from echo_memory.report import text_of
from folders import put

HEALTH = "_agent/health/vault-health.md"
WORKING, PROJECT = "_agent/memory/working", "projects/active"


def day(ago: int) -> str:
    return (NOW - timedelta(days=ago)).date().isoformat()


def note(**keys: str) -> str:
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in keys.items()) + "---\n# Old\n"


@pytest.mark.parametrize(
    ("path", "text", "is_proposed"),
    [
        (f"{WORKING}/a.md", note(created=day(31)), True),
        (f"{WORKING}/a.md", note(created=day(30)), False),
        (f"{WORKING}/a.md", note(created=day(400), updated=day(3)), False),
        (f"{WORKING}/a.md", note(created=day(400)) + f"## Log\n\n### {day(5)}\n\nx\n", False),
        (f"{WORKING}/a.md", note(created=day(400)) + "## Log\n\n### 2026-99-99\n", True),
        (f"{WORKING}/a.md", "no date at all", False),
        (f"{WORKING}/a.md", note(created="soon"), False),
        (f"{WORKING}/a.md", "---\nbroken: [\n---\n", False),
        (f"{WORKING}/a.md", note(created=day(400), status="Archived"), False),
        (f"{PROJECT}/a.md", note(created=day(91)), True),
        (f"{PROJECT}/a.md", note(created=day(90)), False),
        (f"{PROJECT}/a.md", note(created=day(91), status="done"), False),
        ("projects/archive/a.md", note(created=day(400), type="project"), False),
        ("_agent/memory/semantic/a.md", note(created=day(4000)), False),
        ("resources/people/a.md", note(created=day(4000)), False),
    ],
)
def test_only_old_working_memories_and_idle_projects_are_proposed(
    memory: Memory, vault_folder: Path, path: str, text: str, is_proposed: bool
) -> None:
    put(vault_folder / path, text)

    found = [each["path"] for each in decay_op(memory)["proposals"]]

    assert found == ([path] if is_proposed else [])


def test_the_note_itself_stays_and_the_proposal_is_in_the_health_note(
    memory: Memory, vault_folder: Path
) -> None:
    text = note(created=day(100))
    put(vault_folder / f"{PROJECT}/engine.md", text)

    answer = decay_op(memory)

    (proposal,) = answer["proposals"]
    assert proposal["untouched_days"] == 100
    assert proposal["kind"] == "project"
    assert (vault_folder / f"{PROJECT}/engine.md").read_text() == text
    health = (vault_folder / HEALTH).read_text()
    assert f"## Decay\n\nAs of 2026-03-14: 1 finding.\n\n- project: `{PROJECT}/engine.md`" in health
    assert "100 days" in text_of(answer)
    assert Ledger.of(memory.config).read().run(DECAY).found == {"proposals": 1}


def test_the_oldest_come_first_and_many_are_counted(memory: Memory, vault_folder: Path) -> None:
    for number in range(MAX_SHOWN + 7):
        put(vault_folder / f"{WORKING}/{number}.md", note(created=day(40 + number)))

    answer = decay_op(memory)

    ages = [each["untouched_days"] for each in answer["proposals"]]
    assert ages == sorted(ages, reverse=True)
    assert (len(ages), answer["omitted"]) == (MAX_SHOWN, 7)
    assert "- and 7 more" in (vault_folder / HEALTH).read_text()
    assert "… and 7 more." in text_of(answer)


def test_a_week_later_the_same_proposals_are_not_written_again(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / f"{WORKING}/a.md", note(created=day(100)))
    decay_op(memory)
    memory.clock = lambda: NOW + timedelta(days=7)

    assert decay_op(memory)["recorded"] is False


def test_nothing_that_has_aged_is_said(memory: Memory) -> None:
    assert text_of(decay_op(memory)) == "Nothing has aged."
