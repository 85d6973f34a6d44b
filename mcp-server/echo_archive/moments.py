"""Moments: the rows that are told apart together, since they have no id of their own."""

from __future__ import annotations

from collections.abc import Iterable

from echo_archive.records import Message

Moment = tuple[str, str, str]


def moment_of(message: Message) -> Moment:
    """Conversation key, written time and sender key of a row."""
    sender = message.sender.key if message.sender else ""
    return message.conversation.key, message.written, sender


def together(one: Message, other: Message) -> bool:
    """Whether two rows are of one conversation and one written time."""
    return one.written == other.written and one.conversation == other.conversation


def moments_of(batch: Iterable[Message]) -> dict[Moment, list[Message]]:
    """The rows without an id by their moment, in order, also where others stand between them."""
    moments: dict[Moment, list[Message]] = {}
    for message in batch:
        if message.native_id is None:
            moments.setdefault(moment_of(message), []).append(message)
    return moments
