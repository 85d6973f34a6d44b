"""list_links: the addresses in messages, each once, the newest first."""

from __future__ import annotations

import sqlite3
from typing import Any

from echo_archive.arguments import checked_number, optional_text
from echo_archive.cursors import cursor_of, pair_of
from echo_archive.links import host_of
from echo_archive.quoting import QUOTED
from echo_archive.reading import Archive
from echo_archive.scope import Scope, find_scope
from echo_archive.shapes import cut, stored_messages
from echo_archive.spans import find_span

DEFAULT_LIMIT, MAX_LIMIT = 50, 200


def list_links_op(
    archive: Archive,
    *,
    domain: str | None = None,
    conversation: str | None = None,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
    limit: int = DEFAULT_LIMIT,
    cursor: str | None = None,
) -> dict[str, Any]:
    """Addresses, each once with how often it occurs and the newest message that has it.

    Args:
        archive: Where from.
        domain: A host such as `example.org`; those below it count too.
        conversation: Id or name.
        source: Only of this source.
        start: From this day or time on.
        end: Up to and with this day or time.
        limit: How many at most.
        cursor: `next_cursor` of the answer before.

    Raises:
        BadArgument: An argument is wrong.
    """
    checked_number(limit, "limit", MAX_LIMIT)
    domain = optional_text(domain, "domain")
    named = {
        "conversation": optional_text(conversation, "conversation"),
        "source": optional_text(source, "source"),
    }
    span = find_span(optional_text(start, "start"), optional_text(end, "end"), archive.zone)
    question = {"op": "list_links", **named, "domain": domain, "start": start, "end": end}
    after = pair_of(question, cursor)
    with archive.reading() as database:
        scope = find_scope(database, **named, span=span)
        found = _links(database, scope, domain and _host(domain), after, limit + 1)
        row_ids = [newest for newest, *_ in found[:limit]]
        messages = stored_messages(database, row_ids, archive.zone, archive.zone_name)
    rows = [
        {
            **messages[newest].coordinates,
            "url": url,
            "domain": host,
            "occurrences": count,
            **cut(messages[newest].body),
        }
        for newest, _, url, host, count in found[:limit]
    ]
    place = found[limit - 1][:2] if len(found) > limit else None
    return {
        "quoted": QUOTED,
        "links": rows,
        "count": len(rows),
        "next_cursor": cursor_of(question, place) if place else None,
    }


def _host(domain: str) -> str:
    said = domain.strip().lower()
    return host_of(said if "://" in said else f"https://{said}") or said


def _links(
    database: sqlite3.Connection,
    scope: Scope,
    domain: str | None,
    after: tuple[int, int] | None,
    most: int,
) -> list[tuple[int, int, str, str, int]]:
    """Newest message, number, address, host and count of each address, by the first two."""
    conditions = ["message between :first and :last"]
    if scope.conversation is not None:
        conditions.append("conversation = :conversation")
    elif scope.source is not None:
        conditions.append("conversation in (select id from conversation where source = :source)")
    if domain is not None:
        conditions.append(
            "url in (select id from url where host = :domain"
            " or substr(host, -length(:domain) - 1) = '.' || :domain)"
        )
    newest, number = after or (None, None)
    return database.execute(
        "select newest, number, url.url, url.host, count from"  # noqa: S608
        " (select max(message) as newest, url as number, count(*) as count from link"
        f" where {' and '.join(conditions)} group by url)"
        " join url on url.id = number"
        " where :newest is null or (newest, number) < (:newest, :number)"
        " order by newest desc, number desc limit :most",
        {
            "first": scope.first,
            "last": scope.last,
            "conversation": scope.conversation,
            "source": scope.source,
            "domain": domain,
            "newest": newest,
            "number": number,
            "most": most,
        },
    ).fetchall()
