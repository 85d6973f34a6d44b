"""The processing log: what triage did with each item, on one day.

An entry is `- (id) [[note]]: the item's words`, or `- (id, 3 alike) …` where that many items of the
same words were waiting. From the number follows whether the item has left the inbox since.
"""

from __future__ import annotations

import re

from echo_memory.inbox import Item, is_meant

_ENTRY = re.compile(r"^- \(([0-9a-f]{8}(?:-\d+)?)(?:, (\d+) alike)?\) (.*)$", re.MULTILINE)


def entry(item: Item, target: str, *, alike: int) -> str:
    """The lines that say where an item went, with its own words.

    Args:
        item: the item.
        target: a link to the note that has it now.
        alike: how many items of the same words are waiting, this one among them.
    """
    several = f", {alike} alike" if alike > 1 else ""
    first, *rest = item.line.splitlines()
    return "\n".join([f"- ({item.id}{several}) {target}: {first}", *(f"  {line}" for line in rest)])


def filed(text: str, reference: str) -> int | None:
    """How many items alike were waiting when an item was filed; None if it was not.

    Args:
        text: the log.
        reference: the item's id, or the first line of its words, with or without its date.
    """
    first = reference.strip().partition("\n")[0]
    for found in _ENTRY.finditer(text):
        if found[1] == first or (first and is_meant(_words(found[3]), first)):
            return int(found[2] or 1)
    return None


def _words(filed: str) -> str:
    """An item's own words, behind the link to the note that has it now."""
    return filed.partition("]]: ")[2] or filed.partition(": ")[2]
