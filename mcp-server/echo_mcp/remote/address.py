"""Addresses: whether what somebody typed is where an MCP server may be."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit, urlunsplit

from echo_mcp.settings import MCP_PATH
from echo_memory.errors import BadRequest


def parts_of(url: str, *, field: str) -> SplitResult:
    """The parts of an endpoint's address.

    Args:
        url: all of it, as clients are told it.
        field: what on the command line says it.

    Raises:
        BadRequest: it is none, or holds a password.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port, (parts.hostname or "").encode("idna")
    except ValueError:
        parts = urlsplit("")
    wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.username
    whole = urlunsplit(parts) == url and parts.path.removesuffix("/").endswith(MCP_PATH)
    if wrong or not whole or parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise BadRequest(
            "That is not the address of a server. Give all of it, as clients are told it, like"
            " https://notes.example.org/mcp.",
            field=field,
        )
    return parts
