"""Search: the messages that words are found in, best first, at a cost that has a bound.

Of every word the newest messages that hold it are looked at, of rare words so all of them. They are
scored by the words they hold, how rare those are, and what stands just before and after.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from echo_archive.parameters import rows_in
from echo_archive.query import Query, Term
from echo_archive.scope import FIRST, LAST, Scope
from echo_archive.scoring import Group, Hit, by_score, score_of, weighed
from echo_archive.word_index import COMMON
from echo_archive.words import words

WINDOW, RESCORED = 1_000, 100
_TOGETHER = 200
_SEARCHED = 6
_PART = 500
_OFTEN = 0.1
_NEIGHBOUR_WEIGHT = 0.3
_SENDER_WEIGHT = 0.2
_FILE_NAMES = """
select message, name from attachment
where name is not null and kind <> 'location' and message in ({marks}) order by message, position
"""
# The two before and the two after, the nearest first.
_NEAR = ", ".join(
    f"(select id from message where conversation = one.conversation and id {side} one.id"  # noqa: S608
    f" order by id {order} limit 1 offset {step})"
    for side, order in (("<", "desc"), (">", "asc"))
    for step in (0, 1)
)
_NEIGHBOURS = f"select id, {_NEAR} from message as one where id in ({{marks}})"  # noqa: S608

Edges = dict[Group, int]
Found = tuple[str, int, int | None]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Messages found, best first.

    Attributes:
        hits: Row id and score.
        edges: How far back was looked, for each word by its number or for several together;
            `FIRST` for all the way, `LAST` for not yet.
    """

    hits: tuple[Hit, ...]
    edges: Edges

    @property
    def complete(self) -> bool:
        """Whether everything that matches was looked at."""
        return all(edge == FIRST for edge in self.edges.values())


@dataclass(frozen=True, slots=True)
class _Search:
    """A query on its way: what each of its terms weighs, and where to look."""

    database: sqlite3.Connection
    query: Query
    terms: tuple[Term, ...]
    scope: Scope
    before: Edges
    total: int
    counts: tuple[int, ...]

    def matches(self, group: Group, most: int) -> list[int]:
        """The newest messages that hold all words of a group, newest first."""
        edge = self.before.get(group, LAST)
        if edge == FIRST:
            return []
        within = self.scope if edge == LAST else self.scope.before(edge)
        both = " AND ".join(self.terms[number].expression() for number in group)
        rows = self.database.execute(
            "select rowid from message_words where message_words match ? and rowid between ? and ?"
            " order by rowid desc limit ?",
            (self._condition(both), within.first, within.last, most),
        )
        return [row_id for (row_id,) in rows]

    def _condition(self, wanted: str) -> str:
        """What every message must meet, in the index's language."""
        # Each once: an expression that stands there twice is looked for twice.
        required = (term.expression() for term in self.query.required)
        parts = [f"(text : ({one}))" for one in dict.fromkeys((wanted, *required))]
        parts += [f"(filter : ({_any(names)}))" for names in self.scope.terms]
        condition = " AND ".join(parts)
        if not self.query.excluded:
            return condition
        unwanted = " OR ".join(term.expression() for term in self.query.excluded)
        return f"({condition}) NOT (text : ({unwanted}))"


def search(
    database: sqlite3.Connection, query: Query, scope: Scope, before: Edges | None = None
) -> Ranked:
    """The messages a query finds.

    Args:
        database: The archive.
        query: What to look for.
        scope: Where.
        before: Edges of the answer before, to go on with older messages.
    """
    terms = query.ranked
    if not terms:
        return Ranked((), {})
    total = database.execute("select coalesce(sum(messages), 0) from conversation").fetchone()[0]
    counts = tuple(_count(database, term) for term in terms)
    asked = _Search(database, query, terms, scope, before or {}, max(int(total), 1), counts)
    lists = _lists(asked)
    weights = _weights(asked, lists)
    scores = weighed(lists, weights)
    best = by_score(scores)
    chosen = {row_id for row_id, _ in best[:RESCORED]}.union(_in_a_whole_list(lists))
    rescored = _rescored(asked, weights, scores, list(chosen))
    others = [hit for hit in best[RESCORED:] if hit[0] not in chosen]
    others = _not_shown(asked, others) if asked.before else others
    return Ranked((*rescored, *others), _edges(asked, lists))


def _in_a_whole_list(lists: dict[Group, list[int]]) -> list[int]:
    """All messages that hold several words together, where these are few enough to be all."""
    whole = (
        row_ids for group, row_ids in lists.items() if len(group) > 1 and len(row_ids) < _TOGETHER
    )
    return [row_id for row_ids in whole for row_id in row_ids]


def _not_shown(asked: _Search, hits: list[Hit]) -> list[Hit]:
    """Those that no answer before can have shown."""
    kept = []
    for start in range(0, len(hits), _PART):
        part = hits[start : start + _PART]
        texts = texts_of(asked.database, [row_id for row_id, _ in part])
        kept += [hit for hit in part if not _shown_before(asked, hit[0], words(texts[hit[0]][0]))]
    return kept


def _edges(asked: _Search, lists: dict[Group, list[int]]) -> Edges:
    """How far back each was looked for; a word that was left out is still to be looked for."""
    edges = {
        group: row_ids[-1] if len(row_ids) >= _most(group) else FIRST
        for group, row_ids in lists.items()
    }
    if asked.query.required:
        return edges
    return {(number,): LAST for number in range(len(asked.terms))} | edges


