"""The command `doctor`: what is wrong here, or with a deployment as a client sees it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from echo_mcp import state
from echo_mcp.commands import vaults
from echo_mcp.remote.examination import examine
from echo_mcp.settings import Caller, Flags, Settings
from echo_memory import report
from echo_memory.envelope import Envelope, success
from echo_memory.opening import open_memory
from echo_memory.ops.health import doctor_op

ABOUT = """\
Without --remote it looks at the vault, the state folder and the installation, as `doctor` of the
memory's command line does. With it, at a server from outside: certificate, redirects, who is let
in and who is not, the sign-in, both eras of the protocol, size and time of requests. Ends with 1
when something is wrong, and says what to change.

  echo-mcp doctor --vault ~/notes
  echo-mcp doctor --remote https://notes.example.org/mcp --token-file token

The token is sent to that address only, and never where there is no TLS but to this machine.
SSL_CERT_FILE names another file of authorities to trust.
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    vaults.declare(parser)
    parser.add_argument("--remote", metavar="URL", help="a server's endpoint, ending in /mcp")
    parser.add_argument("--token-file", metavar="FILE", help="its token; else ECHO_MCP_TOKEN")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Look, and tell; returns the exit status."""
    flags = Flags.of(vars(arguments))
    found = _remote(arguments, env, flags) if arguments.remote else _local(env, flags)
    print(report.text_of(found))
    return 0 if found["healthy"] else 1


def _local(env: Mapping[str, str], flags: Flags) -> Envelope:
    settings = Settings.from_env(env, flags, needs_token=False)
    with closing(open_memory(settings.config)) as memory:
        return doctor_op(memory)


def _remote(arguments: argparse.Namespace, env: Mapping[str, str], flags: Flags) -> Envelope:
    token = Caller.from_env(env, flags).token
    if arguments.token_file:
        token = state.read_token(Path(arguments.token_file))
    checks = examine(arguments.remote, token, datetime.now(UTC))
    return success(
        "doctor",
        healthy=all(check.ok for check in checks),
        checks=[asdict(check) for check in checks],
    )
