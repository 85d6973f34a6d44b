"""The tools that change notes; a docstring here is what the model reads."""

from __future__ import annotations

from mcp_types import CallToolResult

from echo_mcp.results import answer
from echo_mcp.tools.arguments import (
    Date,
    Domain,
    InboxProposals,
    KindName,
    Operation,
    Proposals,
    Strings,
    TargetType,
)
from echo_mcp.tools.spec import Spec, hints
from echo_memory.memory import Memory
from echo_memory.ops.capture import capture_op
from echo_memory.ops.link import link_op
from echo_memory.ops.note import append_op, patch_op
from echo_memory.ops.reflect import apply_op
from echo_memory.ops.scope import scope_set_op
from echo_memory.ops.session import session_end_op
from echo_memory.ops.triage import triage_op


def echo_set_scope(echo: Memory, scope: str) -> CallToolResult:
    """Set what the operator is working on now, in one line; it also tops the scope's history.

    Call when the operator turns to something else or says so. Returns the new scope.
    """
    return answer(scope_set_op(echo, scope))


def echo_capture(
    echo: Memory,
    title: str,
    kind: KindName = "",
    body: str = "",
    tags: Strings = (),
    aliases: Strings = (),
    sources: Strings = (),
    status: str = "",
    date: Date = "",
    domain: Domain = "",
    merge_into: str = "",
    force: bool = False,
    dry_run: bool = False,
) -> CallToolResult:
    """Keep one lasting fact, person, project, decision, …: makes or extends its note and links it.

    Without `kind` it becomes an inbox line. At a `duplicate-gate` nothing was written: never
    retry blindly, answer with `merge_into` a candidate's slug, or `force` once the operator
    confirmed that it is someone or something else.
    """
    return answer(
        capture_op(
            echo,
            title,
            kind=kind,
            body=body,
            tags=tags,
            aliases=aliases,
            sources=sources,
            status=status,
            date=date,
            domain=domain,
            merge_into=merge_into,
            force=force,
            dry_run=dry_run,
        )
    )


def echo_link(echo: Memory, a: str, b: str) -> CallToolResult:
    """Link two notes to each other under `## Related`; each is a path or a name that resolves.

    Returns both paths and which note changed; a name that could be several answers with candidates.
    """
    return answer(link_op(echo, a, b))


def echo_append_note(echo: Memory, path: str, line: str) -> CallToolResult:
    """Add one line at the end of a note, above its `## Related`, unless the note has it already.

    For a log line or a task; a new fact belongs into `echo_capture`, which files and links it.
    """
    return answer(append_op(echo, path, line))


def echo_patch_note(
    echo: Memory,
    path: str,
    operation: Operation,
    target_type: TargetType,
    target: str,
    content: str,
) -> CallToolResult:
    """Change one place of a note: under a heading, at a `^block`, or a frontmatter key.

    A heading target is the full `::` path from the H1, as in `Title::Status`; a miss answers with
    the headings there are. `replace` overwrites what a person may have written: use it only when
    that is wanted.
    """
    return answer(
        patch_op(
            echo,
            path,
            operation=operation,
            target_type=target_type,
            target=target,
            content=content,
        )
    )


def echo_triage_inbox(
    echo: Memory, proposals: InboxProposals = (), apply: bool = False
) -> CallToolResult:
    """File the inbox: without arguments it lists the items, with `proposals` it previews.

    Propose a note for each item (`line` is its id), show the operator the preview, and only after
    they confirm send the same with `apply: true`. A gated item stays in the inbox and says why.
    """
    return answer(triage_op(echo, proposals=proposals, apply=apply))


def echo_reflect(echo: Memory, proposals: Proposals, apply: bool = False) -> CallToolResult:
    """Keep several memories from this conversation at once; without `apply` it only previews.

    Propose only what was really said or decided: never invent memories. Never apply without the
    operator's go-ahead.
    """
    return answer(apply_op(echo, proposals, apply=apply))


def echo_log_session(
    echo: Memory,
    slug: str,
    log_body: str,
    agent_log_line: str,
    scope: str = "",
    reflect: Proposals = (),
    apply: bool = False,
) -> CallToolResult:
    """End a session: its log, a line for the day, optionally a new scope and memories (`reflect`).

    Without `apply` it returns the plan; apply once the operator agrees. The same call again
    finishes what is missing and doubles nothing.
    """
    return answer(
        session_end_op(
            echo,
            slug=slug,
            log_body=log_body,
            agent_log_line=agent_log_line,
            scope=scope,
            reflect=reflect,
            apply=apply,
        )
    )


TOOLS = (
    Spec(echo_set_scope, "scope", hints(idempotent=True)),
    Spec(echo_capture, "capture", hints(idempotent=True), core=True),
    Spec(echo_link, "link", hints(idempotent=True)),
    Spec(echo_append_note, "append", hints(idempotent=True)),
    Spec(echo_patch_note, "patch", hints(destructive=True)),
    Spec(echo_triage_inbox, "triage", hints(), core=True),
    Spec(echo_reflect, "reflect", hints()),
    Spec(echo_log_session, "session-end", hints(idempotent=True), core=True),
)
