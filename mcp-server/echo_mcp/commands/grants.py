"""The command `grants`: which clients have signed in, and how they are signed out."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from echo_mcp.oauth.grants import Grant, Grants
from echo_mcp.settings import Caller, Flags
from echo_memory.errors import BadRequest

ABOUT = """\
A grant is what a client got when you pasted the server's token on its page. Ending one logs that
client out at once, of a running server, too. A new ECHO_MCP_TOKEN ends all of them.

  echo-mcp grants list            which there are, and when each last renewed its tokens
  echo-mcp grants revoke ID       end one
  echo-mcp grants revoke all      end them all
"""

ALL = "all"


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("action", choices=("list", "revoke"), help="what to do")
    parser.add_argument("id", nargs="?", metavar="ID", help="which grant, or all")
    parser.add_argument("--state-dir", metavar="DIR", help="where the server keeps its own")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """List them, or end some; returns the exit status."""
    grants = Grants(Caller.from_env(env, Flags.of(vars(arguments))).state_dir)
    if arguments.action == "revoke":
        _revoke(grants, arguments.id)
    else:
        _list(grants)
    return 0


def _list(grants: Grants) -> None:
    now = time.time()
    found = [
        grant for grant in grants.all().values() if grant.generation and not grant.is_over(now)
    ]
    for grant in found:
        print(_line(grant))
    print(f"{len(found)} in all" if found else "No client is signed in.")


def _line(grant: Grant) -> str:
    began, used = (
        f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}" for at in (grant.began, grant.used)
    )
    who = f"{grant.name}, {grant.host}, for {grant.resource}"
    return f"{grant.id}  {who}; began {began}, used {used} UTC"


def _revoke(grants: Grants, grant_id: str | None) -> None:
    if not grant_id:
        raise BadRequest("Which grant to end is missing. See `echo-mcp grants list`.", field="id")
    with grants.changing(time.time()) as book:
        ended = list(book) if grant_id == ALL else [one for one in book if one == grant_id]
        for one in ended:
            del book[one]
    if not ended and grant_id != ALL:
        raise BadRequest("There is no such grant. See `echo-mcp grants list`.", field="id")
    print(f"{len(ended)} ended")
