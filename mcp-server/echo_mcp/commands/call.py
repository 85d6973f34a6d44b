"""The command `call`: one tool of a server that runs; it loads nothing of the server."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from echo_mcp import state
from echo_mcp.client import Client
from echo_mcp.settings import Caller, Flags
from echo_memory.errors import BadRequest, VaultUnreachable

ABOUT = """\
Finds the server that runs on this machine, and its token, in the state folder. Without TOOL it
lists the tools. Ends with 0 when done, 76 at a duplicate gate, else with the error's own status.

  echo-mcp call echo_load
  echo-mcp call echo_capture '{"title": "Ada Lovelace", "kind": "person"}'
  echo '{"query": "engine"}' | echo-mcp call echo_recall -
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="its name; without it, all of them")
    parser.add_argument(
        "arguments", nargs="?", default="{}", metavar="JSON", help="its arguments; - reads stdin"
    )
    parser.add_argument("--url", help="another server's endpoint, ending in /mcp")
    parser.add_argument("--token-file", metavar="FILE", help="where its token is")
    parser.add_argument("--state-dir", metavar="DIR", help="where the running server keeps its own")
    parser.add_argument("--json", action="store_true", help="print the envelope, not the words")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Call a tool, or list them; returns the exit status."""
    client = _client(arguments, Caller.from_env(env, Flags.of(vars(arguments))))
    if not arguments.tool:
        for tool in client.tools():
            print(_usage(tool))
        return 0
    answer = client.call(arguments.tool, _values(arguments.arguments))
    if arguments.json:
        print(json.dumps(answer.envelope, ensure_ascii=False, indent=2))
    else:
        print(answer.text, file=sys.stderr if "error" in answer.envelope else sys.stdout)
    return answer.exit_status


def _client(arguments: argparse.Namespace, caller: Caller) -> Client:
    url = arguments.url or state.read_address(caller.state_dir)
    if not url:
        raise VaultUnreachable(
            "No server runs on this machine that is known here. Start one with"
            " `echo-mcp serve --vault DIR`, or name one with --url and --token-file."
        )
    if arguments.token_file:
        return Client(url, state.read_token(Path(arguments.token_file)))
    return Client(url, caller.token or state.read_token(caller.state_dir / state.TOKEN_FILE))


def _values(written: str) -> dict[str, Any]:
    try:
        values = json.loads(sys.stdin.read() if written == "-" else written)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise BadRequest(
            'The arguments are not a JSON object. Write them like \'{"query": "engine"}\'.',
            field="arguments",
        )
    return values


def _usage(tool: dict[str, Any]) -> str:
    """A tool on two lines: its arguments, the optional ones in brackets, and what it does."""
    schema = tool["inputSchema"]
    required = schema.get("required", ())
    names = [name if name in required else f"[{name}]" for name in schema["properties"]]
    what = tool["description"].partition(". ")[0].rstrip(".")
    return f"{' '.join([tool['name'], *names])}\n    {what}."
