"""Runs: the rows of a batch that are told apart together, since they have no id of their own."""

from __future__ import annotations

from collections.abc import Iterable

from echo_archive.records import Message


def together(one: Message, other: Message) -> bool:
    """Whether two rows are of one conversation and one written time."""
    return one.written == other.written and one.conversation == other.conversation


def runs(batch: list[Message]) -> Iterable[list[Message]]:
    """Single rows that have an id; of the others those of one sender at one time together."""
    waiting: list[Message] = []
    for message in batch:
        if waiting and (message.native_id is not None or not together(waiting[-1], message)):
            yield from _by_sender(waiting)
            waiting = []
        if message.native_id is not None:
            yield [message]
        else:
            waiting.append(message)
    yield from _by_sender(waiting)


def _by_sender(rows: list[Message]) -> Iterable[list[Message]]:
    if len(rows) < 2:
        return [rows] if rows else []
    senders: dict[str, list[Message]] = {}
    for row in rows:
        senders.setdefault(row.sender.key if row.sender else "", []).append(row)
    return senders.values()
