"""Queueing: what the vault cannot take waits in its place, is made once, and blocks nobody."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conftest import NOW
from echo_memory import queueing
from echo_memory.config import Config
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest, Conflict, EchoError, VaultIO, VaultUnreachable
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.bootstrap import bootstrap_op
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from echo_memory.ops.note import append_op, delete_op, patch_op, put_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.scope import scope_set_op, scope_show_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import triage_op
from echo_memory.outbox import Outbox
from echo_memory.queueing import HOLDS_UP, MAX_TRIES, Flushed, flush
from echo_memory.rest.access import Access
from folders import run, snapshot
from olrapi import faults
from olrapi.standin import StandIn
from vaults import KEY

ADA = "resources/people/ada-lovelace.md"
ENGINE = "projects/active/engine.md"
HEARTBEAT = "_agent/heartbeat/last-session.md"
TEA = {"title": "Tea", "kind": "concept", "body": "Green."}
SESSION: dict[str, Any] = {"slug": "kickoff", "log_body": "Gears.", "agent_log_line": "Kickoff"}

FLUSHER = """
from pathlib import Path
from echo_memory.config import Config
from echo_memory.opening import open_memory
from echo_memory.queueing import flush
from echo_memory.rest.access import Access
import echo_memory.ops.capture
import echo_memory.ops.note
echo = open_memory(Config(Access.of(sys.argv[2], sys.argv[3]), Path(sys.argv[1])))
print("ready", flush=True)
sys.stdin.readline()
print(flush(echo).done)
"""


@pytest.fixture
def plugin(memory: Memory, vault_folder: Path) -> Iterator[StandIn]:
    """A vault with a person, a project and an inbox line, behind the plugin."""
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first program.")
    capture_op(memory, "Engine", kind="project", body="Gears.")
    capture_op(memory, "Order gears")
    memory.close()
    with StandIn(vault_folder, KEY) as stand_in:
        yield stand_in


@pytest.fixture
def far(plugin: StandIn, tmp_path: Path) -> Iterator[Memory]:
    """A memory over it, that has seen its notes."""
    opened = over(plugin, tmp_path)
    opened.look()
    yield opened
    opened.close()


def over(plugin: StandIn, tmp_path: Path) -> Memory:
    config = Config(Access.of(plugin.url, KEY), tmp_path / "far-state")
    return open_memory(config, clock=lambda: NOW, notify=lambda _: None)


def at(echo: Memory, **later: float) -> Memory:
    """The same memory at a later time."""
    return replace(echo, clock=lambda: NOW + timedelta(**later))


def lines(plugin: StandIn, path: str = ENGINE) -> list[str]:
    """The lines that were added to a note, in their order."""
    text = (plugin.folder / path).read_text()
    return [line for line in text.splitlines() if line.startswith("- add")]


def parked(echo: Memory) -> list[dict[str, Any]]:
    """For what each parked entry is."""
    return [entry.outcome for entry in echo.outbox.entries() if entry.parked]


# Order


def test_what_waited_is_written_oldest_first(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        answers = [append_op(far, "engine", f"- add {number}") for number in range(4)]

    flushed = flush(far)

    assert answers == [
        {"ok": True, "op": "append", "queued": True, "queue_id": number + 1} for number in range(4)
    ]
    assert flushed == Flushed(done=4)
    assert lines(plugin) == [f"- add {number}" for number in range(4)]


def test_the_next_write_brings_what_waited_before_it(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")

    answer = append_op(far, "engine", "- add 2")

    assert answer["action"] == "updated"
    assert lines(plugin) == ["- add 1", "- add 2"]
    assert far.outbox.entries() == []


def test_a_write_waits_behind_others_though_the_vault_is_back(
    plugin: StandIn, far: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queueing, "_BRIEFLY_S", 0.0)
    with plugin.away():
        append_op(far, "engine", "- add 1")

    with far.outbox.replaying() as held, closing(over(plugin, tmp_path)) as another:
        answer = append_op(another, "engine", "- add 2")
    before = lines(plugin)
    flush(far)

    assert held
    assert answer["queued"]
    assert before == []
    assert lines(plugin) == ["- add 1", "- add 2"]


def test_a_write_waits_behind_one_that_the_vault_cannot_store_yet(
    plugin: StandIn, far: Memory
) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")
    plugin.fail(faults.refuse(50000), method="PUT")

    answer = append_op(far, "engine", "- add 2")
    flush(far)

    assert answer["queued"]
    assert lines(plugin) == ["- add 1", "- add 2"]


def test_a_vault_that_goes_again_during_a_replay_keeps_the_rest_waiting(
    plugin: StandIn, far: Memory
) -> None:
    with plugin.away():
        for number in range(3):
            append_op(far, "engine", f"- add {number}")
    plugin.fail(faults.dies_before, method="PUT", nth=2)

    first = flush(far)
    plugin.up()
    second = flush(far)

    assert (first, second) == (Flushed(done=1, left=2), Flushed(done=2))
    assert lines(plugin) == ["- add 0", "- add 1", "- add 2"]


def test_a_replay_that_has_no_time_leaves_everything_waiting(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")

    assert flush(far, seconds=0.0) == Flushed(left=1)
    assert lines(plugin) == []


def test_nothing_waits_and_nobody_is_asked(plugin: StandIn, far: Memory) -> None:
    with plugin.counting() as calls:
        assert flush(far) == Flushed()

    assert calls == []


# What is parked


def gate(far: Memory) -> None:
    capture_op(far, "Ada Lovelase", kind="person", body="Met.")


def not_found(far: Memory) -> None:
    append_op(far, "nobody-at-all", "- x")


def invalid_target(far: Memory) -> None:
    patch(far, target="Engine::Wheels")


def one_of_a_reflect(far: Memory) -> None:
    apply_op(far, [TEA, {"title": "Ada Lovelase", "kind": "person", "body": "Met."}], apply=True)


def one_of_a_triage(far: Memory) -> None:
    triage_op(far, proposals=[{**TEA, "line": "Something that nobody noted"}], apply=True)


def a_step_of_a_session(far: Memory) -> None:
    session_end_op(
        far, **SESSION, reflect=[TEA, {"title": "Ada Lovelase", "kind": "person"}], apply=True
    )


def patch(far: Memory, *, target: str = "Engine::Status", content: str = "Turning.") -> Envelope:
    return patch_op(
        far,
        "engine",
        operation="append",
        target_type="heading",
        target=target,
        content=content,
    )


REFUSED: dict[Callable[[Memory], None], Callable[[dict[str, Any]], bool]] = {
    gate: lambda outcome: outcome["action"] == "duplicate-gate",
    not_found: lambda outcome: outcome["error"]["code"] == "not-found",
    invalid_target: lambda outcome: outcome["error"]["code"] == "invalid-target",
    one_of_a_reflect: lambda outcome: (
        [each["ok"] for each in outcome["results"]] == [True, False] and outcome["ok"]
    ),
    one_of_a_triage: lambda outcome: not outcome["results"][0]["ok"],
    a_step_of_a_session: lambda outcome: (
        [step["step"] for step in outcome["steps"]][-1] == "heartbeat" and outcome["ok"]
    ),
}


@pytest.mark.parametrize("write", REFUSED, ids=lambda write: write.__name__)
def test_what_needs_a_decision_is_parked_whole_and_lets_the_others_pass(
    plugin: StandIn, far: Memory, write: Callable[[Memory], None]
) -> None:
    with plugin.away():
        write(far)
        append_op(far, "engine", "- add 1")
    (waiting, _) = far.outbox.entries()

    flushed = flush(far)

    (kept,) = far.outbox.entries()
    assert flushed == Flushed(done=1, parked=1)
    assert lines(plugin) == ["- add 1"]
    assert (kept.id, kept.arguments, kept.parked) == (waiting.id, waiting.arguments, True)
    assert REFUSED[write](kept.outcome)


def test_what_is_parked_holds_up_no_later_write(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        gate(far)
    flush(far)

    assert append_op(far, "engine", "- add 1")["action"] == "updated"
    assert len(parked(far)) == 1


def test_a_note_that_others_changed_since_is_not_overwritten(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        put_op(far, ENGINE, "# Engine\n\nMine.\n")
        append_op(far, "ada-lovelace", "- add 1")
    (plugin.folder / ENGINE).write_text("# Engine\n\nTheirs.\n")

    flush(far)

    assert (plugin.folder / ENGINE).read_text() == "# Engine\n\nTheirs.\n"
    assert [outcome["error"]["code"] for outcome in parked(far)] == ["conflict"]
    assert lines(plugin, ADA) == ["- add 1"]


def test_a_parked_put_that_is_retried_is_made(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        put_op(far, ENGINE, "# Engine\n\nMine.\n")
    (plugin.folder / ENGINE).write_text("# Engine\n\nTheirs.\n")
    flush(far)

    far.outbox.retry(1)

    assert flush(far) == Flushed(done=1)
    assert (plugin.folder / ENGINE).read_text() == "# Engine\n\nMine.\n"


@pytest.mark.parametrize(
    ("op", "arguments", "says"),
    [
        ("teleport", {"title": "x"}, "knows no such operation"),
        ("capture", {"title": "x", "color": "red"}, "of another version"),
        ("capture", {}, "of another version"),
        ("capture", {"title": 7}, "is not text"),
        ("reflect", {"proposals": [1], "apply": True}, ""),
        ("reflect", {"proposals": 1, "apply": True}, ""),
    ],
)
def test_what_this_version_does_not_understand_is_parked_and_not_lost(
    plugin: StandIn, far: Memory, op: str, arguments: dict[str, Any], says: str
) -> None:
    far.outbox.add(op, arguments, NOW)
    far.outbox.add("append", {"path": "engine", "line": "- add 1"}, NOW)

    flushed = flush(far)

    (kept,) = far.outbox.entries()
    assert flushed == Flushed(done=1, parked=1)
    assert (kept.op, kept.arguments) == (op, arguments)
    assert says in kept.outcome["error"]["message"]
    assert lines(plugin) == ["- add 1"]


# What the vault cannot do now


def test_what_the_vault_cannot_store_is_tried_for_a_while_and_then_parked(
    plugin: StandIn, far: Memory
) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")
        append_op(far, "ada-lovelace", "- add 2")
    plugin.fail(faults.refuse(50000), method="PUT", path=f"/vault/{ENGINE}", times=None)

    tries = [flush(at(far, minutes=minute)) for minute in range(MAX_TRIES + 2)]
    last = flush(replace(far, clock=lambda: NOW + HOLDS_UP))

    assert tries == [Flushed(left=2)] * (MAX_TRIES + 2)
    assert last == Flushed(done=1, parked=1)
    assert [outcome["error"]["code"] for outcome in parked(far)] == ["vault-io"]
    assert lines(plugin, ADA) == ["- add 2"]


def test_what_waited_long_is_not_parked_for_the_first_refusals(
    plugin: StandIn, far: Memory
) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")
    plugin.fail(faults.refuse(50000), method="PUT", path=f"/vault/{ENGINE}", times=None)
    later = at(far, days=3)

    tries = [flush(later) for _ in range(MAX_TRIES)]

    assert tries == [Flushed(left=1)] * (MAX_TRIES - 1) + [Flushed(parked=1)]


def test_a_wrong_key_keeps_everything_waiting_however_often_it_is_tried(
    plugin: StandIn, far: Memory
) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")
    plugin.fail(faults.unauthorized, times=None)

    tries = [flush(far) for _ in range(MAX_TRIES + 2)]
    plugin.recover()

    assert tries == [Flushed(left=1)] * (MAX_TRIES + 2)
    assert flush(far) == Flushed(done=1)


def test_a_vault_without_its_marker_keeps_everything_waiting(
    plugin: StandIn, far: Memory, tmp_path: Path
) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")
    marker = plugin.folder / "_agent/echo-vault.md"
    aside = marker.rename(tmp_path / "aside.md")

    tries = [flush(far) for _ in range(MAX_TRIES + 2)]
    aside.rename(marker)

    assert tries == [Flushed(left=1)] * (MAX_TRIES + 2)
    assert flush(far) == Flushed(done=1)


def test_a_vault_that_is_none_yet_keeps_everything_waiting(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with StandIn(tmp_path / "empty", KEY) as plugin:
        echo = over(plugin, tmp_path)
        with plugin.away():
            answer = capture_op(echo, "Tea", kind="concept")

        before = flush(echo)
        bootstrap_op(echo)
        after = flush(echo)
        echo.close()

        assert answer["queued"]
        assert (before, after) == (Flushed(left=1), Flushed(done=1))
        assert (plugin.folder / "resources/concepts/tea.md").exists()


def test_a_fault_of_the_program_holds_up_the_others_only_so_long(
    plugin: StandIn, far: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(echo: Memory, title: str) -> Envelope:
        raise ValueError(title)

    said: list[str] = []
    monkeypatch.setitem(queueing._OPERATIONS, "broken", broken)
    far.outbox.add("broken", {"title": "a person's own words"}, NOW)
    far.outbox.add("append", {"path": "engine", "line": "- add 1"}, NOW)
    later = replace(at(far, days=1), notify=said.append)

    tries = [flush(later) for _ in range(MAX_TRIES)]

    assert tries == [Flushed(left=2)] * (MAX_TRIES - 1) + [Flushed(done=1, parked=1)]
    assert [outcome["error"]["code"] for outcome in parked(far)] == ["internal"]
    assert lines(plugin) == ["- add 1"]
    assert all("ValueError" in line for line in said)
    assert "own words" not in "".join(said) + json.dumps(parked(far))


# As of then


def test_a_replay_is_dated_as_of_when_it_was_accepted_where_the_operator_was(
    plugin: StandIn, far: Memory
) -> None:
    # Ten to midnight there is the day before in UTC + 9, and another day in UTC - 9.
    then = NOW.replace(hour=23, minute=50)
    with plugin.away():
        capture_op(replace(far, clock=lambda: then), "Tea", kind="concept", body="Green.")
        session_end_op(replace(far, clock=lambda: then), **SESSION, apply=True)

    flush(at(far, days=40))

    note = (plugin.folder / "resources/concepts/tea.md").read_text()
    log = plugin.folder / "_agent/sessions/2026-03-14-kickoff.md"
    assert "created: 2026-03-14" in note
    assert "2026-04" not in note
    assert "2026-03-14T23:50:53+01:00" in log.read_text()
    assert "2026-03-14T23:50:53+01:00" in (plugin.folder / HEARTBEAT).read_text()
    assert "Kickoff" in (plugin.folder / "journal/daily/2026-03-14.md").read_text()


def test_a_scope_that_waited_does_not_undo_a_later_one(
    plugin: StandIn, far: Memory, memory: Memory
) -> None:
    with plugin.away():
        scope_set_op(far, "Old work")
    scope_set_op(at(memory, hours=1), "New work")

    flushed = flush(at(far, hours=2))

    assert flushed == Flushed(done=1)
    assert scope_show_op(far)["scope"] == "New work"


def test_a_scope_that_waited_replaces_an_earlier_one(
    plugin: StandIn, far: Memory, memory: Memory
) -> None:
    scope_set_op(memory, "Old work")
    with plugin.away():
        scope_set_op(at(far, hours=1), "New work")

    flush(at(far, hours=2))

    shown = scope_show_op(far)
    assert (shown["scope"], shown["scope_updated"]) == ("New work", "2026-03-14T10:26:53+01:00")


def test_a_session_that_waited_does_not_undo_a_later_one(
    plugin: StandIn, far: Memory, memory: Memory
) -> None:
    with plugin.away():
        session_end_op(far, **SESSION, scope="Old work", apply=True)
    session_end_op(
        at(memory, hours=1), **{**SESSION, "slug": "later"}, scope="New work", apply=True
    )

    flush(at(far, hours=2))

    assert "2026-03-14-later" in (plugin.folder / HEARTBEAT).read_text()
    assert scope_show_op(far)["scope"] == "New work"
    assert (plugin.folder / "_agent/sessions/2026-03-14-kickoff.md").exists()


# What is never kept


MISTAKES: list[Callable[[Memory], Envelope]] = [
    lambda far: capture_op(far, "", kind="person"),
    lambda far: capture_op(far, "Tea", kind="spaceship"),
    lambda far: capture_op(far, "Tea", **{"dry_run": 0}),
    lambda far: append_op(far, "engine", "two\nlines"),
    lambda far: patch(far, target=""),
    lambda far: link_op(far, "", "engine"),
    lambda far: scope_set_op(far, ""),
    lambda far: apply_op(far, [{"name": "x"}], apply=True),
    lambda far: apply_op(far, [TEA], **{"apply": 1}),
    lambda far: triage_op(far, proposals=[{"title": "x"}], apply=True),
    lambda far: session_end_op(far, **{**SESSION, "slug": ""}, apply=True),
    lambda far: put_op(far, "../x", "x"),
]
PREVIEWS: list[Callable[[Memory], Envelope]] = [
    lambda far: capture_op(far, "Tea", kind="concept", dry_run=True),
    lambda far: apply_op(far, [TEA]),
    lambda far: triage_op(far, proposals=[{**TEA, "line": "Order gears"}]),
    lambda far: session_end_op(far, **SESSION),
]


@pytest.mark.parametrize("call", MISTAKES)
def test_a_mistake_is_never_kept(
    plugin: StandIn, far: Memory, call: Callable[[Memory], Envelope]
) -> None:
    with plugin.away(), pytest.raises(BadRequest):
        call(far)

    assert far.outbox.entries() == []


@pytest.mark.parametrize("call", PREVIEWS)
@pytest.mark.parametrize("compares", [True, False])
def test_a_preview_is_never_kept(
    plugin: StandIn, far: Memory, call: Callable[[Memory], Envelope], compares: bool
) -> None:
    with plugin.away():
        answer = call(replace(far, compares=compares))

    assert answer["offline"]
    assert "queued" not in answer
    assert far.outbox.entries() == []


@pytest.mark.parametrize("call", PREVIEWS)
def test_a_preview_of_a_vault_that_was_never_seen_is_refused_and_never_kept(
    plugin: StandIn, tmp_path: Path, call: Callable[[Memory], Envelope]
) -> None:
    with closing(over(plugin, tmp_path)) as stranger:
        with plugin.away(), pytest.raises(VaultUnreachable):
            call(stranger)

        assert stranger.outbox.entries() == []


def test_a_refusal_of_a_vault_that_answers_is_the_callers_and_never_kept(
    plugin: StandIn, far: Memory
) -> None:
    plugin.fail(faults.refuse(50000), method="PUT", times=None)
    with pytest.raises(VaultIO):
        append_op(far, "engine", "- add 1")
    plugin.recover()
    with pytest.raises(EchoError):
        append_op(far, "nobody-at-all", "- add 1")

    assert capture_op(far, "Ada Lovelase", kind="person")["action"] == "duplicate-gate"
    assert far.outbox.entries() == []


def test_a_folder_that_never_was_a_vault_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    echo = open_memory(Config(tmp_path / "misspelt", tmp_path / "state"), notify=lambda _: None)

    with pytest.raises(VaultUnreachable):
        capture_op(echo, "Tea", kind="concept")

    assert echo.outbox.entries() == []
    assert not (tmp_path / "misspelt").exists()


def test_a_folder_that_was_a_vault_may_be_away(
    memory: Memory, vault_folder: Path, tmp_path: Path
) -> None:
    memory.look()
    vault_folder.rename(tmp_path / "unmounted")

    answer = capture_op(memory, "Tea", kind="concept")
    (tmp_path / "unmounted").rename(vault_folder)

    assert answer["queued"]
    assert flush(memory) == Flushed(done=1)
    assert (vault_folder / "resources/concepts/tea.md").exists()


def test_what_cannot_be_kept_is_refused_and_not_acknowledged(
    plugin: StandIn, far: Memory, tmp_path: Path
) -> None:
    (tmp_path / "far-state" / "outbox.sqlite").mkdir()

    with plugin.away(), pytest.raises(VaultIO):
        append_op(far, "engine", "- add 1")


# Others who replay


def test_while_another_replays_nobody_else_does(
    plugin: StandIn, far: Memory, tmp_path: Path
) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")

    with closing(over(plugin, tmp_path)) as another, another.outbox.replaying():
        flushed = flush(far, seconds=0.3)
        written = lines(plugin)

    assert flushed == Flushed(left=1)
    assert written == []
    assert flush(far) == Flushed(done=1)


def test_processes_that_replay_at_once_write_everything_once(
    plugin: StandIn, far: Memory, tmp_path: Path
) -> None:
    with plugin.away():
        for number in range(20):
            patch(far, content=f"- add {number}")
    processes = [run(FLUSHER, tmp_path / "far-state", plugin.url, KEY) for _ in range(2)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"

    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    done = []
    for process in processes:
        with process:
            done.append(int(process.communicate()[0]))

    assert sum(done) == 20
    assert lines(plugin) == [f"- add {number}" for number in range(20)]
    assert far.outbox.entries() == []


def test_another_vaults_entries_are_left_alone(plugin: StandIn, far: Memory) -> None:
    other = Outbox(far.config.state_dir, "another vault")
    other.add("append", {"path": "engine", "line": "- add 1"}, NOW)
    before = snapshot(plugin.folder)

    assert flush(far) == Flushed()
    assert append_op(far, "ada-lovelace", "- add 2")["action"] == "updated"

    assert other.waiting() == 1
    assert (
        snapshot(plugin.folder)[str(plugin.folder / ENGINE)] == before[str(plugin.folder / ENGINE)]
    )


def test_replays_publish_the_shared_index_once_for_all(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        for name in ("Tea", "Brass", "Steam"):
            capture_op(far, name, kind="concept", body="Known.")

    with plugin.counting() as calls:
        flush(far)

    index = "/vault/_agent/index/entities.json"
    entities = json.loads((plugin.folder / index.removeprefix("/vault/")).read_text())
    assert [call for call in calls if call == ("PUT", index)] == [("PUT", index)]
    assert all(name in json.dumps(entities) for name in ("Tea", "Brass", "Steam"))


# What happened meanwhile


def test_a_warm_memory_looks_at_the_vault_before_it_decides_after_an_outage(
    plugin: StandIn, far: Memory
) -> None:
    warm = replace(far, compares=False)
    with plugin.away():
        with pytest.raises(VaultUnreachable):
            far.mirror.refresh()
        text = "---\ntype: person\naliases: [Grace Hopper]\n---\n# Amazing Grace\n"
        (plugin.folder / "resources/people/amazing-grace.md").write_text(text)

    answer = capture_op(warm, "Grace Hoper", kind="person", body="A compiler.")

    assert answer["action"] == "duplicate-gate"


def test_what_waited_is_replayed_on_what_the_vault_says_now(plugin: StandIn, far: Memory) -> None:
    warm = replace(far, compares=False)
    with plugin.away():
        capture_op(warm, "Grace Hoper", kind="person", body="A compiler.")
        text = "---\ntype: person\naliases: [Grace Hopper]\n---\n# Amazing Grace\n"
        (plugin.folder / "resources/people/amazing-grace.md").write_text(text)

    assert flush(warm) == Flushed(parked=1)
    assert parked(far)[0]["action"] == "duplicate-gate"


def test_a_deletion_comes_after_what_waits(plugin: StandIn, far: Memory) -> None:
    with plugin.away():
        append_op(far, "engine", "- add 1")

    delete_op(far, "engine")

    assert not (plugin.folder / ENGINE).exists()
    assert "- add 1" in (plugin.folder / ".trash/engine.md").read_text()
    assert far.outbox.entries() == []


def test_a_write_that_breaks_off_at_midnight_stays_on_its_day(plugin: StandIn, far: Memory) -> None:
    days = iter([NOW, NOW + timedelta(days=1)])
    late = replace(far, clock=lambda: next(days, NOW + timedelta(days=1)))
    plugin.fail(faults.dies_after, method="PUT")

    answer = capture_op(late, "Standup", kind="meeting", body="All well.")
    plugin.up()
    flush(at(far, days=1))

    assert answer["queued"]
    meetings = [path.name for path in (plugin.folder / "resources/meetings").iterdir()]
    assert meetings == ["2026-03-14-standup.md"]


@pytest.mark.parametrize("done", [True, False])
def test_a_patch_whose_answer_is_lost_while_others_write_is_not_made_twice(
    plugin: StandIn, far: Memory, done: bool
) -> None:
    note = plugin.folder / ENGINE

    def meanwhile(exchange: faults.Exchange) -> None:
        if done:
            exchange.handle()
        note.write_text(note.read_text() + "\nTheirs.\n")
        exchange.cut()

    plugin.fail(meanwhile, method="PUT", path=f"/vault/{ENGINE}")
    with pytest.raises(Conflict, match="Look whether"):
        patch_op(
            far,
            "engine",
            operation="append",
            target_type="heading",
            target="Engine::Status",
            content="Mine.",
        )

    assert note.read_text().count("Mine.") == int(done)
    assert "Theirs." in note.read_text()


def test_a_line_whose_answer_is_lost_while_others_write_is_there_once(
    plugin: StandIn, far: Memory
) -> None:
    note = plugin.folder / ENGINE

    def meanwhile(exchange: faults.Exchange) -> None:
        exchange.handle()
        note.write_text(note.read_text() + "\nTheirs.\n")
        exchange.cut()

    plugin.fail(meanwhile, method="PUT", path=f"/vault/{ENGINE}")
    answer = append_op(far, "engine", "- add 1")

    assert answer["ok"]
    assert lines(plugin) == ["- add 1"]
    assert "Theirs." in note.read_text()
