"""Session: log what a conversation did, so that the next one knows where things stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from echo_memory import arguments, draft, frontmatter, routing, shared_index, writing
from echo_memory import scope as scopes
from echo_memory.answers import shown
from echo_memory.envelope import Envelope
from echo_memory.errors import Conflict, EchoError, VaultUnreachable
from echo_memory.fixed_notes import fixed_note
from echo_memory.memory import Memory
from echo_memory.note import Note, stem
from echo_memory.proposal import Proposal, checked_body, parse_list
from echo_memory.queueing import queued
from echo_memory.text import slugify, unique_slug
from echo_memory.vault import Stale

_TRIES = 3

Fields = dict[str, Any]


@dataclass(frozen=True)
class Bundle:
    """All that a session leaves behind."""

    slug: str
    log_body: str
    agent_log_line: str
    scope: str
    reflect: tuple[Proposal, ...]


@queued("session-end", writes=lambda given: bool(given.get("apply")))
def session_end_op(
    echo: Memory,
    *,
    slug: str,
    log_body: str,
    agent_log_line: str,
    scope: str = "",
    reflect: Sequence[Mapping[str, Any]] = (),
    apply: bool = False,
) -> Envelope:
    """Write the session's log, its line of the day, its scope, its proposals; last the heartbeat.

    Running the same bundle again finishes what is missing and doubles nothing. Another log under
    the same slug and day becomes `-2`.

    Returns:
        `action` (`preview` or `applied`), `path` of the log, and `steps`: `{step, ok, …}` in order;
        those of a preview hold what would be written. The first step that fails ends the run; its
        error is the envelope's too.

    Raises:
        BadRequest: an argument is not what it should be; then nothing is written.
    """
    bundle = Bundle(
        slug=slugify(arguments.line(slug, "slug", limit=200, required=True)),
        log_body=checked_body(log_body, "log_body", required=True),
        agent_log_line=arguments.line(agent_log_line, "agent_log_line", required=True),
        scope=arguments.line(scope, "scope", limit=writing.MAX_SCOPE),
        reflect=tuple(parse_list(reflect, "reflect")),
    )
    applying = arguments.flag(apply, "apply")
    if not applying:
        view = echo.look()
        return _run(echo, bundle, view.warnings, applying=False) | view.fields
    echo.prepare()
    for _ in range(_TRIES):
        try:
            return shared_index.published_once(
                echo, lambda batch: _run(batch, bundle, [], applying=True)
            )
        except _NameIsTaken:
            echo.mirror.refresh()
    raise Conflict("Other sessions were logged under this name at the same time. Try again.")


class _NameIsTaken(Stale):
    """Another log was written where this one belonged, between the plan and the write."""


def _run(echo: Memory, bundle: Bundle, warnings: list[str], *, applying: bool) -> Envelope:
    path = _log_path(echo, bundle)
    over = _is_over(echo, path)
    if over:
        warnings = [*warnings, "A later session was logged since: its scope and heartbeat stay."]
    envelope: Envelope = {
        "ok": True,
        "op": "session-end",
        "action": "applied" if applying else "preview",
        "path": path,
        "steps": [],
    }
    if warnings:
        envelope["warnings"] = warnings
    for name, step in _steps(echo, bundle, path, over=over):
        try:
            envelope["steps"].append({"step": name, **step(applying)})
        except VaultUnreachable:
            raise
        except EchoError as error:
            envelope["steps"].append({"step": name, "ok": False, "error": error.as_dict()})
            return {**envelope, "ok": False, "error": error.as_dict()}
    return envelope


def _is_over(echo: Memory, path: str) -> bool:
    """Whether another session was completed after this one, which was logged already or waited."""
    log = echo.catalog.get(path)
    heartbeat = fixed_note(echo, "heartbeat")
    if echo.is_replay and heartbeat is not None and heartbeat.scalar("path") != path:
        return scopes.is_later(heartbeat.scalar("completed_at"), echo.clock().isoformat())
    if log is None or heartbeat is None or heartbeat.scalar("path") == path:
        return False
    return scopes.is_later(heartbeat.scalar("completed_at"), log.scalar("created"))


def _scope_moved_on(echo: Memory, path: str) -> bool:
    """Whether the session was logged whole, and the scope was set anew after it."""
    heartbeat = fixed_note(echo, "heartbeat")
    context = fixed_note(echo, "context")
    if heartbeat is None or context is None or heartbeat.scalar("path") != path:
        return False
    stamp = scopes.read(context).scope_updated
    return scopes.is_later(stamp, heartbeat.scalar("completed_at"))


def _steps(
    echo: Memory, bundle: Bundle, path: str, *, over: bool
) -> list[tuple[str, Callable[[bool], Fields]]]:
    """The steps in order, each a function of whether to apply.

    Args:
        echo: the memory.
        bundle: what the session leaves.
        path: where its log stands.
        over: whether a later session was completed, so that this one no longer says what is now.
    """
    steps: list[tuple[str, Callable[[bool], Fields]]] = [
        ("session-log", lambda apply: _write_log(echo, bundle, path, apply=apply)),
        ("agent-log", lambda apply: _agent_log(echo, bundle, apply=apply)),
    ]
    if bundle.scope and not over and not _scope_moved_on(echo, path):
        steps.append(("scope", lambda apply: _set_scope(echo, bundle, apply=apply)))
    if bundle.reflect:
        steps.append(("reflect", lambda apply: _reflect(echo, bundle, apply=apply)))
    if not over:
        steps.append(("heartbeat", lambda apply: _heartbeat(echo, path, apply=apply)))
    return steps


def _log_path(echo: Memory, bundle: Bundle) -> str:
    """Where the log belongs: the first free name of the day, or the note that has this very log."""
    kind = routing.table().fixed["session"]
    day = echo.today().isoformat()
    base = bundle.slug.removeprefix(f"{day}-")
    logged = _logged(bundle, _title(bundle.slug))
    others = {
        note.slug
        for path in echo.catalog.all_paths()
        if stem(path).startswith(f"{day}-{base}")
        and (note := echo.catalog.get(path))
        and not (kind.holds(path) and draft.equals(note.text, logged))
    }
    return kind.path_for(unique_slug(base, others), date=day)


def _title(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def _logged(bundle: Bundle, title: str) -> str:
    """The body as it stands under the log's H1."""
    return draft.demote(draft.without_title(bundle.log_body, title), below=1).strip("\n")


