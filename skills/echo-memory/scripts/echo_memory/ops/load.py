"""Load: where things stand, for a conversation that begins."""

from __future__ import annotations

from typing import NamedTuple

from echo_memory import arguments, digest, routing, scope
from echo_memory.envelope import Envelope, success
from echo_memory.errors import EchoError
from echo_memory.fixed_notes import fixed_note, inbox_items
from echo_memory.inbox import Item
from echo_memory.memory import NOT_A_VAULT, Memory
from echo_memory.note import Note
from echo_memory.queueing import Flushed, flush
from echo_memory.text import fold

BRIEF_CHARS, WHOLE_CHARS = 6_000, 24_000
MIN_CHARS, MAX_CHARS = 500, 200_000

FLUSH_S = 10.0
"""How long to replay what waits before the answer is given."""

_LABELS = 200  # what whoever shows the answer needs for the names of the sections
_ITEM_CHARS = 160


class Part(NamedTuple):
    """The text of one section.

    Attributes:
        text: all of it.
        path: the note that has it; empty where there is none.
        weight: its part of a budget that is too small for all.
        newest_last: what is cut is its beginning.
    """

    text: str
    path: str = ""
    weight: int = 1
    newest_last: bool = False


def load_op(echo: Memory, *, brief: bool = True, budget_chars: int | None = None) -> Envelope:
    """Tell where things stand.

    Args:
        echo: the memory.
        brief: a digest; else the six notes whole.
        budget_chars: what the text of the answer may have, 500 to 200,000 characters; by default
            6,000, and 24,000 for whole notes.

    Returns:
        `sections`: texts `marker`, `scope`, `preferences`, `last_session`, `today` and `inbox`,
        and `inbox_count` and `inbox_oldest_days`, null where no item has a date; `queued_flushed`
        and `offline`. What was cut says which note has the rest.

    Raises:
        BadRequest: an argument is not what it should be.
        VaultUnreachable: the vault does not answer.
    """
    in_brief = arguments.flag(brief, "brief")
    budget = BRIEF_CHARS if in_brief else WHOLE_CHARS
    if budget_chars is not None:
        budget = arguments.integer(budget_chars, "budget_chars", low=MIN_CHARS, high=MAX_CHARS)
    flushed = _flushed(echo)
    view = echo.look(*_paths(echo))
    waiting = inbox_items(echo)
    parts = _brief(echo, waiting) if in_brief else _whole(echo)
    ages = [item.age_days for item in waiting if item.age_days is not None]
    return success(
        "load",
        sections={
            **_within(parts, budget - _LABELS),
            "inbox_count": len(waiting),
            "inbox_oldest_days": max(ages, default=None),
        },
        queued_flushed=flushed.done,
        **{"offline": False, **view.fields},
        warnings=[*view.warnings, *_outbox(echo)],
    )


def _flushed(echo: Memory) -> Flushed:
    """What became of the writes that wait; one that cannot be replayed now keeps nobody waiting."""
    try:
        return flush(echo, seconds=FLUSH_S)
    except EchoError as error:
        echo.notify(f"the outbox was not replayed: {error.message}")
        return Flushed()


def _outbox(echo: Memory) -> list[str]:
    try:
        status = echo.outbox.status()
    except EchoError as error:
        return [error.message]
    waiting = f"Writes that wait until the vault is back: {status.waiting}."
    parked = (
        f"Earlier writes that need the operator's decision: {status.parked}. The command line lists"
        " them: `outbox`."
    )
    return [*([waiting] if status.waiting else []), *([parked] if status.parked else [])]


def _paths(echo: Memory) -> list[str]:
    """The notes that are told of, as far as it is known beforehand which they are."""
    fixed = routing.table().fixed
    names = ("marker", "preferences", "context", "heartbeat", "inbox")
    session, _ = _last_session(echo)
    paths = [fixed[name].path for name in names]
    return [*paths, _today_path(echo), *([session.path] if session else [])]


