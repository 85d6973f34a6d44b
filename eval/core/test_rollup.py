"""Rollup: what a week or a month held, as data, within bounds, from one look at the notes."""

from __future__ import annotations

import json
import os
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import NOW
from echo_memory.config import Config
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.rollup import MAX_CHARS, PERIODS, bounds, rollup_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op
from echo_memory.report import text_of
from echo_memory.rest.access import Access
from folders import put, snapshot
from olrapi.standin import StandIn
from vaults import KEY

DECISIONS, SESSIONS, PROJECTS = "decisions/by-date", "_agent/sessions", "projects/active"
INBOX, CONTEXT = "inbox/captures/inbox.md", "_agent/context/current-context.md"
PARTS = ("threads", "decisions", "sessions", "scope_history", "inbox")


@pytest.fixture
def lived(memory: Memory, vault_folder: Path) -> Memory:
    """A week that held something of everything; it is Saturday, 14 March 2026."""
    capture_op(memory, "Engine", kind="project", body="Of brass.", status="active")
    capture_op(memory, "Use brass", kind="decision", body="It does not rust.", date="2026-03-10")
    capture_op(memory, "Use steel", kind="decision", body="Cheap.", date="2026-03-08")
    session_end_op(memory, slug="kickoff", log_body="Gears.", agent_log_line="Done", apply=True)
    scope_set_op(memory, "Rebuild the engine")
    put(vault_folder / INBOX, "# Inbox\n\n- 2026-03-06 Old\n- 2026-03-07 Of the seventh\n- New\n")
    return memory


def titles(answer: dict[str, Any], part: str) -> list[str]:
    return [entry["title"] for entry in answer[part]]


# What it holds


def test_a_week_has_its_threads_decisions_sessions_scopes_and_what_waits(lived: Memory) -> None:
    answer = rollup_op(lived, "week")

    assert (answer["period"], answer["from"], answer["to"]) == ("week", "2026-03-09", "2026-03-15")
    (thread,) = answer["threads"]
    assert thread == {
        "path": f"{PROJECTS}/engine.md",
        "title": "Engine",
        "status": "active",
        "updated": "2026-03-14",
        "text": thread["text"],
    }
    (decision,) = answer["decisions"]
    assert (decision["title"], decision["date"]) == ("Use brass", "2026-03-10")
    assert decision["text"] == "It does not rust."
    (session,) = answer["sessions"]
    assert (session["path"], session["date"]) == (f"{SESSIONS}/2026-03-14-kickoff.md", "2026-03-14")
    assert "Gears." in session["text"]
    assert answer["scope_history"] == [{"date": "2026-03-14", "scope": "Rebuild the engine"}]
    assert [(it["line"], it["age_days"]) for it in answer["inbox"]] == [("2026-03-06 Old", 8)]
    assert "omitted" not in answer


def test_in_words_each_part_is_told(lived: Memory) -> None:
    words = text_of(rollup_op(lived, "week"))

    assert words.startswith("Week 2026-03-09 to 2026-03-15\n")
    assert f"- Engine · {PROJECTS}/engine.md (status active, updated 2026-03-14)" in words
    assert "- 2026-03-10 · Use brass · " in words
    assert "- 2026-03-14 · Rebuild the engine" in words
    assert "- 2026-03-06 Old" in words


def test_a_month_has_the_week_and_more(lived: Memory) -> None:
    answer = rollup_op(lived, "month")

    assert (answer["from"], answer["to"]) == ("2026-03-01", "2026-03-31")
    assert titles(answer, "decisions") == ["Use steel", "Use brass"]


def test_an_empty_period_says_so_part_by_part(memory: Memory) -> None:
    answer = rollup_op(memory, "week", date="1999-05-05")

    assert {key: answer[key] for key in PARTS} == {key: [] for key in PARTS}
    assert text_of(answer).count("none") == len(PARTS)


def test_the_status_is_the_section_and_nothing_below_it(memory: Memory, vault_folder: Path) -> None:
    text = (
        "---\ntype: project\nupdated: 2026-03-01\n---\n# E\n\n## Status\n\nGears.\n\n## Log\n\nx\n"
    )
    put(vault_folder / PROJECTS / "e.md", text)

    (thread,) = rollup_op(memory, "week")["threads"]

    assert (thread["text"], thread["updated"]) == ("Gears.", "2026-03-01")


