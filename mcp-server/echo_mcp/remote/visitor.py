"""A visitor: one request at a time to one deployment, bounded, and never anywhere else."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from echo_mcp import loopback
from echo_mcp.remote.address import parts_of
from echo_mcp.settings import MCP_PATH
from echo_memory.lines import short

PATIENCE_S = 10.0
"""How long to wait for an answer, in seconds."""

_CONNECT_S, _ALL_S = 5.0, 90.0
_MOST_BYTES = 1_000_000
_SHOWN = 120
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_PLAIN = {"Accept-Encoding": "identity"}  # what is small packed may be endless unpacked
_JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class Unanswered(Exception):
    """No answer came; the message says why."""


class Unreachable(Exception):
    """Nobody listens there; the message says why."""


@dataclass(frozen=True)
class Answer:
    """What came back: status, headers, JSON or None, and how long that took, in seconds."""

    status: int
    headers: Mapping[str, str]
    content: Any
    took: float


@dataclass
class Visitor:
    """Sends requests to one deployment; follows no redirect, so that the token stays there.

    Attributes:
        url: the MCP endpoint.
        token: the bearer token; empty where there is none.
        patience: how long to wait for an answer, in seconds.
    """

    url: str
    token: str = field(default="", repr=False)
    patience: float = PATIENCE_S

    def __post_init__(self) -> None:
        self.at = parts_of(self.url, field="--remote")
        # A proxy from the environment has no business between us and this machine.
        trust_env = self.at.hostname not in loopback.NAMES
        self._client = httpx.Client(
            follow_redirects=False,
            trust_env=trust_env,
            verify=httpx.create_ssl_context(),
            timeout=httpx.Timeout(self.patience, connect=_CONNECT_S),
        )
        self._until = time.monotonic() + _ALL_S

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def origin(self) -> str:
        """Scheme and host, as URLs on the same deployment begin."""
        return f"{self.at.scheme}://{self.at.netloc}"

    def beside(self, path: str) -> str:
        """The URL of a path beside the endpoint, below the same prefix where there is one."""
        prefix = self.at.path.removesuffix("/").removesuffix(MCP_PATH)
        return f"{self.origin}{prefix}{path}"

    def get(self, url: str) -> Answer:
        """Read a URL of the deployment, without the token.

        Raises:
            Unanswered: nothing came, or not in time.
            Unreachable: nobody listens.
        """
        return self._send("GET", url, {}, None)

    def post(
        self,
        body: bytes,
        *,
        url: str = "",
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a body to the MCP endpoint.

        Args:
            body: the bytes.
            url: another spelling of the endpoint.
            token: another token; empty sends none.
            headers: more of them.

        Raises:
            Unanswered: nothing came, or not in time.
            Unreachable: nobody listens.
        """
        bearer = self.token if token is None else token
        sent = {**_JSON, **({"Authorization": f"Bearer {bearer}"} if bearer else {})}
        return self._send("POST", url or self.url, {**sent, **(headers or {})}, body)

    def shown(self, text: object) -> str:
        """What the deployment said, fit to be shown: short, on one line, without the token."""
        words = "".join(letter for letter in str(text) if letter.isprintable())
        return short(words.replace(self.token, "<token>") if self.token else words, _SHOWN)

    def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answer:
        began = time.monotonic()
        until = min(began + 2 * self.patience, self._until)
        if began > until:
            raise Unanswered("there was no time left to ask")
        try:
            with self._client.stream(
                method, url, headers={**_PLAIN, **headers}, content=body
            ) as response:
                content = b"".join(_bounded(response, until))
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            why = _NUMBER.sub("", self.shown(error))
            raise Unreachable(f"no connection: {why or 'none in time'}") from error
        except httpx.TimeoutException as error:
            raise Unanswered(f"no answer within {self.patience:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unanswered(self.shown(error) or type(error).__name__) from error
        return Answer(
            response.status_code,
            response.headers,
            _read(content),
            time.monotonic() - began,
        )


def _bounded(response: httpx.Response, until: float) -> Iterator[bytes]:
    """The body, as long as it is neither endless nor forever on its way."""
    size = 0
    for piece in response.iter_raw():
        size += len(piece)
        if size > _MOST_BYTES or time.monotonic() > until:
            raise Unanswered("the answer does not end")
        yield piece


def _read(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
