"""The command `upkeep`: what the server does by itself, when it last did, and each job by hand."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import closing

from echo_mcp import state
from echo_mcp.commands import vaults
from echo_mcp.settings import Flags, Settings
from echo_mcp.upkeep import jobs
from echo_mcp.upkeep.alerts import Message
from echo_mcp.upkeep.notifier import Notifier
from echo_memory.alarms import MEANINGS, NOTE, Alarms
from echo_memory.errors import BadRequest, EchoError
from echo_memory.ledger import Ledger, Run
from echo_memory.memory import Memory
from echo_memory.opening import open_memory

ABOUT = """\
The server keeps in step with the vault, replays what waited for it, makes a backup each night, a
fast sweep each hour and a decay pass each week, and tells a person at ECHO_ALERT_URL when
something is wrong for long. None of it edits a person's note.

  echo-mcp upkeep                 when each job last ran, what it found, what is wrong
  echo-mcp upkeep run JOB         run one now: refresh, flush, backup, sweep, decay
  echo-mcp upkeep run alerts      send a message to ECHO_ALERT_URL, to see that it arrives
"""

ALERTS = "alerts"

_TEST = Message("echo-mcp: a test", "Alerts arrive here.")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    vaults.declare(parser)
    parser.add_argument("action", nargs="?", choices=("show", "run"), default="show")
    parser.add_argument("job", nargs="?", choices=(*jobs.NAMES, ALERTS), help="which one")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Show, or run a job; returns the exit status."""
    settings = Settings.from_env(env, Flags.of(vars(arguments)), needs_token=False)
    state.open_folder(settings.config.state_dir)
    if arguments.action == "run":
        if arguments.job is None:
            raise BadRequest("Which job to run is missing. See `echo-mcp upkeep`.", field="job")
        if arguments.job == ALERTS:
            return _test(settings.alert_url)
    with closing(open_memory(settings.config)) as memory:
        return _run(memory, arguments.job) if arguments.action == "run" else _show(memory)


def _run(memory: Memory, job: str) -> int:
    done = jobs.timer(memory).run(job)
    print(f"{job}: {_said(done)}")
    return EchoError.exit_status if done.error else 0


def _test(url: str) -> int:
    if not url:
        raise BadRequest("ECHO_ALERT_URL is not set. Set it to where alerts go.", field="job")
    arrived = Notifier(url).send(_TEST)
    print("sent" if arrived else "not sent; check ECHO_ALERT_URL and what is behind it")
    return 0 if arrived else EchoError.exit_status


def _show(memory: Memory) -> int:
    page = Ledger.of(memory.config).read()
    for job in jobs.NAMES:
        print(f"{job}: {_said(page.run(job))}")
    for name in Alarms.of(page.notes.get(NOTE)).active:
        what, fix = MEANINGS[name]
        print(f"ALERT {name}: {what} {fix}")
    return 0


def _said(run: Run) -> str:
    found = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in run.found.items())
    failed = f"the last try failed: {run.error}" if run.error else ""
    when = "" if run.done is None else f"{run.done:%Y-%m-%d %H:%M}"
    return "; ".join(filter(None, (when, found, failed))) or "by the server, or not yet"
