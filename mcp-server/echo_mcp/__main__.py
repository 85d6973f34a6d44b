"""The command `echo-mcp`: which of its commands is meant, and that one's module run.

Only the module that is meant is loaded: the server takes a second to load, and who calls a running
one needs nothing of it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from echo_archive.errors import ArchiveError
from echo_memory import __version__
from echo_memory.errors import EchoError

COMMANDS = {
    "serve": "serve over HTTP",
    "stdio": "serve over stdin and stdout",
    "register": "what to type or paste for each client to find the server",
    "token": "where the token is, and a new one",
    "doctor": "what is wrong: here, or with a deployment as a client sees it",
    "call": "call a tool of a running server",
    "backup": "make, list, verify and restore backups",
    "grants": "list and end what clients got that signed in",
    "upkeep": "what the server does by itself: when it last did, and by hand",
    "archive": "your messages of chat apps: import, serve, look",
    "remind": "for a client's Stop hook",
}
"""The commands, each the name of its module in `echo_mcp.commands`, and a line about it.

A module with `COMMANDS` of its own has its commands in modules named after both.
"""

_ABOUT = "A memory for AI assistants, kept as Markdown notes in a folder that stays yours."
_EXAMPLES = """\
examples:
  echo-mcp serve --vault ~/notes        serve this folder, and say how a client connects
  echo-mcp register --vault ~/notes     how each client is told of it
  echo-mcp stdio --vault ~/notes        the same for a client that starts its servers itself
  echo-mcp call                         the tools of the running server
  echo-mcp call echo_recall '{"query": "who wrote the first program"}'
  echo-mcp archive import ~/Downloads/export.zip      what chat apps export, made searchable

Without --vault, `serve` reads ECHO_BASE and ECHO_MCP_TOKEN from the environment.
"""


def main(argv: Sequence[str] | None = None, env: Mapping[str, str] | None = None) -> int:
    """Run the command; returns its exit status."""
    words = sys.argv[1:] if argv is None else argv
    arguments = _parser(words).parse_args(words)
    try:
        status: int = arguments.run(arguments, os.environ if env is None else env)
    except (EchoError, ArchiveError) as error:
        _complain(error)
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read us has gone; say nothing more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The command line; of the commands, only the one that the words name knows its arguments."""
    parser = argparse.ArgumentParser(
        "echo-mcp",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"echo-mcp {__version__}")
    _declare(parser, COMMANDS, [word for word in words if not word.startswith("-")])
    return parser


def _declare(
    parser: argparse.ArgumentParser, table: Mapping[str, str], words: Sequence[str], under: str = ""
) -> None:
    """Add the commands of a table; the one that the first word names, with its arguments."""
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, line in table.items():
        command = commands.add_parser(
            name, help=line, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        if [name] != words[:1]:
            continue
        module = import_module(f"echo_mcp.commands.{under}{name}")
        command.description = module.ABOUT
        if hasattr(module, "COMMANDS"):
            _declare(command, module.COMMANDS, words[1:], f"{under}{name}_")
        else:
            module.declare(command)
            command.set_defaults(run=module.run)


def _complain(error: EchoError | ArchiveError) -> None:
    """Every fault on a line of its own, where a person looks."""
    faults = error.details.get("faults")
    lines = ["the configuration cannot be used:", *faults] if faults else [error.message]
    print("echo-mcp: " + "\n  ".join(lines), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
