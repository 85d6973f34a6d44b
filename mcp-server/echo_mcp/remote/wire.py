"""The wire: JSON-RPC requests as clients of either era of the protocol send them."""

from __future__ import annotations

import json
from typing import Any

HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
"""The last version that opens with `initialize`, and the one in which every request is whole."""

_ABOUT = {"name": "echo-mcp doctor", "version": "1"}
_META = "io.modelcontextprotocol/"


def request(method: str, **params: Any) -> bytes:
    """A request of the older era."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(body).encode()


def ping() -> bytes:
    """The least that a server answers."""
    return request("ping")


def initialize() -> bytes:
    """The handshake of the older era."""
    return request(
        "initialize", protocolVersion=HANDSHAKE, capabilities={}, clientInfo=dict(_ABOUT)
    )


def stateless(method: str) -> tuple[bytes, dict[str, str]]:
    """A request of the newer era: the body, and the headers that repeat what is in it."""
    meta = {
        f"{_META}protocolVersion": STATELESS,
        f"{_META}clientInfo": dict(_ABOUT),
        f"{_META}clientCapabilities": {},
    }
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method}
    return request(method, _meta=meta), headers


def result_of(content: Any) -> dict[str, Any]:
    """The result in an answer; empty where there is none."""
    result = content.get("result") if isinstance(content, dict) else None
    return result if isinstance(result, dict) else {}
