"""Rollup: what a week or a month held, as data; whoever asked writes the prose."""

from __future__ import annotations

import calendar
import json
from collections.abc import Iterable, Sequence
from datetime import date as day_of
from typing import Any

from echo_memory import arguments, digest, routing, scope
from echo_memory.envelope import Envelope, success
from echo_memory.fixed_notes import fixed_note, inbox_items
from echo_memory.lines import short
from echo_memory.markdown import headings
from echo_memory.memory import Memory
from echo_memory.note import Note

PERIODS = ("week", "month")
MAX_CHARS = 7_000
OLD_DAYS = 7

_TEXT, _TITLE, _LINE = 280, 120, 300
_STATUS = "Status"

Fields = dict[str, Any]


def rollup_op(echo: Memory, period: str, *, date: str = "") -> Envelope:
    """Gather what is needed to look back on a week (Monday to Sunday) or a month.

    Args:
        echo: the memory.
        period: `week` or `month`.
        date: any day of it, as `YYYY-MM-DD`; by default today.

    Returns:
        `period`, `from` and `to`; `threads`, the active projects with their `## Status`, those
        changed last first; `decisions` and `sessions` of the period; `scope_history`, the scopes
        set in it; `inbox`, what waits for more than seven days. What did not fit into some 7,000
        characters is counted in `omitted`, by part.

    Raises:
        BadRequest: an argument is not what it should be.
    """
    named = arguments.choice(period, "period", PERIODS)
    written = arguments.line(date, "date")
    day = day_of.fromisoformat(arguments.day(written, "date")) if written else echo.today()
    view = echo.look()
    first, last = bounds(named, day)
    parts = {
        "threads": _threads(echo),
        "decisions": _dated(echo, routing.table().kinds["decision"], first, last),
        "sessions": _dated(echo, routing.table().fixed["session"], first, last),
        "scope_history": _scopes(echo, first, last),
        "inbox": _waiting(echo),
    }
    fitting = _fitting(parts)
    omitted = {key: len(parts[key]) - len(fitting[key]) for key in parts}
    left_out = {key: count for key, count in omitted.items() if count}
    return success(
        "rollup",
        period=named,
        **{"from": first.isoformat(), "to": last.isoformat()},
        **fitting,
        **({"omitted": left_out} if left_out else {}),
        **view.fields,
        warnings=view.warnings,
    )


def bounds(period: str, day: day_of) -> tuple[day_of, day_of]:
    """The first and the last day of the period that a day is in, as far as the calendar goes."""
    if period == "month":
        length = calendar.monthrange(day.year, day.month)[1]
        return day.replace(day=1), day.replace(day=length)
    first = max(day.toordinal() - day.weekday(), 1)
    last = min(day.toordinal() + 6 - day.weekday(), day_of.max.toordinal())
    return day_of.fromordinal(first), day_of.fromordinal(last)


def _threads(echo: Memory) -> list[Fields]:
    """The active projects, those that changed last first."""
    kind = routing.table().kinds["project"]
    active = [n for n in echo.catalog.of_kind(kind.name) if n.path.startswith(f"{kind.folder}/")]
    active.sort(key=lambda note: note.path)
    active.sort(key=lambda note: note.scalar("updated"), reverse=True)
    return [
        {
            **_named(note),
            "status": short(note.scalar("status"), _TITLE),
            "updated": note.scalar("updated")[:10],
            "text": _clipped(_status(note)),
        }
        for note in active
    ]


def _status(note: Note) -> str:
    heading = headings.named(note.headings, _STATUS, 2)
    return note.text[heading.body : heading.end].strip() if heading else ""


def _dated(echo: Memory, kind: routing.Kind, first: day_of, last: day_of) -> list[Fields]:
    """The notes of a kind that are of a day of the period, in their order."""
    found = [
        note
        for note in echo.catalog.of_kind(kind.name)
        if first.isoformat() <= note.date <= last.isoformat()
    ]
    found.sort(key=lambda note: (note.date, note.scalar("created"), note.path))
    return [
        {**_named(note), "date": note.date, "text": _clipped(digest.prose(note))} for note in found
    ]


def _scopes(echo: Memory, first: day_of, last: day_of) -> list[Fields]:
    """The lines of the scope's history that are of a day of the period, newest first."""
    note = fixed_note(echo, "context")
    return [
        {"date": day, "scope": short(words, _LINE)}
        for day, words in (scope.history(note) if note else ())
        if first.isoformat() <= day <= last.isoformat()
    ]


def _waiting(echo: Memory) -> list[Fields]:
    items = inbox_items(echo)
    old = [item for item in items if item.age_days is not None and item.age_days > OLD_DAYS]
    return [
        {"id": item.id, "line": short(item.line, _LINE), "age_days": item.age_days} for item in old
    ]


def _named(note: Note) -> Fields:
    return {"path": note.path, "title": short(note.title, _TITLE)}


def _clipped(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT].rstrip()}…"


def _fitting(parts: dict[str, list[Fields]]) -> dict[str, list[Fields]]:
    """Of each part the first entries, as many as its share of the answer has room for."""
    sizes = {key: [_size(entry) for entry in entries] for key, entries in parts.items()}
    wanted = [sum(each) for each in sizes.values()]
    rooms = digest.shares(wanted, [1] * len(wanted), MAX_CHARS)
    return {
        key: _first(parts[key], sizes[key], room) for key, room in zip(parts, rooms, strict=True)
    }


def _first(entries: Sequence[Fields], sizes: Iterable[int], room: int) -> list[Fields]:
    for at, size in enumerate(sizes):
        room -= size
        if room < 0:
            return list(entries[:at])
    return list(entries)


def _size(entry: Fields) -> int:
    return len(json.dumps(entry, ensure_ascii=False))
