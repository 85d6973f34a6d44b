"""Inputs: what an argument stands for: itself, a file, or standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from echo_memory.errors import BadRequest

STDIN = "-"


def text(value: str, field: str) -> str:
    """An argument, or what standard input holds where it is `-`.

    Raises:
        BadRequest: standard input is empty, closed, or not UTF-8.
    """
    if value != STDIN:
        return value
    try:
        return _standard_input(field).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"{field} on standard input is not UTF-8. Convert it first.", field=field
        ) from error


def document(value: str, field: str) -> Any:
    """A JSON document: the argument itself, in a file, or on standard input for `-`.

    Raises:
        BadRequest: it cannot be read, or is no JSON.
    """
    try:
        if value.lstrip()[:1] in ("[", "{"):
            return json.loads(value)
        return json.loads(_standard_input(field) if value == STDIN else Path(value).read_bytes())
    except OSError as error:
        raise BadRequest(
            f"{field} cannot be read: {error.strerror}. Give JSON, a file of it, or - for stdin.",
            field=field,
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"{field} is not valid JSON. Check it.", field=field) from error


def _standard_input(field: str) -> bytes:
    """All of standard input; nothing is the sign that the command before the pipe failed."""
    data = sys.stdin.buffer.read() if sys.stdin is not None else b""
    if not data:
        raise BadRequest(
            f"{field} should come from standard input, which is empty. Pipe it in.", field=field
        )
    return data
