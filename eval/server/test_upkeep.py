"""Upkeep: what the server does by itself is done, once, and no trouble ends it."""

from __future__ import annotations

import json
import logging
import math
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import NOW
from echo_mcp.logs import JsonLines, Lines
from echo_mcp.upkeep import follower as following
from echo_mcp.upkeep import publisher as publishing
from echo_mcp.upkeep.follower import Follower
from echo_mcp.upkeep.loop import AFTER_A_CRASH_S, Loop
from echo_mcp.upkeep.publisher import IndexPublisher
from echo_mcp.upkeep.staff import Staff
from echo_memory import vault_lock
from echo_memory.config import Config
from echo_memory.envelope import Envelope
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.note import append_op, get_note_op
from echo_memory.rest.access import Access
from folders import put
from olrapi import faults
from olrapi.standin import StandIn
from server.process import PATIENCE_S, until
from vaults import KEY

INDEX = "_agent/index/entities.json"
ADA = "resources/people/ada-lovelace.md"
SECRET = "the-text-of-a-note"


@pytest.fixture
def plugin(memory: Memory, vault_folder: Path) -> Iterator[StandIn]:
    """A vault with a person, behind the plugin."""
    capture_op(memory, "Ada Lovelace", kind="person", body="Wrote the first program.")
    memory.close()
    with StandIn(vault_folder, KEY) as stand_in:
        yield stand_in


@pytest.fixture
def far(plugin: StandIn, tmp_path: Path) -> Iterator[Memory]:
    """A memory over it, that has seen its notes."""
    config = Config(Access.of(plugin.url, KEY), tmp_path / "far-state")
    with closing(open_memory(config, clock=lambda: NOW, notify=lambda _: None)) as opened:
        opened.look()
        yield opened


def concept(echo: Memory, title: str) -> Envelope:
    return capture_op(echo, title, kind="concept", body="Known.")


def published(plugin: StandIn, *slugs: str) -> bool:
    text = (plugin.folder / INDEX).read_text()
    return all(f"/{slug}.md" in text for slug in slugs)


def writes(calls: list[tuple[str, str]]) -> int:
    return calls.count(("PUT", f"/vault/{INDEX}"))


# The loop


class Steps:
    """A step that can be followed: a thing with a count that other threads wait for."""

    def __init__(self, *outcomes: float | Exception) -> None:
        self.taken = 0
        self.entered = threading.Event()
        self.released = threading.Event()
        self._outcomes = outcomes

    def step(self) -> float:
        """Take the next outcome; infinity when there is none left."""
        self.taken += 1
        self.entered.set()
        outcome = self._outcomes[self.taken - 1] if self.taken <= len(self._outcomes) else math.inf
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def held_step(self) -> float:
        """The same, but not before it is released."""
        self.entered.set()
        self.released.wait(PATIENCE_S)
        return self.step()


def test_a_step_runs_at_once_and_again_when_it_is_due() -> None:
    steps = Steps(0.0, 0.001, 0.0)
    loop = Loop("x", steps.step)

    loop.start()
    until(lambda: steps.taken == 4)
    loop.stop()

    assert steps.taken == 4


def test_a_step_that_is_not_due_runs_when_it_is_woken() -> None:
    steps = Steps()
    loop = Loop("x", steps.step)
    loop.start()
    until(lambda: steps.taken == 1)

    loop.wake()
    until(lambda: steps.taken == 2)
    loop.wake(after=3600)
    loop.wake(after=0.001)
    until(lambda: steps.taken == 3)
    loop.stop()

    assert steps.taken == 3


def test_a_loop_says_that_it_fails_until_it_does_not() -> None:
    steps = Steps(ZeroDivisionError())
    loop = Loop("x", steps.step)
    loop.start()
    until(lambda: loop.is_failing)

    loop.wake()

    until(lambda: not loop.is_failing)
    loop.stop()
    assert steps.taken == 2


def test_a_loop_that_begins_later_does_not_begin_at_once() -> None:
    steps = Steps()
    loop = Loop("x", steps.step, after=3600)
    loop.start()
    loop.stop()

    assert steps.taken == 0


def test_a_step_that_is_woken_while_it_runs_runs_again() -> None:
    steps = Steps()
    loop = Loop("x", steps.held_step)
    loop.start()
    assert steps.entered.wait(PATIENCE_S)

    loop.wake()
    steps.released.set()

    until(lambda: steps.taken == 2)
    loop.stop()


