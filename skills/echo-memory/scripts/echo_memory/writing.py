"""The writing engine: apply a plan, log it, have the index published."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from typing import Any

from echo_memory import draft, routing, scope, sections, shared_index
from echo_memory.answers import described, shown
from echo_memory.deed import keeping
from echo_memory.entities import Entities
from echo_memory.envelope import GATED
from echo_memory.errors import Conflict, EchoError, VaultUnreachable
from echo_memory.memory import Memory
from echo_memory.naming.entity import Entity
from echo_memory.note import Note
from echo_memory.planning import Plan, PlanIsStale, make_plan
from echo_memory.proposal import Proposal
from echo_memory.shared_index import may_be_entity
from echo_memory.text import slugify

AGENT_LOG = "Agent Log"
MAX_SCOPE = 500
MAX_PREVIEW = 1_500
_TRIES = 3

Fields = dict[str, Any]


def capture(echo: Memory, proposal: Proposal, *, apply: bool = True) -> Fields:
    """Put one proposal into the vault: note, then log line, then index.

    Every step can be repeated without doubling anything. When another writer makes or removes the
    note between plan and write, the plan is made again.

    Returns:
        The fields of capture's envelope, with `ok`.

    Raises:
        EchoError: the note was not written, or, where `written` names it, its log line was not.
    """
    for _ in range(_TRIES):
        plan = make_plan(echo, proposal)
        if plan.action == GATED:
            return _gated(plan, _unread(echo))
        try:
            if not apply:
                return _previewed(echo, plan)
            with keeping() if plan.entity else nullcontext():
                edit = echo.edit(plan.path, plan.change)
        except PlanIsStale:
            echo.mirror.refresh()
            continue
        action = plan.action if edit.changed else "unchanged"
        warnings = [*_unread(echo), *_after(echo, plan, changed=edit.changed)]
        return _outcome(plan, action, warnings=warnings)
    raise Conflict("The note was made or removed by others at the same time. Try again.")


def attempt(echo: Memory, proposal: Proposal, *, apply: bool) -> Fields:
    """Capture one proposal of several: what stops it stands in its own result.

    Raises:
        VaultUnreachable: applying, for then the others cannot be captured either.
    """
    try:
        return {"title": proposal.title, **capture(echo, proposal, apply=apply)}
    except VaultUnreachable as error:
        if apply:
            raise
        return {"title": proposal.title, "ok": False, "error": error.as_dict()}
    except EchoError as error:
        return {"title": proposal.title, "ok": False, "error": error.as_dict()}


class Batch:
    """Several proposals of one call, captured one after the other.

    A preview plans each on the vault as it is; where an earlier proposal of the call will have
    changed that, the result says so.
    """

    def __init__(self, echo: Memory, *, apply: bool) -> None:
        self._echo = echo
        self._apply = apply
        self._earlier = Entities()

    def attempt(self, proposal: Proposal) -> Fields:
        """Capture the next proposal, or preview it."""
        result = attempt(self._echo, proposal, apply=self._apply)
        near = self._earlier.candidates(proposal.title, kind=proposal.kind or None, limit=1)
        if proposal.kind and not proposal.merge_into:
            path = f"{len(self._earlier)}/{slugify(proposal.title)}.md"
            self._earlier.put(Entity(path, path, proposal.kind, proposal.title, proposal.aliases))
        if self._apply or not near or not near[0].gates:
            return result
        told = f'An earlier proposal of this call is named "{near[0].entity.title}"; this one is'
        warnings = [*result.get("warnings", []), f"{told} decided once that one is written."]
        return {**result, "warnings": warnings}


def _after(echo: Memory, plan: Plan, *, changed: bool) -> list[str]:
    """What follows a written note: its line in the day's log, then the shared index.

    A run that found everything in the note repairs both, if the note was written today.
    """
    if plan.entity is None:
        return []
    if changed or _is_of_today(echo, plan.path):
        kind = plan.entity.kind or "note"
        try:
            log_line(echo, f"Captured {echo.catalog.link_to(plan.entity)} ({kind})")
        except EchoError as error:
            error.details["written"] = plan.path
            raise
    return shared_index.publish(echo)


def _is_of_today(echo: Memory, path: str) -> bool:
    """Whether a note was written today: it has the stamp, or a log of this day."""
    note, day = echo.catalog.get(path), echo.today().isoformat()
    if note is None or note.scalar("updated"):
        return note is not None and note.scalar("updated") == day
    return any(f"{draft.LOG}::{day}" in heading.path for heading in note.headings)


def log_line(echo: Memory, words: str, *, apply: bool = True) -> bool:
    """Add a line to the day's `## Agent Log`, once; the daily note is made if it is missing.

    Returns:
        Whether the line was added, or without `apply` would be.
    """
    day = echo.today().isoformat()
    kind = routing.table().fixed["daily"]
    line = f"- {words}"

    def change(text: str | None) -> str:
        before = draft.fixed(kind, title=day) if text is None else text
        if line in before.splitlines():
            return before
        return sections.append_under(before, AGENT_LOG, line)

    path = kind.path_for("", date=day)
    if not apply:
        note = echo.catalog.get(path)
        return note is None or change(note.text) != note.text
    return echo.edit(path, change).changed


def set_scope(echo: Memory, words: str, *, confirm: bool, apply: bool = True) -> Fields:
    """Make a line the current scope.

    Args:
        echo: the memory.
        words: the scope.
        confirm: whether a scope that is current already gets a new stamp.
        apply: without it nothing is written.

    Returns:
        `action` (`updated`, `confirmed` or `unchanged`), `scope` and `scope_updated`.
    """
    words = " ".join(words.split())
    kind = routing.table().fixed["context"]
    note = echo.catalog.get(kind.path)
    current = scope.read(note) if note else scope.Scope()
    same = current.scope == words
    now = echo.clock()
    if echo.is_replay and scope.is_later(current.scope_updated, now.isoformat()):
        return {
            "action": "unchanged",
            "scope": current.scope,
            "scope_updated": current.scope_updated,
            "warnings": ["A later scope was set meanwhile; it stays."],
        }
    action = "updated" if not same else "confirmed" if confirm else "unchanged"
    if not apply:
        return {"action": action, "scope": words, "scope_updated": current.scope_updated}

    def change(text: str | None) -> str:
        before = draft.fixed(kind) if text is None else text
        if not confirm and scope.read(Note(kind.path, before)).scope == words:
            return before
        return scope.set_scope(before, words, now)

    if not echo.edit(kind.path, change).changed:
        return {"action": "unchanged", "scope": words, "scope_updated": current.scope_updated}
    return {
        "action": "confirmed" if action == "confirmed" else "updated",
        "scope": words,
        "scope_updated": now.isoformat(timespec="seconds"),
    }


def _unread(echo: Memory) -> list[str]:
    """A warning that names were not compared with notes that cannot be read."""
    hidden = [path for path in echo.mirror.unread if may_be_entity(path)]
    if not hidden:
        return []
    return [f"Not compared with {len(hidden)} notes that cannot be read, such as {hidden[0]}."]


def _gated(plan: Plan, warnings: list[str]) -> Fields:
    fields: Fields = {
        "ok": False,
        "action": GATED,
        "candidates": described(plan.candidates),
        "resolutions": list(plan.resolutions),
    }
    return fields | ({"warnings": warnings} if warnings else {})


def _outcome(
    plan: Plan, action: str, *, warnings: list[str] | None = None, preview: str | None = None
) -> Fields:
    fields: Fields = {"ok": True, "action": action, "path": plan.path}
    if plan.entity is not None:
        fields["slug"] = plan.entity.slug
        fields["links_added"] = shown(plan.links if action != "unchanged" else ())
        fields["near_duplicates"] = described(near for near in plan.near if near.is_near)
    if plan.alias and action != "unchanged":
        fields["alias_added"] = plan.alias
    if preview is not None:
        fields |= {"dry_run": True, "would_write": preview}
    every = [*plan.warnings, *(warnings or [])]
    return fields | ({"warnings": every} if every else {})


def _previewed(echo: Memory, plan: Plan) -> Fields:
    """What a plan would do, with the lines that it would add."""
    note = echo.catalog.get(plan.path)
    before = note.text if note else None
    after = plan.change(before)
    action = "unchanged" if after == before else plan.action
    added = _added(before or "", after)
    return _outcome(plan, action, warnings=_unread(echo), preview=shortened(added))


def _added(before: str, after: str) -> str:
    """The lines of a text that another has not, or not as often."""
    left = Counter(before.splitlines())
    added = []
    for line in after.splitlines():
        if left[line]:
            left[line] -= 1
        else:
            added.append(line)
    return "\n".join(added)


def shortened(preview: str) -> str:
    """The beginning of what would be written; an answer holds several of them."""
    if len(preview) <= MAX_PREVIEW:
        return preview
    return f"{preview[:MAX_PREVIEW]}\n[… {len(preview)} characters in all]"
