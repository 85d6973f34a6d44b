"""The tools that look things up; a docstring here is what the model reads."""

from __future__ import annotations

from mcp_types import CallToolResult

from echo_mcp.results import answer
from echo_mcp.tools.arguments import Budget, Chars, Limit, LoadBudget
from echo_mcp.tools.spec import Spec, hints
from echo_memory.memory import Memory
from echo_memory.ops.health import health_op
from echo_memory.ops.load import load_op
from echo_memory.ops.note import DEFAULT_CHARS, get_note_op
from echo_memory.ops.recall import DEFAULT_BUDGET, DEFAULT_LIMIT, recall_op
from echo_memory.ops.resolve import resolve_op
from echo_memory.ops.scope import scope_show_op


def echo_load(echo: Memory, brief: bool = True, budget_chars: LoadBudget = None) -> CallToolResult:
    """Where things stand: call once, at the start of a conversation.

    Returns the operator's preferences, current scope, last session, today's log and the inbox's
    size; `brief: false` gives those notes whole, in 24,000 characters unless told otherwise.
    """
    return answer(load_op(echo, brief=brief, budget_chars=budget_chars))


def echo_recall(
    echo: Memory,
    query: str,
    limit: Limit = DEFAULT_LIMIT,
    include_linked: bool = True,
    budget_chars: Budget = DEFAULT_BUDGET,
) -> CallToolResult:
    """Search the memory; call before answering about a person, project, decision or anything past.

    Returns the notes that fit best, each with path, title and the passage that answers, and notes
    linked to them. A hit marked `truncated` is cut: `echo_get_note` has the rest.
    """
    return answer(
        recall_op(
            echo, query, limit=limit, include_linked=include_linked, budget_chars=budget_chars
        )
    )


def echo_resolve(echo: Memory, mention: str) -> CallToolResult:
    """Find the entity (person, company, project, concept, …) that a name, alias or nickname means.

    Call it before creating any note by hand; `echo_capture` does it by itself. Returns the match,
    or near candidates and the slug that a new note would take.
    """
    return answer(resolve_op(echo, mention))


def echo_get_note(
    echo: Memory, path: str, section: str = "", max_chars: Chars = DEFAULT_CHARS
) -> CallToolResult:
    """Read one note by its path or slug, whole or only the section under one heading.

    Returns content and frontmatter; what is longer than `max_chars` is cut and marked, with the
    headings to ask for. A miss answers with near paths, or with the headings that there are.
    """
    return answer(get_note_op(echo, path, section=section, max_chars=max_chars))


def echo_get_scope(echo: Memory) -> CallToolResult:
    """What the operator is working on now, since when, and how many sessions ago that was set.

    Confirm the scope with the operator when `sessions_since` is 3 or more.
    """
    return answer(scope_show_op(echo))


def echo_health(echo: Memory, deep: bool = False) -> CallToolResult:
    """Check that the memory works: call when something looks wrong, or when asked.

    Returns checks, each with how to fix it; `deep: true` also lists faults in the notes themselves,
    such as broken links, duplicate names or missing keys.
    """
    return answer(health_op(echo, deep=deep))


TOOLS = (
    Spec(echo_load, "load", hints(open_world=True), core=True),
    Spec(echo_recall, "recall", hints(read_only=True, idempotent=True), core=True),
    Spec(echo_resolve, "resolve", hints(read_only=True, idempotent=True)),
    Spec(echo_get_note, "get", hints(read_only=True, idempotent=True)),
    Spec(echo_get_scope, "scope", hints(read_only=True, idempotent=True)),
    Spec(echo_health, "health", hints(read_only=True), core=True),
)
