"""A client for people: one call of a running server, without a session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx

from echo_mcp import loopback
from echo_mcp.remote import wire
from echo_memory.envelope import Envelope, exit_status
from echo_memory.errors import Misconfigured, VaultUnreachable

_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Answer:
    """What a tool answered: as data, and in words."""

    envelope: Envelope
    text: str

    @property
    def exit_status(self) -> int:
        """The status with which the command line of the memory would end."""
        return exit_status(self.envelope)


@dataclass(frozen=True)
class Client:
    """Speaks to one server.

    Attributes:
        url: its MCP endpoint.
        token: the bearer token.
    """

    url: str
    token: str = field(repr=False)

    def tools(self) -> list[dict[str, Any]]:
        """The tools that there are.

        Raises:
            VaultUnreachable: no server answers.
            Misconfigured: it refuses the token, or is not a server of this kind.
        """
        tools = self._ask(wire.request("tools/list")).get("tools")
        if not isinstance(tools, list):
            raise _stranger(httpx.codes.OK)
        return tools

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        """Call a tool.

        Raises:
            VaultUnreachable: no server answers.
            Misconfigured: it refuses the token, or is not a server of this kind.
        """
        result = self._ask(wire.request("tools/call", name=tool, arguments=arguments))
        text = "\n".join(block.get("text", "") for block in result.get("content", ()))
        return Answer(result.get("structuredContent") or {"ok": not result.get("isError")}, text)

    def _ask(self, request: bytes) -> dict[str, Any]:
        try:
            # A proxy from the environment has no business between us and this machine.
            response = httpx.post(
                self.url,
                content=request,
                headers={
                    "Authorization": f"Bearer {self.token}",
                    "Content-Type": "application/json",
                    "Accept": "application/json, text/event-stream",
                    "MCP-Protocol-Version": wire.HANDSHAKE,
                },
                timeout=_TIMEOUT_S,
                trust_env=urlsplit(self.url).hostname not in loopback.NAMES,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise VaultUnreachable(
                f"No server answers at {self.url}. Start one with `echo-mcp serve --vault DIR`, or"
                " name it with --url."
            ) from error
        return _result(response)


def _result(response: httpx.Response) -> dict[str, Any]:
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise Misconfigured("The server refuses the token. Name its file with --token-file.")
    try:
        result = wire.result_of(response.json())
    except (ValueError, RecursionError):
        result = {}
    if not result:
        raise _stranger(response.status_code)
    return result


def _stranger(status: int) -> Misconfigured:
    return Misconfigured(
        f"What answers there is no memory server (HTTP {status}). Give the whole address, which"
        " ends in /mcp."
    )
