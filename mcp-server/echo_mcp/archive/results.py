"""Results: what an operation of the archive answers, as the answer to a tool call."""

from __future__ import annotations

from typing import Any

from mcp_types import CallToolResult

from echo_archive.errors import ArchiveError
from echo_mcp.archive.words import text_of
from echo_mcp.results import answer
from echo_memory.envelope import success


def told(op: str, page: dict[str, Any]) -> CallToolResult:
    """A page as data and in words; each carries the whole answer."""
    return answer(success(op, **page), text_of)


def refused(op: str, error: ArchiveError) -> CallToolResult:
    """An operation that raised."""
    return answer({"ok": False, "op": op, "error": error.as_dict()}, text_of)
