"""A plan: what one proposal would do to the vault, decided by the rules of capture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from echo_memory import draft, routing, sections
from echo_memory.entities import Candidate, Entities
from echo_memory.envelope import GATED
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.mentions import Added
from echo_memory.naming.entity import Entity
from echo_memory.proposal import Proposal
from echo_memory.text import slugify, unique_slug


@dataclass(frozen=True)
class Plan:
    """What a proposal would do to the vault.

    Attributes:
        action: `created`, `updated`, `inbox` or `duplicate-gate`; an `updated` that finds all of it
            in the note already ends as `unchanged`.
        change: from the note's text to its new text; None where there must be no note yet.
        links: what is linked in the text that it adds.
        candidates: at the gate, the notes that may be meant.
        near: notes of similar names.
    """

    action: str
    path: str = ""
    entity: Entity | None = None
    change: Callable[[str | None], str] = field(default=lambda text: text or "", repr=False)
    links: tuple[Added, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = ()
    warnings: tuple[str, ...] = ()


class PlanIsStale(Exception):
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
    note = echo.named(proposal.merge_into, field="merge_into")
    if note.kind is None or note.kind.name not in routing.table().kinds:
        raise BadRequest(
            "merge_into names a note that is not a memory. Give the id of a person, project, …",
            field="merge_into",
        )
    return _update(echo, proposal, note.entity(), alias=True)


def _update(echo: Memory, proposal: Proposal, entity: Entity, *, alias: bool = False) -> Plan:
    body, links = echo.catalog.linked(proposal.body, entity.path)
    today = echo.today()

    def change(text: str | None) -> str:
        if text is None:
            raise PlanIsStale
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
    body, links = echo.catalog.linked(proposal.body, path)

    def change(text: str | None) -> str:
        if text is not None:
            raise PlanIsStale
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
    block = draft.inbox_block(proposal, echo.today().isoformat())
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
