"""A plan: what one proposal would do to the vault, decided by the rules of capture."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from echo_memory import draft, routing, sections
from echo_memory.entities import Candidate, Entities
from echo_memory.envelope import GATED
from echo_memory.errors import BadRequest, Unparseable
from echo_memory.memory import Memory
from echo_memory.mentions import Added
from echo_memory.naming.entity import Entity
from echo_memory.note import Note
from echo_memory.proposal import Proposal
from echo_memory.text import fold, slugify, unique_slug
from echo_memory.vault import Stale

RESOLUTIONS = ("merge_into", "force")
_NOT_IN_INBOX = ("tags", "aliases", "sources", "status", "date", "domain")


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
        resolutions: at the gate, the arguments that answer it.
        alias: the title, where it becomes an alias of the note that takes it.
    """

    action: str
    path: str = ""
    entity: Entity | None = None
    change: Callable[[str | None], str] = field(default=lambda text: text or "", repr=False)
    links: tuple[Added, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    near: tuple[Candidate, ...] = ()
    resolutions: tuple[str, ...] = ()
    alias: str = ""
    warnings: tuple[str, ...] = ()


class PlanIsStale(Stale):
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
    near = tuple(pool.candidates(proposal.title, kind=kind.name))
    gates = kind.entity or kind.dated
    gating = tuple(candidate for candidate in near if gates and candidate.gates)
    if same_kind or (gating and not proposal.force):
        ways = ("merge_into",) if same_kind else RESOLUTIONS
        return Plan(GATED, candidates=gating or near, resolutions=ways)
    return _create(echo, proposal, kind, near)


def _pool(echo: Memory, kind: routing.Kind, proposal: Proposal) -> Entities:
    """What a new name is compared with: entities, else the same kind, of the same day if dated."""
    if kind.entity:
        return echo.catalog.entities
    day = (proposal.date or echo.today().isoformat()) if kind.dated else ""
    return echo.catalog.named(kind.name, day=day)


def _merge_into(echo: Memory, proposal: Proposal) -> Plan:
    """Add to the named note, which keeps the title: an entity as an alias, others in their text."""
    note = echo.locate(proposal.merge_into, field="merge_into")
    if note.kind is not None and note.kind.name not in routing.table().kinds:
        raise BadRequest(
            "merge_into names a note that is not a memory. Give the id of a person, project, …",
            field="merge_into",
        )
    if note.kind is not None and note.kind.entity:
        return _update(echo, proposal, note.entity(), alias=_new_alias(proposal, note))
    names = (note.title, note.id, *note.items("aliases"))
    return _update(echo, proposal, note.entity(), lead=draft.lead(proposal, names))


def _new_alias(proposal: Proposal, note: Note) -> str:
    names = map(fold, (note.title, *note.items("aliases"), *proposal.aliases))
    return "" if fold(proposal.title) in names else proposal.title


def _update(
    echo: Memory, proposal: Proposal, entity: Entity, *, alias: str = "", lead: str = ""
) -> Plan:
    # The lead is one line, so the first blank line ends it.
    linked, links = echo.catalog.linked(f"{lead}\n\n{proposal.body}", entity.path)
    first, _, body = linked.partition("\n\n")
    today = echo.today()

    def change(text: str | None) -> str:
        if text is None:
            raise PlanIsStale
        try:
            return draft.merged(
                text,
                proposal,
                body=body,
                today=today,
                lead=first,
                alias=bool(alias),
                plain=not entity.kind,
            )
        except Unparseable as error:
            raise error.of(entity.path) from error

    return Plan(
        "updated",
        entity.path,
        entity,
        change,
        tuple(links),
        near=_others(echo, proposal, entity),
        alias=alias,
        warnings=(*_ignored(proposal, entity.kind), *_unforced(proposal)),
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

    plain = _plain_notes(echo, proposal, kind) if kind.entity else ()
    return Plan(
        "created",
        path,
        entity,
        change,
        tuple(links),
        near=(*near, *plain),
        warnings=(*_ignored(proposal, kind.name), *_same_name(proposal, plain, kind)),
    )


def _plain_notes(echo: Memory, proposal: Proposal, kind: routing.Kind) -> tuple[Candidate, ...]:
    """The notes of no kind that may be meant: nothing stops, for they may be about anything."""
    near = echo.catalog.near_plain(proposal.title, kind=kind.name)
    return tuple(candidate for candidate in near if candidate.gates)


def _same_name(
    proposal: Proposal, plain: Collection[Candidate], kind: routing.Kind
) -> tuple[str, ...]:
    title = fold(proposal.title)
    return tuple(
        f"A plain note has the same name: {candidate.entity.path}. If both are one thing, keep one:"
        f" add to that note by merge_into, or give it `type: {kind.name}` in its frontmatter."
        for candidate in plain
        if candidate.entity.named(title)[1]
    )


def _inbox(echo: Memory, proposal: Proposal) -> Plan:
    kind = routing.table().fixed["inbox"]
    block = draft.inbox_block(proposal, echo.today().isoformat())
    left_out = [key for key in _NOT_IN_INBOX if getattr(proposal, key)]

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
    kind = routing.table().kinds.get(entity.kind)
    pool = _pool(echo, kind, proposal) if kind else echo.catalog.entities
    near = pool.candidates(proposal.title, kind=entity.kind or None)
    return tuple(candidate for candidate in near if candidate.entity.path != entity.path)


def _unforced(proposal: Proposal) -> tuple[str, ...]:
    if not proposal.force or proposal.merge_into:
        return ()
    return ("force was left out: this note has the very name. Another thing needs another title.",)


def _ignored(proposal: Proposal, kind_name: str) -> tuple[str, ...]:
    kind = routing.table().kinds.get(kind_name)
    name = kind_name or "plain note"
    ignored = []
    if proposal.date and not (kind and kind.dated):
        ignored.append(f"date was left out: a {name} has none.")
    if proposal.domain and not (kind and kind.domains):
        ignored.append(f"domain was left out: a {name} has none.")
    return tuple(ignored)
