"""The eras of the protocol: whether clients of both find the server's tools."""

from __future__ import annotations

from collections.abc import Iterator

from echo_mcp.remote import wire
from echo_mcp.remote.visitor import Answer, Visitor
from echo_memory.ops.health import Check

_FIX = (
    "Have the proxy pass all headers that begin with MCP on, and bodies as they are; if it does,"
    " update the server."
)


def checks(visitor: Visitor) -> Iterator[Check]:
    """The handshake and a listing; then the same without a handshake."""
    yield _handshake(visitor)
    yield _stateless(visitor)


def _handshake(visitor: Visitor) -> Check:
    name = f"protocol {wire.HANDSHAKE}"
    answer = visitor.post(wire.initialize())
    agreed = wire.result_of(answer.content).get("protocolVersion")
    if agreed != wire.HANDSHAKE:
        return _fault(name, "initialize", answer)
    headers = {"MCP-Protocol-Version": wire.HANDSHAKE}
    return _listed(name, visitor.post(wire.request("tools/list"), headers=headers))


def _stateless(visitor: Visitor) -> Check:
    name = f"protocol {wire.STATELESS}"
    body, headers = wire.stateless("server/discover")
    answer = visitor.post(body, headers=headers)
    supported = wire.result_of(answer.content).get("supportedVersions")
    if not isinstance(supported, list) or wire.STATELESS not in supported:
        return _fault(name, "server/discover", answer)
    body, headers = wire.stateless("tools/list")
    return _listed(name, visitor.post(body, headers=headers))


def _listed(name: str, answer: Answer) -> Check:
    tools = wire.result_of(answer.content).get("tools")
    if not isinstance(tools, list) or not tools:
        return _fault(name, "tools/list", answer)
    return Check(name, ok=True, detail=f"{len(tools)} tools")


def _fault(name: str, method: str, answer: Answer) -> Check:
    detail = f"{method} is answered {answer.status}, and not as the protocol says"
    return Check(name, ok=False, detail=detail, fix=_FIX)
