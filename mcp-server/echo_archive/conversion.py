"""Conversion: a message as an importer hands it over, as the content that is stored."""

from __future__ import annotations

from echo_archive.characters import well_formed
from echo_archive.content import Content, Reacted, tombstone
from echo_archive.keys import native_key
from echo_archive.links import links_of
from echo_archive.records import ABSOLUTE, Attachment, Message
from echo_archive.register import Register

PRECISIONS = ("minute", "second", "millisecond")
_CODES = {name: code for code, name in enumerate(PRECISIONS)}


def content_of(message: Message, register: Register) -> Content:
    """The message as it is stored, field by field in order: nothing is done more often."""
    reply, deleted = message.reply_to, message.deleted
    body = well_formed(message.body)
    content = Content(
        register.person(message.sender),
        message.instant_ms,
        well_formed(message.written),
        _CODES.get(message.precision, len(PRECISIONS) - 1),
        None if message.zone == ABSOLUTE else message.zone,
        message.native_id and well_formed(message.native_id),
        body,
        message.system,
        message.event and well_formed(message.event),
        native_key(register.source, message.conversation.key, reply) if reply else None,
        message.reply_quote and well_formed(message.reply_quote),
        message.edited,
        deleted,
        message.forwarded_from and well_formed(message.forwarded_from),
        tuple(map(_attachment, message.attachments)),
        _links(body, message.links),
        _reactions(message, register) if message.reactions else (),
        tuple(map(well_formed, message.revisions)) if len(message.revisions) > 1 else (),
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


def _reactions(message: Message, register: Register) -> tuple[Reacted, ...]:
    return tuple(
        (well_formed(one.emoji), register.person(one.actor), one.count) for one in message.reactions
    )


def _links(body: str, structural: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the text, then the others; where the export lists all, the order is its own."""
    if not structural and "://" not in body:
        return ()
    written = links_of(body)
    if not structural:
        return tuple(written)
    listed = [link for one in structural for link in links_of(well_formed(one))]
    both = listed if set(written) <= set(listed) else [*written, *listed]
    return tuple(dict.fromkeys(both))
