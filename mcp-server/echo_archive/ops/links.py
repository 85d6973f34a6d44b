"""list_links: the addresses in messages, each once, the newest first."""

from __future__ import annotations

import sqlite3
from typing import Any

from echo_archive.arguments import checked_number, optional_text
from echo_archive.cursors import cursor_of, pair_of
from echo_archive.filters import checked_filters
from echo_archive.links import host_of
from echo_archive.quoting import QUOTED
from echo_archive.reading import Archive
from echo_archive.scope import Scope
from echo_archive.shapes import cut, stored_messages

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
    domain, clock = optional_text(domain, "domain"), archive.clock
    filters = checked_filters(clock, start=start, end=end, conversation=conversation, source=source)
    question = {"op": "list_links", "domain": domain, **filters.said}
    after = pair_of(question, cursor)
    with archive.reading() as database:
        found = _links(
            database, filters.scope(database), domain and _host(domain), after, limit + 1
        )
        row_ids = [newest for newest, *_ in found[:limit]]
        messages = stored_messages(database, row_ids, clock)
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
    """Of each address the newest message with its place in it, address, host and count.

    The links are walked from the newest on, so that a page costs what it shows.
    """
    conditions = [_within(scope, "link")]
    if domain is not None:
        conditions.append(
            "link.url in (select id from url where host = :domain"
            " or substr(host, -length(:domain) - 1) = '.' || :domain)"
        )
    if after is not None:
        conditions.append("(link.message, link.position) < (:message, :position)")
    message, position = after or (None, None)
    return database.execute(
        "select link.message, link.position, url.url, url.host,"  # noqa: S608
        f" (select count(*) from link as same where same.url = link.url"
        f" and {_within(scope, 'same')})"
        f" from link join url on url.id = link.url where {' and '.join(conditions)}"
        " and not exists (select 1 from link as newer where newer.url = link.url"
        f" and newer.message > link.message and {_within(scope, 'newer')})"
        " order by link.message desc, link.position desc limit :most",
        {
            "first": scope.first,
            "last": scope.last,
            "conversation": scope.conversation,
            "source": scope.source,
            "domain": domain,
            "message": message,
            "position": position,
            "most": most,
        },
    ).fetchall()


def _within(scope: Scope, links: str) -> str:
    """The condition for links in a scope; `+` keeps the way to an address its own index."""
    times = f"{links}.message between :first and :last"
    if scope.conversation is not None:
        column = f"{'' if links == 'link' else '+'}{links}.conversation"
        return f"{times} and {column} = :conversation"
    if scope.source is not None:
        return (
            f"{times} and +{links}.conversation in"  # noqa: S608
            " (select id from conversation where source = :source)"
        )
    return times
