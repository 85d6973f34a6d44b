"""Connections without a request: closed in time, and never so many that nobody else gets one."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from echo_mcp.connections import BoundedH11
from server.process import PATIENCE_S
from server.signing_in import listening

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nx"


async def _read(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{len(await request.body())}")


APP = Starlette(
    routes=[
        Route("/", lambda _: PlainTextResponse("here")),
        Route("/read", _read, methods=["POST"]),
    ]
)


class Hasty(BoundedH11):
    """One that waits for no more than a moment."""

    head_s = 0.2
    body_s = 0.2


class Narrow(BoundedH11):
    """One that lets four wait."""

    most_waiting = 4


def _connected(url: str) -> socket.socket:
    address = httpx.URL(url)
    return socket.create_connection((address.host, address.port or 80), timeout=PATIENCE_S)


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def _drip(connection: socket.socket, text: bytes) -> bool:
    """Send byte after byte, until the other side is tired of it."""
    connection.settimeout(0.02)
    for byte in text * 1_500:
        try:
            connection.sendall(bytes([byte]))
            if connection.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_a_connection_on_which_nothing_comes_is_closed() -> None:
    with listening(APP, Hasty) as url, _connected(url) as idle:
        assert _is_closed(idle)


def test_a_head_that_comes_byte_by_byte_is_not_waited_for() -> None:
    with listening(APP, Hasty) as url, _connected(url) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert _drip(slow, b"x")


def test_a_body_that_comes_byte_by_byte_is_not_waited_for() -> None:
    with listening(APP, Hasty) as url, _connected(url) as slow:
        slow.sendall(POST)
        assert _drip(slow, b"x")


def test_a_large_body_in_time_is_read() -> None:
    with listening(APP) as url, httpx.Client(base_url=url) as client:
        assert client.post("/read", content=b"x" * 1_000_000).text == "1000000"


def test_a_request_in_time_is_answered_and_the_connection_can_be_used_again() -> None:
    with listening(APP) as url, httpx.Client(base_url=url) as client:
        answers = [client.get("/").text for _ in range(3)]

    assert answers == ["here"] * 3


def test_requests_that_come_together_are_all_answered() -> None:
    with listening(APP) as url, _connected(url) as connection:
        connection.sendall(GET * 3)
        seen = b""
        while seen.count(b"here") < 3:
            more = connection.recv(65_536)
            assert more
            seen += more


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(lambda _: None, id="nothing"),
        pytest.param(lambda one: one.sendall(b"GET / HT"), id="half a head"),
        pytest.param(lambda one: one.sendall(POST), id="half a body"),
        pytest.param(lambda one: _asked(one), id="a request"),
    ],
)
def test_when_many_wait_the_longest_waiting_is_closed_and_a_newcomer_is_answered(
    first: Callable[[socket.socket], None],
) -> None:
    with listening(APP, Narrow) as url, ExitStack() as stack:
        waiting = [stack.enter_context(_connected(url)) for _ in range(4)]
        for one in waiting:
            first(one)
        newcomer = stack.enter_context(_connected(url))
        _asked(newcomer)

        assert _is_closed(waiting[0])
        waiting[3].settimeout(0.0)
        with pytest.raises(BlockingIOError):  # it is open still
            waiting[3].recv(1)


def _asked(connection: socket.socket) -> None:
    connection.sendall(GET)
    seen = b""
    while b"here" not in seen:
        more = connection.recv(65_536)
        assert more, "closed"
        seen += more
