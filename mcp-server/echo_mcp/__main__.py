"""The command `echo-mcp`: serve over HTTP, serve over stdio, call a tool of a running server."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import anyio

from echo_mcp import logs, serve, state
from echo_mcp.app import MCP_PATH, create_app, create_server
from echo_mcp.client import Client
from echo_mcp.settings import Caller, Flags, Settings
from echo_memory import __version__
from echo_memory.errors import BadRequest, EchoError, VaultUnreachable
from echo_memory.memory import Memory, open_memory

_ABOUT = "A memory for AI assistants, kept as Markdown notes in a folder that stays yours."
_EXAMPLES = """\
examples:
  echo-mcp serve --vault ~/notes        serve this folder, and say how a client connects
  echo-mcp stdio --vault ~/notes        the same for a client that starts its servers itself
  echo-mcp call                         the tools of the running server
  echo-mcp call echo_recall '{"query": "who wrote the first program"}'

Without --vault, `serve` reads ECHO_BASE and ECHO_MCP_TOKEN from the environment.
"""
_SERVE = """\
With --vault the folder becomes a memory if it is none yet: notes are added, none is changed.
A token is made once and kept in the state folder. Without --vault everything comes from the
environment: ECHO_BASE, ECHO_MCP_TOKEN, and as you like ECHO_OWNER, ECHO_TZ, ECHO_STATE_DIR,
ECHO_MCP_TOOLS, ECHO_MCP_HOST, ECHO_MCP_PORT, ECHO_MCP_HOSTS, ECHO_LOG, ECHO_LOG_LEVEL.
"""
_STDIO = """\
For a client that starts its servers itself: the same tools, no token, the log on stderr.

  claude mcp add echo -- echo-mcp stdio --vault ~/notes
"""
_CALL = """\
Finds the server that runs on this machine, and its token, in the state folder. Without TOOL it
lists the tools. Ends with 0 when done, 76 at a duplicate gate, else with the error's own status.

  echo-mcp call echo_load
  echo-mcp call echo_capture '{"title": "Ada Lovelace", "kind": "person"}'
  echo '{"query": "engine"}' | echo-mcp call echo_recall -
"""


def main(argv: Sequence[str] | None = None, env: Mapping[str, str] | None = None) -> int:
    """Run the command; returns its exit status."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments, os.environ if env is None else env)
    except EchoError as error:
        _complain(error)
        return error.exit_status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read us has gone; say nothing more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _serve(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    settings = Settings.from_env(env, _flags(arguments), needs_token=not arguments.vault)
    folder = settings.config.state_dir
    state.open_folder(folder)
    token_file = None
    if not settings.token:
        settings = replace(settings, token=state.kept_token(folder))
        token_file = folder / state.TOKEN_FILE
    with serve.listen(settings.host, settings.port) as opened:
        logs.configure(sys.stdout, style=settings.log_format, level=settings.log_level)
        # Lines of JSON stay lines of JSON: words for a person then go beside them.
        words = sys.stderr if settings.log_format == "json" else sys.stdout
        memory = _open(settings, embedded=bool(arguments.vault), words=words)
        url = serve.url_of(opened, MCP_PATH)
        print(serve.welcome(settings, url, token_file), file=words, flush=True)
        state.write_address(folder, url)
        try:
            serve.run(create_app(settings, memory), opened)
        finally:
            state.remove_address(folder)
    return 0


def _stdio(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    settings = Settings.from_env(env, _flags(arguments), needs_token=False)
    state.open_folder(settings.config.state_dir)
    logs.configure(sys.stderr, style=settings.log_format, level=settings.log_level)
    memory = _open(settings, embedded=bool(arguments.vault), words=sys.stderr)
    # The thread that waits for the next line would keep an interrupted process alive.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(create_server(settings, memory).run_stdio_async)
    return 0


def _open(settings: Settings, *, embedded: bool, words: TextIO) -> Memory:
    """The memory; of a folder that the command line names, whatever it held before."""
    if embedded:
        serve.check_folder(settings.config.vault)
    memory = open_memory(settings.config)
    created = serve.bootstrap(memory) if embedded else []
    if created:
        added = "".join(f"\n  {path}" for path in created)
        print(f"Made {settings.config.vault} a memory; added{added}", file=words)
    return memory


def _call(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    caller = Caller.from_env(env, _flags(arguments))
    client = _client(arguments, caller)
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


def _flags(arguments: argparse.Namespace) -> Flags:
    given = vars(arguments)
    return Flags(**{name: given.get(name) or "" for name in ("vault", "state_dir", "host", "port")})


def _complain(error: EchoError) -> None:
    """Every fault on a line of its own, where a person looks."""
    faults = error.details.get("faults")
    lines = ["the configuration cannot be used:", *faults] if faults else [error.message]
    print("echo-mcp: " + "\n  ".join(lines), file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "echo-mcp",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"echo-mcp {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _serve_parser(commands.add_parser("serve", help="serve over HTTP", **_about(_SERVE)))
    _stdio_parser(
        commands.add_parser("stdio", help="serve over stdin and stdout", **_about(_STDIO))
    )
    _call_parser(
        commands.add_parser("call", help="call a tool of a running server", **_about(_CALL))
    )
    return parser


def _about(text: str) -> dict[str, Any]:
    return {"description": text, "formatter_class": argparse.RawDescriptionHelpFormatter}


def _serve_parser(parser: argparse.ArgumentParser) -> None:
    _add_folders(parser)
    parser.add_argument("--host", help="address to bind; default 127.0.0.1, this machine only")
    parser.add_argument("--port", help="port to bind; default 8765, 0 takes any free one")
    parser.set_defaults(run=_serve)


def _stdio_parser(parser: argparse.ArgumentParser) -> None:
    _add_folders(parser)
    parser.set_defaults(run=_stdio)


def _add_folders(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--vault", metavar="DIR", help="the folder of notes")
    parser.add_argument("--state-dir", metavar="DIR", help="where the token, locks, … are kept")


def _call_parser(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="its name; without it, all of them")
    parser.add_argument(
        "arguments", nargs="?", default="{}", metavar="JSON", help="its arguments; - reads stdin"
    )
    parser.add_argument("--url", help="another server's endpoint, ending in /mcp")
    parser.add_argument("--token-file", metavar="FILE", help="where its token is")
    parser.add_argument("--state-dir", metavar="DIR", help="where the running server keeps its own")
    parser.add_argument("--json", action="store_true", help="print the envelope, not the words")
    parser.set_defaults(run=_call)


if __name__ == "__main__":
    sys.exit(main())
