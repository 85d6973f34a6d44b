"""Tapbacks: the rows of a Messages database that are reactions to other rows."""

from __future__ import annotations

import sqlite3

from echo_archive.importers.bench import Bench
from echo_archive.records import Person, Reaction

EMOJI = ("❤️", "👍", "👎", "😂", "‼️", "❓")
_ADDED, _REMOVED, _END = 2000, 3000, 4000
TAPBACKS = f"coalesce(m.associated_message_type, 0) between {_ADDED} and {_END - 1}"
TAPBACKS_ABSENT = "null as associated_message_type"
_ANY_EMOJI, _STICKER = 6, 7


def tapbacks(
    bench: Bench, database: sqlite3.Connection, fields: str, handles: dict[int, str]
) -> dict[str, tuple[Reaction, ...]]:
    """The reactions to each message, by its guid; of one person to one part the latest counts."""
    if TAPBACKS_ABSENT in fields:
        return {}
    latest: dict[str, dict[tuple[str, str], Reaction]] = {}
    query = f"select {fields} from message m where {TAPBACKS} order by m.date, m.ROWID"  # noqa: S608
    for row in database.execute(query):
        part, _, guid = str(row["associated_message_guid"] or "").rpartition("/")
        guid = guid.removeprefix("bp:")
        who = person_of(bench, row, handles)
        place = (part, who.key if who else "")
        kind = row["associated_message_type"]
        if kind >= _REMOVED:
            latest.get(guid, {}).pop(place, None)
        else:
            latest.setdefault(guid, {})[place] = Reaction(_emoji(row, kind - _ADDED), who)
    return {guid: tuple(reactions.values()) for guid, reactions in latest.items() if reactions}


def person_of(bench: Bench, row: sqlite3.Row, handles: dict[int, str]) -> Person | None:
    """Who sent a row."""
    if row["is_from_me"]:
        return bench.me()
    handle = handles.get(row["handle_id"])
    return bench.person(handle, handle) if handle else None


def _emoji(row: sqlite3.Row, kind: int) -> str:
    if kind < len(EMOJI):
        return EMOJI[kind]
    if kind == _ANY_EMOJI:
        return str(row["associated_message_emoji"] or "?")
    return "sticker"
