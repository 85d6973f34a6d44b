"""A proposal: one thing to remember, as a caller describes it, checked before it is planned."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from echo_memory import arguments, routing
from echo_memory.errors import BadRequest
from echo_memory.markdown import seams
from echo_memory.text import is_name

MAX_TITLE = 200
MAX_BODY = 200_000
MAX_ITEMS = 100
MAX_PROPOSALS = 100

PROPOSAL_SCHEMA: dict[str, str] = {
    "title": "what the memory is about; required",
    "kind": "what it is: one of routing.json's kinds",
    "body": "Markdown",
    "tags": "list of tags",
    "aliases": "list of other names",
    "sources": "list of where it comes from",
    "status": "one or two words",
    "date": "YYYY-MM-DD, for dated kinds",
    "domain": "for areas",
    "merge_into": "id or name of the note that takes it",
    "force": "true makes a new note beside a near-duplicate",
}


@dataclass(frozen=True)
class Proposal:
    """A checked proposal; empty means not given."""

    title: str
    kind: str = ""
    body: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    status: str = ""
    date: str = ""
    domain: str = ""
    merge_into: str = ""
    force: bool = False


def parse(values: Mapping[str, Any], *, prefix: str = "", also: Collection[str] = ()) -> Proposal:
    """Check one proposal.

    Args:
        values: the proposal by key; null means not given.
        prefix: what stands before a key's name in an error, such as `proposals[0].`.
        also: keys that the caller understands beside those of `PROPOSAL_SCHEMA`.

    Raises:
        BadRequest: an unknown key, or a value that is not what its key takes.
    """
    given = {key: value for key, value in values.items() if value is not None}
    for key in given:
        if key not in PROPOSAL_SCHEMA and key not in also:
            known = ", ".join([*PROPOSAL_SCHEMA, *also])
            name = f"{prefix}{str(key)[:80]}"
            raise BadRequest(
                f"{name} is not a key of a proposal. The keys are: {known}.", field=name
            )
    if "title" not in given:
        raise BadRequest(
            f"{prefix}title is missing. Name what to remember.", field=f"{prefix}title"
        )
    kind = _choice(given, prefix, "kind", routing.table().kinds)
    return Proposal(
        title=_title(given["title"], f"{prefix}title"),
        kind=kind,
        body=checked_body(given.get("body", ""), f"{prefix}body"),
        tags=tuple(dict.fromkeys(filter(None, map(_tag, _items(given, prefix, "tags"))))),
        aliases=_items(given, prefix, "aliases"),
        sources=_items(given, prefix, "sources"),
        status=arguments.line(given.get("status", ""), f"{prefix}status", limit=100),
        date=arguments.day(given["date"], f"{prefix}date") if given.get("date") else "",
        domain=_choice(given, prefix, "domain", _domains()),
        merge_into=arguments.reference(
            given.get("merge_into", ""), f"{prefix}merge_into", required=False
        ),
        force=arguments.flag(given.get("force", False), f"{prefix}force"),
    )


def _title(value: object, field: str) -> str:
    title = arguments.line(value, field, limit=MAX_TITLE, required=True)
    if not is_name(title):
        raise BadRequest(
            f"{field} has no letter, digit or symbol. Name what to remember.", field=field
        )
    return title


def checked_body(value: object, field: str, *, required: bool = False) -> str:
    """A text that becomes part of a note: no blank lines at its ends, and nothing left open.

    A fence, comment or formula that it opens and never closes is closed, for what stands below it
    in the note would go on with it.
    """
    text = arguments.text(value, field, limit=MAX_BODY, required=required)
    return "\n".join(seams.lines_of(text))


def parse_list(values: object, field: str, *, also: Collection[str] = ()) -> list[Proposal]:
    """Check a list of proposals, all of them before any is used."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise BadRequest(f"{field} is not a list. Give a list of proposals.", field=field)
    if len(values) > MAX_PROPOSALS:
        raise BadRequest(
            f"{field} has {len(values)} items. At most {MAX_PROPOSALS} are accepted.", field=field
        )
    parsed = []
    for at, value in enumerate(values):
        if not isinstance(value, Mapping):
            name = f"{field}[{at}]"
            raise BadRequest(f"{name} is not an object. Give title, kind, body, …", field=name)
        parsed.append(parse(value, prefix=f"{field}[{at}].", also=also))
    return parsed


def _items(given: Mapping[str, Any], prefix: str, key: str) -> tuple[str, ...]:
    return arguments.lines(given.get(key, ()), f"{prefix}{key}", most=MAX_ITEMS)


def _choice(given: Mapping[str, Any], prefix: str, key: str, choices: Collection[str]) -> str:
    return arguments.choice(given[key], f"{prefix}{key}", choices) if given.get(key) else ""


def _domains() -> tuple[str, ...]:
    return tuple(dict.fromkeys(d for kind in routing.table().kinds.values() for d in kind.domains))


def _tag(tag: str) -> str:
    """A tag as Obsidian takes it: no hash sign, no spaces."""
    return "-".join(tag.lstrip("#").split())
