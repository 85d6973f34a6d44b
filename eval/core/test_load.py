"""Load: where things stand, within a budget."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory import digest, report
from echo_memory.config import Config
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.load import load_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op

PREFERENCES = "_agent/memory/semantic/operator-preferences.md"
CONTEXT = "_agent/context/current-context.md"
DAILY = "journal/daily/2026-03-14.md"
INBOX = "inbox/captures/inbox.md"
TEXTS = ("marker", "scope", "preferences", "last_session", "today", "inbox")


def sections(memory: Memory, **arguments: Any) -> dict[str, Any]:
    answer = load_op(memory, **arguments)
    assert answer["ok"] and answer["offline"] is False and answer["queued_flushed"] == 0
    return dict(answer["sections"])


def size(found: dict[str, Any]) -> int:
    return sum(len(found[name]) for name in TEXTS)


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


def end_session(memory: Memory, slug: str, log_body: str, **more: Any) -> None:
    session_end_op(
        memory, slug=slug, log_body=log_body, agent_log_line=f"{slug} done", apply=True, **more
    )


def test_a_fresh_vault_has_every_section_and_nothing_to_say(memory: Memory) -> None:
    assert sections(memory) == {
        "marker": "schema_version 1, owner Ada Operator, created 2026-03-14",
        "scope": "",
        "preferences": "",
        "last_session": "",
        "today": "",
        "inbox": "",
        "inbox_count": 0,
        "inbox_oldest_days": None,
    }


@pytest.mark.parametrize("brief", [True, False])
def test_an_empty_folder_says_how_to_bootstrap(
    tmp_path: Path, vault_folder: Path, brief: bool
) -> None:
    echo = open_memory(Config(vault=vault_folder, state_dir=tmp_path / "state"))

    answer = load_op(echo, brief=brief)

    assert answer["ok"] is True
    assert "bootstrap` first" in answer["sections"]["marker"]
    assert "bootstrap`" in answer["warnings"][0]
    assert not any(vault_folder.iterdir())


def test_a_folder_that_is_no_vault_yet_still_shows_what_it_has(
    memory: Memory, vault_folder: Path
) -> None:
    write(vault_folder, "inbox/captures/inbox.md", "# Inbox\n\n- buy brass\n")
    (vault_folder / "_agent/echo-vault.md").unlink()

    assert sections(memory)["inbox_count"] == 1


def test_the_next_conversation_knows_scope_session_log_and_inbox(
    memory: Memory, vault_folder: Path
) -> None:
    write(
        vault_folder,
        PREFERENCES,
        "---\ntype: semantic\n---\n\n# Operator preferences\n\n"
        "## How to help\n\nBe brief.\n\n## Empty\n",
    )
    scope_set_op(memory, "Rebuild the engine")
    capture_op(memory, "Buy brass", body="from the usual place\nor another")
    end_session(memory, "engine-kickoff", "Ordered gears.\n\nNext: brass.")

    assert sections(memory) == {
        "marker": "schema_version 1, owner Ada Operator, created 2026-03-14",
        "scope": "Rebuild the engine (set 2026-03-14T09:26:53+01:00; sessions since: 0)",
        "preferences": "## How to help\n\nBe brief.",
        "last_session": "2026-03-14-engine-kickoff (completed 2026-03-14T09:26:53+01:00)"
        "\n\nOrdered gears.\n\nNext: brass.",
        "today": "- engine-kickoff done",
        "inbox": "- 2026-03-14 Buy brass: …",
        "inbox_count": 1,
        "inbox_oldest_days": 0,
    }


def test_sessions_since_the_scope_are_counted(memory: Memory) -> None:
    scope_set_op(memory, "Rebuild the engine")
    for days in (1, 2, 3):
        now = memory.clock() + timedelta(days=1)
        memory.clock = lambda now=now: now
        end_session(memory, f"day-{days}", "Worked.")

    found = sections(memory)

    assert found["scope"].endswith("sessions since: 3)")
    assert found["last_session"].startswith("2026-03-17-day-3 ")


def test_the_last_session_is_the_completed_one(memory: Memory, vault_folder: Path) -> None:
    end_session(memory, "complete", "All of it.")
    write(vault_folder, "_agent/sessions/2026-03-14-zz-broken-off.md", "# Broken off\n")

    assert "All of it." in sections(memory)["last_session"]


def test_without_a_heartbeat_the_newest_log_is_the_last_session(
    memory: Memory, vault_folder: Path
) -> None:
    for day in ("2026-03-12", "2026-03-13"):
        write(vault_folder, f"_agent/sessions/{day}-work.md", f"# Work\n\nOn {day}.\n")
    write(vault_folder, "_agent/heartbeat/last-session.md", "---\npath: gone.md\n---\n")

    assert sections(memory)["last_session"] == "2026-03-13-work\n\nOn 2026-03-13."


def test_only_todays_agent_log_counts(memory: Memory, vault_folder: Path) -> None:
    write(vault_folder, "journal/daily/2026-03-13.md", "# Y\n\n## Agent Log\n\n- yesterday\n")
    write(vault_folder, DAILY, "# T\n\nDear diary\n\n## Agent Log\n\n- today\n\n## Mine\n\nText\n")

    assert sections(memory)["today"] == "- today"


def test_many_captures_are_one_line_and_the_older_lines_a_count(
    memory: Memory, vault_folder: Path
) -> None:
    captured = "".join(f"- Captured [[n{at}|Note {at}]] (person)\n" for at in range(15))
    lines = "".join(f"- line {at}\n" for at in range(10))
    write(vault_folder, DAILY, f"# T\n\n## Agent Log\n\n{captured}{lines}- Captured a fish\n")

    names = ", ".join(f"Note {at} (person)" for at in range(4, 15))
    assert sections(memory)["today"].splitlines() == [
        "(… 2 before these)",
        *(f"- line {at}" for at in range(2, 10)),
        f"- Captured {names}, a fish and 4 before",
    ]


def test_a_few_captures_keep_a_line_each(memory: Memory, vault_folder: Path) -> None:
    log = "- Captured [[a|A]] (person)\n- met\n- Captured [[b|B]] (project)"
    write(vault_folder, DAILY, f"# T\n\n## Agent Log\n\n{log}\n")

    assert sections(memory)["today"] == log


def test_the_age_of_the_inbox_is_that_of_its_oldest_item(
    memory: Memory, vault_folder: Path
) -> None:
    write(vault_folder, INBOX, "# Inbox\n\n- 2026-03-10 a\n- 2026-03-04 b\n- c\n")

    found = sections(memory)

    assert (found["inbox_count"], found["inbox_oldest_days"]) == (3, 10)
    assert found["inbox"].splitlines() == ["- 2026-03-10 a", "- 2026-03-04 b", "- c"]


def fill(folder: Path) -> None:
    paragraph = "This is a sentence of the note that goes on for a while, number {}.\n\n"
    long = "".join(paragraph.format(number) for number in range(500))
    log = "".join(f"- Captured [[note-{number}]] (person)\n" for number in range(500))
    write(folder, PREFERENCES, f"# Operator preferences\n\n{long}")
    write(folder, "_agent/sessions/2026-03-13-work.md", f"# Work\n\n{long}")
    write(folder, DAILY, f"# T\n\n## Agent Log\n\n{log}")
    write(folder, INBOX, "".join(f"- item {number} {'x' * 400}\n" for number in range(500)))


@pytest.mark.parametrize("budget", [500, 1_000, 6_000, 50_000])
def test_a_digest_keeps_its_budget_and_says_where_the_rest_is(
    memory: Memory, vault_folder: Path, budget: int
) -> None:
    fill(vault_folder)
    scope_set_op(memory, "Rebuild the engine")

    answer = load_op(memory, budget_chars=budget)

    found = answer["sections"]
    assert len(report.text_of(answer)) <= budget
    assert size(found) > (budget - 200) * 0.7
    assert "Rebuild the engine (set" in found["scope"]
    assert found["inbox_count"] == 500
    if budget >= 6_000:
        assert f"cut: {PREFERENCES} has the rest" in found["preferences"]
        assert found["preferences"].startswith("This is a sentence")
        assert found["today"].endswith("note-499 (person) and 488 before")
        assert f"cut: {INBOX} has the rest" in found["inbox"]


def test_the_default_digest_has_six_thousand_characters(memory: Memory, vault_folder: Path) -> None:
    fill(vault_folder)

    assert sections(memory) == sections(memory, budget_chars=6_000)


def test_whole_notes_are_whole(memory: Memory, vault_folder: Path) -> None:
    scope_set_op(memory, "Rebuild the engine")
    end_session(memory, "kickoff", "Ordered gears.")
    capture_op(memory, "Buy brass")

    found = sections(memory, brief=False)

    def read(path: str) -> str:
        return (vault_folder / path).read_text(encoding="utf-8")

    assert found["marker"] == read("_agent/echo-vault.md")
    assert found["scope"] == read(CONTEXT)
    assert found["preferences"] == read(PREFERENCES)
    assert found["today"] == read(DAILY)
    assert found["inbox"] == read(INBOX)
    header, _, log = found["last_session"].partition("\n\n")
    assert header == "2026-03-14-kickoff (completed 2026-03-14T09:26:53+01:00)"
    assert log == read("_agent/sessions/2026-03-14-kickoff.md")


def test_whole_notes_are_cut_only_past_their_budget(memory: Memory, vault_folder: Path) -> None:
    text = "# Inbox\n\n" + "- item\n" * 3_000
    write(vault_folder, INBOX, text)

    assert sections(memory, brief=False)["inbox"] == text

    write(vault_folder, INBOX, text * 2)
    found = sections(memory, brief=False)
    assert found["inbox"].endswith(f"[… cut: {INBOX} has the rest]")
    assert 20_000 < size(found) <= 24_000 - 200


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"brief": "yes"}, "brief"),
        ({"budget_chars": 499}, "budget_chars"),
        ({"budget_chars": 200_001}, "budget_chars"),
        ({"budget_chars": True}, "budget_chars"),
    ],
)
def test_arguments_out_of_range_are_refused_by_name(
    memory: Memory, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadRequest) as raised:
        load_op(memory, **arguments)

    assert raised.value.details["field"] == field


def test_load_writes_nothing(memory: Memory, vault_folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in vault_folder.rglob("*")}

    load_op(memory)

    assert {path: path.stat().st_mtime_ns for path in vault_folder.rglob("*")} == before


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b\n---\n\n# Title\n\nText\n\n\n\nMore\n", "Text\n\nMore"),
        ("# Title\n\n## Empty\n\n## Full\n\nText\n\n### Empty\n", "## Full\n\nText"),
        ("# Title\n\n## Above\n\n### Full\n\nText\n", "## Above\n\n### Full\n\nText"),
        ("# Title\n\n## Above\n\n### Empty\n", ""),
        ("# Title\r\n\r\nText\r\n", "Text"),
        ("Text alone", "Text alone"),
        ("", ""),
    ],
)
def test_prose_is_what_a_note_says(text: str, expected: str) -> None:
    assert digest.prose(Note("note.md", text)) == expected


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 9_000), st.integers(1, 100)), min_size=1, max_size=6),
    st.integers(0, 20_000),
)
def test_shares_keep_the_budget_and_waste_nothing(
    wishes: list[tuple[int, int]], budget: int
) -> None:
    wanted, weights = [wish for wish, _ in wishes], [weight for _, weight in wishes]

    given_out = digest.shares(wanted, weights, budget)

    assert all(0 <= part <= wish for part, wish in zip(given_out, wanted, strict=True))
    assert sum(given_out) <= budget
    assert sum(given_out) >= min(budget, sum(wanted)) - len(wanted)


@settings(max_examples=200)
@given(st.text("ab \n", max_size=200), st.integers(0, 200))
def test_a_cut_text_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    for cut in (digest.head, digest.tail):
        shown = cut(text, limit, more="a.md")

        assert len(shown) <= limit
        assert shown == text or len(text) > limit


def test_a_text_is_cut_between_lines_or_words() -> None:
    text = "one two three\n" * 20

    assert (
        digest.head(text, 60, more="a.md")
        == "one two three\none two three\n[… cut: a.md has the rest]"
    )
    assert (
        digest.tail(text, 60, more="a.md")
        == "[… cut: a.md has the rest]\none two three\none two three"
    )
    assert (
        digest.head("word " * 20, 50, more="a.md")
        == "word word word word\n[… cut: a.md has the rest]"
    )
