"""Scope: what the operator is working on now."""

from __future__ import annotations

from echo_memory import arguments, scope, writing
from echo_memory.envelope import Envelope, success
from echo_memory.fixed_notes import fixed_note
from echo_memory.memory import Memory
from echo_memory.queueing import queued


def scope_show_op(echo: Memory) -> Envelope:
    """Show the current scope.

    Returns:
        `scope` and `scope_updated`, null when none was ever set, and `sessions_since`, the sessions
        logged after it was set or last confirmed.
    """
    view = echo.look()
    note = fixed_note(echo, "context")
    current = scope.read(note) if note else scope.Scope()
    return success(
        "scope",
        scope=current.scope or None,
        scope_updated=current.scope_updated or None,
        sessions_since=scope.sessions_since(
            current, echo.catalog.of_kind("session", since=current.day)
        ),
        **view.fields,
        warnings=view.warnings,
    )


@queued("scope")
def scope_set_op(echo: Memory, scope: str) -> Envelope:
    """Switch the scope, or confirm it where it is the same: its stamp is new then, its history not.

    Raises:
        BadRequest: no text, or more than one line.
    """
    words = arguments.line(scope, "scope", limit=writing.MAX_SCOPE, required=True)
    echo.prepare()
    return success("scope", **writing.set_scope(echo, words, confirm=True))
