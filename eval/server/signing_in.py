"""A server that listens with the sign-in on, and one who signs in: client and person in one."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import uvicorn
from starlette.types import ASGIApp

from echo_mcp import serve
from echo_mcp.connections import BoundedH11
from server.process import until

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
CALLBACK = "https://client.example/callback"
CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"
CLAUDE_CALLBACK = "https://claude.ai/api/mcp/auth_callback"
CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata"


@contextmanager
def listening(app: ASGIApp, http: type[BoundedH11] = BoundedH11) -> Iterator[str]:
    """An application on a port of its own, in a thread; gives its base URL."""
    with serve.listen("127.0.0.1", 0) as opened:
        server = uvicorn.Server(serve.config(app, http))
        running = Thread(target=server.run, kwargs={"sockets": [opened]})
        running.start()
        try:
            until(lambda: server.started)
            yield "http://{}:{}".format(*opened.getsockname()[:2])
        finally:
            server.should_exit = True
            running.join()


@dataclass
class Visitor:
    """Speaks to one server, over real HTTP, as a client and as its operator's browser.

    Attributes:
        http: reaches the server.
        base: the base URL that it is known by.
        token: the server's own.
        verifier: the code verifier of every request.
    """

    http: httpx.Client
    base: str
    token: str
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def challenge(self) -> str:
        """The S256 challenge of the verifier."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    @property
    def resource(self) -> str:
        """What tokens are for."""
        return f"{self.base}/mcp"

    def register(self, *uris: str, name: str = "Notebook") -> str:
        """Register a client; its id."""
        document = {"redirect_uris": list(uris or (CALLBACK,)), "client_name": name}
        response = self.http.post("/register", json=document)
        assert response.status_code == 201, response.text
        client_id: str = response.json()["client_id"]
        return client_id

    def ask(self, client_id: str, /, **changed: str | None) -> httpx.Response:
        """The answer to an authorization request; a parameter that is None is left out."""
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": "a state & more",
            "resource": self.resource,
            **changed,
        }
        said = {name: value for name, value in asked.items() if value is not None}
        return self.http.get("/authorize", params=said)

    def press(self, page: httpx.Response, /, **changed: str) -> httpx.Response:
        """The answer to the form of a page, with the right token and `Allow` unless changed."""
        found = re.search(r'name="request" value="([^"]+)"', page.text)
        assert found, page.text
        form = {"request": unescape(found[1]), "token": self.token, "answer": "allow", **changed}
        return self.http.post("/authorize", data=form)

    def code(self, client_id: str, redirect_uri: str = CALLBACK) -> str:
        """A code, allowed by the operator."""
        answer = self.press(self.ask(client_id, redirect_uri=redirect_uri))
        assert answer.status_code == 303, answer.text
        return parameters(answer)["code"]

    def exchange(self, client_id: str, code: str, /, **changed: str | None) -> httpx.Response:
        """The answer to a code."""
        form = {
            "grant_type": "authorization_code",
            "client_id": client_id,
            "code": code,
            "redirect_uri": CALLBACK,
            "code_verifier": self.verifier,
            "resource": self.resource,
            **changed,
        }
        said = {name: value for name, value in form.items() if value is not None}
        return self.http.post("/token", data=said)

    def refresh(self, client_id: str, token: str, /, **changed: str) -> httpx.Response:
        """The answer to a refresh token."""
        form = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": token}
        return self.http.post("/token", data={**form, **changed})

    def signed_in(self, client_id: str) -> dict[str, Any]:
        """The tokens of a whole sign-in."""
        response = self.exchange(client_id, self.code(client_id))
        assert response.status_code == 200, response.text
        tokens: dict[str, Any] = response.json()
        return tokens

    def call(self, token: str | None, /, **changed: str) -> int:
        """The status of a call with a token."""
        headers = {"Accept": "application/json", "MCP-Protocol-Version": "2025-11-25", **changed}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return self.http.post("/mcp", json=PING, headers=headers).status_code


def parameters(answer: httpx.Response) -> dict[str, str]:
    """The parameters of the URL to which an answer sends."""
    found = parse_qs(urlsplit(answer.headers["location"]).query, strict_parsing=True)
    return {name: value for name, [value] in found.items()}