def test_projects_that_changed_last_come_first_and_archived_ones_not_at_all(
    memory: Memory, vault_folder: Path
) -> None:
    for name, day in (("a", "2026-03-01"), ("b", "2026-03-13"), ("c", "2025-12-31")):
        put(vault_folder / PROJECTS / f"{name}.md", f"---\nupdated: {day}\n---\n# {name}\n")
    put(vault_folder / "projects/archive/d.md", "---\nupdated: 2026-03-14\n---\n# d\n")

    assert titles(rollup_op(memory, "week"), "threads") == ["b", "a", "c"]


def test_notes_that_a_person_wrote_badly_are_told_as_far_as_they_can_be_read(
    memory: Memory, vault_folder: Path
) -> None:
    put(vault_folder / PROJECTS / "broken.md", "---\nstatus: [\n---\n# Broken\n")
    put(vault_folder / PROJECTS / "empty.md", "")
    put(vault_folder / DECISIONS / "2026-03-10-odd.md", b"\xff\xfe no text")
    put(vault_folder / DECISIONS / "no-date.md", "# Undated\n")
    put(vault_folder / CONTEXT, "# Context\n\n## Scope History\n\n- 2026-03-10: a\n- soon: b\nc\n")

    answer = rollup_op(memory, "week")

    assert sorted(titles(answer, "threads")) == ["Broken", "empty"]
    assert [it["path"] for it in answer["decisions"]] == [f"{DECISIONS}/2026-03-10-odd.md"]
    assert answer["scope_history"] == [{"date": "2026-03-10", "scope": "a"}]
    json.dumps(answer)


# Which days


@pytest.mark.parametrize(
    ("period", "day", "first", "last"),
    [
        ("week", "2026-03-09", "2026-03-09", "2026-03-15"),  # a Monday
        ("week", "2026-03-15", "2026-03-09", "2026-03-15"),  # a Sunday
        ("week", "2026-01-01", "2025-12-29", "2026-01-04"),  # week 1 begins in the old year
        ("week", "2020-12-31", "2020-12-28", "2021-01-03"),  # week 53 ends in the new one
        ("week", "2024-02-29", "2024-02-26", "2024-03-03"),
        ("week", "0001-01-01", "0001-01-01", "0001-01-07"),
        ("week", "9999-12-31", "9999-12-27", "9999-12-31"),
        ("month", "2026-02-14", "2026-02-01", "2026-02-28"),
        ("month", "2024-02-01", "2024-02-01", "2024-02-29"),
        ("month", "2025-12-31", "2025-12-01", "2025-12-31"),
        ("month", "9999-12-31", "9999-12-01", "9999-12-31"),
    ],
)
def test_a_day_is_in_its_week_and_month(
    memory: Memory, period: str, day: str, first: str, last: str
) -> None:
    answer = rollup_op(memory, period, date=day)

    assert (answer["from"], answer["to"]) == (first, last)


@given(day=st.dates(min_value=date(2, 1, 1), max_value=date(9998, 12, 31)))
def test_weeks_are_iso_weeks_and_every_day_is_in_exactly_one_period(day: date) -> None:
    for period in PERIODS:
        first, last = bounds(period, day)
        assert first <= day <= last
        assert bounds(period, first) == bounds(period, last) == (first, last)
        assert bounds(period, last + timedelta(days=1))[0] == last + timedelta(days=1)
    monday, sunday = bounds("week", day)
    assert (monday.isocalendar()[:2], monday.isoweekday()) == (day.isocalendar()[:2], 1)
    assert (sunday.isocalendar()[:2], sunday.isoweekday()) == (day.isocalendar()[:2], 7)


def test_both_ends_of_a_period_belong_to_it_and_the_days_beside_them_do_not(
    memory: Memory, vault_folder: Path
) -> None:
    for day in ("2025-12-28", "2025-12-29", "2026-01-04", "2026-01-05"):
        put(vault_folder / DECISIONS / f"{day}-x.md", f"# {day}\n")

    answer = rollup_op(memory, "week", date="2026-01-01")

    assert titles(answer, "decisions") == ["2025-12-29", "2026-01-04"]


