"""`echo-mcp remind`: an assistant is asked to keep what matters, seldom, and never in a circle."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_mcp import reminder
from echo_mcp.__main__ import main

SAID = {"type": "user", "message": {"role": "user", "content": "Go on."}}
SHOWN = {"type": "user", "message": {"content": [{"type": "text", "text": "See this."}]}}
TOOL_ANSWER = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x"}]}}
META = {"type": "user", "isMeta": True, "message": {"content": "Caveat: a note of the client."}}
SPOKEN = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}}


def used(tool: str, **given: str) -> dict[str, object]:
    """A call of a tool by the assistant."""
    block = {"type": "tool_use", "name": tool, "input": given}
    return {"type": "assistant", "message": {"content": [block]}}


def lines(*entries: object) -> list[str]:
    return [json.dumps(entry) for entry in entries]


def test_it_is_due_once_so_many_messages_are_said_and_nothing_is_kept() -> None:
    due = [
        count
        for count in range(3 * reminder.EVERY)
        if reminder.is_due(lines(*[SAID, SPOKEN] * count))
    ]

    assert due == [reminder.EVERY, 2 * reminder.EVERY]


def test_only_what_the_person_says_counts() -> None:
    talk = lines(*[SAID, SHOWN, TOOL_ANSWER, META, SPOKEN] * (reminder.EVERY // 2), SAID)

    assert reminder.is_due(talk)


@pytest.mark.parametrize(
    "kept",
    [
        used("mcp__echo__echo_capture", title="Ada"),
        used("mcp__memory__echo_log_session", slug="x"),
        used("echo_reflect"),
        used("Bash", command="python3 scripts/echo.py --vault ~/notes capture 'Ada'"),
        used("Bash", command="echo-memory session-end --bundle - --apply"),
    ],
)
def test_what_was_kept_starts_the_count_anew(kept: dict[str, object]) -> None:
    assert not reminder.is_due(lines(*[SAID] * 14, kept, SAID))
    assert reminder.is_due(lines(*[SAID] * 14, kept, *[SAID] * 15))


@pytest.mark.parametrize(
    "entry",
    [
        used("mcp__echo__echo_recall", query="capture"),
        used("Bash", command="echo capture"),
        {**SAID, "message": {"content": 'I say "echo_capture"'}},
    ],
)
def test_what_only_sounds_like_it_does_not(entry: dict[str, object]) -> None:
    talk = lines(*[SAID] * 14, entry, *[SAID] * (0 if entry["type"] == "user" else 1))

    assert reminder.is_due(talk)


@given(st.lists(st.text() | st.recursive(st.none(), st.lists).map(json.dumps), max_size=5))
@settings(max_examples=50, deadline=None)
def test_lines_that_are_none_of_a_transcript_are_passed_over(strange: list[str]) -> None:
    assert reminder.is_due([*strange, *lines(*[SAID] * 15), "[" * 100_000])


@pytest.mark.parametrize(
    "told",
    [
        "", "{", "[]", "null", "[" * 100_000, "{}", '{"transcript_path": 5}',
        '{"transcript_path": "/no/such/file"}', '{"transcript_path": "/"}',
        '{"transcript_path": "\\u0000"}', '{"transcript_path": "~nobody-of-that-name/x"}',
    ],
)  # fmt: skip
def test_without_a_conversation_it_says_nothing(
    told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(told))

    assert main(["remind"], {}) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("active", [True, False])
def test_an_assistant_that_goes_on_because_of_it_is_not_asked_again(
    active: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "talk").write_text("\n".join(lines(*[SAID] * 15)), encoding="utf-8")
    told = {"transcript_path": str(tmp_path / "talk"), "stop_hook_active": active}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(told)))

    assert main(["remind"], {}) == 0
    assert bool(capsys.readouterr().out) is not active


def test_a_pipe_is_no_transcript_and_the_hook_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "transcript")
    said = json.dumps({"transcript_path": str(tmp_path / "transcript")})
    monkeypatch.setattr("sys.stdin", io.StringIO(said))

    assert main(["remind"], {}) == 0
    assert capsys.readouterr().out == ""
