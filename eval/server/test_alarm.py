"""The alarm: what is wrong with a real server reaches a real listener, and no secret does."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from conftest import NOW
from echo_mcp.backups.making import back_up
from echo_mcp.upkeep.alarm import Alarm
from echo_mcp.upkeep.alerts import Message
from echo_mcp.upkeep.notifier import Notifier
from echo_memory import alarms
from echo_memory.config import Config
from echo_memory.errors import EchoError
from echo_memory.ledger import BACKUP, Ledger, Run
from echo_memory.memory import Memory
from echo_memory.opening import open_memory
from echo_memory.ops.health import health_op
from echo_memory.ops.sweep import sweep_op
from echo_memory.report import text_of
from folders import put
from server import process

SECRET = "hunter2"


class Listener:
    """A small HTTP server that remembers what was posted to it."""

    def __init__(self) -> None:
        self.posts: list[dict[str, Any]] = []
        self.status = 200
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                listener.posts.append(json.loads(body))
                self.send_response(listener.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """An Apprise address of it, with a secret in it."""
        return f"json://me:{SECRET}@127.0.0.1:{self.server.server_port}/{SECRET}/"

    @property
    def titles(self) -> list[str]:
        """What was posted is called."""
        return [post["title"] for post in self.posts]


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    thread = Thread(target=listening.server.serve_forever, args=(0.01,))
    thread.start()
    yield listening
    listening.server.shutdown()
    thread.join()
    listening.server.server_close()


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock(memory: Memory) -> Clock:
    memory.clock = clock = Clock()
    Ledger.of(memory.config).begin(NOW)
    return clock


def alarm(memory: Memory, listener: Listener, *, crashed: bool = False) -> Alarm:
    return Alarm(
        memory,
        Notifier(listener.url),
        outbox_limit=timedelta(hours=6),
        crashed=lambda: crashed,
    )


def watch(watching: Alarm, clock: Clock, *, minutes: int, every: int = 10) -> None:
    for _ in range(0, minutes, every):
        clock.now += timedelta(minutes=every)
        watching.step()


def test_a_vault_that_is_away_for_an_hour_is_told_and_its_return_too(
    memory: Memory, clock: Clock, listener: Listener, vault_folder: Path
) -> None:
    watching = alarm(memory, listener)
    vault_folder.rename(vault_folder.with_name("elsewhere"))
    with pytest.raises(EchoError):
        memory.mirror.refresh()
    watch(watching, clock, minutes=180)
    vault_folder.with_name("elsewhere").rename(vault_folder)
    memory.mirror.refresh()
    watch(watching, clock, minutes=180)

    assert listener.titles == ["echo-mcp: 1 thing needs attention", "echo-mcp: all is well again"]


def test_writes_that_wait_too_long_are_told(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    memory.outbox.add("append", {"path": "a", "line": "b"}, NOW)
    watching = alarm(memory, listener)
    watch(watching, clock, minutes=350)
    early = list(listener.posts)
    watch(watching, clock, minutes=60)

    assert early == []
    assert alarms.MEANINGS[alarms.OUTBOX][0] in listener.posts[0]["message"]


def test_a_backup_that_is_old_is_told_and_a_new_one_ends_it(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    watching = alarm(memory, listener)
    watch(watching, clock, minutes=26 * 60)
    early = list(listener.posts)
    watch(watching, clock, minutes=60)
    back_up(memory)
    watch(watching, clock, minutes=120)

    assert early == []
    assert listener.titles == ["echo-mcp: 1 thing needs attention", "echo-mcp: all is well again"]


def test_backups_that_somebody_removed_are_missed(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    shutil.rmtree(back_up(memory).kept.path.parent)
    watch(alarm(memory, listener), clock, minutes=10)

    assert len(listener.posts) == 1


def test_new_findings_are_told_without_a_word_of_the_notes(
    memory: Memory, clock: Clock, listener: Listener, vault_folder: Path
) -> None:
    watching = alarm(memory, listener)
    sweep_op(memory)
    put(vault_folder / "private-diary.md", "[[Nobody Knows]]")
    sweep_op(memory)
    watch(watching, clock, minutes=20)
    put(vault_folder / "private-diary.md", "mended")
    sweep_op(memory)
    watch(watching, clock, minutes=120)

    assert listener.titles == ["echo-mcp: 1 thing needs attention", "echo-mcp: all is well again"]
    assert not any(word in str(listener.posts) for word in ("private", "diary", "Nobody"))


@pytest.mark.parametrize("how", ["a job", "a loop"])
def test_a_job_or_a_loop_that_fails_is_told(
    memory: Memory, clock: Clock, listener: Listener, how: str
) -> None:
    if how == "a job":
        Ledger.of(memory.config).ran(BACKUP, Run(done=NOW, tried=NOW, error="vault-io"))
        back_up(memory)
        Ledger.of(memory.config).ran(BACKUP, Run(done=NOW, tried=NOW, error="vault-io"))

    watch(alarm(memory, listener, crashed=how == "a loop"), clock, minutes=200)

    assert [alarms.MEANINGS[alarms.FAILING][0] in post["message"] for post in listener.posts] == [
        True
    ]


def test_a_restart_tells_nothing_twice(memory: Memory, clock: Clock, listener: Listener) -> None:
    clock.now += timedelta(hours=30)
    for _ in range(5):
        watching = alarm(memory, listener)
        watch(watching, clock, minutes=60)
        watching.stop()

    assert len(listener.posts) == 1


def test_of_two_servers_one_looks_and_tells(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    clock.now += timedelta(hours=30)
    first, second = alarm(memory, listener), alarm(memory, listener, crashed=True)
    for _ in range(3):
        watch(first, clock, minutes=10)
        watch(second, clock, minutes=10)

    assert len(listener.posts) == 1
    assert list(second.state.active) == [alarms.BACKUP]
    first.stop()
    second.step()
    assert list(second.state.active) == [alarms.BACKUP, alarms.FAILING]


def test_a_listener_that_refuses_is_tried_once_an_hour(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    listener.status = 500
    clock.now += timedelta(hours=30)
    watch(alarm(memory, listener), clock, minutes=179)

    assert len(listener.posts) == 3


def test_neither_the_address_nor_what_libraries_say_of_it_is_logged(
    listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    message = Message("title", "body")
    with caplog.at_level(logging.DEBUG):
        sent = Notifier(listener.url).send(message)
        listener.status = 403
        refused = Notifier(listener.url).send(message)
        gone = Notifier(f"json://me:{SECRET}@127.0.0.1:1/{SECRET}").send(message)
        unknown = Notifier(f"nosuch://me:{SECRET}@127.0.0.1/").send(message)
        broken = Notifier(f"json://[me:{SECRET}").send(message)

    assert (sent, refused, gone, unknown, broken) == (True, False, False, False, False)
    assert SECRET not in caplog.text
    assert caplog.text.count("an alert was not sent") == 4


def test_nobody_is_told_where_no_address_is_given() -> None:
    assert Notifier("").send(Message("title", "body"))


def test_health_tells_the_model_what_is_wrong_and_what_to_do(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    clock.now += timedelta(hours=30)
    alarm(memory, listener).step()

    answer = health_op(memory, deep=True)

    assert answer["healthy"] is False
    found = {check["check"]: check["fix"] for check in answer["checks"] if not check["ok"]}
    assert set(found) == {"backup", alarms.BACKUP}
    assert all("backup now" in fix for fix in found.values())
    assert len(text_of(answer)) <= 8_000


def test_what_a_server_that_ended_long_ago_saw_no_longer_counts(
    memory: Memory, clock: Clock, listener: Listener
) -> None:
    watching = alarm(memory, listener, crashed=True)
    watching.step()
    now = health_op(memory)["healthy"]
    clock.now += timedelta(hours=3)

    assert (now, health_op(memory)["healthy"]) == (False, True)


def test_a_start_loads_nothing_of_what_sends() -> None:
    script = "import sys, echo_mcp.app; sys.exit('apprise' in sys.modules)"

    ran = subprocess.run(
        [sys.executable, "-c", script], env=process.environment(Path("/")), check=False
    )

    assert ran.returncode == 0


def test_another_vault_of_the_same_state_folder_has_a_ledger_of_its_own(
    memory: Memory, clock: Clock, listener: Listener, tmp_path: Path
) -> None:
    clock.now += timedelta(hours=30)
    (tmp_path / "other").mkdir()
    config = Config(tmp_path / "other", memory.config.state_dir)
    with closing(open_memory(config, clock=clock, notify=lambda _: None)) as other:
        watch(alarm(other, listener), clock, minutes=30)

    assert listener.posts == []
