"""The sign-in from outside: what is found, what strangers can do to it, and what they learn."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.testclient import TestClient

from echo_mcp.app import create_app
from echo_mcp.oauth.clients import MAX_REDIRECTS
from echo_mcp.settings import Settings
from echo_memory.memory import Memory
from folders import snapshot
from server import process
from server.process import PATIENCE_S
from server.signing_in import CALLBACK, PING, Visitor, parameters

BASE = "https://notes.example.org"
WELL_KNOWN = "/.well-known/oauth-protected-resource"
PATHS = ["/authorize", "/token", "/register", "/revoke", f"{WELL_KNOWN}/mcp", WELL_KNOWN]


@pytest.fixture
def off(settings: Settings, memory: Memory) -> Iterator[TestClient]:
    """A stranger before a server that has no sign-in."""
    with TestClient(create_app(settings, memory), base_url="http://127.0.0.1:8765") as opened:
        yield opened


def test_without_the_sign_in_there_is_nothing_of_it(
    off: TestClient, settings: Settings, tmp_path: Path
) -> None:
    token = {"Authorization": f"Bearer {settings.token}"}

    for path in PATHS:
        for method in ("GET", "POST", "OPTIONS"):
            stranger = off.request(method, path, follow_redirects=False)
            assert stranger.status_code == (404 if path.startswith("/.well") else 401)
            assert stranger.content in (b"", b"Not Found")
            assert off.request(method, path, headers=token).status_code == 404
    assert off.post("/mcp", json=PING).headers["www-authenticate"] == "Bearer"
    assert not (tmp_path / "state/oauth").exists()


@pytest.mark.parametrize(
    ("suffix", "resource"), [("", "/mcp"), ("/mcp", "/mcp"), ("/mcp/", "/mcp/")]
)
def test_the_resource_says_what_it_is_as_it_was_typed_and_who_signs_in_for_it(
    visitor: Visitor, suffix: str, resource: str
) -> None:
    found = visitor.http.get(f"{WELL_KNOWN}{suffix}")

    assert found.json() == {
        "resource": f"{BASE}{resource}",
        "authorization_servers": [BASE],
        "scopes_supported": ["memory"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Echo memory",
    }


@pytest.mark.parametrize("suffix", ["", "/mcp", "/mcp/"])
def test_the_authorization_server_says_what_it_can(visitor: Visitor, suffix: str) -> None:
    found = visitor.http.get(f"/.well-known/oauth-authorization-server{suffix}").json()

    assert found["issuer"] == BASE
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["token_endpoint_auth_methods_supported"] == ["none"]
    assert found["client_id_metadata_document_supported"] is True
    assert found["authorization_response_iss_parameter_supported"] is True
    endpoints = {name: urlsplit(url) for name, url in found.items() if name.endswith("_endpoint")}
    assert {url.path for url in endpoints.values()} == {
        "/authorize",
        "/token",
        "/register",
        "/revoke",
    }
    assert {f"{url.scheme}://{url.netloc}" for url in endpoints.values()} == {BASE}


def test_a_401_says_where_to_sign_in_and_nothing_else(visitor: Visitor) -> None:
    without = visitor.http.post("/mcp", json=PING)
    slash = visitor.http.get("/mcp/")
    wrong = visitor.http.get("/x", headers={"Authorization": "Bearer wrong"})
    foreign = visitor.http.get("/x", headers={"Host": "evil.example"})

    where = f'resource_metadata="{BASE}{WELL_KNOWN}/mcp'
    assert without.headers["www-authenticate"] == f'Bearer {where}", scope="memory"'
    assert slash.headers["www-authenticate"] == f'Bearer {where}/", scope="memory"'
    assert wrong.headers["www-authenticate"].startswith(f'Bearer error="invalid_token", {where}"')
    assert foreign.headers["www-authenticate"] == "Bearer"
    for answer in (without, slash, wrong, foreign):
        assert (answer.status_code, answer.content) == (401, b"")


def test_only_the_paths_of_the_sign_in_and_health_are_open(visitor: Visitor) -> None:
    access = visitor.signed_in(visitor.register())["access_token"]
    wrong = [
        "",
        "Bearer",
        f"Basic {access}",
        f"Bearer {access}x",
        "Bearer é\xff",
        access,
    ]

    for path in ("/mcp", "/mcp/", "/", "/authorize/", "/tokens", "/token/x", "/admin", "/health/"):
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            assert visitor.http.request(method, path).status_code == 401, (method, path)
        for value in wrong:
            headers = {"Authorization": value.encode("latin-1")}
            assert visitor.http.get(path, headers=headers).status_code == 401, (path, value)
    assert visitor.http.get("/health").status_code == 200
    for path in ("/token", "/register", "/revoke"):
        assert visitor.http.get(path).status_code == 405
    for path in ("/authorize", "/token"):
        assert visitor.http.request("OPTIONS", path).status_code == 405


def test_of_two_authorization_headers_none_counts(visitor: Visitor) -> None:
    access = visitor.signed_in(visitor.register())["access_token"]
    good = ("Authorization", f"Bearer {access}")

    for other in (good, ("Authorization", "Bearer x"), ("authorization", "Basic eDp5")):
        for pairs in ([good, other], [other, good]):
            assert visitor.http.post("/mcp", json=PING, headers=pairs).status_code == 401


def test_a_token_in_a_url_opens_nothing(visitor: Visitor) -> None:
    access = visitor.signed_in(visitor.register())["access_token"]

    for token in (access, visitor.token):
        for name in ("access_token", "token", "api_key", "authorization"):
            answer = visitor.http.post("/mcp", json=PING, params={name: token})
            assert answer.status_code == 401
    page = visitor.ask(visitor.register())
    sealed = page.text.split('name="request" value="')[1].split('"')[0]
    form = {"request": sealed, "answer": "allow"}
    query = {"token": visitor.token}
    assert visitor.http.post("/authorize", data=form, params=query).status_code == 403


def test_ten_thousand_registrations_leave_nothing_behind(visitor: Visitor, tmp_path: Path) -> None:
    before = snapshot(tmp_path / "state/oauth")
    url = visitor.http.base_url
    registered = 0
    with socket.create_connection((url.host, url.port), timeout=PATIENCE_S) as connection:
        for hundred in range(100):
            bodies = [
                json.dumps({"redirect_uris": [f"https://client.example/{hundred}-{number}"]})
                for number in range(100)
            ]
            connection.sendall("".join(map(_registration, bodies)).encode())
            registered += _statuses(connection, 100).count(b"201")

    assert registered == 10_000
    assert snapshot(tmp_path / "state/oauth") == before
    assert visitor.signed_in(visitor.register())


def _registration(body: str) -> str:
    head = "POST /register HTTP/1.1\r\nHost: notes.example.org\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n{body}"


def _statuses(connection: socket.socket, count: int) -> list[bytes]:
    """The statuses of answers that come one after another, each with a body that is an object."""
    seen = b""
    while seen.count(b"HTTP/1.1 ") < count or not seen.endswith(b"}"):
        more = connection.recv(1_000_000)
        assert more, "closed"
        seen += more
    return [part[:3] for part in seen.split(b"HTTP/1.1 ")[1:]]


def test_a_registration_is_answered_with_what_holds(visitor: Visitor) -> None:
    asked = {
        "redirect_uris": [CALLBACK, "http://localhost:7/callback"],
        "client_name": "Notebook",
        "token_endpoint_auth_method": "client_secret_post",
        "grant_types": ["authorization_code", "refresh_token"],
        "scope": "admin",
        "logo_uri": "https://client.example/x.png",
    }
    answer = visitor.http.post("/register", json=asked)
    said = answer.json()

    assert answer.status_code == 201
    assert said.pop("client_id")
    assert said.pop("client_id_issued_at") > 0
    assert said == {
        "client_name": "Notebook",
        "redirect_uris": asked["redirect_uris"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


def test_what_cannot_be_registered_is_refused_by_its_reason(visitor: Visitor) -> None:
    bad_uris: list[object] = [
        None,
        [],
        "https://client.example/callback",
        [1],
        ["http://client.example/callback"],
        ["javascript:alert(1)"],
        ["data:text/html,x"],
        ["https://client.example/callback#x"],
        ["https://user:pass@client.example/callback"],
        ["https://*/callback"],
        ["https://client.example/ callback"],
        ["https://client.example/\r\nX: 1"],
        ["https://client.example"],
        ["https://клиент.example/callback"],
        ["https://client.example/" + "x" * 600],
        [CALLBACK] * (MAX_REDIRECTS + 1),
        [f"https://client.example/{'x' * 480}"] * 3,
        [CALLBACK, "http://evil.example/"],
    ]
    bodies = [b"", b"{", b"[]", b"null", b"\xff", b"[" * 60_000, b'"x"', b"{}" + b" " * 70_000]

    for uris in bad_uris:
        answer = visitor.http.post("/register", json={"redirect_uris": uris})
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri"), uris
    for body in bodies:
        answer = visitor.http.post("/register", content=body)
        assert answer.status_code == 400, body[:9]
    for grants in (["client_credentials"], "authorization_code", 7):
        asked = {"redirect_uris": [CALLBACK], "grant_types": grants}
        answer = visitor.http.post("/register", json=asked)
        assert answer.json()["error"] == "invalid_client_metadata"


def test_a_form_that_is_none_is_refused(visitor: Visitor) -> None:
    kind = "application/x-www-form-urlencoded"
    bodies = [
        (kind, b"grant_type=refresh_token&grant_type=refresh_token"),
        (kind, b"&".join(b"f%d=1" % number for number in range(100))),
        (kind, b"x=" + b"y" * 70_000),
        (kind, b"\xff"),
        ("application/json", b"{}"),
        ("multipart/form-data; boundary=x", b"--x--"),
        ("", b"grant_type=refresh_token"),
    ]

    for content_type, body in bodies:
        for path in ("/token", "/revoke", "/authorize"):
            headers = {"Content-Type": content_type}
            answer = visitor.http.post(path, content=body, headers=headers)
            assert answer.status_code == 400, (path, body[:20])
            if path != "/authorize":
                assert answer.json()["error"] == "invalid_request", (path, body[:20])


def test_huge_headers_and_urls_are_refused_and_the_next_request_works(visitor: Visitor) -> None:
    huge = "x" * 2_000_000
    url = visitor.http.base_url

    for head in (
        f"GET /mcp HTTP/1.1\r\nAuthorization: Bearer {huge}",
        f"GET /authorize HTTP/1.1\r\nX-Huge: {huge}",
        f"GET /authorize?client_id={huge} HTTP/1.1\r\nX: 1",
    ):
        with socket.create_connection((url.host, url.port), timeout=PATIENCE_S) as connection:
            answer = b""
            with suppress(ConnectionError):  # it is closed while we still send
                connection.sendall(f"{head}\r\nHost: notes.example.org\r\n\r\n".encode())
                answer = connection.recv(65_536)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 400 "), head[:30]
    many = [(f"X-{number}", "y") for number in range(500)]
    assert visitor.http.get("/mcp", headers=many).status_code == 401
    assert visitor.call(visitor.token) == 200


def test_a_body_that_does_not_come_keeps_nobody_else_waiting(visitor: Visitor) -> None:
    url = visitor.http.base_url
    head = (
        b"POST /token HTTP/1.1\r\nHost: notes.example.org\r\nContent-Length: 100\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\ngrant"
    )
    held = [socket.create_connection((url.host, url.port)) for _ in range(50)]
    try:
        for one in held:
            one.sendall(head)
        tokens = visitor.signed_in(visitor.register())
        assert visitor.call(tokens["access_token"]) == 200
    finally:
        for one in held:
            one.close()


@pytest.mark.parametrize("style", ["text", "json"])
def test_nothing_secret_is_logged_or_told(tmp_path: Path, vault_folder: Path, style: str) -> None:
    said = {
        "ECHO_MCP_OAUTH": "1",
        "ECHO_MCP_TOKEN": "the-servers-own-token-which-is-long-enough",
        "ECHO_LOG": style,
        "ECHO_LOG_LEVEL": "debug",
    }
    wrong = "a-wrong-token-that-may-be-nearly-right"
    with process.serving(tmp_path, "--vault", str(vault_folder), **said) as server:
        base = server.url.removesuffix("/mcp")
        with httpx.Client(base_url=base, timeout=PATIENCE_S) as http:
            visitor = Visitor(http, base, said["ECHO_MCP_TOKEN"])
            client = visitor.register(name="A telling name")
            page = visitor.ask(client)
            again = visitor.press(page, token=wrong)
            code = parameters(visitor.press(page))["code"]
            tokens = visitor.exchange(client, code).json()
            calls = [
                visitor.call(tokens["access_token"]),
                visitor.call(tokens["access_token"][:-1]),
            ]
            answers = [
                again,
                visitor.ask(client, token=visitor.token),
                visitor.refresh(client, f"{tokens['refresh_token']}x"),
                visitor.exchange(client, code, code_verifier="x"),
                http.post("/revoke", data={"token": tokens["refresh_token"]}),
                http.get("/mcp", params={"access_token": visitor.token}),
                http.post("/register", content=visitor.token),
                http.post("/token", content=f"{wrong}\xff", headers={"Content-Type": "text/plain"}),
            ]

    assert calls == [200, 401]
    log = "".join(server.lines)
    told = "\n".join(json.dumps([dict(one.headers), one.text]) for one in answers)
    secrets = [visitor.token, wrong, code, visitor.verifier]
    for secret in [*secrets, tokens["access_token"], tokens["refresh_token"]]:
        assert secret not in log
        assert secret not in told
    assert "A telling name" not in log
    assert visitor.challenge not in log
    outcomes = ["wrong token", "allowed"]
    assert [word for line in server.lines for word in outcomes if word in line] == outcomes