def test_a_step_that_crashes_does_not_end_the_loop() -> None:
    steps = Steps(ZeroDivisionError(), 0.0)
    loop = Loop("x", steps.step)
    loop.start()
    until(lambda: steps.taken == 1)

    loop.wake()

    until(lambda: steps.taken == 3)
    loop.stop()


def test_a_crash_is_logged_with_its_place_and_without_what_it_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    steps = Steps(ValueError(SECRET))
    loop = Loop("follow", steps.step)

    loop.start()
    until(lambda: bool(caplog.records))
    loop.stop()

    (record,) = caplog.records
    lines = [style.format(record) for style in (JsonLines(), Lines())]
    assert record.levelno == logging.ERROR
    assert json.loads(lines[0])["job"] == "follow"
    assert all("ValueError" in line and SECRET not in line for line in lines)
    assert math.inf > AFTER_A_CRASH_S


def test_a_stop_lets_a_step_end_and_runs_no_other() -> None:
    steps = Steps(0.0, 0.0)
    loop = Loop("x", steps.held_step)
    loop.start()
    assert steps.entered.wait(PATIENCE_S)
    stopper = threading.Thread(target=loop.stop)

    stopper.start()
    until(lambda: loop._stopping)
    steps.released.set()
    stopper.join(PATIENCE_S)

    assert not stopper.is_alive()
    assert steps.taken == 1


def test_a_loop_that_never_ran_can_be_stopped() -> None:
    steps = Steps()

    Loop("x", steps.step).stop()

    assert steps.taken == 0


# The publisher


@pytest.fixture
def publisher(far: Memory) -> IndexPublisher:
    return IndexPublisher(far)


@pytest.fixture
def served(far: Memory, publisher: IndexPublisher) -> Memory:
    """The memory that calls use, with a publisher whose steps the test takes."""
    return replace(far, compares=False, publisher=publisher)


