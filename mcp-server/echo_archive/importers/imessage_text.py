"""imessage-exporter: one conversation, from its text file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench, folded
from echo_archive.importers.imessage_blocks import Block, Parts, blocks, parts_of
from echo_archive.importers.reruns import latest_rows
from echo_archive.records import Attachment, Conversation, Message, Person, Reaction, Skipped
from echo_archive.wall_clock import WallClock

ORPHANED = "orphaned"
_LONGEST_EVENT = 1_000
_NUMBERED = re.compile(r"^(.+) - (\d+)$")
_EVENTS = [
    (event, re.compile(words))
    for event, words in (
        ("title_changed", r"named the conversation|renamed the conversation"),
        ("member_added", r" added .+ to the conversation"),
        ("member_removed", r" removed .+ from the conversation"),
        ("member_left", r" left the conversation"),
        ("photo_changed", r"the (?:group photo|group's photo|chat background|.*background)"),
        ("number_changed", r"changed their phone number"),
        ("audio_kept", r"kept an audio message"),
        ("unsent", r"unsent a message"),
        ("location_sharing", r"^(?:Started|Stopped) sharing location!$"),
        ("shareplay", r"^SharePlay Message"),
    )
]


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message of a conversation, each once though the exporter ran several times."""
    senders: set[str] = set()
    kept, doubled = latest_rows(_moments(bench, senders))
    conversation = _conversation(bench.file, senders - {"Me", "Unknown"})
    reader = _Reader(bench, conversation)
    for number, block in enumerate(_blocks(bench)):
        if number in kept:
            bench.line = block.line
            yield reader.message(block)
            yield from bench.doubts()
    if doubled:
        bench.doubt(f"{doubled} rows stand in the file again from an earlier export and count once")
    yield from bench.closing()


def _blocks(bench: Bench) -> Iterator[Block]:
    with bench.tree.open(bench.file) as file:
        yield from blocks(file)


def _moments(bench: Bench, senders: set[str]) -> Iterator[tuple[str, str]]:
    for block in _blocks(bench):
        if block.sender is not None:
            senders.add(block.sender)
        yield block.local.isoformat(), block.sender or block.lines[0]


def _conversation(file: str, others: set[str]) -> Conversation:
    stem = file.rpartition("/")[2].removesuffix(".txt")
    if stem == ORPHANED:
        return Conversation(ORPHANED, "Messages without a conversation", None, "other")
    numbered = _NUMBERED.match(stem)
    name, native_id = (numbered[1], numbered[2]) if numbered else (stem, None)
    group = numbered or ", " in stem or len(others) > 1
    return Conversation(folded(stem), well_formed(name), native_id, "group" if group else "direct")


class _Reader:
    """One file: the replies that are announced under their parents find these again."""

    def __init__(self, bench: Bench, conversation: Conversation) -> None:
        self._bench = bench
        self._conversation = conversation
        self._clock = WallClock(bench.options.timezone)
        self._parents: dict[tuple[datetime, str], str] = {}
        self._occurrences: Counter[tuple[datetime, str]] = Counter()

    def message(self, block: Block) -> Message:
        """One block as a message."""
        instant = self._clock.instant_ms(block.local)
        if self._clock.in_gap:
            self._bench.doubt("the time does not exist in the time zone and was moved forward")
        parts = parts_of(block)
        event = _event(block, parts)
        native_id = self._name(block)
        for child in parts.replies:
            self._parents[child] = native_id
        answers = (block.local, block.sender or "")
        live = not parts.deleted
        return Message(
            conversation=self._conversation,
            instant_ms=instant,
            written=block.written,
            precision="second",
            zone=self._clock.mark,
            native_id=native_id,
            sender=self._person(block.sender) if block.sender else None,
            body=parts.body if live else "",
            attachments=tuple(self._attachments(parts)) if live else (),
            reactions=tuple(Reaction(emoji, self._person(name)) for emoji, name in parts.tapbacks)
            if live
            else (),
            system=event is not None,
            event=event,
            reply_to=self._parents.get(answers) if parts.is_reply else None,
            edited=bool(parts.revisions) and live,
            revisions=parts.revisions if live else (),
            deleted=parts.deleted,
            file=self._bench.file,
            line=self._bench.line,
        )

    def _name(self, block: Block) -> str:
        """What the row is called: the format has no ids, yet replies need something to point at."""
        who = block.sender or "announcement"
        self._occurrences[block.local, who] += 1
        return f"{block.local.isoformat()}/{who}/{self._occurrences[block.local, who]}"

    def _person(self, name: str) -> Person | None:
        if name == "Unknown":
            return None
        return self._bench.me() if name == "Me" else self._bench.named(name)

    def _attachments(self, parts: Parts) -> Iterator[Attachment]:
        for path, kind in parts.files:
            if path is None:
                yield Attachment("file", missing=True)
            else:
                yield self._bench.attachment(path, kind=kind)


def _event(block: Block, parts: Parts) -> str | None:
    """What happened, for announcements and for rows that say nothing else."""
    said = parts.body[:_LONGEST_EVENT]
    if block.sender is None:
        return next((event for event, words in _EVENTS if words.search(said)), "other")
    return next((event for event, words in _EVENTS[-2:] if words.search(said)), None)
