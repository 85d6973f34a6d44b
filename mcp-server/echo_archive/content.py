"""Content: everything a stored message says, and what becomes of it when an export says it anew."""

from __future__ import annotations

import marshal
from hashlib import blake2b
from struct import Struct
from typing import NamedTuple

from echo_archive.records import Attachment

Reacted = tuple[str, int | None, int]


class Content(NamedTuple):
    """A message with its people as ids, its links found and its reply as the key it answers.

    Attributes:
        zone: None for an absolute instant, else how the zone was known.
        reply: Key of the message answered.
        reactions: Emoji, person id or None, and count.
        revisions: All texts oldest first, empty where only one is known.
    """

    person: int | None
    instant: int
    written: str
    precision: int
    zone: str | None
    native_id: str | None
    body: str
    system: bool
    event: str | None
    reply: bytes | None
    reply_quote: str | None
    edited: bool
    deleted: bool
    forwarded_from: str | None
    attachments: tuple[Attachment, ...] = ()
    links: tuple[str, ...] = ()
    reactions: tuple[Reacted, ...] = ()
    revisions: tuple[str, ...] = ()

    def digest(self) -> int:
        """A number that is another one when anything here is."""
        said: list[object] = [*self]
        if self.attachments:
            said[_ATTACHMENTS] = [tuple(one) for one in self.attachments]
        packed = blake2b(marshal.dumps(said, 2), digest_size=8).digest()
        number: int = _number(packed)[0]
        return number


_ATTACHMENTS = Content._fields.index("attachments")
_number = Struct(">q").unpack


def tombstone(content: Content) -> Content:
    """The same message, taken back: nothing of what it said is left."""
    return content._replace(
        body="",
        deleted=True,
        reply_quote=None,
        attachments=(),
        links=(),
        reactions=(),
        revisions=(),
    )


def merged(known: Content, read: Content) -> Content:
    """What is known of a message once an export has been read that holds it too.

    An export may be older than what is known, so nothing that only one of them says is lost, a
    text that is known as an earlier one stays earlier, and what was taken back stays so.
    """
    if known.deleted or read.deleted:
        return tombstone(_timed(known, read))
    body, revisions = _texts(known, read)
    newest = read if body == read.body else known
    return _timed(known, read)._replace(
        person=known.person if read.person is None else read.person,
        native_id=known.native_id or read.native_id,
        body=body,
        revisions=revisions,
        system=newest.system,
        event=newest.event or known.event,
        reply=known.reply or read.reply,
        reply_quote=known.reply_quote or read.reply_quote,
        edited=known.edited or read.edited,
        forwarded_from=known.forwarded_from or read.forwarded_from,
        attachments=_attachments(known.attachments, read.attachments),
        links=_united(known.links, read.links) if read.body == known.body else newest.links,
        reactions=_reactions(known.reactions, read.reactions),
    )


def _timed(known: Content, read: Content) -> Content:
    """With the instant that is surer; of two readings of a clock the later import's zone counts."""
    same = read.instant == known.instant and read.zone == known.zone
    if same or (read.zone is not None and known.zone is None):
        return known
    if read.zone is None and known.zone is None and read.precision < known.precision:
        return known
    return known._replace(
        instant=read.instant, zone=read.zone, precision=read.precision, written=read.written
    )


def _texts(known: Content, read: Content) -> tuple[str, tuple[str, ...]]:
    if read.body == known.body:
        longer = max(known.revisions, read.revisions, key=len)
        return known.body, known.revisions if longer == known.revisions else longer
    if read.body in known.revisions:
        return known.body, known.revisions
    if known.edited and not read.edited:
        return known.body, (read.body, *(known.revisions or (known.body,)))
    earlier = [text for text in (known.revisions or (known.body,)) if text != read.body]
    versions = [text for text in read.revisions if text not in earlier and text != read.body]
    return read.body, (*earlier, *versions, read.body)


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _attachments(
    known: tuple[Attachment, ...], read: tuple[Attachment, ...]
) -> tuple[Attachment, ...]:
    """Of each the description that holds the file; an export without media takes nothing away.

    Those of one name belong together, and of the others those that come in the same place.
    """
    if len(known) != len(read):
        return max(read, known, key=len)
    left = list(read)
    same: list[Attachment | None] = []
    for old in known:
        found = next((new for new in left if (new.kind, new.name) == (old.kind, old.name)), None)
        if found is not None:
            left.remove(found)
        same.append(found)
    others = iter(left)
    return tuple(
        old if new.missing and not old.missing else new
        for old, new in zip(known, (one or next(others) for one in same), strict=True)
    )


def _reactions(known: tuple[Reacted, ...], read: tuple[Reacted, ...]) -> tuple[Reacted, ...]:
    """Those just read, and those of people and kinds of whom the export says nothing."""
    actors = {person for _, person, _ in read if person is not None}
    counted = {emoji for emoji, person, _ in read if person is None}
    kept = [
        one
        for one in known
        if (one[1] not in actors if one[1] is not None else one[0] not in counted)
    ]
    return _same_order(known, (*kept, *read))


def _same_order(known: tuple[Reacted, ...], now: tuple[Reacted, ...]) -> tuple[Reacted, ...]:
    unique = tuple(dict.fromkeys(now))
    return known if set(unique) == set(known) else unique
