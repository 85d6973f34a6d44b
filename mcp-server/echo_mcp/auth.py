"""Authentication: the bearer token in front of everything that is not open, as plain ASGI."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

Admits = Callable[[Scope, str], bool]


class Challenge(Protocol):
    """Says how to get in: the value of `WWW-Authenticate`."""

    def __call__(self, scope: Scope, *, given: bool) -> bytes:
        """Answer for a request, with or without a token that is not good."""


def bare(scope: Scope, *, given: bool) -> bytes:
    """Say nothing but that a token is needed, whatever was asked for and given."""
    del scope, given
    return b"Bearer"


def nobody(_: Scope, __: str) -> bool:
    """Admit no token beside the server's own."""
    return False


class BearerAuth:
    """Answers 401 with an empty body unless the request carries the token or its path is open.

    An open path that ends in `/` opens everything below it.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        open_paths: Iterable[str] = (),
        *,
        admits: Admits = nobody,
        challenge: Challenge = bare,
    ) -> None:
        """Stand in front of an application.

        Args:
            app: the application.
            token: the server's own token.
            open_paths: paths for anyone.
            admits: whether a request may pass with another token.
            challenge: what those are told who may not pass.
        """
        self.app = app
        self._expected = token.encode()
        self._admits = admits
        self._challenge = challenge
        paths = tuple(open_paths)
        self._exact = frozenset(path for path in paths if not path.endswith("/"))
        self._below = tuple(path for path in paths if path.endswith("/"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it before anything of it is read."""
        if scope["type"] != "http" or self._is_open(scope["path"]) or self._knows(scope):
            await self.app(scope, receive, send)
            return
        challenge = self._challenge(scope, given=_token(scope) is not None)
        headers = [(b"www-authenticate", challenge), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _is_open(self, path: str) -> bool:
        return path in self._exact or path.startswith(self._below)

    def _knows(self, scope: Scope) -> bool:
        given = _token(scope)
        if given is None:
            return False
        if hmac.compare_digest(given, self._expected):
            return True
        return given.isascii() and self._admits(scope, given.decode("ascii"))


def _token(scope: Scope) -> bytes | None:
    """The token of a request; None where there is none, or more than one header."""
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(values) != 1:
        return None
    scheme, _, given = values[0].partition(b" ")
    return given.strip() if scheme.lower() == b"bearer" else None