def test_many_requests_are_one_write(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    with plugin.counting() as calls:
        for title in ("Tea", "Brass", "Steam"):
            concept(served, title)
        before = writes(plugin.calls)
        due = publisher.step()
        again = publisher.step()

    assert before == 0
    assert (due, again) == (math.inf, math.inf)
    assert writes(calls) == 1
    assert published(plugin, "tea", "brass", "steam")


def test_nobody_asked_and_nothing_is_done(plugin: StandIn, publisher: IndexPublisher) -> None:
    with plugin.counting() as calls:
        assert publisher.step() == math.inf

    assert calls == []


def test_a_stop_publishes_what_was_asked_for(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    publisher.start()
    concept(served, "Tea")
    publisher.stop()

    assert published(plugin, "tea")


def test_a_publisher_that_never_ran_publishes_when_it_is_stopped(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    concept(served, "Tea")

    publisher.stop()

    assert published(plugin, "tea")


def test_one_that_runs_publishes_by_itself(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    publisher.start()
    concept(served, "Tea")

    until(lambda: published(plugin, "tea"))
    publisher.stop()


def test_a_lock_of_somebody_else_is_told_by_the_next_capture_and_tried_again(
    plugin: StandIn, far: Memory, served: Memory, publisher: IndexPublisher
) -> None:
    vault_lock.acquire(far, holder="Grace", nonce="hers", seconds=60)

    first = concept(served, "Tea")
    due = publisher.step()
    second = concept(served, "Brass")
    kept_out = not published(plugin, "tea")
    vault_lock.release(far, "hers")
    later = publisher.step()
    third = concept(served, "Steam")

    assert "warnings" not in first
    assert second["warnings"] == ["The shared index is locked by Grace; it follows later."]
    assert kept_out
    assert (due, later) == (publishing.RETRY_S, math.inf)
    assert "warnings" not in third
    assert published(plugin, "tea", "brass")


def test_an_index_that_cannot_be_written_is_told_by_the_next_capture_and_tried_again(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    plugin.fail(faults.refuse(50000), method="PUT", path=f"/vault/{INDEX}", times=None)

    concept(served, "Tea")
    due = publisher.step()
    answer = concept(served, "Brass")
    plugin.recover()
    later = publisher.step()

    assert (due, later) == (publishing.RETRY_S, math.inf)
    assert (answer["action"], len(answer["warnings"])) == ("created", 1)
    assert published(plugin, "tea", "brass")


def test_a_request_that_comes_while_the_index_is_written_is_not_lost(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    concept(served, "Tea")
    plugin.fail(
        faults.meanwhile(lambda: concept(served, "Brass")), method="PUT", path=f"/vault/{INDEX}"
    )

    publisher.step()
    publisher.step()

    assert published(plugin, "tea", "brass")


def test_what_failed_with_a_crash_is_still_asked_for(
    plugin: StandIn, served: Memory, publisher: IndexPublisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Memory) -> list[str]:
        raise ZeroDivisionError

    concept(served, "Tea")
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "publish_now", broken)
        with pytest.raises(ZeroDivisionError):
            publisher.step()

    publisher.step()

    assert published(plugin, "tea")


# The follower


@pytest.fixture
def follower(served: Memory) -> Follower:
    return Follower(served, every=30.0)


def test_a_foreign_edit_is_seen_after_a_step_without_a_call_that_compares(
    plugin: StandIn, served: Memory, follower: Follower
) -> None:
    put(plugin.folder / "resources/concepts/tea.md", "# Tea\n\nAn editor's.\n")
    put(plugin.folder / ADA, "# Ada Lovelace\n\nAn editor's.\n")
    before = served.catalog.get(ADA)

    due = follower.step()
    with plugin.counting() as calls:
        view = served.look()

    after, new = served.catalog.get(ADA), served.catalog.get("resources/concepts/tea.md")
    assert before is not None
    assert "first program" in before.text
    assert after is not None
    assert new is not None
    assert after.text == "# Ada Lovelace\n\nAn editor's.\n"
    assert (due, view.fields, calls) == (30.0, {}, [])
    assert get_note_op(served, "tea")["content"] == "# Tea\n\nAn editor's."


def test_whoever_is_told_of_changes_looks_by_itself_only_as_often_as_it_must(
    served: Memory,
) -> None:
    follower = Follower(served, every=600.0, often=True)
    alone = follower.step()

    follower.changed(["a new folder"])

    assert alone < 600.0
    assert follower.step() <= alone
    assert follower.step() == 600.0


def test_an_edit_that_is_told_is_seen_without_a_comparison(
    plugin: StandIn, served: Memory, follower: Follower
) -> None:
    follower.step()
    put(plugin.folder / ADA, "# Ada Lovelace\n\nAn editor's.\n")

    follower.changed([ADA])
    with plugin.counting() as calls:
        due = follower.step()

    note = served.catalog.get(ADA)
    assert note is not None
    assert note.text == "# Ada Lovelace\n\nAn editor's.\n"
    assert {path for _, path in calls} == {f"/vault/{ADA}"}
    assert 0 < due <= 30.0


def test_a_note_that_is_told_and_not_known_is_compared_for_soon(
    plugin: StandIn, served: Memory, follower: Follower
) -> None:
    follower.step()
    put(plugin.folder / "resources/concepts/tea.md", "# Tea\n")

    follower.changed(["resources/concepts/tea.md"])
    soon = follower.step()
    follower.step()

    assert soon <= following.SOON_S
    assert "resources/concepts/tea.md" in served.catalog


def test_what_waits_is_tried_soon_however_much_is_told(
    plugin: StandIn, served: Memory, follower: Follower
) -> None:
    follower.step()

    follower.look_again()
    follower.changed([ADA])

    assert follower.step() <= following.RETRY_S


def test_the_shared_index_follows_what_others_do(
    plugin: StandIn, served: Memory, publisher: IndexPublisher
) -> None:
    follower = Follower(replace(served, publisher=publisher), every=30.0)
    follower.step()
    put(plugin.folder / "resources/concepts/tea.md", "---\ntype: concept\n---\n\n# Tea\n")

    follower.step()
    publisher.step()

    assert published(plugin, "tea")


def test_what_waited_is_written_when_the_vault_is_back(
    plugin: StandIn, served: Memory, follower: Follower
) -> None:
    with plugin.away():
        answer = append_op(served, ADA, "- add 1")
        away = follower.step()

    back = follower.step()

    assert answer["queued"]
    assert (away, back) == (following.RETRY_S, 30.0)
    assert "- add 1\n" in (plugin.folder / ADA).read_text()
    assert served.outbox.entries() == []


def test_what_waits_still_is_tried_again_soon(
    plugin: StandIn, served: Memory, follower: Follower
) -> None:
    with plugin.away():
        append_op(served, ADA, "- add 1")
    plugin.fail(faults.refuse(50000), method="PUT")

    assert [follower.step(), follower.step()] == [following.RETRY_S, 30.0]


def test_a_vault_that_goes_and_comes_is_logged_once_each(
    plugin: StandIn, follower: Follower, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "echo_mcp")

    follower.step()
    with plugin.away():
        follower.step()
        follower.step()
    follower.step()
    follower.step()

    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "vault away",
        "vault back",
    ]
    assert plugin.url not in caplog.text


def test_what_was_replayed_is_logged_without_a_word_of_it(
    plugin: StandIn, served: Memory, follower: Follower, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with plugin.away():
        append_op(served, ADA, f"- {SECRET}")
        capture_op(served, "Ada Lovelase", kind="person", body=SECRET)

    follower.step()

    lines = [JsonLines().format(record) for record in caplog.records]
    (told,) = [json.loads(line) for line in lines if "done" in line]
    assert (told["done"], told["parked"], told["left"]) == (1, 1, 0)
    assert SECRET not in "".join(lines)


def test_an_outbox_that_cannot_be_read_is_logged_and_ends_nothing(
    served: Memory, follower: Follower, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path / "far-state" / "outbox.sqlite", SECRET)

    assert follower.step() == following.RETRY_S

    assert "outbox" in caplog.text
    assert SECRET not in caplog.text


# The staff


def test_the_staff_follows_replays_and_publishes_while_it_is_at_work(
    plugin: StandIn, far: Memory
) -> None:
    staff = Staff(far, every=0.01)

    with staff.at_work():
        with plugin.away():
            queued = concept(staff.memory, "Tea")
        until(lambda: staff.memory.outbox.waiting() == 0)
        put(plugin.folder / "resources/concepts/brass.md", "# Brass\n")
        until(lambda: staff.memory.catalog.get("resources/concepts/brass.md") is not None)
        concept(staff.memory, "Steam")

    assert queued["queued"]
    assert published(plugin, "tea", "steam")
    assert [t for t in threading.enumerate() if t.name.startswith("echo-")] == []


def test_the_staff_ends_though_the_vault_is_away(plugin: StandIn, far: Memory) -> None:
    staff = Staff(far, every=0.01)

    with staff.at_work():
        concept(staff.memory, "Tea")
        plugin.down()

    assert [t for t in threading.enumerate() if t.name.startswith("echo-")] == []


def test_files_are_let_go_of_though_the_last_publish_crashes(
    plugin: StandIn, far: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Memory) -> list[str]:
        raise ZeroDivisionError

    monkeypatch.setattr(publishing, "publish_now", broken)
    staff = Staff(far, every=30.0)

    with pytest.raises(ZeroDivisionError), staff.at_work():
        concept(staff.memory, "Tea")

    logs = list(far.config.state_dir.rglob("*-wal"))
    assert logs == []


def test_an_edit_in_a_folder_shows_soon_though_no_call_compares(
    memory: Memory, vault_folder: Path
) -> None:
    staff = Staff(memory, every=3600.0)
    note = "resources/people/eve.md"
    with staff.at_work():
        until(lambda: staff.memory.mirror.is_current)

        put(vault_folder / note, "# Eve\n\nKeeps bees.\n")
        until(lambda: staff.memory.catalog.get(note) is not None)
        (vault_folder / note).unlink()
        until(lambda: staff.memory.catalog.get(note) is None)

    assert not staff.memory.compares


def test_recall_is_ready_before_anybody_asks(memory: Memory) -> None:
    staff = Staff(memory, every=3600.0)
    with staff.at_work():
        until(lambda: vars(staff.memory.catalog)["_recall"] is not None)


def test_a_name_that_another_process_of_ours_just_took_meets_the_gate(memory: Memory) -> None:
    staff = Staff(memory, every=3600.0)
    other = open_memory(memory.config, clock=memory.clock, notify=memory.notify)
    with staff.at_work():
        concept(staff.memory, "Tea")
        capture_op(other, "Robert Smith", kind="person", aliases=["Bob Smith"], body="x")
        answer = capture_op(staff.memory, "Bob Smith", kind="person", body="y")
    other.close()

    assert answer["path"] == "resources/people/robert-smith.md"