def _most(group: Group) -> int:
    return WINDOW if len(group) == 1 else _TOGETHER


def _any(names: list[str]) -> str:
    return " OR ".join(f'"{name}"' for name in names) or '"nobody"'


def _count(database: sqlite3.Connection, term: Term) -> int:
    """In how many messages a term stands at most, as far as that was counted; 0 for a rare one."""
    if term.beginning:
        return COMMON
    counts = []
    for word in term.words:
        row = database.execute(
            "select messages from common_word where word = ?", (word,)
        ).fetchone()
        counts.append(int(row[0]) if row else 0)
    return min(counts)


def _lists(asked: _Search) -> dict[Group, list[int]]:
    """The newest messages for each word that is worth it.

    Where the words are cut off, also those that hold the two rarest, and all of them; these are
    among the former, so that they are looked for only where the former are cut off too.
    """
    if asked.before:
        return {group: asked.matches(group, _most(group)) for group in asked.before}
    if asked.query.required:
        return {(0,): asked.matches((0,), WINDOW)}
    order = sorted(range(len(asked.terms)), key=lambda number: asked.counts[number])
    lists = _lists_of_words(asked, order)
    together = tuple(number for number in order if lists.get((number,), True))[:_SEARCHED]
    if len(together) > 1 and all(len(row_ids) >= WINDOW for row_ids in lists.values() if row_ids):
        for several in dict.fromkeys((together[:2], together)):
            lists[several] = asked.matches(several, _TOGETHER)
            if len(lists[several]) < _TOGETHER:
                break
    return lists


def _lists_of_words(asked: _Search, order: list[int]) -> dict[Group, list[int]]:
    """Rare words first; one that a tenth of all messages hold only where no rarer one is found."""
    lists: dict[Group, list[int]] = {}
    found = 0
    for number in order:
        often = asked.counts[number] > max(asked.total * _OFTEN, WINDOW)
        if found >= _SEARCHED or (often and found):
            break
        lists[(number,)] = asked.matches((number,), WINDOW)
        found += bool(lists[(number,)])
    return lists


def _weights(asked: _Search, lists: dict[Group, list[int]]) -> list[float]:
    """What each word tells: the rarer, the more."""
    counts = [
        count or max(len(lists.get((number,), ())), 1) for number, count in enumerate(asked.counts)
    ]
    total = asked.total
    return [log(1 + (max(total - count, 0) + 0.5) / (count + 0.5)) for count in counts]


def _rescored(
    asked: _Search, weights: Sequence[float], scores: dict[int, float], row_ids: list[int]
) -> list[Hit]:
    """The best candidates by all that can be seen in the messages themselves."""
    texts = texts_of(asked.database, row_ids)
    said = {row_id: words(text) for row_id, (text, _, _) in texts.items()}
    usual = sum(map(len, said.values())) / max(len(said), 1) or 1.0
    named = _named(asked, {person for _, _, person in texts.values() if person is not None})
    around = _around(asked.database, texts, scores) if len(asked.terms) > 1 else {}
    scored = []
    for row_id, spoken in said.items():
        person = texts[row_id][2]
        if not asked.query.allows(spoken) or _shown_before(asked, row_id, spoken):
            continue
        score = score_of(asked.terms, weights, spoken, usual)
        score += around.get(row_id, 0.0)
        scored.append((row_id, score * (1 + _SENDER_WEIGHT) if person in named else score))
    return sorted(scored, key=lambda hit: (-hit[1], -hit[0]))


def texts_of(database: sqlite3.Connection, row_ids: Sequence[int]) -> dict[int, Found]:
    """Per message the text it is found by, its conversation and its sender."""
    names: dict[int, list[str]] = defaultdict(list)
    for row_id, name in rows_in(database, _FILE_NAMES, row_ids):
        names[row_id].append(name)
    rows = rows_in(
        database,
        "select id, body, conversation, person from message where id in ({marks})",
        row_ids,
    )
    return {
        row_id: (
            "\n".join([body, *names[row_id]]) if row_id in names else body,
            conversation,
            person,
        )
        for row_id, body, conversation, person in rows
    }


def _around(
    database: sqlite3.Connection, texts: Mapping[int, Found], scores: Mapping[int, float]
) -> dict[int, float]:
    """What the messages just before and after add: they carry the meaning of a short one."""
    rows = rows_in(database, _NEIGHBOURS, list(texts))
    return {
        row_id: _NEIGHBOUR_WEIGHT * sum(scores.get(one, 0.0) for one in near)
        for row_id, *near in rows
    }


def _shown_before(asked: _Search, row_id: int, spoken: list[str]) -> bool:
    """Whether an answer before, which looked as far back as its edges, had this message."""
    return any(
        row_id >= edge and all(asked.terms[number].starts(spoken) for number in group)
        for group, edge in asked.before.items()
    )


def _named(asked: _Search, people: set[int]) -> set[int]:
    """Those of the people of whose name the query has a word."""
    wanted = {word for term in asked.terms for word in term.words if not term.beginning}
    query = "select person, name from person_name where person in ({marks})"
    names = rows_in(asked.database, query, list(people))
    return {person for person, name in names if not wanted.isdisjoint(words(name))}
