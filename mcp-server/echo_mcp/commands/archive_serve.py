"""The command `archive serve`: the archive for an assistant, over stdio, or over HTTP."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

import anyio

from echo_archive.reading import Archive
from echo_mcp import logs, serve, state
from echo_mcp.app import create_archive_app, create_archive_server
from echo_mcp.archive.settings import ArchiveSettings
from echo_mcp.commands import archives
from echo_mcp.settings import ANY_ADDRESS, local_url
from echo_memory.errors import BadRequest

ABOUT = """\
Seven tools that read the archive and cannot change it, for a client that starts its servers itself:

  claude mcp add messages -- echo-mcp archive serve

With --http, for clients that connect over HTTP; a token is made once and kept in the state folder,
unless ECHO_MCP_TOKEN has one. It prints the address, where the token is, and the line that
registers it:

  echo-mcp archive serve --http
  echo-mcp archive serve --http --listen 127.0.0.1:9000

Behind a reverse proxy, ECHO_MCP_HOSTS has its public names. stdout is the protocol's alone; the log
goes to stderr, and holds nothing of a message or of a question.
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    archives.declare(parser)
    parser.add_argument("--http", action="store_true", help="serve over HTTP, not stdio")
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        help="with --http: the address to bind; default 127.0.0.1:8788; port 0 is any free one",
    )


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Serve until the client closes its end, or a signal ends it; returns the exit status."""
    settings = archives.settings_of(arguments, env)
    if arguments.listen and not arguments.http:
        raise BadRequest("--listen is for --http: give both, or neither.", field="listen")
    logs.configure(sys.stderr, style=settings.log_format, level=settings.log_level)
    with closing(archives.opened(settings)) as archive:
        if arguments.http:
            _over_http(settings, archive)
        else:
            # The thread that waits for the next line would keep an interrupted process alive.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            anyio.run(create_archive_server(archive).run_stdio_async)
    return 0


def _over_http(settings: ArchiveSettings, archive: Archive) -> None:
    token_file = None
    if not settings.token:
        state.open_folder(settings.state_dir)
        settings = replace(settings, token=state.kept_token(settings.state_dir))
        token_file = settings.state_dir / state.TOKEN_FILE
    flags = {"host_flag": "--listen", "port_flag": "--listen"}
    with serve.listen(settings.host, settings.port, **flags) as opened:
        url = local_url(*opened.getsockname()[:2])
        unnamed = settings.host in ANY_ADDRESS and not settings.hosts
        words = serve.connecting("messages", archive.path, url, token_file, unnamed=unnamed)
        print(words, file=sys.stderr, flush=True)
        serve.run(create_archive_app(settings, archive), opened)
