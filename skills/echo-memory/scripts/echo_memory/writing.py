"""The writing engine: plan a proposal, apply it, log it, publish the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from echo_memory import draft, routing, scope, sections
from echo_memory.entities import Candidate, Entities
from echo_memory.entity import Entity
from echo_memory.envelope import GATED
from echo_memory.errors import BadRequest, Conflict, EchoError
from echo_memory.lines import short
from echo_memory.links import wikilink
from echo_memory.memory import Memory
from echo_memory.mentions import Added, link_mentions
from echo_memory.note import Note
from echo_memory.proposal import MAX_TITLE, Proposal
from echo_memory.text import slugify, unique_slug

AGENT_LOG = "Agent Log"
MAX_SCOPE = 500
RESOLUTIONS = ("merge_into", "force")
_TRIES = 3

Fields = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a proposal would do to the vault.

    Attributes:
        action: `created`, `updated`, `inbox` or `duplicate-gate`; an `updated` that finds all of it
            in the note already ends as `unchanged`.
        change: from the note's text to its new text; None where there must be no note yet.
        linked: the body as it is written, with its mentions linked.
    """

    action: str
    path: str = ""
    entity: Entity | None = None
    change: Callable[[str | None], str] = field(default=lambda text: text or "", repr=False)
    links: tuple[Added, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = ()
    warnings: tuple[str, ...] = ()


def capture(echo: Memory, proposal: Proposal, *, apply: bool = True) -> Fields:
    """Put one proposal into the vault: note, then log line, then index.

    Every step can be repeated without doubling anything. When another writer makes or removes the
    note between plan and write, the plan is made again.

    Returns:
        The fields of capture's envelope, with `ok`.

    Raises:
        EchoError: nothing of the note was written.
    """
    for _ in range(_TRIES):
        plan = make_plan(echo, proposal)
        if plan.action == GATED:
            return _gated(plan)
        if not apply:
            return _outcome(plan, _dry_action(echo, plan), preview=_preview(echo, plan))
        try:
            edit = echo.edit(plan.path, plan.change)
        except _PlanIsStale:
            echo.catalog.refresh()
            continue
        action = plan.action if edit.changed else "unchanged"
        warnings = _after(echo, plan, changed=edit.changed)
        return _outcome(plan, action, warnings=warnings)
    raise Conflict("The note was made or removed by others at the same time. Try again.")


def attempt(echo: Memory, proposal: Proposal, *, apply: bool) -> Fields:
    """Capture one proposal of several: what stops it stands in its own result."""
    try:
        return {"title": proposal.title, **capture(echo, proposal, apply=apply)}
    except EchoError as error:
        return {"title": proposal.title, "ok": False, "error": error.as_dict()}


class _PlanIsStale(Exception):
    """The note that a plan makes is there, or the one that it changes is gone."""


def make_plan(echo: Memory, proposal: Proposal) -> Plan:
    """Decide what a proposal does, by the rules of capture; nothing is written."""
    if proposal.merge_into:
        return _merge_into(echo, proposal)
    if not proposal.kind:
        return _inbox(echo, proposal)
    kind = routing.table().kinds[proposal.kind]
    pool = _pool(echo, kind, proposal)
    exact = pool.exact(proposal.title)
    same_kind = [entity for entity in exact if entity.kind == kind.name]
    if len(same_kind) == 1:
        return _update(echo, proposal, same_kind[0])
    near = (
        tuple(pool.candidates(proposal.title, kind=kind.name)) if kind.entity or kind.dated else ()
    )
    gating = tuple(candidate for candidate in near if candidate.gates)
    if same_kind or (gating and not proposal.force):
        return Plan(GATED, candidates=gating or near)
    return _create(echo, proposal, kind, near)


def _pool(echo: Memory, kind: routing.Kind, proposal: Proposal) -> Entities:
    """What a new name is compared with: entities, else the same kind, of the same day if dated."""
    if kind.entity:
        return echo.catalog.entities
    day = (proposal.date or echo.today().isoformat()) if kind.dated else ""
    return Entities(echo.catalog.of_kind(kind.name, day=day))


def _merge_into(echo: Memory, proposal: Proposal) -> Plan:
    note = named(echo, proposal.merge_into, field="merge_into")
    if note.kind is None or note.kind.name not in routing.table().kinds:
        raise BadRequest(
            "merge_into names a note that is not a memory. Give the id of a person, project, …",
            field="merge_into",
        )
    return _update(echo, proposal, note.entity(), alias=True)


def named(echo: Memory, reference: str, *, field: str) -> Note:
    """The note that an entity's id or name means, else any note's id or path.

    Raises:
        BadRequest: several entities have the name and none has it as its id; see `candidates`.
        NotFound: none has.
    """
    exact = echo.catalog.entities.exact(reference)
    by_id = [entity for entity in exact if entity.slug == reference]
    if len(by_id or exact) > 1:
        raise BadRequest(
            f"{field} is the name of several notes. Give the id of one of the candidates.",
            field=field,
            candidates=[asdict(entity) for entity in exact],
        )
    note = echo.catalog.get((by_id or exact)[0].path) if exact else None
    return note or echo.locate(reference, field=field)


def linked(echo: Memory, text: str, path: str) -> tuple[str, list[Added]]:
    """A text that becomes part of the note at `path`, with its mentions linked."""
    catalog = echo.catalog
    return link_mentions(text, catalog.names, exclude={path}, key_of=catalog.key_of)


def _update(echo: Memory, proposal: Proposal, entity: Entity, *, alias: bool = False) -> Plan:
    body, links = linked(echo, proposal.body, entity.path)
    today = echo.today()

    def change(text: str | None) -> str:
        if text is None:
            raise _PlanIsStale
        return draft.merged(text, proposal, body=body, today=today, alias=alias)

    return Plan(
        "updated",
        entity.path,
        entity,
        change,
        tuple(links),
        near=_others(echo, proposal, entity),
        warnings=_ignored(proposal, entity.kind),
    )


def _create(
    echo: Memory, proposal: Proposal, kind: routing.Kind, near: tuple[Candidate, ...]
) -> Plan:
    today = echo.today()
    date = proposal.date or today.isoformat()
    domain = (proposal.domain or kind.domains[0]) if kind.domains else ""
    base = slugify(proposal.title)
    stem = f"{date}-{base}" if kind.dated else base
    slug = unique_slug(stem, echo.catalog.paths)
    path = kind.path_for(
        slug.removeprefix(f"{date}-") if kind.dated else slug, date=date, domain=domain
    )
    entity = Entity(slug, path, kind.name, proposal.title, proposal.aliases)
    body, links = linked(echo, proposal.body, path)

    def change(text: str | None) -> str:
        if text is not None:
            raise _PlanIsStale
        return draft.new(kind, proposal, body=body, today=today, domain=domain)

    return Plan(
        "created",
        path,
        entity,
        change,
        tuple(links),
        near=near,
        warnings=_ignored(proposal, kind.name),
    )


def _inbox(echo: Memory, proposal: Proposal) -> Plan:
    kind = routing.table().fixed["inbox"]
    block = inbox_block(proposal, echo.today().isoformat())
    left_out = [key for key in ("tags", "aliases", "sources") if getattr(proposal, key)]

    def change(text: str | None) -> str:
        before = draft.fixed(kind) if text is None else text
        return before if draft.contains(before, block) else sections.append_lines(before, block)

    return Plan(
        "inbox",
        kind.path,
        change=change,
        warnings=tuple(f"{key} was left out: an inbox line has none." for key in left_out),
    )


def inbox_block(proposal: Proposal, date: str) -> str:
    """An inbox line; a body of several lines stands indented under it."""
    lines = proposal.body.strip().splitlines()
    head = f"- {date} {proposal.title}"
    if len(lines) < 2:
        return ": ".join([head, *lines])
    return "\n".join([f"{head}:", *(f"  {line}".rstrip() for line in lines)])


def _others(echo: Memory, proposal: Proposal, entity: Entity) -> tuple[Candidate, ...]:
    near = echo.catalog.entities.candidates(proposal.title, kind=entity.kind)
    return tuple(candidate for candidate in near if candidate.entity.path != entity.path)


def _ignored(proposal: Proposal, kind_name: str) -> tuple[str, ...]:
    kind = routing.table().kinds[kind_name]
    ignored = []
    if proposal.date and not kind.dated:
        ignored.append(f"date was left out: a {kind_name} has none.")
    if proposal.domain and not kind.domains:
        ignored.append(f"domain was left out: a {kind_name} has none.")
    return tuple(ignored)


def _after(echo: Memory, plan: Plan, *, changed: bool) -> list[str]:
    """What follows a written note: its line in the day's log, then the shared index.

    A run that found everything in the note repairs both, if the note was written today.
    """
    if plan.entity is None:
        return []
    note = echo.catalog.get(plan.path)
    if changed or (note is not None and note.scalar("updated") == echo.today().isoformat()):
        log_line(echo, f"Captured {link_to(echo, plan.entity)} ({plan.entity.kind})")
    return publish_index(echo)


def link_to(echo: Memory, entity: Entity) -> str:
    """A wikilink that means this note and shows its title."""
    return wikilink(echo.catalog.key_of(entity.path), entity.title)


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
    kind = routing.table().fixed["context"]
    note = echo.catalog.get(kind.path)
    current = scope.read(note) if note else scope.Scope()
    same = current.scope == words
    action = "updated" if not same else "confirmed" if confirm else "unchanged"
    now = echo.clock()
    if action == "unchanged" or not apply:
        return {"action": action, "scope": words, "scope_updated": current.scope_updated}

    def change(text: str | None) -> str:
        return scope.set_scope(draft.fixed(kind) if text is None else text, words, now)

    echo.edit(kind.path, change)
    return {
        "action": action,
        "scope": words,
        "scope_updated": now.isoformat(timespec="seconds"),
    }


def publish_index(echo: Memory) -> list[str]:
    """Bring the shared entity index to what the notes say; it is derived, so a failure only warns.

    Returns:
        Warnings.
    """

    def current(_: str | None) -> str:
        echo.catalog.refresh()
        return echo.catalog.entities.to_json()

    try:
        echo.edit(routing.table().files["entities"], current)
    except EchoError as error:
        echo.notify(f"the shared index was not written: {error.message}")
        return [
            "The shared index could not be written now; the next capture or `reindex` mends it."
        ]
    return []


def shown(links: Iterable[Added]) -> list[Fields]:
    """Links that were made, as an envelope shows them."""
    return [{"slug": link.slug, "text": link.text} for link in links]


def described(candidates: Iterable[Candidate]) -> list[Fields]:
    """Candidates as an envelope shows them."""
    return [
        {
            "slug": candidate.entity.slug,
            "path": candidate.entity.path,
            "title": short(candidate.entity.title, MAX_TITLE),
            "kind": candidate.entity.kind,
            "score": round(candidate.score, 3),
            "why": candidate.why,
        }
        for candidate in candidates
    ]


def _gated(plan: Plan) -> Fields:
    return {
        "ok": False,
        "action": GATED,
        "candidates": described(plan.candidates),
        "resolutions": list(RESOLUTIONS),
    }


def _outcome(
    plan: Plan, action: str, *, warnings: list[str] | None = None, preview: str | None = None
) -> Fields:
    fields: Fields = {"ok": True, "action": action, "path": plan.path}
    if plan.entity is not None:
        fields["slug"] = plan.entity.slug
        fields["links_added"] = shown(plan.links if action != "unchanged" else ())
        fields["near_duplicates"] = described(near for near in plan.near if near.is_near)
    if preview is not None:
        fields |= {"dry_run": True, "would_write": preview}
    every = [*plan.warnings, *(warnings or [])]
    return fields | ({"warnings": every} if every else {})


def _dry_action(echo: Memory, plan: Plan) -> str:
    note = echo.catalog.get(plan.path)
    before = note.text if note else None
    return "unchanged" if plan.change(before) == before else plan.action


def _preview(echo: Memory, plan: Plan) -> str:
    """The lines that a plan adds."""
    note = echo.catalog.get(plan.path)
    after = plan.change(note.text if note else None)
    if note is None:
        return after
    before = set(note.text.splitlines())
    return "\n".join(line for line in after.splitlines() if line not in before)
