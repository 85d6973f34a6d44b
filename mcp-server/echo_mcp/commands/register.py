"""The command `register`: the lines with which a client is told of this server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import echo_memory
from echo_mcp import state
from echo_mcp.commands import vaults
from echo_mcp.registration import CLIENTS, Registration
from echo_mcp.remote.address import parts_of
from echo_mcp.settings import MCP_PATH, Flags, Settings, local_url
from echo_memory.config import DEFAULT_STATE_DIR, absolute
from echo_memory.errors import Misconfigured

ABOUT = """\
Prints what to type or paste, for every client or for one, with this server's address and without
its token: where that is needed, the shell reads it from its file. Give the same options and
variables as to `serve`. The address is the first name in ECHO_MCP_HOSTS, else that of the server
that runs on this machine, else where one would listen.

  echo-mcp register --vault ~/notes
  echo-mcp register --vault ~/notes --client claude-code
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    vaults.declare(parser)
    parser.add_argument("--client", choices=tuple(CLIENTS), help="only this one")
    parser.add_argument("--url", help="the endpoint, where it is another one; it ends in /mcp")
    parser.add_argument("--host", help="as for serve")
    parser.add_argument("--port", help="as for serve")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Print them; returns the exit status."""
    if arguments.url:
        parts_of(arguments.url, field="--url")
    settings = Settings.from_env(env, Flags.of(vars(arguments)), needs_token=False)
    about = _about(settings, arguments.url or "")
    if about.token_file and not about.token_file.exists():
        print(
            f"There is no token in {about.token_file} yet: start the server once.", file=sys.stderr
        )
    if arguments.client:
        print(CLIENTS[arguments.client](about))
        return 0
    for name, lines in CLIENTS.items():
        print(f"== {name} ==\n\n{lines(about)}\n")
    return 0


def _about(settings: Settings, url: str) -> Registration:
    vault, folder = settings.config.vault, settings.config.state_dir
    rest = not isinstance(vault, Path)
    folders = [] if rest else ["--vault", str(vault)]
    if folder != absolute(DEFAULT_STATE_DIR):
        folders += ["--state-dir", str(folder)]
    return Registration(
        url=url or _url(settings),
        token_file=None if settings.token else folder / state.TOKEN_FILE,
        server=_server(),
        memory=_memory(),
        folders=folders,
        rest=rest,
    )


def _url(settings: Settings) -> str:
    if settings.hosts:
        return f"https://{settings.hosts[0]}{MCP_PATH}"
    running = state.read_address(settings.config.state_dir)
    if not running and not settings.port:
        raise Misconfigured("The port is any, and no server runs. Start it first, or give --url.")
    return running or local_url(settings.host, settings.port)


def _server() -> list[str]:
    """What runs `echo-mcp`: the script beside this Python, else its module."""
    script = Path(sys.executable).with_name("echo-mcp")
    return [str(script)] if script.exists() else [sys.executable, "-m", "echo_mcp"]


def _memory() -> list[str]:
    """What runs the command line: the skill's launcher where this is its tree, else a script."""
    launcher = Path(echo_memory.__file__).parents[1] / "echo.py"
    if launcher.exists():
        return [sys.executable, str(launcher)]
    return [str(Path(sys.executable).with_name("echo-memory"))]
