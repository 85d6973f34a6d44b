"""The command `remind`: what a client's Stop hook runs, so that what matters is kept."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from echo_mcp import reminder

ABOUT = f"""\
For the Stop hook of Claude Code, which `echo-mcp register --client hooks` prints: it reads what the
hook is told on stdin, and asks the assistant once in {reminder.EVERY} messages of yours to keep
what will matter, if nothing was kept since. Otherwise, and whenever the conversation cannot be
read, it says nothing.
"""

# Far more than a conversation has; a hook must end soon.
_MOST_LINES = 200_000
_MOST_INPUT = 10_000_000


def declare(_: argparse.ArgumentParser) -> None:
    """It has no arguments."""


def run(_: argparse.Namespace, __: Mapping[str, str]) -> int:
    """Ask, or say nothing; returns the exit status."""
    told = _told(sys.stdin.read(_MOST_INPUT))
    # An assistant that goes on because of a hook is not asked again.
    if not told.get("stop_hook_active") and _is_due(told.get("transcript_path")):
        print(json.dumps({"decision": "block", "reason": reminder.WORDS}))
    return 0


def _told(words: str) -> dict[str, Any]:
    try:
        told = json.loads(words)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _is_due(transcript: object) -> bool:
    if not isinstance(transcript, str) or not transcript:
        return False
    try:
        path = Path(transcript).expanduser()
        if not path.is_file():  # a pipe would keep the hook waiting
            return False
        with path.open(encoding="utf-8", errors="replace") as lines:
            return reminder.is_due(islice(lines, _MOST_LINES))
    except (OSError, ValueError, RuntimeError):
        return False
