"""Conversion: a message as an importer hands it over, as the content that is stored."""

from __future__ import annotations

from echo_archive.characters import well_formed
from echo_archive.content import Content, Reacted, tombstone
from echo_archive.keys import native_key
from echo_archive.links import links_of
from echo_archive.records import ABSOLUTE, Attachment, Message, Reaction
from echo_archive.register import Register

PRECISIONS = ("minute", "second", "millisecond")
_CODES = {name: code for code, name in enumerate(PRECISIONS)}


def content_of(message: Message, register: Register) -> Content:
    """The message as it is stored, field by field in order: nothing is done more often."""
    # Taken apart at once, since looking up a field by its name takes as long as five such steps.
    (conversation, instant, written, precision, zone, native_id, sender, body, attachments, links,
     reactions, system, event, reply, quote, edited, revisions, deleted, forwarded, _, _,
     ) = message  # fmt: skip
    body = well_formed(body)
    content = Content(
        register.person(sender),
        instant,
        well_formed(written),
        _CODES.get(precision, len(PRECISIONS) - 1),
        None if zone == ABSOLUTE else zone,
        native_id and well_formed(native_id),
        body,
        system,
        event and well_formed(event),
        native_key(register.source, conversation.key, reply) if reply else None,
        quote and well_formed(quote),
        edited,
        deleted,
        forwarded and well_formed(forwarded),
        tuple(map(_attachment, attachments)) if attachments else (),
        _links(body, links) if links or "://" in body else (),
        _reactions(reactions, register) if reactions else (),
        tuple(map(well_formed, revisions)) if len(revisions) > 1 else (),
    )
    return tombstone(content) if deleted else content


def _attachment(said: Attachment) -> Attachment:
    """Of a file whose name is no text the path is not kept: it would name another."""
    named = said.path is None or well_formed(said.path) == said.path
    return said._replace(
        name=said.name and well_formed(said.name),
        path=said.path if named else None,
        missing=said.missing or not named,
        media_type=said.media_type and well_formed(said.media_type),
    )


def _reactions(said: tuple[Reaction, ...], register: Register) -> tuple[Reacted, ...]:
    return tuple((well_formed(one.emoji), register.person(one.actor), one.count) for one in said)


def _links(body: str, structural: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the text, then the others; where the export lists all, the order is its own."""
    written = links_of(body)
    if not structural:
        return tuple(written)
    listed = [link for one in structural for link in links_of(well_formed(one))]
    both = listed if set(written) <= set(listed) else [*written, *listed]
    return tuple(dict.fromkeys(both))
