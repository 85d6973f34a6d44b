"""The bearer token: who passes, and what everybody else learns."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from echo_mcp.auth import BearerAuth

TOKEN = "0123456789abcdef0123456789abcdef"


def _client() -> TestClient:
    guarded = BearerAuth(PlainTextResponse("inside"), TOKEN, ["/health", "/.well-known/"])
    return TestClient(guarded)


@pytest.mark.parametrize("written", [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"BEARER  {TOKEN} "])
def test_the_token_passes_however_the_scheme_is_written(written: str) -> None:
    response = _client().get("/mcp", headers={"Authorization": written})

    assert response.text == "inside"


@pytest.mark.parametrize(
    "header",
    [
        None,
        b"",
        b"Bearer",
        b"Bearer ",
        TOKEN.encode(),
        f"Bearer {TOKEN[:-1]}".encode(),
        f"Bearer {TOKEN}x".encode(),
        f"Basic {TOKEN}".encode(),
        f"Bearer {TOKEN} {TOKEN}".encode(),
        "Bearer Schlüssel-ohne-ASCII-und-lang-genug".encode(),
        b"Bearer \xff\xfe" + b"\x80" * 40,
    ],
)
def test_anything_else_gets_a_401_that_says_nothing(header: bytes | None) -> None:
    headers: Any = {} if header is None else {"Authorization": header}
    response = _client().get("/mcp", headers=headers)

    assert (response.status_code, response.content) == (401, b"")
    assert response.headers["www-authenticate"] == "Bearer"


def test_two_authorization_headers_are_refused_even_when_one_is_right() -> None:
    pairs: Any = [("Authorization", f"Bearer {TOKEN}"), ("Authorization", "Bearer other")]
    response = _client().get("/mcp", headers=pairs)

    assert response.status_code == 401


@pytest.mark.parametrize(
    ("path", "open_to_all"),
    [
        ("/health", True),
        ("/.well-known/oauth-protected-resource", True),
        ("/health/", False),
        ("/healthy", False),
        ("/.well-known", False),
        ("/mcp", False),
        ("/", False),
    ],
)
def test_only_the_open_paths_are_open(path: str, open_to_all: bool) -> None:
    response = _client().get(path)

    assert response.status_code == (200 if open_to_all else 401)
