r"""Escapes: half a surrogate pair written as JSON, such as `\ud83d` alone.

A model that cuts an emoji in two sends one. The SDK's parser refuses the whole message for it, over
stdio even without an answer, so a NUL takes its place on the way in: that no argument may hold
either, and the operation that gets it names the field.
"""

from __future__ import annotations

import re

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def repaired(json: str) -> str:
    """JSON text in which the escape of a NUL stands for that of half a pair."""
    if not _SUSPECT.search(json):
        return json
    return _ESCAPE.sub(lambda found: r"\u0000" if found["half"] else found[0], json)


class RepairedBody:
    """Repairs the body of a request that arrives whole, as it does behind the limit of its size."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body repaired."""

        async def repairing() -> Message:
            message = await receive()
            if body := message.get("body"):
                # One byte, one character, whatever the bytes are: an escape is ASCII.
                message = {**message, "body": repaired(body.decode("latin-1")).encode("latin-1")}
            return message

        await self.app(scope, repairing, send)


class RepairedLines(anyio.AsyncFile[str]):
    """Repairs every line that is read, where a message is a line."""

    async def readline(self) -> str:
        """The next line."""
        return repaired(await super().readline())
