"""Faults: what can go wrong with one exchange, on the socket itself.

A fault is given the exchange, request read and nothing answered yet, and does with it what it will.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from olrapi.messages import Refusal, Request, Response

HTML = {"Content-Type": "text/html; charset=utf-8"}


class Exchange(Protocol):
    """One request on its connection."""

    request: Request

    def handle(self) -> Response:
        """Do what was asked, and answer nothing yet."""
        ...

    def send(self, response: Response) -> None:
        """Answer."""
        ...

    def send_bytes(self, data: bytes) -> None:
        """Put bytes on the connection as they are."""
        ...

    def cut(self, *, reset: bool = False) -> None:
        """End the connection, in good order or with a reset."""
        ...

    def wait(self, seconds: float | None = None) -> bool:
        """Wait, but not longer than the stand-in lives; whether it ended."""
        ...

    def die(self) -> None:
        """Take the whole stand-in away, every connection of it, until its `up` is called."""
        ...


Fault = Callable[[Exchange], None]


def never_answer(exchange: Exchange) -> None:
    """Take the request and say nothing."""
    exchange.wait()


def never_answer_after(exchange: Exchange) -> None:
    """Do what was asked and say nothing."""
    exchange.handle()
    exchange.wait()


def cut_before(exchange: Exchange) -> None:
    """Close the connection; nothing was done."""
    exchange.cut()


def cut_after(exchange: Exchange) -> None:
    """Close the connection when everything was done."""
    exchange.handle()
    exchange.cut()


def reset_before(exchange: Exchange) -> None:
    """Reset the connection; nothing was done."""
    exchange.cut(reset=True)


def reset_after(exchange: Exchange) -> None:
    """Reset the connection when everything was done."""
    exchange.handle()
    exchange.cut(reset=True)


def dies_before(exchange: Exchange) -> None:
    """Be gone for everybody from now on; nothing was done."""
    exchange.die()


def dies_after(exchange: Exchange) -> None:
    """Be gone for everybody from now on, when everything was done."""
    exchange.handle()
    exchange.die()


def garbage(exchange: Exchange) -> None:
    """Answer with what is no HTTP."""
    exchange.send_bytes(b"\x00\xff\x07SSH-2.0-nonsense\r\n\x00" * 8)
    exchange.cut()


def truncated(exchange: Exchange) -> None:
    """Announce the whole body, send half of it, and close."""
    response = exchange.handle()
    length = str(len(response.body) or 100)
    half = replace(response, body=response.body[: len(response.body) // 2])
    half.headers["Content-Length"] = length
    exchange.send(half)
    exchange.cut()


def answer(status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> Fault:
    """Answer this, whatever was asked; nothing is done."""
    return lambda exchange: exchange.send(Response(status, dict(headers or {}), body))


def refuse(code: int) -> Fault:
    """Answer an error of the plugin; nothing is done."""
    return lambda exchange: exchange.send(Refusal(code).response())


unauthorized = refuse(40101)
bad_gateway = answer(502, HTML, b"<html><h1>502 Bad Gateway</h1></html>")


def slow(seconds: float) -> Fault:
    """Answer late."""

    def fault(exchange: Exchange) -> None:
        if not exchange.wait(seconds):
            exchange.send(exchange.handle())

    return fault


def held(until: threading.Event) -> Fault:
    """Answer when something happened."""

    def fault(exchange: Exchange) -> None:
        while not until.is_set():
            if exchange.wait(0.005):
                return
        exchange.send(exchange.handle())

    return fault


def meanwhile(action: Callable[[], object]) -> Fault:
    """Let something happen right before the request is handled."""

    def fault(exchange: Exchange) -> None:
        action()
        exchange.send(exchange.handle())

    return fault
