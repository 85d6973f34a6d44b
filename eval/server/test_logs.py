"""The log: one line a record, to one stream, and no word of a note even when something crashes."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator

import pytest

from echo_mcp import logs

SECRET = "what-the-note-says"


@pytest.fixture(autouse=True)
def _loggers_as_they_were() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name in ("echo_mcp", "echo_archive", "echo_memory"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    logging.captureWarnings(False)


def _log(style: str, level: str = "info") -> io.StringIO:
    stream = io.StringIO()
    logs.configure(stream, style=style, level=level)
    return stream


def _fail() -> None:
    try:
        {}[SECRET]
    except KeyError as error:
        raise ValueError(SECRET) from error


def _crash() -> None:
    try:
        _fail()
    except ValueError:
        logging.getLogger("echo_mcp.x").exception("crash", extra={"fields": {"tool": "echo_load"}})


def test_a_record_is_a_line_with_its_fields() -> None:
    stream = _log("text")
    logging.getLogger("echo_mcp.x").info("call", extra={"fields": {"tool": "echo_load", "ms": 1.5}})

    (line,) = stream.getvalue().splitlines()
    assert line.endswith(" info call tool=echo_load ms=1.5")


def test_a_record_is_a_json_object_where_that_is_asked_for() -> None:
    stream = _log("json")
    logging.getLogger("echo_mcp.x").info("call", extra={"fields": {"tool": "echo_load", "ms": 1.5}})

    entry = json.loads(stream.getvalue())
    assert entry.pop("ts").endswith("+00:00")
    assert entry == {"level": "info", "msg": "call", "tool": "echo_load", "ms": 1.5}


@pytest.mark.parametrize("style", ["text", "json"])
def test_a_crash_is_one_line_of_types_and_places_without_messages(style: str) -> None:
    stream = _log(style)
    _crash()

    (line,) = stream.getvalue().splitlines()
    assert SECRET not in line
    assert "ValueError" in line
    assert "KeyError" in line
    assert "test_logs.py:" in line
    assert "_fail" in line


def test_a_message_of_several_lines_becomes_one() -> None:
    stream = _log("text")
    logging.getLogger("uvicorn.error").error("first\nsecond %s", "third\n")

    (line,) = stream.getvalue().splitlines()
    assert line.endswith("error first second third")


def test_the_libraries_commentary_is_not_heard_and_their_warnings_are() -> None:
    stream = _log("text", "debug")
    for name in (
        "mcp.server.streamable_http",
        "uvicorn.error",
        "httpx",
        "asyncio",
        "watchfiles.main",
    ):
        logging.getLogger(name).info("chatter")
    logging.getLogger("mcp.server.transport_security").warning("Invalid Host header: x")

    assert len(stream.getvalue().splitlines()) == 1


def test_python_warnings_go_the_same_way() -> None:
    stream = _log("json")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)

    assert json.loads(stream.getvalue())["level"] == "warning"


def test_the_level_is_ours_to_choose() -> None:
    stream = _log("text", "error")
    logging.getLogger("echo_mcp.x").warning("quiet")

    assert stream.getvalue() == ""
