"""Reverse proxies: the README's snippets, run by the real programs in front of a real server."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from echo_mcp.app import MAX_BODY
from echo_mcp.variables import DEFAULT_PORT
from server import process, proxies
from server.proxies import NAME, Front

TOKEN = "a-token-that-is-long-enough-for-anyone"
CARRIED = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-11-25",
}
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of notes: its host and port."""
    home = tmp_path_factory.mktemp("home")
    (home / "vault").mkdir()
    said = {"ECHO_MCP_TOKEN": TOKEN, "ECHO_MCP_HOSTS": NAME}
    with process.serving(home, "--vault", str(home / "vault"), **said) as server:
        yield httpx.URL(server.url).netloc.decode()


@pytest.fixture(scope="module", params=list(proxies.KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    if not proxies.is_installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


@pytest.fixture(scope="module")
def front(kind: str, upstream: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """A proxy of each kind in front of it."""
    with proxies.in_front_of(upstream, kind, tmp_path_factory.mktemp("front") / "it") as opened:
        yield opened


@pytest.fixture
def client(front: Front) -> Iterator[httpx.Client]:
    """A client on the internet that carries the token."""
    with front.client(**CARRIED) as opened:
        yield opened


def test_a_client_on_the_internet_writes_and_reads_under_the_public_name(
    client: httpx.Client, kind: str
) -> None:
    title = f"Ada Lovelace of {kind}"
    made = _call(client, "echo_capture", title=title, kind="person", force=True)
    found = _call(client, "echo_resolve", mention=title)

    assert made["action"] == "created"
    assert made["path"] in json.dumps(found)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_neither_spelling_of_the_endpoint_is_redirected(client: httpx.Client, path: str) -> None:
    response = client.post(path, content=PING)

    assert response.status_code == 200
    assert "location" not in response.headers


def test_without_the_token_the_answer_is_a_bare_401(front: Front) -> None:
    with front.client() as stranger:
        response = stranger.post("/mcp", content=PING)

    assert (response.status_code, response.content) == (401, b"")


def test_nothing_on_the_way_may_keep_what_health_says(front: Front) -> None:
    with front.client() as monitor:
        response = monitor.get("/health?strict=1")

    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("host", ["evil.example", f"{NAME}.evil.example", "127.0.0.2"])
def test_a_foreign_host_is_not_answered(client: httpx.Client, kind: str, host: str) -> None:
    response = client.post("/mcp", content=PING, headers={"Host": host})

    # Caddy knows no site of that name, and does not even ask the server.
    answer = (200, b"") if kind == "caddy" else (421, response.content)
    assert (response.status_code, response.content) == answer
    assert b"jsonrpc" not in response.content or b"error" in response.content


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), (f"https://{NAME}", 200), ("https://claude.ai", 200)],
)
def test_a_page_of_a_foreign_origin_is_refused(
    client: httpx.Client, origin: str, status: int
) -> None:
    response = client.post("/mcp", content=PING, headers={"Origin": origin})

    assert response.status_code == status


def test_the_largest_body_that_the_server_takes_gets_through_and_no_larger_one(
    client: httpx.Client,
) -> None:
    assert client.post("/mcp", content=PING.ljust(MAX_BODY)).status_code == 200
    # A proxy whose upload the server cuts short may have nothing better to say than 502.
    assert client.post("/mcp", content=PING.ljust(MAX_BODY + 1)).status_code in (413, 502)


def test_what_is_streamed_arrives_before_there_is_more(kind: str, tmp_path: Path) -> None:
    arrived = Event()
    with (
        _streaming(arrived) as upstream,
        proxies.in_front_of(upstream, kind, tmp_path / "it") as front,
        front.client() as client,
        client.stream("GET", "/") as response,
    ):
        pieces = response.iter_text()
        first = next(pieces)
        arrived.set()
        rest = "".join(pieces)

    assert (first, rest) == ("data: 1\n\n", "data: 2\n\n")


@pytest.mark.parametrize(
    ("trusted", "told"), [("", "http 127.0.0.1"), ("127.0.0.1", f"https {proxies.CLIENT}")]
)
def test_a_proxy_is_believed_only_if_it_is_trusted_and_never_the_client_behind_it(
    kind: str, tmp_path: Path, trusted: str, told: str
) -> None:
    forged = {"X-Forwarded-For": "198.51.100.7", "X-Forwarded-Proto": "http"}
    with (
        _who_asks(trusted) as upstream,
        proxies.in_front_of(upstream, kind, tmp_path / "it") as front,
        front.client(**forged, **{"CF-Connecting-IP": "198.51.100.7"}) as client,
    ):
        assert client.get("/").text == told


@pytest.mark.parametrize(
    ("trusted", "forwarded", "told"),
    [
        ("", "198.51.100.7", "http 127.0.0.1"),
        ("192.0.2.0/24 ::1", "198.51.100.7", "http 127.0.0.1"),
        ("127.0.0.1", "198.51.100.7", "https 198.51.100.7"),
        ("127.0.0.0/8", "203.0.113.9, 198.51.100.7", "https 198.51.100.7"),
        ("127.0.0.1 198.51.100.0/24", "203.0.113.9, 198.51.100.7", "https 203.0.113.9"),
    ],
)
def test_who_asks_is_the_last_that_no_trusted_proxy_vouches_for(
    trusted: str, forwarded: str, told: str
) -> None:
    headers = {
        "X-Forwarded-For": forwarded,
        "X-Forwarded-Proto": "https",
        "CF-Connecting-IP": "192.0.2.1",
        "X-Real-IP": "192.0.2.1",
    }
    with _who_asks(trusted) as upstream:
        assert httpx.get(f"http://{upstream}/", headers=headers, trust_env=False).text == told


def test_the_snippets_know_the_port_and_the_largest_body() -> None:
    ours = {f"127.0.0.1:{DEFAULT_PORT}"}

    for language in ("nginx", "caddy"):
        assert set(re.findall(r"127\.0\.0\.1:\d+", proxies.snippet(language))) == ours
    assert f"client_max_body_size {MAX_BODY >> 20}m;" in proxies.snippet("nginx")


def _call(client: httpx.Client, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp", json=request).raise_for_status().json()
    envelope: dict[str, Any] = answer["result"]["structuredContent"]
    return envelope


@contextmanager
def _streaming(arrived: Event) -> Iterator[str]:
    """A server that sends its second event only when the first has arrived; its host and port."""

    def serve(listening: socket.socket) -> None:
        with listening.accept()[0] as connection:
            while b"\r\n\r\n" not in connection.recv(65_536, socket.MSG_PEEK):
                pass
            connection.recv(65_536)
            head = (
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            )
            connection.sendall(head + b"data: 1\n\n")
            arrived.wait(process.PATIENCE_S)
            connection.sendall(b"data: 2\n\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=serve, args=[listening])
        thread.start()
        try:
            yield f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            arrived.set()
            thread.join()


@contextmanager
def _who_asks(trusted: str) -> Iterator[str]:
    """A server that answers who it thinks asks it; its host and port."""
    words = [sys.executable, str(HERE / "who_asks.py"), trusted]
    env = process.environment(HERE, FORWARDED_ALLOW_IPS="*")
    with subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield f"127.0.0.1:{running.stdout.readline().strip()}"
        finally:
            running.terminate()
