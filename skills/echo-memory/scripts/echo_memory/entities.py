"""The entity index: which notes have which names, and which names are near a given one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import nsmallest
from json.encoder import encode_basestring

from echo_memory.naming.entity import FIRST_NAME, ID, LAST_NAME, NAME, Entity, wholes_of, words_of
from echo_memory.naming.likeness import FIRST, GATE, LAST, NEAR, SLIP, Likeness, compare
from echo_memory.naming.nameparts import NameParts, parse
from echo_memory.naming.postings import WORD, Postings
from echo_memory.naming.spelling import key
from echo_memory.text import file_key, fold

# A word that more notes have than this says little: only those that have another word of the
# mention, too, are looked at.
_COMMON = 2_000
_COMPARED = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may mean.

    Attributes:
        entity: the entity.
        score: 0 to 1.
        why: a short phrase for a person.
        shared: the mention is a first or last name that other entities bear, too.
    """

    entity: Entity
    score: float
    why: str
    shared: bool = False

    @property
    def gates(self) -> bool:
        """Whether to ask before a second note of this name is made."""
        return self.score >= GATE

    @property
    def is_near(self) -> bool:
        """Whether it is worth telling that there is such a name."""
        return self.score >= NEAR


class Entities:
    """The entity index, or any other pool of notes with names.

    It changes one note at a time. Readers take no lock while one writer writes: entities are
    immutable and replaced, and what the index offers is compared with the entity as it is now.
    """

    def __init__(self, entities: Iterable[Entity] = ()) -> None:
        self._entities: dict[str, Entity] = {}
        self._postings = Postings()
        self.changes = 0
        """How often something changed."""
        for entity in entities:
            self.put(entity)

    def __len__(self) -> int:
        return len(self._entities)

    def __iter__(self) -> Iterator[Entity]:
        return iter([self._known_as(entity) for entity in list(self._entities.values())])

    def put(self, entity: Entity, keys: Collection[str] | None = None) -> None:
        """Take over an entity in place of the one that had its path.

        Args:
            entity: the entity.
            keys: what it is found by, where that is known.
        """
        before = self._entities.get(entity.path)
        if before == entity:
            return
        new = entity.keys() if keys is None else keys
        self._entities[entity.path] = entity
        self.changes += 1
        if before is None:
            self._postings.add(entity.path, new)
            return
        old = before.keys()
        self._postings.add(entity.path, set(new) - old)
        self._postings.remove(entity.path, old.difference(new))

    def drop(self, path: str) -> None:
        """Forget the entity at a path; one that is not known changes nothing."""
        entity = self._entities.pop(path, None)
        if entity:
            self.changes += 1
            self._postings.remove(path, entity.keys())

    def get(self, slug: str) -> Entity | None:
        """The entity with an id, in any case; where several share it, its path without `.md`."""
        paths = self._postings.of(ID + file_key(slug))
        return self.by_path(paths[0] if len(paths) == 1 else f"{slug}.md")

    def by_path(self, path: str) -> Entity | None:
        """The entity at exactly this path."""
        entity = self._entities.get(path)
        return self._known_as(entity) if entity else None

    def exact(self, mention: str) -> list[Entity]:
        """The entities whose id, title or alias a mention equals, folded; titles first."""
        return [candidate.entity for candidate in self._exact(mention)]

    def candidates(
        self,
        mention: str,
        *,
        kind: str | None = None,
        limit: int = 8,
    ) -> list[Candidate]:
        """Entities that a mention may mean, best first; exact ones lead with score 1.

        Args:
            mention: a name.
            kind: the kind of what is mentioned, where it is known. A project is not taken for
                the person whose first name it has.
            limit: how many at most.
        """
        exact = self._exact(mention)
        parts, seen = parse(mention), {candidate.entity.path for candidate in exact}
        near = [
            candidate
            for path in self._worth_comparing(parts)
            if path not in seen and (candidate := self._compared(parts, path, kind))
        ]
        near.sort(key=lambda candidate: (-candidate.score, candidate.entity.path))
        return [*exact, *near][:limit]

    def to_json(self) -> str:
        """The shared index: the same text whatever the order in which entities came."""
        entries = sorted({entity.slug: entity for entity in self}.items())
        text = _indented("{}", map(_entry, entries), "") + "\n"
        # A title may hold bytes that are not UTF-8, as lone surrogates; the index is UTF-8.
        return text.encode("utf-8", "replace").decode("utf-8")

    def _known_as(self, entity: Entity) -> Entity:
        """The entity with the id by which it can be told from others."""
        if self._postings.count(ID + file_key(entity.slug)) < 2:
            return entity
        return replace(entity, slug=entity.path.removesuffix(".md"))

    def _exact(self, mention: str) -> list[Candidate]:
        known = self.by_path(f"{mention}.md")
        if known:
            return [Candidate(known, 1.0, "same note")]
        folded = fold(mention)
        found = [
            (rank, path, Candidate(self._known_as(entity), 1.0, why))
            for path in self._postings.of(NAME + folded)
            if (entity := self._entities.get(path))
            for rank, why in [entity.named(folded)]
            if why
        ]
        return [candidate for _, _, candidate in sorted(found, key=lambda entry: entry[:2])]

    def _worth_comparing(self, mention: NameParts) -> list[str]:
        hits: Counter[str] = Counter()
        common: list[list[str]] = []
        for word in words_of(mention):
            paths = self._postings.of(WORD + word)
            for other in self._postings.similar(word):
                paths += self._postings.of(WORD + other)
            if len(paths) <= _COMMON:
                hits.update(set(paths))
            else:
                common.append(paths)
        for whole in wholes_of(mention):
            hits.update(self._postings.of(whole)[:_COMMON])
        agreeing = Counter(path for paths in common for path in set(paths))
        for path, count in agreeing.items():
            if count > 1 or path in hits:
                hits[path] += count
        if not hits and common:
            common.sort(key=len)
            hits.update(nsmallest(_COMPARED, common[0]))
        return nsmallest(_COMPARED, hits, key=lambda path: (-hits[path], path))

    def _compared(self, mention: NameParts, path: str, kind: str | None) -> Candidate | None:
        entity = self._entities.get(path)
        if entity is None:
            return None
        names = [(parse(name), suffix) for name, suffix in entity.names()]
        if {entity.kind, kind or entity.kind} == {"person"} and len(mention.personal) > 1:
            names = _whole(names)
        found = [
            (self._settled(likeness, path), likeness.doubt, suffix)
            for name, suffix in names
            if (likeness := compare(mention, name, kind=entity.kind, mention_kind=kind))
        ]
        if not found:
            return None
        best, doubt, suffix = max(found, key=lambda one: one[0].score)
        shared = doubt in (FIRST, LAST) and not best.doubt
        return Candidate(self._known_as(entity), best.score, best.why + suffix, shared)

    def _settled(self, likeness: Likeness, path: str) -> Likeness:
        """A likeness after a look at the other names of the vault."""
        word = key(likeness.word)
        if likeness.doubt == SLIP and set(self._postings.of(WORD + word)) - {path}:
            return likeness.lowered("similar spelling")
        if likeness.doubt == FIRST and self._postings.count(FIRST_NAME + word) > 1:
            return likeness.lowered("first name, several bear it")
        if likeness.doubt == LAST and self._postings.count(LAST_NAME + word) > 1:
            return likeness.lowered("last name, several bear it")
        return likeness


