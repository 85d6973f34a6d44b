"""A spec: one tool as it is declared, before the SDK sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcp_types import CallToolResult, ToolAnnotations


@dataclass(frozen=True)
class Spec:
    """A tool.

    Attributes:
        function: takes what it works on, then the tool's arguments; its name is the tool's and its
            docstring is what the model reads.
        op: what the operation calls itself in its envelope.
        hints: what a client may assume before it calls.
        core: whether the small profile has it too.
        given: the parameter for what it works on: the memory, or the message archive.
    """

    function: Callable[..., CallToolResult]
    op: str
    hints: ToolAnnotations
    core: bool = False
    given: str = "echo"


def hints(
    *,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    open_world: bool = False,
) -> ToolAnnotations:
    """All four hints, none left to a client's default."""
    return ToolAnnotations(
        read_only_hint=read_only,
        destructive_hint=destructive,
        idempotent_hint=idempotent,
        open_world_hint=open_world,
    )
