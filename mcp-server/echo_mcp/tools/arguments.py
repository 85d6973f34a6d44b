"""Arguments: what the tools take, as types that carry their JSON schema.

A schema is a courtesy to the model; the operation is the judge of a value. Types here are strict,
except that a whole number may be written `6.0`, which JSON Schema calls an integer too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, Strict, WithJsonSchema

from echo_memory import routing
from echo_memory.ops import load
from echo_memory.ops.note import MAX_CHARS, MIN_CHARS, OPERATIONS, TARGET_TYPES
from echo_memory.ops.recall import MAX_BUDGET, MAX_LIMIT, MIN_BUDGET
from echo_memory.ops.rollup import PERIODS
from echo_memory.proposal import PROPOSAL_SCHEMA

_STRING: dict[str, Any] = {"type": "string"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}
_DATE: dict[str, Any] = {"type": "string", "format": "date"}


def _one_of(values: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _integral(value: object) -> object:
    """A float without a fraction as the whole number that it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_KINDS = routing.table().kinds
_KIND = _one_of(_KINDS)
_DOMAIN = _one_of(dict.fromkeys(domain for kind in _KINDS.values() for domain in kind.domains))

_PROPOSAL_TYPES: dict[str, dict[str, Any]] = {
    "kind": _KIND,
    "tags": _STRINGS,
    "aliases": _STRINGS,
    "sources": _STRINGS,
    "date": _DATE,
    "domain": _DOMAIN,
    "force": {"type": "boolean"},
}


def _proposals(**also: dict[str, Any]) -> dict[str, Any]:
    """The schema of a list of proposals, with keys that must stand beside the title."""
    known = {key: _PROPOSAL_TYPES.get(key, _STRING) for key in PROPOSAL_SCHEMA}
    proposal = {
        "type": "object",
        "properties": {**known, **also},
        "required": ["title", *also],
        "additionalProperties": False,
    }
    return {"type": "array", "items": proposal}


INTEGRAL = BeforeValidator(_integral)
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT), INTEGRAL]
Budget = Annotated[int, Field(ge=MIN_BUDGET, le=MAX_BUDGET), INTEGRAL]
# Absent is None, for then it depends on `brief`; a schema with null in it would only be longer.
LoadBudget = Annotated[
    int | None,
    Field(ge=load.MIN_CHARS, le=load.MAX_CHARS, json_schema_extra={"default": load.BRIEF_CHARS}),
    INTEGRAL,
    WithJsonSchema({"type": "integer", "minimum": load.MIN_CHARS, "maximum": load.MAX_CHARS}),
]
Chars = Annotated[int, Field(ge=MIN_CHARS, le=MAX_CHARS), INTEGRAL]
Strings = Annotated[tuple[str, ...], Strict(False)]
Date = Annotated[str, WithJsonSchema(_DATE)]
KindName = Annotated[str, WithJsonSchema(_KIND)]
Domain = Annotated[str, WithJsonSchema(_DOMAIN)]
Period = Annotated[str, WithJsonSchema(_one_of(PERIODS))]
Operation = Annotated[str, WithJsonSchema(_one_of(OPERATIONS))]
TargetType = Annotated[str, WithJsonSchema(_one_of(TARGET_TYPES))]

_Objects = Annotated[tuple[dict[str, Any], ...], Strict(False)]
Proposals = Annotated[_Objects, WithJsonSchema(_proposals())]
InboxProposals = Annotated[
    _Objects, WithJsonSchema(_proposals(line={**_STRING, "description": "id of the inbox item"}))
]
