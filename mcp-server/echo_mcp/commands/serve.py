"""The command `serve`: the server over HTTP, until it is told to stop."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace

from echo_mcp import logs, serve, state
from echo_mcp.app import create_app
from echo_mcp.commands import vaults
from echo_mcp.settings import Flags, Settings, local_url

ABOUT = """\
With --vault the folder becomes a memory if it is none yet: notes are added, none is changed.
A token is made once and kept in the state folder. Without --vault everything comes from the
environment: ECHO_BASE, ECHO_MCP_TOKEN, and for Obsidian's Local REST API ECHO_KEY, ECHO_CA,
ECHO_AUTH_HEADER, ECHO_TIMEOUT, ECHO_WORKERS. As you like, also with --vault:

  ECHO_OWNER, ECHO_TZ, ECHO_STATE_DIR                  whose memory, time zone, its own files
  ECHO_MCP_TOOLS, ECHO_MCP_HOST, ECHO_MCP_PORT         `core` for six tools; where it listens
  ECHO_MCP_HOSTS, ECHO_MCP_PROXIES, ECHO_MCP_OAUTH     behind a reverse proxy; the sign-in
  ECHO_MCP_INDEX_TTL                                   how soon other people's edits are seen
  ECHO_ALERT_URL, ECHO_OUTBOX_ALERT_H                  who is told when something is wrong
  ECHO_ARCHIVE, ECHO_EMBED_MODEL, _URL, _KEY,
  _QUERY_PREFIX, _DOCUMENT_PREFIX, _WEIGHT             the message archive beside the memory
  ECHO_LOG, ECHO_LOG_LEVEL                             text or json; how much

Ctrl-C or SIGTERM ends it, once the calls that run are done.
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    vaults.declare(parser)
    parser.add_argument("--host", help="address to bind; default 127.0.0.1, this machine only")
    parser.add_argument("--port", help="port to bind; default 8765, 0 takes any free one")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Open the port, say how a client connects, and serve; returns the exit status."""
    settings = Settings.from_env(env, Flags.of(vars(arguments)), needs_token=not arguments.vault)
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
        memory = vaults.opened(settings, embedded=bool(arguments.vault), words=words)
        url = local_url(*opened.getsockname()[:2])
        # Who reads that it serves may look for the address at once.
        state.write_address(folder, url)
        try:
            print(serve.welcome(settings, url, token_file), file=words, flush=True)
            serve.run(create_app(settings, memory), opened, settings.proxies)
        finally:
            state.remove_address(folder)
    return 0
