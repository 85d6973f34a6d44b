"""The end of a session: every step once, the heartbeat last, and the same bundle again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from echo_memory.errors import BadRequest, Conflict
from echo_memory.folder_vault import FolderVault
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.scope import scope_set_op, scope_show_op
from echo_memory.ops.session import session_end_op
from echo_memory.report import text_of
from folders import snapshot

BUNDLE: dict[str, Any] = {
    "slug": "engine-kickoff",
    "log_body": "Ordered gears.\n\nNext: brass.",
    "agent_log_line": "Engine kickoff done",
    "scope": "Rebuild the engine",
    "reflect": [{"title": "Prefers metric units", "kind": "semantic", "body": "Millimetres."}],
}
LOG = "_agent/sessions/2026-03-14-engine-kickoff.md"


def steps(answer: dict[str, Any]) -> list[tuple[str, bool]]:
    return [(step["step"], step["ok"]) for step in answer["steps"]]


def test_every_step_is_done_in_order_and_the_heartbeat_is_last(
    memory: Memory, vault_folder: Path
) -> None:
    answer = session_end_op(memory, **BUNDLE, apply=True)

    assert answer["ok"] is True
    assert steps(answer) == [
        ("session-log", True),
        ("agent-log", True),
        ("scope", True),
        ("reflect", True),
        ("heartbeat", True),
    ]
    assert (
        (vault_folder / LOG)
        .read_text()
        .endswith("# Engine kickoff\n\nOrdered gears.\n\nNext: brass.\n")
    )
    daily = (vault_folder / "journal/daily/2026-03-14.md").read_text()
    assert daily.count("- Engine kickoff done\n") == 1
    heartbeat = (vault_folder / "_agent/heartbeat/last-session.md").read_text()
    assert f"path: {LOG}\n" in heartbeat
    assert "slug: 2026-03-14-engine-kickoff\n" in heartbeat


def test_the_same_bundle_again_changes_nothing(memory: Memory, vault_folder: Path) -> None:
    session_end_op(memory, **BUNDLE, apply=True)
    before = snapshot(vault_folder)

    answer = session_end_op(memory, **BUNDLE, apply=True)

    assert answer["ok"] is True
    assert {step.get("action", "") for step in answer["steps"]} == {"unchanged", ""}
    assert snapshot(vault_folder) == before


@pytest.mark.parametrize(
    "lost",
    ["journal/daily/2026-03-14.md", "_agent/heartbeat/last-session.md", LOG],
)
def test_a_run_that_broke_off_is_finished_by_the_same_bundle(
    memory: Memory, vault_folder: Path, lost: str
) -> None:
    session_end_op(memory, **{**BUNDLE, "reflect": []}, apply=True)
    whole = snapshot(vault_folder)
    (vault_folder / lost).unlink()

    session_end_op(memory, **{**BUNDLE, "reflect": []}, apply=True)

    mended = snapshot(vault_folder)
    assert mended.keys() == whole.keys()
    if "heartbeat" not in lost:
        assert mended == whole


def test_another_log_under_the_same_name_and_day_becomes_the_second(memory: Memory) -> None:
    first = session_end_op(memory, **BUNDLE, apply=True)
    other = session_end_op(memory, **{**BUNDLE, "log_body": "Something else."}, apply=True)
    again = session_end_op(memory, **BUNDLE, apply=True)

    assert first["path"] == again["path"] == LOG
    assert other["path"] == LOG.replace(".md", "-2.md")


def test_without_apply_it_is_only_the_plan(memory: Memory, vault_folder: Path) -> None:
    before = snapshot(vault_folder)

    answer = session_end_op(memory, **BUNDLE)

    assert (answer["ok"], answer["action"], answer["path"]) == (True, "preview", LOG)
    assert [step for step, _ in steps(answer)] == [
        "session-log",
        "agent-log",
        "scope",
        "reflect",
        "heartbeat",
    ]
    assert snapshot(vault_folder) == before


def test_the_plan_shows_what_would_be_written(memory: Memory) -> None:
    capture_op(memory, "Ada Lovelace", kind="person", body="x")

    answer = session_end_op(
        memory,
        slug="kickoff",
        log_body="Met Ada Lovelace.",
        agent_log_line="- Kickoff done",
        scope="Gears",
        reflect=[{"title": "Prefers tea", "kind": "semantic", "body": "Green."}],
    )

    log, line, scope, reflect, _ = answer["steps"]
    words = text_of(answer)
    assert log["would_write"] == "Met [[ada-lovelace|Ada Lovelace]]."
    assert log["links_added"] == [{"slug": "ada-lovelace", "text": "Ada Lovelace"}]
    assert (line["line"], scope["scope"], reflect["filed"]) == ("Kickoff done", "Gears", 1)
    for shown in (log["would_write"], "Kickoff done", "Gears", "Green.", "1 of 1 would be filed"):
        assert shown in words


def test_a_gated_proposal_says_so_and_does_not_stop_the_session(memory: Memory) -> None:
    capture_op(memory, "Ada Lovelace", kind="person", body="x")

    answer = session_end_op(
        memory, **{**BUNDLE, "reflect": [{"title": "Ada Lovelase", "kind": "person"}]}, apply=True
    )

    reflected = next(step for step in answer["steps"] if step["step"] == "reflect")
    assert reflected["results"][0]["action"] == "duplicate-gate"
    assert steps(answer)[-1] == ("heartbeat", True)


def test_a_step_that_fails_ends_the_run_before_the_heartbeat(
    memory: Memory, vault_folder: Path
) -> None:
    context = vault_folder / "_agent/context/current-context.md"
    context.write_text("---\nscope: [broken\n---\n\n# Current context\n")

    answer = session_end_op(memory, **BUNDLE, apply=True)

    assert answer["ok"] is False
    assert answer["error"]["code"] == "unparseable"
    assert steps(answer) == [("session-log", True), ("agent-log", True), ("scope", False)]
    assert not (vault_folder / "_agent/heartbeat/last-session.md").exists()


def test_mentions_in_the_log_are_linked(memory: Memory, vault_folder: Path) -> None:
    capture_op(memory, "Ada Lovelace", kind="person", body="x")

    answer = session_end_op(memory, **{**BUNDLE, "log_body": "Wrote to Ada Lovelace."}, apply=True)

    assert answer["steps"][0]["links_added"] == [{"slug": "ada-lovelace", "text": "Ada Lovelace"}]
    assert "[[ada-lovelace|Ada Lovelace]]" in (vault_folder / LOG).read_text()


def test_the_next_day_is_another_session(memory: Memory) -> None:
    session_end_op(memory, **BUNDLE, apply=True)
    tomorrow = memory.clock() + timedelta(days=1)
    memory.clock = lambda: tomorrow

    answer = session_end_op(memory, **{**BUNDLE, "log_body": "Gears came."}, apply=True)

    assert answer["path"] == "_agent/sessions/2026-03-15-engine-kickoff.md"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slug": ""}, "slug"),
        ({"log_body": " "}, "log_body"),
        ({"agent_log_line": "a\nb"}, "agent_log_line"),
        ({"scope": "a\nb"}, "scope"),
        ({"reflect": [{"title": "x", "knd": "person"}]}, "reflect[0].knd"),
        ({"apply": "yes"}, "apply"),
    ],
)
def test_a_wrong_argument_is_refused_by_name_and_nothing_is_written(
    memory: Memory, vault_folder: Path, changes: dict[str, Any], field: str
) -> None:
    before = snapshot(vault_folder)

    with pytest.raises(BadRequest) as raised:
        session_end_op(memory, **{"apply": True, **BUNDLE, **changes})

    assert raised.value.details["field"] == field
    assert snapshot(vault_folder) == before


def test_a_log_takes_no_name_that_another_note_of_the_day_has(memory: Memory) -> None:
    capture_op(memory, "Engine kickoff", kind="meeting", body="x")

    answer = session_end_op(memory, **BUNDLE, apply=True)

    assert answer["path"] == LOG.replace(".md", "-2.md")


def test_a_bundle_that_is_run_again_leaves_the_scope_that_was_set_since(memory: Memory) -> None:
    session_end_op(memory, **BUNDLE, apply=True)
    later = memory.clock() + timedelta(minutes=5)
    memory.clock = lambda: later
    scope_set_op(memory, "Something else")

    session_end_op(memory, **BUNDLE, apply=True)

    assert scope_show_op(memory)["scope"] == "Something else"


def test_a_preview_of_a_long_log_shows_its_beginning_and_what_comes_after_it(
    memory: Memory,
) -> None:
    answer = session_end_op(memory, **{**BUNDLE, "log_body": "word " * 30_000})

    assert "characters in all" in answer["steps"][0]["would_write"]
    assert "Rebuild the engine" in text_of(answer)
    assert len(text_of(answer)) < 8_000


class Contested(FolderVault):
    """A vault in which somebody else is always a moment earlier with a session's name."""

    def write(self, path: str, text: str, *, expected: str | None) -> None:
        """See Vault."""
        if path.startswith("_agent/sessions/") and expected is None:
            super().write(path, "# Another's\n", expected=None)
        super().write(path, text, expected=expected)


def test_names_that_others_take_time_and_again_end_as_a_conflict(memory: Memory) -> None:
    echo = replace(memory, vault=Contested(memory.config.vault))

    with pytest.raises(Conflict, match="Try again"):
        session_end_op(echo, **BUNDLE, apply=True)

    assert session_end_op(memory, **BUNDLE, apply=True)["ok"]
