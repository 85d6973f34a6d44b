"""The scope: which conversations, people, sources and times an answer is taken from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from echo_archive.errors import BadArgument
from echo_archive.schema import COUNTER_BITS
from echo_archive.spans import Span
from echo_archive.words import fold

_NEAREST = 3
_MOST_CANDIDATES = 10
FIRST, LAST = -(1 << 62), 1 << 62


@dataclass(frozen=True, slots=True)
class Scope:
    """Numbers of what is allowed, None where everything is, and the range of row ids."""

    conversation: int | None = None
    people: tuple[int, ...] | None = None
    source: int | None = None
    first: int = FIRST
    last: int = LAST

    @property
    def terms(self) -> list[list[str]]:
        """The index's filter terms: one of each list must be there."""
        wanted = []
        if self.conversation is not None:
            wanted.append([f"c{self.conversation}"])
        elif self.source is not None:
            wanted.append([f"o{self.source}"])
        if self.people is not None:
            wanted.append([f"s{person}" for person in self.people])
        return wanted

    def before(self, row_id: int) -> Scope:
        """The same, older than a message."""
        return replace(self, last=min(self.last, row_id - 1))


def find_scope(
    database: sqlite3.Connection,
    *,
    conversation: str | None = None,
    sender: str | None = None,
    source: str | None = None,
    span: Span | None = None,
) -> Scope:
    """What the arguments of an operation name.

    Raises:
        BadArgument: There is no such conversation, sender or source, or several conversations.
    """
    source_id = find_source(database, source)
    span = span or Span(None, None)
    return Scope(
        find_conversation(database, conversation, source) if conversation is not None else None,
        find_people(database, sender, source_id) if sender is not None else None,
        source_id,
        FIRST if span.start is None else span.start << COUNTER_BITS,
        LAST if span.end is None else (span.end << COUNTER_BITS) - 1,
    )


def find_source(database: sqlite3.Connection, source: str | None) -> int | None:
    """The number of a source."""
    if source is None:
        return None
    known = dict(database.execute("select name, id from source order by name"))
    if fold(source.strip()) not in known:
        raise BadArgument(
            f"The archive holds nothing from the source “{source[:80]}”. "
            f"Use one of: {', '.join(known) or 'none yet'}.",
            field="source",
            accepted=list(known),
        )
    return int(known[fold(source.strip())])


def find_conversation(
    database: sqlite3.Connection,
    reference: str,
    source: str | None = None,
    field: str = "conversation",
) -> int:
    """The number of a conversation, by id, or by a name it has or had."""
    found = _conversations(database, reference, source)
    if len(found) == 1:
        return int(found[0][0])
    if found:
        candidates = [
            {"conversation_id": key, "conversation": name, "source": origin, "messages": count}
            for _, key, name, origin, count in found[:_MOST_CANDIDATES]
        ]
        listed = ", ".join(f"{one['conversation_id']} ({one['source']})" for one in candidates)
        raise BadArgument(
            f"“{reference[:80]}” is the name of {len(found)} conversations. "
            f"Say which by its id: {listed}.",
            field=field,
            candidates=candidates,
        )
    names = (name for (name,) in database.execute("select name from conversation_name"))
    raise _unknown("conversation", reference, names, field)


def find_people(database: sqlite3.Connection, name: str, source: int | None) -> tuple[int, ...]:
    """The numbers of all who have or had a name; "Me" is the owner in every source."""
    folded = fold(name.strip())
    where = "person.is_me" if folded == "me" else "person_name.folded = ?"
    rows = database.execute(
        "select distinct person.id, person.source from person_name"  # noqa: S608
        f" join person on person.id = person_name.person where {where}",
        () if folded == "me" else (folded,),
    ).fetchall()
    found = tuple(person for person, origin in rows if source in (None, origin))
    if found or folded == "me":
        return found
    names = (one for (one,) in database.execute("select name from person_name"))
    raise _unknown("sender", name, names, "sender")


_BY_REFERENCE = """
select conversation.id, source.name || ':' || conversation.key, conversation.name, source.name,
       conversation.messages
from conversation join source on source.id = conversation.source
where {where} order by conversation.last_id desc
"""


def _conversations(
    database: sqlite3.Connection, reference: str, source: str | None
) -> list[tuple[int, str, str, str, int]]:
    """Those that a reference means: by id, else by present name, else by a name they had."""
    exact, folded = reference.strip(), fold(reference.strip())
    tries = (
        ("source.name || ':' || conversation.key = ?", exact),
        ("conversation.native_id = ?", exact),
        ("conversation.folded = ?", folded),
        (
            "conversation.id in (select conversation from conversation_name where folded = ?)",
            folded,
        ),
    )
    for where, value in tries:
        rows = database.execute(_BY_REFERENCE.format(where=where), (value,)).fetchall()
        kept = [row for row in rows if source is None or row[3] == fold(source.strip())]
        if kept:
            return kept
    return []


def _unknown(noun: str, said: str, names: Iterable[str], field: str) -> BadArgument:
    nearest = _nearest(said, names)
    hint = (
        f"Nearest: {', '.join(nearest)}." if nearest else "list_conversations shows what there is."
    )
    return BadArgument(
        f"There is no {noun} “{said[:80]}” in the archive. {hint}", field=field, nearest=nearest
    )


def _nearest(said: str, names: Iterable[str]) -> list[str]:
    """Up to three names: those that contain what was said, then those that look like it."""
    by_fold = {fold(name): name for name in names}
    wanted = fold(said.strip())
    inside = [one for one in by_fold if wanted and wanted in one][:_NEAREST]
    alike = get_close_matches(wanted, by_fold, _NEAREST, 0.5)
    within = [one for one in by_fold if set(wanted.split()) & set(one.split())]
    return [by_fold[one] for one in dict.fromkeys([*inside, *alike, *within])][:_NEAREST]