def _write_log(echo: Memory, bundle: Bundle, path: str, *, apply: bool) -> Fields:
    kind = routing.table().fixed["session"]
    title = _title(bundle.slug)
    logged = _logged(bundle, title)
    body, links = echo.catalog.linked(logged, path)
    if not apply:
        if echo.catalog.get(path) is not None:
            return {"ok": True, "action": "unchanged", "path": path}
        planned = {"links_added": shown(links), "would_write": writing.shortened(body)}
        return {"ok": True, "action": "created", "path": path, **planned}

    def change(text: str | None) -> str:
        if text is not None and draft.equals(text, logged):
            return text
        if text is not None:
            raise _NameIsTaken
        now = echo.clock().isoformat(timespec="seconds")
        values: dict[str, object] = {"title": title, "date": now[:10], "created": now}
        return draft.fixed(kind, title=title, values=values, body=body)

    created = echo.edit(path, change).changed
    action = "created" if created else "unchanged"
    added = shown(links if created else [])
    return {"ok": True, "action": action, "path": path, "links_added": added}


def _agent_log(echo: Memory, bundle: Bundle, *, apply: bool) -> Fields:
    line = bundle.agent_log_line.removeprefix("- ")
    added = writing.log_line(echo, line, apply=apply)
    return {"ok": True, "action": "added" if added else "unchanged", "line": line}


def _set_scope(echo: Memory, bundle: Bundle, *, apply: bool) -> Fields:
    return {"ok": True, **writing.set_scope(echo, bundle.scope, confirm=False, apply=apply)}


def _reflect(echo: Memory, bundle: Bundle, *, apply: bool) -> Fields:
    batch = writing.Batch(echo, apply=apply)
    results = [batch.attempt(proposal) for proposal in bundle.reflect]
    return {"ok": True, "results": results, "filed": sum(1 for each in results if each["ok"])}


def _heartbeat(echo: Memory, path: str, *, apply: bool) -> Fields:
    """The commit marker: whoever reads it knows that the session was logged whole."""
    kind = routing.table().fixed["heartbeat"]
    note = echo.catalog.get(kind.path)
    if not apply:
        said = note.scalar("path") if note else ""
        return {"ok": True, "action": "unchanged" if said == path else "updated"}
    now = echo.clock().isoformat(timespec="seconds")
    values: dict[str, object] = {"slug": stem(path), "path": path, "completed_at": now}

    def change(text: str | None) -> str:
        if text is None:
            return draft.fixed(kind, values=values)
        is_said = Note(kind.path, text).scalar("path") == path
        return text if is_said else frontmatter.set_keys(text, values)

    if not echo.edit(kind.path, change).changed:
        return {"ok": True, "action": "unchanged"}
    return {"ok": True, "action": "updated", "completed_at": now}
