"""Soundness: whether a message read from somebody's file holds what a record promises."""

from __future__ import annotations

from echo_archive.records import Message

LATEST_MS = 2**43
MOST = 2**53
_TEXT_OR_NONE = (str, type(None))
# From `attachments` to `forwarded_from`, as most messages have them.
_NOTHING = [(), (), (), False, None, None, None, False, (), False, None]


def is_sound(message: Message) -> bool:
    """Whether every field is of its kind and the instant within some centuries of ours.

    Exports are JSON that anybody may have written; a list where a text belongs must not get
    further than here.
    """
    _, instant, written, _, _, native_id, _, body, *others, _, _ = message
    return (
        type(body) is str
        and type(instant) is int
        and -LATEST_MS < instant < LATEST_MS
        and type(written) is str
        and type(native_id) in _TEXT_OR_NONE
        and (others == _NOTHING or _are_sound(message))
    )


def _are_sound(message: Message) -> bool:
    """The fields that few messages have."""
    texts = (message.reply_to, message.reply_quote, message.forwarded_from, message.event)
    if any(type(text) not in _TEXT_OR_NONE for text in texts):
        return False
    if message.attachments and not _attachments_are_sound(message):
        return False
    if message.reactions and not _reactions_are_sound(message):
        return False
    return not (message.links or message.revisions) or all(
        type(text) is str for text in (*message.links, *message.revisions)
    )


def _reactions_are_sound(message: Message) -> bool:
    return all(type(one.emoji) is str and _is_count(one.count) for one in message.reactions)


def _attachments_are_sound(message: Message) -> bool:
    return all(
        type(one.name) in _TEXT_OR_NONE
        and type(one.media_type) in _TEXT_OR_NONE
        and (one.size is None or _is_count(one.size))
        for one in message.attachments
    )


def _is_count(number: object) -> bool:
    """Whether it is a whole number that a database takes."""
    return type(number) is int and 0 <= number < MOST
