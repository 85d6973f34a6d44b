"""The log: one line a call, to one stream, with nothing in it that came out of a note."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from pathlib import PurePath
from traceback import extract_tb
from typing import TextIO

# Of the libraries only the warnings are ours to tell; these have handlers of their own.
_CHATTY = ("mcp", "uvicorn", "httpx", "asyncio", "anyio", "sse_starlette")
_OURS = ("echo_mcp", "echo_archive", "echo_memory")


def configure(stream: TextIO, *, style: str = "text", level: str = "info") -> None:
    """Send every log record of the process to one stream.

    Args:
        stream: stdout under `serve`, stderr under `stdio`.
        style: `text` or `json`.
        level: `debug`, `info`, `warning` or `error`, for our own records; libraries speak from
            `warning` on.
    """
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if style == "json" else Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    wanted = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(max(logging.WARNING, wanted))
    for name in _OURS:
        logging.getLogger(name).setLevel(wanted)
    logging.captureWarnings(True)
    for name in _CHATTY:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(root.level)


def locations(error: BaseException) -> str:
    """Types and places of an exception and its causes.

    Messages stay out: those of a parser or a codec quote what they could not read.
    """
    chain: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        frames = [
            f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}"
            for frame in extract_tb(current.__traceback__)
        ]
        chain.append(" > ".join([*frames, type(current).__name__]))
        current = current.__cause__ or current.__context__
    return " | from ".join(chain)


class Lines(logging.Formatter):
    """A record as one line for a person; the extra fields of a call as `key=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """Render a record."""
        words = [_instant(record), record.levelname.lower(), _message(record)]
        return " ".join([*words, *(f"{key}={value}" for key, value in _fields(record).items())])


class JsonLines(logging.Formatter):
    """A record as one JSON object on a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Render a record."""
        entry = {
            "ts": _instant(record),
            "level": record.levelname.lower(),
            "msg": _message(record),
            **_fields(record),
        }
        return json.dumps(entry)


def _instant(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _message(record: logging.LogRecord) -> str:
    return " ".join(record.getMessage().split())


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = dict(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[1] is not None:
        fields["error"] = locations(record.exc_info[1])
    return fields
