"""Reminders: whether a conversation has gone on for long without keeping anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

EVERY = 15
"""So many messages of the person's, without anything kept, and there is a reminder; then again."""

WORDS = (
    f"{EVERY} messages, and nothing of them is in the operator's memory. If this conversation"
    " decided or taught something that will still matter next month, keep it now with echo_capture,"
    " or propose to log the session with echo_log_session (without these tools: `capture` and"
    " `session-end` on the memory's command line). If it did not, end as you were about to."
)

# A call of a tool, under whatever name the client has the server; or one of the command line.
_KEPT = re.compile(
    r'echo_(?:capture|reflect|log_session)"|\becho(?:\.py|-memory)\b.*\b(?:capture|reflect|session-end)\b'
)


def is_due(transcript: Iterable[str]) -> bool:
    """Whether a reminder is due now.

    Args:
        transcript: the lines of Claude Code's transcript, each an object with `type` and `message`;
            what is none is passed over.
    """
    since = 0
    for line in transcript:
        entry = _entry(line)
        if entry.get("type") == "assistant" and _KEPT.search(line):
            since = 0
        since += _is_said(entry)
    return since > 0 and since % EVERY == 0


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _is_said(entry: dict[str, Any]) -> bool:
    """Whether the person said it: what tools answered stands under the same name."""
    if entry.get("type") != "user" or entry.get("isMeta") or entry.get("isSidechain"):
        return False
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        return any(isinstance(part, dict) and part.get("type") == "text" for part in content)
    return isinstance(content, str)
