"""The fixed notes: those that a vault has once, by the names that routing.json gives them."""

from __future__ import annotations

from echo_memory import inbox, routing
from echo_memory.inbox import Item
from echo_memory.memory import Memory
from echo_memory.note import Note


def fixed_note(echo: Memory, name: str) -> Note | None:
    """A note that always stands at one path, as it is known; None where there is none."""
    return echo.catalog.get(routing.table().fixed[name].path)


def inbox_items(echo: Memory) -> list[Item]:
    """What waits in the inbox, in the order of its note."""
    note = fixed_note(echo, "inbox")
    return inbox.items(note.text, echo.today()) if note else []
