"""Authentication: the bearer token in front of everything that is not open, as plain ASGI."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

_CHALLENGE = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]


class BearerAuth:
    """Answers 401 with an empty body unless the request carries the token or its path is open.

    An open path that ends in `/` opens everything below it.
    """

    def __init__(self, app: ASGIApp, token: str, open_paths: Iterable[str] = ()) -> None:
        self.app = app
        self._expected = token.encode()
        paths = tuple(open_paths)
        self._exact = frozenset(path for path in paths if not path.endswith("/"))
        self._below = tuple(path for path in paths if path.endswith("/"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it before anything of it is read."""
        if scope["type"] != "http" or self._is_open(scope["path"]) or self._knows(scope):
            await self.app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": _CHALLENGE})
        await send({"type": "http.response.body", "body": b""})

    def _is_open(self, path: str) -> bool:
        return path in self._exact or path.startswith(self._below)

    def _knows(self, scope: Scope) -> bool:
        values = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(values) != 1:
            return False
        scheme, _, given = values[0].partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._expected)
