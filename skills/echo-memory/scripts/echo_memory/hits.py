"""The hits: the notes that were found, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echo_memory.lines import indented

_Fields = Mapping[str, Any]


def hit(entry: _Fields) -> str:
    """One note that recall found: a line with its coordinates, then the passage."""
    facts = [entry[key] for key in ("type", "status") if entry.get(key)]
    if entry.get("updated"):
        facts.append(f"updated {entry['updated']}")
    head = f"- {entry['title']} · {entry['path']}"
    if facts:
        head += f" ({', '.join(facts)})"
    cut = " […]" if entry["truncated"] else ""
    if not entry["excerpt"]:
        return head + cut
    return f"{head}\n{indented(entry['excerpt'])}{cut}"


def recalled(primary: Sequence[_Fields], linked: Sequence[_Fields], omitted: int) -> str:
    """The notes that recall found, as they stand in its answer."""
    lines = [hit(entry) for entry in primary]
    if linked:
        lines += ["Linked:", *(hit(entry) for entry in linked)]
    if omitted:
        lines.append(f"({omitted} more did not fit the budget)")
    return "\n".join(lines)


def nothing_found(nearest: Sequence[_Fields], inbox: int = 0) -> str:
    """What recall says when nothing matches, and what to do next.

    Args:
        nearest: entities whose names are near.
        inbox: how many items that wait there have words of the question.
    """
    lines = ["Nothing found." + (" Nearest names:" if nearest else ""), *candidates(nearest)]
    if inbox:
        items = "1 item" if inbox == 1 else f"{inbox} items"
        lines.append(f"The inbox has {items} with words of the question: list it with triage.")
    elif nearest:
        lines.append("Read one of them with get, or ask in other words.")
    else:
        lines.append("Ask in other words or with a name alone; the inbox is listed by triage.")
    return "\n".join(lines)


def candidates(found: Sequence[_Fields]) -> list[str]:
    """The entities that a name may mean, each on a line of its own."""
    return [
        f"- {entry['slug']}: {entry['title']}"
        f" ({entry['kind'] or 'no kind'}, {entry['why']}, {entry['score']:.2f}) · {entry['path']}"
        for entry in found
    ]
