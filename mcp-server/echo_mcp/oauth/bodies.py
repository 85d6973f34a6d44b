"""The bodies of requests that anyone may send: small, in time, and each name once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import parse_qsl

import anyio
from starlette.requests import ClientDisconnect, Request

from echo_mcp.oauth.refusal import Refusal

MAX_BYTES = 65_536
PATIENCE_S = 10.0

_MAX_FIELDS = 32


async def form(request: Request) -> dict[str, str]:
    """The fields of a form.

    Raises:
        Refusal: it is none, too large, too slow, or has a field twice.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Refusal("invalid_request", "The body must be application/x-www-form-urlencoded.")
    try:
        text = (await _body(request)).decode("utf-8")
        return once(parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS))
    except ValueError as error:
        raise Refusal("invalid_request", "The form cannot be read.") from error


async def document(request: Request) -> object:
    """The value of a body of JSON.

    Raises:
        Refusal: it is none, too large or too slow.
    """
    try:
        return json.loads(await _body(request))
    except (ValueError, RecursionError) as error:
        raise Refusal("invalid_client_metadata", "The body is not JSON.") from error


def once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Parameters by their names.

    Raises:
        Refusal: one is there twice (RFC 6749, 3.1).
    """
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise Refusal("invalid_request", "A parameter is there more than once.")
        found[name] = value
    return found


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        with anyio.fail_after(PATIENCE_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise Refusal("invalid_request", "The body is too large.")
    except (TimeoutError, ClientDisconnect) as error:
        raise Refusal("invalid_request", "The body did not arrive in time.") from error
    return bytes(body)
