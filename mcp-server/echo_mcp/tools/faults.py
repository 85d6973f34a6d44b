"""Faults: what is wrong with a call's arguments, in words, from pydantic's errors and the schema.

A value is never repeated: it may be huge, or the operator's own. Names are, cut short.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from echo_memory.errors import BadRequest

Schema = Mapping[str, Any]

_SHOWN = 5
_NAME_LENGTH = 80


def bad_request(tool: str, schema: Schema, error: ValidationError) -> BadRequest:
    """One error for everything that is wrong with the arguments of a call."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    fields = [_field_name(fault["loc"]) for fault in found[:_SHOWN]]
    sentences = [
        _sentence(tool, schema, fault["type"], fault["loc"], field)
        for fault, field in zip(found, fields, strict=False)
    ]
    if len(found) > _SHOWN:
        sentences.append(f"And {len(found) - _SHOWN} more.")
    more = {"fields": fields} if len(fields) > 1 else {}
    return BadRequest(" ".join(sentences), field=fields[0], **more)


def _field_name(location: Sequence[int | str]) -> str:
    """Where a fault is, as `proposals[0].title`."""
    name = ""
    for part in location:
        name += f"[{part}]" if isinstance(part, int) else f".{printable(part)}"
    return name.lstrip(".")


def printable(name: str) -> str:
    """A name that somebody sent, short and on one line."""
    short = name if len(name) <= _NAME_LENGTH else f"{name[:_NAME_LENGTH]}…"
    return (
        '""' if not name else "".join(letter if letter.isprintable() else "�" for letter in short)
    )


def _sentence(
    tool: str, schema: Schema, kind: str, location: Sequence[int | str], field: str
) -> str:
    if kind == "extra_forbidden":
        return f"{field} is not an argument of {tool}{_near(field, schema['properties'])}"
    expected = _expectation(_schema_at(schema, location))
    if kind == "missing":
        return f"{field} is missing: give {expected}."
    return f"{field} must be {expected}."


def _near(field: str, properties: Mapping[str, Schema]) -> str:
    near = difflib.get_close_matches(field, properties, n=1)
    if near:
        return f". Did you mean {near[0]}?"
    return f". It takes {', '.join(properties) or 'none'}."


def _schema_at(schema: Schema, location: Sequence[int | str]) -> Schema:
    for part in location:
        schema = schema["items"] if isinstance(part, int) else schema["properties"][part]
    return schema


def _expectation(schema: Schema) -> str:
    """What a value has to be, in words, from its schema."""
    if "enum" in schema:
        return "one of " + ", ".join(schema["enum"])
    if "minimum" in schema:
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    if schema["type"] == "array":
        return f"a list, each item {_expectation(schema['items'])}"
    return _WORDS[schema["type"]]


_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "boolean": "true or false",
    "object": "an object",
}
