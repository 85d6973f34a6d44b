"""Rows: a message's content as the tables hold it, written in bulk and read back whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from echo_archive.content import Content
from echo_archive.links import host_of
from echo_archive.parameters import rows_in
from echo_archive.records import Attachment
from echo_archive.register import Register
from echo_archive.schema import COUNTER_BITS

# The columns after a message's conversation are the fields of its content, in their order.
_OWN = Content._fields.index("attachments")
_FIELDS = Content._fields[:_OWN]
_COLUMNS = ("id", "hash", "conversation", *_FIELDS, "content", "origin", "line", "import")
# What most messages lack is not handed over, as that takes its time: it stands in the statement.
_OMITTED = ("zone", "event", "reply", "reply_quote", "forwarded_from")
_FLAGS = ("system", "edited", "deleted")
_SELDOM = (*_OMITTED, *_FLAGS)
_NOTHING = (None,) * len(_OMITTED) + (False,) * len(_FLAGS)
_seldom = itemgetter(*(_FIELDS.index(name) for name in _SELDOM))
_ordinary = itemgetter(*(number for number, name in enumerate(_FIELDS) if name not in _SELDOM))
_children = itemgetter(*range(_OWN, len(Content._fields)))
_NO_CHILDREN = ((),) * (len(Content._fields) - _OWN)
Where = tuple[int, bytes, int, int, int, int]
_CHILDREN = ("revision", "attachment", "link", "reaction")


class Place(NamedTuple):
    """Where a stored message stands.

    Attributes:
        conversation: The conversation's number.
        origin: The file's number; `line` the row in it.
        root: The import that the paths of its attachments belong to.
    """

    row_id: int
    key: bytes
    conversation: int
    origin: int
    line: int
    root: int


@dataclass(slots=True)
class Rows:
    """Messages waiting to be written together."""

    database: sqlite3.Connection
    register: Register
    messages: list[tuple[object, ...]] = field(default_factory=list)
    ordinary: list[tuple[object, ...]] = field(default_factory=list)
    attachments: list[tuple[object, ...]] = field(default_factory=list)
    links: list[tuple[object, ...]] = field(default_factory=list)
    reactions: list[tuple[object, ...]] = field(default_factory=list)
    revisions: list[tuple[object, ...]] = field(default_factory=list)

    def add(self, place: Where, content: Content, digest: int) -> None:
        """Take a message; `digest` is that of what the export said."""
        row_id, key, conversation, origin, line, root = place
        if _seldom(content) == _NOTHING:
            said = _ordinary(content)
            self.ordinary.append((row_id, key, conversation, *said, digest, origin, line, root))
        else:
            said = content[:_OWN]
            self.messages.append((row_id, key, conversation, *said, digest, origin, line, root))
        if _children(content) != _NO_CHILDREN:
            self._add_children(row_id, conversation, root, content)

    def _add_children(self, row_id: int, conversation: int, root: int, content: Content) -> None:
        self.attachments += (
            (row_id, n, conversation, content.person, *one, root)
            for n, one in enumerate(content.attachments)
        )
        urls = self.register.urls((link, host_of(link)) for link in content.links)
        self.links += ((row_id, n, url, conversation) for n, url in enumerate(urls))
        self.reactions += ((row_id, n, *one) for n, one in enumerate(content.reactions))
        self.revisions += ((row_id, n, one) for n, one in enumerate(content.revisions))

    def write(self) -> None:
        """Write what waits, by row id."""
        self.messages.sort()
        self._write(_INSERT, self.messages)
        self.ordinary.sort()
        self._write(_INSERT_ORDINARY, self.ordinary)
        self._write(
            "insert into attachment values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self.attachments
        )
        self._write("insert into link values(?, ?, ?, ?)", self.links)
        self._write("insert into reaction values(?, ?, ?, ?, ?)", self.reactions)
        self._write("insert into revision values(?, ?, ?)", self.revisions)

    def _write(self, statement: str, rows: list[tuple[object, ...]]) -> None:
        if rows:
            self.database.executemany(statement, rows)
            rows.clear()


def _insert(columns: Sequence[str], unset: Sequence[str] = ()) -> str:
    values = (*("?" for _ in columns), *("0" for _ in unset))
    return f"insert into message({', '.join((*columns, *unset))}) values({', '.join(values)})"


_INSERT = _insert(_COLUMNS)
_INSERT_ORDINARY = _insert([name for name in _COLUMNS if name not in _SELDOM], _FLAGS)


def roots_of(database: sqlite3.Connection, row_id: int) -> dict[Attachment, int]:
    """The imports that the paths of a message's attachments belong to."""
    roots = database.execute(
        "select root from attachment where message = ? order by position", (row_id,)
    )
    return dict(zip(_attachments(database, row_id), (root for (root,) in roots), strict=True))