@pytest.mark.parametrize(
    ("zone", "first"), [("Pacific/Auckland", "2026-03-09"), ("America/Los_Angeles", "2026-03-02")]
)
def test_today_is_the_operators_day(
    vault_folder: Path, tmp_path: Path, zone: str, first: str
) -> None:
    config = Config.from_env(
        {
            "ECHO_BASE": vault_folder.as_uri(),
            "ECHO_TZ": zone,
            "ECHO_STATE_DIR": str(tmp_path / "state"),
        }
    )
    sunday = datetime(2026, 3, 8, 20, 0, tzinfo=UTC).astimezone(config.zone)
    echo = open_memory(config, clock=lambda: sunday, notify=lambda _: None)
    bootstrap_op(echo)

    assert rollup_op(echo, "week")["from"] == first


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"period": "year"}, "period"),
        ({"period": None}, "period"),
        ({"period": "week", "date": "2026-02-30"}, "date"),
        ({"period": "week", "date": "20260301"}, "date"),
        ({"period": "week", "date": "2026-W10-1"}, "date"),
        ({"period": "month", "date": 7}, "date"),
    ],
)
def test_what_is_no_period_and_no_day_is_refused(
    memory: Memory, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(BadRequest) as raised:
        rollup_op(memory, **arguments)

    assert raised.value.details["field"] == field


# How much


@pytest.fixture
def busy(memory: Memory, vault_folder: Path) -> Memory:
    """A month with thousands of notes, each of them long."""
    chance = random.Random(7)
    for number in range(1_500):
        day = f"2026-03-{chance.randrange(1, 32):02}"
        words = f"# Ünïcode {number} {'long title ' * 30}\n\n" + "text that says much. " * 60
        put(vault_folder / DECISIONS / f"{day}-d{number}.md", words)
        put(vault_folder / SESSIONS / f"{day}-s{number}.md", words)
    for number in range(200):
        put(vault_folder / PROJECTS / f"p{number}.md", f"# P\n\n## Status\n\n{'busy ' * 200}\n")
    lines = "".join(f"- 2026-03-01 item {number} {'long ' * 200}\n" for number in range(500))
    put(vault_folder / INBOX, f"# Inbox\n\n{lines}")
    scopes = "".join(f"- 2026-03-02: scope {n} {'long ' * 100}\n" for n in range(500))
    put(vault_folder / CONTEXT, f"# Context\n\n## Scope History\n\n{scopes}")
    for path in vault_folder.rglob("*.md"):
        os.utime(path, (NOW.timestamp(), NOW.timestamp()))  # so long ago that stamps are believed
    return memory


def test_of_thousands_the_answer_is_bounded_and_the_rest_is_counted(
    busy: Memory, vault_folder: Path
) -> None:
    answer = rollup_op(busy, "month")

    shown = {key: len(answer[key]) for key in PARTS}
    every = dict(zip(PARTS, (200, 1_500, 1_500, 500, 500), strict=True))
    assert {key: shown[key] + answer["omitted"][key] for key in PARTS} == every
    assert all(shown.values())
    parts = json.dumps({key: answer[key] for key in PARTS}, ensure_ascii=False)
    assert len(parts) < MAX_CHARS * 1.1
    assert len(text_of(answer)) < 8_000
    assert f"… and {answer['omitted']['decisions']} more that did not fit" in text_of(answer)


def test_one_part_that_is_small_leaves_its_room_to_the_others(lived: Memory) -> None:
    for number in range(40):
        capture_op(
            lived, f"Choice {number}", kind="decision", body="why " * 50, date="2026-03-11",
            force=True,
        )  # fmt: skip

    answer = rollup_op(lived, "week")

    assert len(json.dumps(answer["decisions"])) > MAX_CHARS // 2
    assert answer["omitted"].keys() == {"decisions"}


def test_it_writes_nothing(lived: Memory, vault_folder: Path) -> None:
    before = snapshot(vault_folder)

    rollup_op(lived, "month")

    assert snapshot(vault_folder) == before


def test_behind_the_plugin_it_is_one_look_however_many_notes_there_are(
    busy: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    with StandIn(vault_folder, KEY) as plugin:
        config = Config(Access.of(plugin.url, KEY), tmp_path / "far")
        echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
        echo.look()
        with plugin.counting() as looked:
            echo.look()
        with plugin.counting() as asked:
            answer = rollup_op(echo, "month")
        echo.close()

    assert len(asked) == len(looked) <= 2
    assert answer == rollup_op(busy, "month")


def test_away_it_answers_from_the_last_copy(vault_folder: Path, tmp_path: Path) -> None:
    with StandIn(vault_folder, KEY) as plugin:
        config = Config(Access.of(plugin.url, KEY), tmp_path / "far")
        echo = open_memory(config, clock=lambda: NOW, notify=lambda _: None)
        bootstrap_op(echo)
        capture_op(echo, "Engine", kind="project")
        with plugin.away():
            answer = rollup_op(echo, "week")
        echo.close()

    assert answer["offline"] is True
    assert titles(answer, "threads") == ["Engine"]