def _whole(names: list[tuple[NameParts, str]]) -> list[tuple[NameParts, str]]:
    """A person's names without those that are one word of a longer one.

    To know Anna Schmidt as Anna, too, says nothing of Anna Schmied or Anna Weber.
    """
    words = {word for name, _ in names if len(name.personal) > 1 for word in name.personal}
    return [
        one for one in names if len(one[0].personal) > 1 or not words.issuperset(one[0].personal)
    ]


# As json.dumps with an indent of two writes it, which takes ten times as long for that.


def _entry(entry: tuple[str, Entity]) -> str:
    slug, entity = entry
    aliases = _indented("[]", map(_quoted, entity.aliases), "    ")
    rows = (
        f'"aliases": {aliases}',
        f'"kind": {_quoted(entity.kind)}',
        f'"path": {_quoted(entity.path)}',
        f'"title": {_quoted(entity.title)}',
    )
    return f"{_quoted(slug)}: {_indented('{}', rows, '  ')}"


def _indented(brackets: str, rows: Iterable[str], margin: str) -> str:
    inner = f",\n{margin}  ".join(rows)
    return f"{brackets[0]}\n{margin}  {inner}\n{margin}{brackets[1]}" if inner else brackets


def _quoted(text: str) -> str:
    return encode_basestring(text)
