"""The tools that look back; a docstring here is what the model reads."""

from __future__ import annotations

from mcp_types import CallToolResult

from echo_mcp.results import answer
from echo_mcp.tools.arguments import Date, Period
from echo_mcp.tools.spec import Spec, hints
from echo_memory.memory import Memory
from echo_memory.ops.history import history_op, restore_op
from echo_memory.ops.rollup import rollup_op


def echo_rollup_data(echo: Memory, period: Period, date: Date = "") -> CallToolResult:
    """What the week or month of a day (today by default) held, to write a review from.

    Returns active projects with status, decisions, sessions, scopes, and inbox items older than
    seven days; what did not fit is counted in `omitted`.
    """
    return answer(rollup_op(echo, period, date=date))


def echo_note_history(echo: Memory, path: str) -> CallToolResult:
    """The earlier texts of a note, also of a deleted one, newest first.

    Call it when a change has to be undone. Returns each version's id, when and by what it was
    replaced, and what that changed: `echo_restore_note` brings one back.
    """
    return answer(history_op(echo, path))


def echo_restore_note(
    echo: Memory, path: str, version_id: str, confirm: bool = False
) -> CallToolResult:
    """Bring an earlier text of a note back, by an id of `echo_note_history`.

    Without `confirm` it only returns the difference: show that to the operator, and send
    `confirm: true` only after they confirm. The text that it replaces becomes a version, too.
    """
    return answer(restore_op(echo, path, version_id, confirm=confirm))


TOOLS = (
    Spec(echo_rollup_data, "rollup", hints(read_only=True, idempotent=True)),
    Spec(echo_note_history, "history", hints(read_only=True, idempotent=True)),
    Spec(echo_restore_note, "restore", hints(destructive=True)),
)