def _within(parts: dict[str, Part], budget: int) -> dict[str, str]:
    """The texts, each within its share of the budget."""
    given = digest.shares(
        [len(part.text) for part in parts.values()],
        [part.weight for part in parts.values()],
        budget,
    )
    return {
        name: (digest.tail if part.newest_last else digest.head)(part.text, limit, more=part.path)
        for (name, part), limit in zip(parts.items(), given, strict=True)
    }


def _brief(echo: Memory, waiting: list[Item]) -> dict[str, Part]:
    fixed = routing.table().fixed
    preferences = fixed_note(echo, "preferences")
    session, header = _last_session(echo)
    return {
        "marker": Part(_marker(echo), fixed["marker"].path, weight=100),
        "scope": Part(_scope(echo), fixed["context"].path, weight=100),
        "preferences": Part(
            digest.prose(preferences) if preferences else "", fixed["preferences"].path, weight=3
        ),
        "last_session": Part(
            f"{header}\n\n{digest.prose(session)}".strip() if session else "",
            session.path if session else "",
            weight=3,
        ),
        "today": Part(
            digest.day_log(_agent_log(echo)), _today_path(echo), weight=2, newest_last=True
        ),
        "inbox": Part("\n".join(_shortened(item) for item in waiting), fixed["inbox"].path),
    }


def _whole(echo: Memory) -> dict[str, Part]:
    session, header = _last_session(echo)
    notes = {
        "marker": fixed_note(echo, "marker"),
        "scope": fixed_note(echo, "context"),
        "preferences": fixed_note(echo, "preferences"),
        "last_session": session,
        "today": echo.catalog.get(_today_path(echo)),
        "inbox": fixed_note(echo, "inbox"),
    }
    parts = {
        name: Part(note.text if note else "", note.path if note else "")
        for name, note in notes.items()
    }
    if session:
        parts["last_session"] = Part(f"{header}\n\n{session.text}", session.path)
    if not notes["marker"]:
        parts["marker"] = Part(NOT_A_VAULT)
    return parts


def _marker(echo: Memory) -> str:
    note = fixed_note(echo, "marker")
    if note is None:
        return NOT_A_VAULT
    keys = routing.table().fixed["marker"].keys
    return ", ".join(f"{key} {value}" for key in keys if (value := note.scalar(key)))


def _scope(echo: Memory) -> str:
    note = fixed_note(echo, "context")
    current = scope.read(note) if note else scope.Scope()
    if not current.scope:
        return ""
    logged = echo.catalog.of_kind("session", since=current.day)
    since = scope.sessions_since(current, logged)
    facts = f"set {current.scope_updated or 'at an unknown time'}; sessions since: {since}"
    return f"{current.scope} ({facts})"


def _last_session(echo: Memory) -> tuple[Note | None, str]:
    """The log of the last completed session, else the newest there is, with a line about it."""
    heartbeat = fixed_note(echo, "heartbeat")
    note = echo.catalog.get(heartbeat.scalar("path")) if heartbeat else None
    if heartbeat and note:
        return note, f"{note.id} (completed {heartbeat.scalar('completed_at')})"
    kind = routing.table().fixed["session"]
    logs = echo.catalog.of_kind(kind.name)
    newest = max(logs, key=lambda note: (note.date, note.scalar("created"), note.id), default=None)
    return newest, newest.id if newest else ""


def _agent_log(echo: Memory) -> str:
    note = echo.catalog.get(_today_path(echo))
    titles = {fold(title) for title in routing.table().fixed["daily"].sections}
    headings = [h for h in note.headings if fold(h.title) in titles] if note else []
    return "\n".join(note.text[h.body : h.end].strip() for h in headings) if note else ""


def _shortened(item: Item) -> str:
    first, *rest = item.line.split("\n")
    return f"- {first[:_ITEM_CHARS]}{' …' if rest or len(first) > _ITEM_CHARS else ''}"


def _today_path(echo: Memory) -> str:
    return routing.table().fixed["daily"].path_for("", date=echo.today().isoformat())