def keep_roots(
    database: sqlite3.Connection,
    row_id: int,
    attachments: Sequence[Attachment],
    roots: Mapping[Attachment, int],
) -> None:
    """Let the attachments that were there before lie where they lay.

    Args:
        database: The archive.
        row_id: The message's.
        attachments: What it has now.
        roots: Where those lay that it had.
    """
    database.executemany(
        "update attachment set root = ? where message = ? and position = ?",
        [
            (roots[one], row_id, position)
            for position, one in enumerate(attachments)
            if one in roots
        ],
    )


def remove(database: sqlite3.Connection, row_id: int) -> None:
    """Take a message and all that hangs on it out of the tables."""
    database.execute("delete from message where id = ?", (row_id,))
    for table in _CHILDREN:
        database.execute(f"delete from {table} where message = ?", (row_id,))  # noqa: S608


def stored(database: sqlite3.Connection, key: bytes) -> tuple[Place, Content]:
    """A message as it stands in the tables."""
    row = database.execute(
        "select id, conversation, origin, line, import, person, instant, written, precision,"
        " zone, native_id, body, system, event, reply, reply_quote, edited, deleted, forwarded_from"
        " from message where hash = ?",
        (key,),
    ).fetchone()
    row_id, conversation, origin, line, root, *said = row
    (person, instant, written, precision, zone, native_id, body, system, event, reply, quote,
     edited, deleted, forwarded_from) = said  # fmt: skip
    content = Content(
        person, instant, written, precision, zone, native_id, body, bool(system), event, reply,
        quote, bool(edited), bool(deleted), forwarded_from,
        attachments=_attachments(database, row_id),
        links=tuple(one for (one,) in database.execute(_LINKS, (row_id,))),
        reactions=tuple(database.execute(_REACTIONS, (row_id,))),
        revisions=tuple(one for (one,) in database.execute(_REVISIONS, (row_id,))),
    )  # fmt: skip
    return Place(row_id, key, conversation, origin, line, root), content


_LINKS = (
    "select url.url from link join url on url.id = link.url where message = ? order by position"
)
_REACTIONS = "select emoji, person, count from reaction where message = ? order by position"
_REVISIONS = "select body from revision where message = ? order by position"


def _attachments(database: sqlite3.Connection, row_id: int) -> tuple[Attachment, ...]:
    rows = database.execute(
        "select kind, name, path, missing, media_type, size from attachment"
        " where message = ? order by position",
        (row_id,),
    )
    return tuple(
        Attachment(kind, name, path, bool(missing), media_type, size)
        for kind, name, path, missing, media_type, size in rows
    )


def free_row_ids(database: sqlite3.Connection, instants: list[int]) -> list[int]:
    """A row id for each instant, in order, that no message has."""
    taken: dict[int, int] = {}
    wanted = [_next(taken, instant) for instant in instants]
    used = _existing(database, wanted)
    if not used:
        return wanted
    given, heads = set(wanted) - used, dict[int, int]()
    return [one if one not in used else _after(database, one, given, heads) for one in wanted]


def _next(taken: dict[int, int], instant: int) -> int:
    number = taken[instant] = taken.get(instant, -1) + 1
    return (instant << COUNTER_BITS) + number


def _existing(database: sqlite3.Connection, row_ids: list[int]) -> set[int]:
    rows = rows_in(database, "select id from message where id in ({marks})", row_ids)
    return {row_id for (row_id,) in rows}


def _after(
    database: sqlite3.Connection, row_id: int, given: set[int], heads: dict[int, int]
) -> int:
    """The first free row id behind one that is taken.

    Args:
        database: The archive.
        row_id: The one that is taken.
        given: Those given away with this batch, which grows by the one that is found.
        heads: Per millisecond where to go on, since many messages may want the same one.
    """
    moment = row_id >> COUNTER_BITS
    free = heads.get(moment) or int(database.execute(_GAP, (row_id,)).fetchone()[0])
    while free in given or _existing(database, [free]):
        free += 1
    given.add(free)
    heads[moment] = free + 1
    return free


_GAP = """
select id + 1 from message as one where id >= ?
and not exists (select 1 from message where id = one.id + 1) order by id limit 1
"""
