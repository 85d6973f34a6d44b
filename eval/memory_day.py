"""A memory day: what an assistant does from morning to evening, lived through any door."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = tuple[dict[str, Any], str, bool]
Call = Callable[..., Answer]

ADA = {
    "title": "Ada Lovelace",
    "kind": "person",
    "aliases": ["Countess of Lovelace"],
    "body": "Wrote the first published program, for the engine of Charles Babbage.",
}
PROJECT = "projects/active/analytical-engine.md"


def live(call: Call, folder: Path) -> None:
    """Live one day on a fresh vault.

    Args:
        call: one tool call: envelope, text, whether it is an error.
        folder: the vault, to look at the notes themselves.
    """
    _wake_up(call)
    _capture_and_find(call)
    _meet_the_gate(call, folder)
    _work_on_a_note(call)
    _clear_the_inbox(call)
    _call_it_a_day(call, folder)


def _wake_up(call: Call) -> None:
    load, text, failed = call("echo_load")

    assert not failed
    assert load["sections"]["inbox_count"] == 0
    assert "Inbox: 0 items" in text


def _capture_and_find(call: Call) -> None:
    created, text, _ = call("echo_capture", **ADA)
    again, _, _ = call("echo_capture", **ADA)
    found, said, _ = call("echo_recall", query="who wrote the first program")
    named, _, _ = call("echo_resolve", mention="countess of  LOVELACE")
    project, _, _ = call(
        "echo_capture", title="Analytical Engine", kind="project", body="With Ada Lovelace."
    )

    assert (created["action"], again["action"]) == ("created", "unchanged")
    assert created["path"] in text
    assert found["primary"][0]["path"] == created["path"]
    assert "first published program" in said
    assert named["match"]["path"] == created["path"]
    assert project["links_added"] == [{"slug": "ada-lovelace", "text": "Ada Lovelace"}]


def _meet_the_gate(call: Call, folder: Path) -> None:
    near = {"title": "Ada Lovelase", "kind": "person", "body": "Studied with De Morgan."}
    gate, text, failed = call("echo_capture", **near)
    merged, _, _ = call("echo_capture", **near, merge_into="ada-lovelace")
    note, _, _ = call("echo_get_note", path="ada-lovelace")

    assert (gate["action"], failed) == ("duplicate-gate", False)
    assert "ada-lovelace" in text
    assert "merge_into" in text
    assert "force" in text
    assert merged["action"] == "updated"
    assert "De Morgan" in note["content"]
    assert note["frontmatter"]["aliases"] == ["Countess of Lovelace", "Ada Lovelase"]
    assert not (folder / "resources/people/ada-lovelase.md").exists()


def _work_on_a_note(call: Call) -> None:
    call(
        "echo_patch_note",
        path=PROJECT,
        operation="append",
        target_type="heading",
        target="Analytical Engine::Status",
        content="Gears ordered.",
    )
    missed, text, failed = call(
        "echo_patch_note",
        path=PROJECT,
        operation="append",
        target_type="heading",
        target="Analytical Engine::Statsu",
        content="x",
    )
    for _ in range(2):
        call("echo_append_note", path=PROJECT, line="- [ ] call the foundry")
    call("echo_link", a="Ada Lovelace", b="analytical-engine")
    status, _, _ = call("echo_get_note", path=PROJECT, section="Status")
    whole, _, _ = call("echo_get_note", path=PROJECT)

    assert failed
    assert missed["error"]["code"] == "invalid-target"
    assert "Analytical Engine::Status" in text
    assert "Gears ordered." in status["content"]
    assert whole["content"].count("- [ ] call the foundry") == 1


def _clear_the_inbox(call: Call) -> None:
    call("echo_capture", title="Buy brass", body="from the usual place")
    listed, _, _ = call("echo_triage_inbox")
    proposal = {"title": "Brass sources", "kind": "reference", "line": listed["items"][0]["id"]}
    preview, _, _ = call("echo_triage_inbox", proposals=[proposal])
    missing, _, _ = call("echo_get_note", path="brass-sources")
    call("echo_triage_inbox", proposals=[proposal], apply=True)
    left, _, _ = call("echo_triage_inbox")

    assert preview["action"] == "preview"
    assert missing["error"]["code"] == "not-found"
    assert left["items"] == []


def _call_it_a_day(call: Call, folder: Path) -> None:
    call("echo_reflect", proposals=[{"title": "Likes brass", "kind": "semantic"}], apply=True)
    bundle = {
        "slug": "engine-kickoff",
        "log_body": "Ordered gears.",
        "agent_log_line": "Engine kickoff done",
        "scope": "Rebuild the engine",
        "apply": True,
    }
    first, _, _ = call("echo_log_session", **bundle)
    second, _, _ = call("echo_log_session", **bundle)
    load, _, _ = call("echo_load")
    health, _, _ = call("echo_health", deep=True)

    assert first["ok"]
    assert second["ok"]
    assert "Rebuild the engine" in load["sections"]["scope"]
    assert "engine-kickoff" in load["sections"]["last_session"]
    assert (health["healthy"], health["violations"]) == (True, [])
    (daily,) = (folder / "journal/daily").glob("*.md")
    assert daily.read_text(encoding="utf-8").count("Engine kickoff done") == 1
