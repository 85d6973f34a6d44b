"""The command `token`: where the bearer token is, and a new one in its place."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from echo_mcp import state
from echo_mcp.settings import Caller, Flags
from echo_memory.errors import Misconfigured

ABOUT = """\
The token that `serve --vault` made is in a file of the state folder, readable for its owner only.

  echo-mcp token            the file
  echo-mcp token new        put a new token into it; the old one ends when the server is restarted

Where the server has its token from ECHO_MCP_TOKEN, that one counts, and is changed there.
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("action", nargs="?", choices=("show", "new"), default="show")
    parser.add_argument("--state-dir", metavar="DIR", help="where the server keeps its own")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Say where it is, or make a new one; returns the exit status."""
    caller = Caller.from_env(env, Flags.of(vars(arguments)))
    path = caller.state_dir / state.TOKEN_FILE
    if arguments.action == "show":
        print("as ECHO_MCP_TOKEN says" if caller.token else path)
        return 0
    if caller.token:
        raise Misconfigured(
            "ECHO_MCP_TOKEN is set, and comes before the file, which was left as it is. Set it to a"
            " new secret where the server is started, as of `openssl rand -hex 32`."
        )
    state.open_folder(caller.state_dir)
    state.renew_token(caller.state_dir)
    running = state.read_address(caller.state_dir)
    print(f"A new token is in {path}.")
    print(
        f"Restart the server at {running}: until then it takes the old one only."
        if running
        else "A server that runs takes the old one until it is restarted."
    )
    print("Then register every client anew: `echo-mcp register` has the lines.")
    print("Clients that signed in sign in again.")
    return 0
