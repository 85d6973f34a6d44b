"""The registry: the tools of a profile, in the SDK's form, with schemas as small as they can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pydantic import ConfigDict, create_model

from echo_mcp.results import OUTPUT_SCHEMA
from echo_mcp.tools import archive, history, read, write
from echo_mcp.tools.spec import Spec

_SPECS = (*read.TOOLS, *write.TOOLS, *history.TOOLS)


@dataclass(frozen=True)
class Registered:
    """A tool as the SDK lists and calls it, and the operation behind it.

    Attributes:
        tool: the SDK's.
        op: what the operation calls itself.
        given: the parameter for what it works on.
    """

    tool: Tool
    op: str
    given: str


class Strictness(ArgModelBase):
    """What every tool's arguments have in common: no unknown ones, no coercion."""

    model_config = ConfigDict(extra="forbid", strict=True)


def registered(profile: str) -> dict[str, Registered]:
    """The memory's tools of a profile by name; `core` has six."""
    return _by_name(spec for spec in _SPECS if spec.core or profile == "full")


def registered_archive() -> dict[str, Registered]:
    """The message archive's seven tools by name."""
    return _by_name(archive.TOOLS)


def _by_name(specs: Iterable[Spec]) -> dict[str, Registered]:
    return {spec.function.__name__: Registered(_tool(spec), spec.op, spec.given) for spec in specs}


def _tool(spec: Spec) -> Tool:
    tool = Tool.from_function(
        spec.function,
        description=" ".join((spec.function.__doc__ or "").split()),
        context_kwarg=spec.given,
        annotations=spec.hints,
        structured_output=False,
    )
    metadata = tool.fn_metadata
    metadata.arg_model = create_model(tool.name, __base__=(Strictness, metadata.arg_model))
    metadata.output_schema = OUTPUT_SCHEMA
    tool.parameters = _terse(metadata.arg_model.model_json_schema())
    return tool


def _terse(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An arguments schema without titles, and without defaults that only say "nothing"."""
    properties = {
        name: {
            key: value
            for key, value in entry.items()
            if key != "title" and not (key == "default" and value in ("", []))
        }
        for name, entry in schema["properties"].items()
    }
    required = {"required": schema["required"]} if "required" in schema else {}
    return {
        "type": "object",
        "properties": properties,
        **required,
        "additionalProperties": False,
    }
