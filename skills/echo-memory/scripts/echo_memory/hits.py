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


def nothing_found(nearest: Sequence[_Fields]) -> str:
    """What recall says when nothing matches."""
    return "\n".join(
        ["Nothing found." + (" Nearest names:" if nearest else ""), *candidates(nearest)]
    )


def candidates(found: Sequence[_Fields]) -> list[str]:
    """The entities that a name may mean, each on a line of its own."""
    return [
        f"- {entry['slug']}: {entry['title']} ({entry['kind']}, {entry['why']},"
        f" {entry['score']:.2f}) · {entry['path']}"
        for entry in found
    ]
