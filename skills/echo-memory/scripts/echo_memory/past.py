"""The past: the versions of a note, and what a period held, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echo_memory.lines import indented, one_line

_Fields = Mapping[str, Any]


def history(envelope: _Fields) -> str:
    """The versions of a note, one a line."""
    path = one_line(envelope["path"])
    if not envelope["versions"]:
        return (
            f"No earlier text of {path} is kept. One is, from the first change on that replaces"
            " text."
        )
    gone = "" if envelope["exists"] else " (the note is no more)"
    lines = [f"{path}{gone}, texts that it had, newest first; each until it was replaced:"]
    for version in envelope["versions"]:
        by = version["operation"] or "another program of ours"
        lines.append(
            f"- {version['id']} · until {version['ts']}, by {by} · {version['bytes']:,} bytes"
            f" · then {version['summary_line']}{_elsewhere(version)}"
        )
    if "omitted" in envelope:
        lines.append(f"… and {envelope['omitted']} older ones")
    return "\n".join(lines)


def _elsewhere(version: _Fields) -> str:
    return f" · as {one_line(version['path'])}" if "path" in version else ""


def restored(envelope: _Fields) -> str:
    """What a restore did or would do."""
    path, version = one_line(envelope["path"]), envelope["version_id"]
    if envelope["action"] == "unchanged":
        return f"unchanged: {path} has this text already."
    if envelope["action"] == "restored":
        undo = envelope["undo"]
        back = f" The text before is version {undo}." if undo else " There was no such note."
        return f"restored: {path} is version {version} again.{back}"
    made = ", which is no more and would be made anew" if envelope["creates"] else ""
    cut = ["[… the rest of the difference is cut]"] if envelope.get("truncated") else []
    return "\n".join(
        [
            f"Preview, nothing was written: version {version} of {path}{made}."
            f" Lines that would go: {envelope['removed']}; that would come: {envelope['added']}.",
            envelope["diff"],
            *cut,
            "Confirm with confirm (--confirm), once the operator agrees.",
        ]
    )


def rollup(envelope: _Fields) -> str:
    """What a period held, part by part."""
    omitted = envelope.get("omitted", {})
    lines = [f"{envelope['period'].capitalize()} {envelope['from']} to {envelope['to']}"]
    for key, label in _PARTS.items():
        lines.append(f"{label}:" if envelope[key] else f"{label}: none")
        lines += [line for entry in envelope[key] for line in _entry(entry)]
        if key in omitted:
            lines.append(f"… and {omitted[key]} more that did not fit")
    return "\n".join(lines)


_PARTS = {
    "threads": "Active projects",
    "decisions": "Decisions",
    "sessions": "Sessions",
    "scope_history": "Scopes",
    "inbox": "Inbox items older than seven days",
}


def _entry(entry: _Fields) -> list[str]:
    named = [entry[key] for key in ("date", "title", "scope", "line", "path") if entry.get(key)]
    facts = [f"{key} {entry[key]}" for key in ("status", "updated") if entry.get(key)]
    head = " · ".join(one_line(value) for value in named)
    told = f" ({', '.join(facts)})" if facts else ""
    below = [indented(entry["text"])] if entry.get("text") else []
    return [f"- {head}{told}", *below]
