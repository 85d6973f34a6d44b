"""The metadata of the sign-in: what OAuth clients are told, and whether it fits together.

RFC 9728 (protected resource) and RFC 8414 (authorization server), as hosted clients read them:
every URL is compared letter by letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from echo_mcp.remote import wire
from echo_mcp.remote.visitor import Visitor
from echo_memory.ops.health import Check

RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"

_OK, _NOT_FOUND = 200, 404
_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "registration_endpoint")
_NEEDED = {
    "code_challenge_methods_supported": "S256",
    "response_types_supported": "code",
    "token_endpoint_auth_methods_supported": "none",
}
_NAMES = (
    "The server must know the name and scheme that clients use: set ECHO_MCP_HOSTS, and have the"
    " proxy pass Host and X-Forwarded-Proto on."
)
_PASS = f"Have the proxy forward {RESOURCE} and {SERVER}, with what is below them, untouched."


def checks(visitor: Visitor) -> Iterator[Check]:
    """Whether there is a sign-in, and whether a client could go through with it."""
    pointer = _pointer(visitor)
    url = f"{visitor.origin}{RESOURCE}{visitor.at.path}"
    answer = visitor.get(url)
    if answer.status == _NOT_FOUND:
        yield _off(visitor, pointer)
        return
    resource = answer.content
    if answer.status != _OK or not isinstance(resource, dict):
        yield Check(
            "sign-in",
            ok=False,
            detail=f"{RESOURCE}{visitor.at.path} answers {answer.status}, and no metadata",
            fix=_PASS,
        )
        return
    faults = [
        *_resource_faults(visitor, pointer, url, resource),
        *_server_faults(visitor, resource),
    ]
    for detail, fix in faults:
        yield Check("sign-in", ok=False, detail=detail, fix=fix)
    if not faults:
        yield Check("sign-in", ok=True, detail="on; its metadata fit together")


def _pointer(visitor: Visitor) -> str:
    """Where the refusal says that the metadata are; empty where it does not."""
    challenge = visitor.post(wire.ping(), token="").headers.get("www-authenticate", "")
    found = re.search(r'resource_metadata="([^"]*)"', challenge)
    return found[1] if found else ""


def _off(visitor: Visitor, pointer: str) -> Check:
    if not pointer:
        return Check("sign-in", ok=True, detail="off: clients bring the token")
    return Check(
        "sign-in",
        ok=False,
        detail=f"the 401 points at {visitor.shown(pointer)}, and there is nothing",
        fix=_PASS,
    )


def _resource_faults(
    visitor: Visitor, pointer: str, url: str, resource: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    if resource.get("resource") != visitor.url:
        said = visitor.shown(resource.get("resource"))
        yield f"`resource` is {said}, and clients ask for {visitor.url}", _NAMES
    if pointer != url:
        said = visitor.shown(pointer) or "nothing"
        yield f"WWW-Authenticate of the 401 points at {said}, not at {url}", _NAMES


def _server_faults(visitor: Visitor, resource: dict[str, Any]) -> Iterator[tuple[str, str]]:
    issuers = resource.get("authorization_servers")
    issuer = issuers[0] if isinstance(issuers, list) and issuers else ""
    if not _is_ours(visitor, issuer):
        yield f"`authorization_servers` names {visitor.shown(issuer) or 'none'}", _NAMES
        return
    url = f"{visitor.origin}{SERVER}{urlsplit(issuer).path.removesuffix('/')}"
    answer = visitor.get(url)
    server = answer.content
    if answer.status != _OK or not isinstance(server, dict):
        yield f"{urlsplit(url).path} answers {answer.status}, and no metadata", _PASS
        return
    if server.get("issuer") != issuer:
        yield (
            f"`issuer` is {visitor.shown(server.get('issuer'))}, not {visitor.shown(issuer)}",
            _NAMES,
        )
    for name in _ENDPOINTS:
        if not _is_ours(visitor, server.get(name)):
            yield (
                f"`{name}` is {visitor.shown(server.get(name))}, not below {visitor.origin}",
                _NAMES,
            )
    for name, value in _NEEDED.items():
        offered = server.get(name)
        if not isinstance(offered, list) or value not in offered:
            yield f"`{name}` lacks {value}", "Update the server: hosted clients need it."


def _is_ours(visitor: Visitor, url: object) -> bool:
    """Whether a URL is on the same deployment, by the same scheme, name and port."""
    return isinstance(url, str) and (url == visitor.origin or url.startswith(f"{visitor.origin}/"))
