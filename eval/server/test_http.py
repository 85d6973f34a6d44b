"""The HTTP surface: which requests get in, and what the others are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from echo_mcp.app import MAX_BODY, create_app
from echo_mcp.settings import Settings
from echo_mcp.tools.registry import registered
from echo_memory.memory import Memory

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
MODERN = "2026-07-28"


@pytest.fixture
def stranger(settings: Settings, memory: Memory) -> Iterator[TestClient]:
    """A client without a token."""
    with TestClient(create_app(settings, memory), base_url="http://127.0.0.1:8765") as opened:
        yield opened


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/", "/docs", "/token", "/health/x"])
def test_without_the_token_everything_but_health_is_a_bare_401(
    stranger: TestClient, method: str, path: str
) -> None:
    response = stranger.request(method, path, follow_redirects=False)

    assert (response.status_code, response.content) == (401, b"")


def test_health_is_open_and_kept_by_nobody_on_the_way(stranger: TestClient) -> None:
    response = stranger.get("/health")

    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
    ],
)
def test_there_is_no_sign_in_to_be_found(stranger: TestClient, path: str) -> None:
    assert stranger.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_both_spellings_of_the_endpoint_answer_without_a_redirect(
    client: TestClient, path: str
) -> None:
    response = client.post(path, json=PING, follow_redirects=False)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("path", ["/", "/mcp/x", "/sse", "/health/", "/MCP"])
def test_with_the_token_what_is_not_there_is_a_404(client: TestClient, path: str) -> None:
    assert client.post(path, json=PING, follow_redirects=False).status_code == 404


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_the_endpoint_takes_posts_only(client: TestClient, method: str, path: str) -> None:
    response = client.request(method, path)

    assert response.status_code == 405
    assert response.headers["allow"] == "POST"


def test_a_body_at_the_limit_is_read_and_one_above_it_is_a_413(client: TestClient) -> None:
    headers = {"Content-Type": "application/json"}
    body = json.dumps(PING).encode()

    assert client.post("/mcp", content=body.ljust(MAX_BODY), headers=headers).status_code == 200
    assert client.post("/mcp", content=body.ljust(MAX_BODY + 1), headers=headers).status_code == 413


def test_a_body_that_hides_its_length_is_a_413_too(client: TestClient) -> None:
    chunks = iter([b" " * 65_536] * 40)
    headers = {"Content-Type": "application/json"}

    assert client.post("/mcp", content=chunks, headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8765", 200),
        ("localhost:1234", 200),
        ("[::1]:8765", 200),
        ("notes.example.org", 200),
        ("notes.example.org:443", 200),
        ("evil.example", 421),
        ("notes.example.org.evil.example", 421),
        ("127.0.0.1.evil.example:8765", 421),
    ],
)
def test_only_our_own_names_are_answered(
    settings: Settings, memory: Memory, host: str, status: int
) -> None:
    app = create_app(_public(settings), memory)
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=_token(settings)) as client:
        response = client.post("/mcp", json=PING, headers={"Host": host})

    assert response.status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:8765", 200),
        ("https://notes.example.org", 200),
        ("https://claude.ai", 200),
        ("https://claude.com", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("https://claude.ai.evil.example", 403),
    ],
)
def test_a_browser_page_from_elsewhere_is_refused(
    settings: Settings, memory: Memory, origin: str | None, status: int
) -> None:
    app = create_app(_public(settings), memory)
    headers = {"Origin": origin} if origin else {}
    with TestClient(app, base_url="http://127.0.0.1:8765", headers=_token(settings)) as client:
        response = client.post("/mcp", json=PING, headers=headers)

    assert response.status_code == status


def test_every_protocol_of_the_sdk_is_spoken_on_the_same_endpoint(client: TestClient) -> None:
    older = client.post("/mcp", json=LIST, headers={"MCP-Protocol-Version": "2025-06-18"}).json()
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    newer = client.post(
        "/mcp",
        json={**LIST, "params": {"_meta": meta}},
        headers={"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"},
    ).json()

    names = [[tool["name"] for tool in answer["result"]["tools"]] for answer in (older, newer)]
    assert names[0] == names[1] == list(registered("full"))


def test_the_server_says_who_it_is_and_what_it_is_for(client: TestClient) -> None:
    params: dict[str, Any] = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    result = client.post("/mcp", json=request).json()["result"]

    assert result["serverInfo"]["name"] == "echo-mcp"
    assert "echo_load" in result["instructions"]
    assert len(result["instructions"]) < 1_000


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 5000, b'{"id":1}'])
@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_what_is_no_json_rpc_is_a_400_and_the_next_request_works(
    client: TestClient, body: bytes, version: str
) -> None:
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    response = client.post("/mcp", content=body, headers=headers)

    assert response.status_code == 400
    assert client.post("/mcp", json=PING).status_code == 200


def _public(settings: Settings) -> Settings:
    env = {
        "ECHO_BASE": settings.config.vault.as_uri(),
        "ECHO_STATE_DIR": str(settings.config.state_dir),
        "ECHO_MCP_TOKEN": settings.token,
        "ECHO_MCP_HOSTS": "notes.example.org",
        "ECHO_MCP_HOST": "0.0.0.0",
    }
    return Settings.from_env(env)


def _token(settings: Settings) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {settings.token}",
        "Accept": "application/json",
        "MCP-Protocol-Version": "2025-11-25",
    }
