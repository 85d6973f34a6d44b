"""The command `stdio`: the server for one client that started it, over stdin and stdout."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Mapping
from contextlib import closing, nullcontext

import anyio

from echo_mcp import logs, state
from echo_mcp.app import create_server, create_staff
from echo_mcp.archive.opening import open_archive
from echo_mcp.commands import vaults
from echo_mcp.settings import Flags, Settings

ABOUT = """\
For a client that starts its servers itself: the same tools, no token, the log on stderr.

  claude mcp add echo -- echo-mcp stdio --vault ~/notes
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    vaults.declare(parser)


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Serve until the client closes its end; returns the exit status."""
    settings = Settings.from_env(env, Flags.of(vars(arguments)), needs_token=False)
    state.open_folder(settings.config.state_dir)
    logs.configure(sys.stderr, style=settings.log_format, level=settings.log_level)
    memory = vaults.opened(settings, embedded=bool(arguments.vault), words=sys.stderr)
    # The thread that waits for the next line would keep an interrupted process alive.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    staff = create_staff(settings, memory)
    archive = open_archive(settings.archive) if settings.archive else None
    with staff.at_work(), closing(archive) if archive else nullcontext():
        anyio.run(create_server(settings, staff.memory, archive).run_stdio_async)
    return 0
