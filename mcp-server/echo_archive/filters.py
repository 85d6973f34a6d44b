"""Filters: what narrows an answer, checked before anything is looked up."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from echo_archive.arguments import optional_text
from echo_archive.scope import Scope, find_scope
from echo_archive.spans import Clock, Span, find_span


@dataclass(frozen=True, slots=True)
class Filters:
    """What was said, by the names of the arguments, and the times that it means."""

    said: dict[str, str | None]
    span: Span

    def scope(self, database: sqlite3.Connection) -> Scope:
        """Where to look.

        Raises:
            BadArgument: There is no such conversation, sender or source, or several conversations.
        """
        named = ((name, self.said.get(name)) for name in ("conversation", "sender", "source"))
        return find_scope(database, **dict(named), span=self.span)


def checked_filters(
    clock: Clock,
    *,
    start: str | None,
    end: str | None,
    **named: str | None,
) -> Filters:
    """The filters of an operation.

    Args:
        clock: What times without a zone are read by.
        start: As `find_span` takes it.
        end: The same.
        named: `conversation`, `sender` and `source`, those that the operation has.

    Raises:
        BadArgument: One is empty, overlong or no date.
    """
    said = {name: optional_text(one, name) for name, one in named.items()}
    times = {"start": optional_text(start, "start"), "end": optional_text(end, "end")}
    return Filters(said | times, find_span(times["start"], times["end"], clock.zone))
