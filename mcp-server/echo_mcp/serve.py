"""Serving over HTTP: the port, the embedded default's folder, and a stop that loses nothing."""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from echo_mcp.connections import BoundedH11
from echo_mcp.registration import claude_code_line
from echo_mcp.settings import ANY_ADDRESS, Settings
from echo_memory import __version__
from echo_memory.errors import EchoError, Misconfigured, NotFound
from echo_memory.memory import Memory, marker_path
from echo_memory.ops.bootstrap import bootstrap_op

logger = logging.getLogger(__name__)

STOP_WITHIN_S = 8
"""How long calls that run may take when it is told to stop; Docker kills after ten seconds."""

_BACKLOG = 128
_KEEP_ALIVE_S = 75
_UNNAMED = (
    "\n  Other machines are refused until ECHO_MCP_HOSTS has the names or addresses that they use."
)
_WHY = {
    errno.EADDRINUSE: "is in use, perhaps by another echo-mcp. Choose one with {port}; 0 is any",
    errno.EACCES: "is not allowed to this user. Choose one above 1023 with {port}",
    errno.EADDRNOTAVAIL: "cannot be bound: the address is not this machine's. Change {host}",
}


def listen(
    host: str, port: int, *, host_flag: str = "--host", port_flag: str = "--port"
) -> socket.socket:
    """Open the port.

    Args:
        host: the address to bind.
        port: 0 takes any free one.
        host_flag: what on the command line says the address.
        port_flag: what says the port.

    Raises:
        Misconfigured: it cannot be opened; the message says why.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise Misconfigured(f"The host {host} has no address. Change {host_flag}.") from error
    # `localhost` is IPv4 first: that is where clients look.
    family, kind, protocol, _, address = min(found, key=lambda entry: entry[0] != socket.AF_INET)
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        why = _WHY.get(error.errno or 0, f"cannot be opened ({error.strerror}). Change {{port}}")
        told = why.format(host=host_flag, port=port_flag)
        raise Misconfigured(f"Port {port} on {host} {told}.") from error
    return opened


def check_folder(folder: Path) -> None:
    """See that a folder of notes can be served.

    Raises:
        Misconfigured: it is missing, no folder, or cannot be read and written.
    """
    if not folder.exists():
        raise Misconfigured(f"There is no folder {folder}. Make it, or check --vault.")
    if not folder.is_dir():
        raise Misconfigured(f"{folder} is no folder. Give the folder of the notes with --vault.")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise Misconfigured(f"The folder {folder} cannot be written to. Check its permissions.")


def check_access(memory: Memory) -> None:
    """See that the vault takes our credentials; one that is away is served from what is known.

    Raises:
        Misconfigured: it does not.
    """
    try:
        memory.vault.probe()
    except Misconfigured:
        raise
    except EchoError as error:
        logger.warning("vault away: %s", error.message)


def bootstrap(memory: Memory) -> list[str]:
    """Make the folder a memory if it is none yet; what is in it stays as it is.

    Returns:
        The notes that were added.

    Raises:
        Misconfigured: it was one before; what is there now may be an empty mount point.
    """
    try:
        memory.vault.stamp(marker_path())
    except NotFound:
        if memory.acquaintance.is_made():
            raise Misconfigured(
                f"{memory.config.vault} was a memory before and has no marker note now. Mount it;"
                " to begin anew, run `echo-memory bootstrap --anew --vault` with this folder."
            ) from None
        created: list[str] = bootstrap_op(memory)["created"]
        return created
    return []


def config(
    app: ASGIApp, http: type[BoundedH11] = BoundedH11, proxies: Sequence[str] = ()
) -> uvicorn.Config:
    """How it is served: what was asked for is not logged, and no connection idles for ever.

    Args:
        app: what to serve.
        http: the protocol.
        proxies: addresses and networks that are believed when they say, in `X-Forwarded-For` and
            `X-Forwarded-Proto`, who asks and how; from others these headers mean nothing.
    """
    return uvicorn.Config(
        app,
        http=http,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        ws="none",
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_WITHIN_S,
    )


def run(app: Starlette, opened: socket.socket, proxies: Sequence[str] = ()) -> None:
    """Serve until SIGTERM or SIGINT; calls that run then are finished first."""
    server = uvicorn.Server(config(app, proxies=proxies))

    def stop(*_: object) -> None:
        server.should_exit = True

    # uvicorn takes these over while it runs, and raises what it got once more when it has stopped:
    # the default action would then end the process before its own last words.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    server.run(sockets=[opened])


def welcome(settings: Settings, url: str, token_file: Path | None) -> str:
    """What a person needs to connect to the memory.

    Args:
        settings: what is served.
        url: the MCP endpoint.
        token_file: None where the token came from the environment.
    """
    unnamed = settings.host in ANY_ADDRESS and not settings.hosts
    return connecting("echo", settings.config.vault, url, token_file, unnamed=unnamed)


def connecting(name: str, what: object, url: str, token_file: Path | None, *, unnamed: bool) -> str:
    """The address, where the token is, and the line for Claude Code.

    Args:
        name: what Claude Code will call the server.
        what: what is served.
        url: the MCP endpoint.
        token_file: None where the token came from the environment.
        unnamed: whether other machines reach the port by names that nobody said.
    """
    return (
        f"echo-mcp {__version__} serves {what}\n"
        f"  url    {url}\n"
        f"  token  {token_file or 'as ECHO_MCP_TOKEN says'}\n"
        f"  Claude Code:\n"
        f"    {claude_code_line(url, token_file, name=name)}{_UNNAMED if unnamed else ''}"
    )
