"""Finding: the one note that a path, an id or a name means, or those that may be meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict

from echo_memory.catalog import Catalog
from echo_memory.entities import Candidate
from echo_memory.errors import BadRequest, NotFound
from echo_memory.note import Note, stem
from echo_memory.text import fold
from echo_memory.vault import Vault
from echo_memory.vault_paths import safe_path

_OFFERED, _SUGGESTIONS = 8, 3


def find_note(catalog: Catalog, vault: Vault, reference: str, *, field: str) -> Note:
    """The note that a path, with or without `.md`, an id or a name means.

    Paths and ids count in any case and normal form, names when they fold equal. An id as it is
    written comes before names, unless it is that of no entity and an entity has the name.

    Raises:
        BadRequest: a path that could leave the vault, or several notes are meant: `paths` lists
            those of one file name, `candidates` those that share the name.
        NotFound: no such note; `did_you_mean` has up to three near ones, best first.
        VaultIO: it is there and cannot be read.
    """
    wanted, fault = _path(reference, field)
    by_id = _with_id(catalog, wanted) if wanted else []
    spelled = [note for note in by_id if f"/{note.path}".endswith((f"/{wanted}.md", f"/{wanted}"))]
    if len(spelled) == 1 and not _hides_entity(catalog, spelled[0], wanted):
        return spelled[0]
    found = {note.path: note for note in [*by_id, *_with_name(catalog, reference)]}
    if len(found) == 1:
        return next(iter(found.values()))
    if len(by_id) > 1:
        raise BadRequest(
            "Several notes are named so. Give the whole path of one of them.",
            field=field,
            paths=sorted(found),
        )
    if found:
        raise _several(f"{field} is the name of several notes.", field, catalog, found.values())
    if fault:
        raise fault
    return _unlisted(catalog, vault, wanted, field)


def _path(reference: str, field: str) -> tuple[str, BadRequest | None]:
    # A name may be what no path is: "Acme Inc." ends with a full stop.
    try:
        return safe_path(reference, field=field), None
    except BadRequest as fault:
        return "", fault


def _with_id(catalog: Catalog, wanted: str) -> list[Note]:
    """The note at a path, else those whose path ends so."""
    exact = [note for path in _spellings(wanted) if (note := catalog.get(path))]
    if exact:
        return exact[:1]
    paths = catalog.paths.named(wanted) or catalog.paths.named(f"{wanted}.md")
    whole = [path for path in paths if path.count("/") == wanted.count("/")]
    notes = [note for path in whole or paths if (note := catalog.get(path))]
    return [note for note in notes if not note.is_background] or notes


def _hides_entity(catalog: Catalog, note: Note, name: str) -> bool:
    """Whether a note has as its id what an entity has as title or alias; a path hides nothing."""
    if "/" in name or name.lower().endswith(".md"):
        return False
    entities = catalog.entities.exact(name)
    if any(entity.path == note.path for entity in entities):
        return False
    return any(entity.named(fold(name))[1] != "file name" for entity in entities)


def _with_name(catalog: Catalog, name: str) -> list[Note]:
    entities = [*catalog.entities.exact(name), *catalog.plain.exact(name)]
    return [note for entity in entities if (note := catalog.get(entity.path))]


def _several(message: str, field: str, catalog: Catalog, notes: Iterable[Note]) -> BadRequest:
    candidates = [{**asdict(note.entity()), "slug": catalog.key_of(note.path)} for note in notes]
    return BadRequest(
        f"{message} Give the path of one of the candidates.",
        field=field,
        candidates=candidates[:_OFFERED],
    )


def _unlisted(catalog: Catalog, vault: Vault, wanted: str, field: str) -> Note:
    """A note that the catalogue does not know, for it cannot be read, or there is none."""
    for path in _spellings(wanted):
        with suppress(NotFound):
            return Note(path, vault.read(path))
    name = wanted.rpartition("/")[2].removesuffix(".md")
    near = [*catalog.entities.candidates(name), *catalog.near_plain(name)]
    near.sort(key=lambda candidate: (-candidate.score, candidate.entity.path))
    shared = [note for one in near if one.shared and (note := catalog.get(one.entity.path))]
    if len(shared) > 1 and near[0].shared:
        raise _several(f"{field} is a name that several share.", field, catalog, shared)
    raise NotFound(
        "There is no such note. Check the path or the name, or find it with recall.",
        path=wanted,
        did_you_mean=_nearest(catalog, name, near),
    )


def _nearest(catalog: Catalog, name: str, candidates: Sequence[Candidate]) -> list[str]:
    """Paths of up to three notes: of near names, of near ids, then of names that share a part."""
    near = [candidate.entity.path for candidate in candidates if candidate.is_near]
    rest = [candidate.entity.path for candidate in candidates if not candidate.is_near]
    ranked = dict.fromkeys([*near, *_near_ids(catalog, name), *rest])
    return list(ranked)[:_SUGGESTIONS]


def _near_ids(catalog: Catalog, name: str) -> list[str]:
    """Paths of notes with near ids; only those that share a word's beginning compete."""
    wanted = fold(name.replace("-", " "))
    heads = _heads(wanted)
    ids = {path: fold(stem(path).replace("-", " ")) for path in catalog.all_paths()}
    ids = {path: folded for path, folded in ids.items() if heads & _heads(folded)}
    nearest = difflib.get_close_matches(wanted, ids.values(), n=_SUGGESTIONS, cutoff=0.5)
    ranked = (path for path, folded in ids.items() if folded in nearest)
    return sorted(ranked, key=lambda path: (nearest.index(ids[path]), path))


def _heads(name: str) -> set[str]:
    return {word[:3] for word in name.split()}


def _spellings(path: str) -> list[str]:
    """What a path names as it is written; only `.md` files are notes."""
    return [path, f"{path}.md"] if path[-3:].lower() == ".md" else [f"{path}.md"]
