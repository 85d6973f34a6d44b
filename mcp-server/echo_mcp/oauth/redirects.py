"""Redirect URIs: which may be registered, and which one is the same as another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from echo_mcp import loopback

MAX_LENGTH = 512

# Narrower than RFC 3986: nothing in it needs escaping in HTML, in a header or in a policy's list.
_URI = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[::1\])"
    r"(?P<port>:[1-9][0-9]{0,4})?(?P<rest>/[A-Za-z0-9._~!$&()*+,;=:@%/-]*"
    r"(?:\?[A-Za-z0-9._~!$&()*+,;=:@%/?-]*)?)"
)


def is_allowed(uri: str) -> bool:
    """Whether a client may have it: https, or http on the client's own machine."""
    found = _URI.fullmatch(uri)
    if found is None or len(uri) > MAX_LENGTH:
        return False
    return found["scheme"] == "https" or found["host"] in loopback.HOSTS


def is_loopback(uri: str) -> bool:
    """Whether it leads to the machine of the one who signs in, whatever listens there."""
    found = _URI.fullmatch(uri)
    return found is not None and found["scheme"] == "http" and found["host"] in loopback.HOSTS


def is_same(registered: str, given: str) -> bool:
    """Whether they are equal to the letter; on loopback, with any port (RFC 8252, 7.3)."""
    if registered == given:
        return True
    both = is_loopback(registered) and is_loopback(given)
    return both and _without_port(registered) == _without_port(given)


def origin(uri: str) -> str:
    """Scheme, host and port."""
    found = _URI.fullmatch(uri)
    return f"{found['scheme']}://{host(uri)}" if found else ""


def host(uri: str) -> str:
    """Host and port, as a person sees them."""
    found = _URI.fullmatch(uri)
    return f"{found['host']}{found['port'] or ''}" if found else ""


def with_parameters(uri: str, parameters: Mapping[str, str]) -> str:
    """The URI with parameters added to those that it has; empty ones are left out."""
    said = {name: value for name, value in parameters.items() if value}
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(said)}"


def _without_port(uri: str) -> tuple[str, str, str]:
    found = _URI.fullmatch(uri)
    return (found["scheme"], found["host"], found["rest"]) if found else (uri, "", "")
