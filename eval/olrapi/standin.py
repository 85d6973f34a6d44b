"""The stand-in: Obsidian's Local REST API over a folder, on a real loopback socket.

For tests, as a context manager with a URL, a record of the requests it saw, and faults to set while
it runs. For demonstrations, from the folder `eval`: `python -m olrapi.standin FOLDER --key KEY`.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from olrapi.faults import Fault
from olrapi.messages import Response
from olrapi.plugin import Plugin
from olrapi.wire import Connection, Server


@dataclass(frozen=True)
class Seen:
    """A request that arrived; the path is decoded and without its query."""

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)


@dataclass
class _Planned:
    """A fault that waits for its request."""

    fault: Fault
    method: str | None
    path: str | None
    skip: int
    left: int | None

    def is_due(self, seen: Seen) -> bool:
        """Whether it may happen to this request, which is then counted."""
        if self.method not in (None, seen.method) or self.path not in (None, seen.path):
            return False
        self.skip -= 1
        return self.skip < 0 and self.left != 0

    def take(self) -> Fault:
        """Let it happen once."""
        if self.left is not None:
            self.left -= 1
        return self.fault


class StandIn:
    """The plugin on a socket, while the context lasts."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        key: str,
        version: str = "5.1.0",
        tls: tuple[Path, Path] | None = None,
        *,
        auth_header: str = "Authorization",
        conditional: bool = False,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """Take a port; within the context, requests are answered.

        Args:
            folder: the vault.
            key: the API key.
            version: whose behaviour to take on, from 2.0.4 to 5.1.0.
            tls: files with the certificate and its key; None speaks plain HTTP.
            auth_header: the header that carries the key.
            conditional: see Plugin.
            host: where to listen.
            port: 0 takes a free one.
        """
        self.folder = Path(folder).resolve()
        self._plugin = Plugin(
            self.folder,
            key,
            version=version,
            auth_header=auth_header,
            conditional=conditional,
        )
        self._tls = _context(*tls) if tls else None
        self._seen: list[Seen] = []
        self._planned: list[_Planned] = []
        self._planning = threading.Lock()
        self._turning = threading.Lock()
        self._servers: list[Server] = []
        self._address = (host, port)
        self._bound = self._bind()
        self._address = (host, self._bound.getsockname()[1])

    @property
    def port(self) -> int:
        """The port, the same all the time."""
        return self._address[1]

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"{'https' if self._tls else 'http'}://{self._address[0]}:{self.port}"

    @property
    def requests(self) -> list[Seen]:
        """What arrived so far."""
        with self._planning:
            return list(self._seen)

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Method and path of what arrived so far."""
        return [(seen.method, seen.path) for seen in self.requests]

    @property
    def connections(self) -> int:
        """How many connections were made so far."""
        return sum(server.accepted for server in self._servers)

    def __enter__(self) -> StandIn:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()
        self._bound.close()
        for server in self._servers:
            server.join()
        errors = [error for server in self._servers for error in server.errors]
        if errors:
            raise AssertionError("the stand-in failed") from errors[0]

    def up(self) -> None:
        """Accept connections, if it does not already."""
        with self._turning:
            if self._servers and self._servers[-1].is_running:
                return
            self._servers.append(Server(self._bound, self._tls, self._exchange))

    def down(self) -> None:
        """Refuse connections and end those that there are; the port stays taken."""
        with self._turning:
            if self._servers[-1].is_running:
                self._servers[-1].stop()
                self._bound = self._bind()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Be down for a while."""
        self.down()
        try:
            yield
        finally:
            self.up()

    @contextmanager
    def counting(self) -> Iterator[list[tuple[str, str]]]:
        """The calls that arrive within, in a list that is filled when the context ends."""
        before, within = len(self.calls), list[tuple[str, str]]()
        try:
            yield within
        finally:
            within += self.calls[before:]

    def hang_up(self) -> None:
        """End the connections that there are."""
        self._servers[-1].hang_up()

    def fail(
        self,
        fault: Fault,
        *,
        method: str | None = None,
        path: str | None = None,
        nth: int = 1,
        times: int | None = 1,
    ) -> None:
        """Plan a fault.

        Args:
            fault: what happens instead of an answer.
            method: happens only to requests of this method.
            path: happens only to requests for this path, written as in `Seen`.
            nth: the first of them that it happens to, counted from now.
            times: how many in a row it happens to; None is all.
        """
        with self._planning:
            self._planned.append(_Planned(fault, method, path, nth - 1, times))

    def recover(self) -> None:
        """Forget every fault that was planned."""
        with self._planning:
            self._planned.clear()

    def _exchange(self, connection: Connection) -> None:
        request = connection.request_read
        path = unquote(request.target.partition("?")[0])
        seen = Seen(request.method, path, request.headers)
        with self._planning:
            if not connection.server.is_running:  # it died after it had read this
                connection.cut()
                return
            self._seen.append(seen)
            due = [planned for planned in self._planned if planned.is_due(seen)]
            fault = due[0].take() if due else None
        if fault:
            fault(_Exchange(connection, self._plugin, self.down))
        else:
            connection.send(self._plugin.answer(request))

    def _bind(self) -> socket.socket:
        """A socket that has the port without listening: who connects is refused."""
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(self._address)
        return bound


class _Exchange:
    """What a fault may do with a request: see faults.Exchange."""

    def __init__(self, connection: Connection, plugin: Plugin, down: Callable[[], object]) -> None:
        self.request = connection.request_read
        self.send = connection.send
        self.send_bytes = connection.send_bytes
        self.cut = connection.cut
        self.wait = connection.wait
        self._plugin = plugin
        self._down = down

    def handle(self) -> Response:
        return self._plugin.answer(self.request)

    def die(self) -> None:
        self._down()
        self.cut()


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def main() -> None:
    """Serve a folder until interrupted."""
    parser = argparse.ArgumentParser(prog="olrapi.standin", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--key", required=True, help="the API key that clients must send")
    parser.add_argument("--port", type=int, default=27123, help="0 takes a free one")
    parser.add_argument("--version", default="5.1.0", help="whose behaviour to take on")
    parser.add_argument("--tls", nargs=2, type=Path, metavar=("CERTIFICATE", "KEY"))
    said = parser.parse_args()
    if not said.folder.is_dir():
        parser.error(f"{said.folder} is not a folder")
    with StandIn(said.folder, said.key, said.version, said.tls, port=said.port) as stand_in:
        print(f"{said.folder} at {stand_in.url}, until Ctrl-C", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    main()
