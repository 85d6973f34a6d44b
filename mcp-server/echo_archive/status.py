"""The status: what an archive holds, from where and from when, and how much can be found."""

from __future__ import annotations

import sqlite3
from typing import Any

from echo_archive.filling import EMBEDDABLE
from echo_archive.reading import Archive
from echo_archive.schema import VERSION
from echo_archive.spans import instant_text
from echo_archive.vectors import know_digests

_LATEST = 20


def status_of(archive: Archive) -> dict[str, Any]:
    """Sources with counts and date ranges, the last imports, and what the indexes cover."""
    with archive.reading() as database:
        messages = int(database.execute("select count(*) from message").fetchone()[0])
        return {
            "schema": VERSION,
            "bytes": archive.path.stat().st_size,
            "zone": archive.clock.name,
            "messages": messages,
            "sources": _sources(database),
            "imports": _imports(database),
            "keyword_index": {"messages": _indexed(database), "of": messages},
            "embeddings": _embeddings(database),
        }


def without_owner(archive: Archive) -> list[str]:
    """Sources with messages in which nobody is known to be the owner."""
    with archive.reading() as database:
        rows = database.execute(
            "select name from source where id in (select source from conversation where messages)"
            " and id not in (select source from person where is_me) order by name"
        ).fetchall()
    return [name for (name,) in rows]


def _sources(database: sqlite3.Connection) -> list[dict[str, Any]]:
    rows = database.execute(
        "select source.name, count(*), sum(messages), min(first.instant), max(last.instant)"
        " from conversation join source on source.id = conversation.source"
        " left join message first on first.id = first_id"
        " left join message last on last.id = last_id"
        " where messages > 0 group by source.id order by source.name"
    )
    return [
        {
            "source": source,
            "conversations": conversations,
            "messages": messages,
            "first_timestamp": instant_text(first),
            "last_timestamp": instant_text(last),
        }
        for source, conversations, messages, first, last in rows
    ]


def _imports(database: sqlite3.Connection) -> list[dict[str, Any]]:
    rows = database.execute(
        "select source.name, format, at, zone, added, changed, unchanged, skipped from import"
        " join source on source.id = import.source order by import.id desc limit ?",
        (_LATEST,),
    )
    names = ("source", "format", "at", "zone", "added", "changed", "unchanged", "skipped")
    return [dict(zip(names, row, strict=True)) for row in rows]


def _indexed(database: sqlite3.Connection) -> int:
    """Every entry of the index carries one source's filter term."""
    return int(
        database.execute(
            "select coalesce(sum(doc), 0) from message_vocabulary where col = 'filter'"
            " and term glob 'o[0-9]*'"
        ).fetchone()[0]
    )


def _embeddings(database: sqlite3.Connection) -> list[dict[str, Any]]:
    possible = int(
        database.execute(f"select count(*) from message where {EMBEDDABLE}").fetchone()[0]  # noqa: S608
    )
    know_digests(database)
    rows = database.execute(
        "select model.name, count(message.id) from embedding"
        " join model on model.id = embedding.model"
        " left join message on message.hash = embedding.hash and not message.deleted"
        " and embedding.text = text_digest(message.body) group by model.id"
    )
    return [{"model": name, "messages": count, "of": possible} for name, count in rows]
