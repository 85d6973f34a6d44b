"""WhatsApp: the text that a phone's "Export chat" writes, in a folder or a zip with its media."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time
from zipfile import BadZipFile

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench, folded
from echo_archive.importers.text_lines import EndlessLine
from echo_archive.importers.whatsapp_content import Content, Said
from echo_archive.importers.whatsapp_dates import DateOrder, day_of
from echo_archive.importers.whatsapp_events import LONGEST, OF_GROUPS, event_of
from echo_archive.importers.whatsapp_markers import person_name, unmarked
from echo_archive.importers.whatsapp_rows import Before, Row, rows
from echo_archive.records import Conversation, Message, Skipped
from echo_archive.wall_clock import WallClock

_TITLE = re.compile(
    r"^.*whatsapp.*? (?:-|with|con|mit|avec|com|met|con|с|med|ile|z|kanssa|مع) (.+?)(?: \(\d\))?$",
    re.IGNORECASE,
)
_BARE = "_chat"
_CLAIM = re.compile(r"^(.+?: .+?) (?:created|added|changed|left|joined|removed|hat|cre|añad|a )\b")
MAX_NAMES, PAIR = 100_000, 2
EPOCH = date(1970, 1, 1)


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every row of a chat, in the order of the file."""
    folder = bench.file.rpartition("/")[0]
    bench.base = folder + "/" if folder else ""
    survey = _survey(bench)
    if survey.count == 0:
        bench.doubt(
            "the file has no line that begins like a WhatsApp message, and nothing was read"
        )
        yield from bench.closing()
        return
    order = survey.order.settle(
        bench.options.date_order, bench.tree.changed(bench.file), bench.doubt
    )
    conversation = survey.conversation(bench)
    content = Content(bench, conversation.name, survey.long_names())
    clock = WallClock(bench.options.timezone)
    before = Before()
    with bench.tree.open(bench.file) as file:
        for row in rows(file, order, before):
            bench.line = row.line
            yield from bench.doubts()
            yield _message(bench, conversation, clock, content.said(row), row, order)
    bench.line = 1
    if before.lines:
        bench.doubt(f"{before.lines} lines before the first message were not read")
    yield from bench.closing()


@dataclass(slots=True)
class _Survey:
    """What a first walk through the file finds.

    Attributes:
        typed: Names under which somebody wrote.
        noted: Names under which only events stand, as iPhones write them.
        colons: What stands before a second colon, which may be names with a colon in them.
        claimed: Names with a colon that events tell of.
    """

    order: DateOrder = field(default_factory=DateOrder)
    count: int = 0
    typed: set[str] = field(default_factory=set)
    noted: dict[str, None] = field(default_factory=dict)
    colons: set[str] = field(default_factory=set)
    claimed: set[str] = field(default_factory=set)
    group_event: bool = False

    def long_names(self) -> set[str]:
        """Names with a colon under which somebody writes and of which something else speaks."""
        return self.colons & self.claimed

    def conversation(self, bench: Bench) -> Conversation:
        """The chat: its name is nowhere in the file, and its kind shows in who writes."""
        others = sorted(name for name in self.typed if not bench.is_owner(name))
        only_noted = [name for name in self.noted if name not in self.typed]
        name = _title(bench) or next(iter(only_noted), None)
        if name is None:
            name = others[0] if len(others) == 1 else _fallback(bench)
        group = self.group_event or len(others) > 1
        if not self.group_event and len(others) == PAIR and name in others and _title(bench):
            bench.found_owner(next(one for one in others if one != name))
            group = False
        kind = "group" if group else "direct"
        return Conversation(folded(name), well_formed(name), None, kind)


def _survey(bench: Bench) -> _Survey:
    survey = _Survey()
    survey.claimed.update((*bench.options.owner, _title(bench) or ""))
    # What ends the walk too early ends the reading at the same place, which then tells of it.
    with bench.tree.open(bench.file) as file, suppress(EndlessLine, BadZipFile, zlib.error):
        for row in rows(file):
            survey.count += 1
            survey.order.take(row.header, row.text)
            _note_names(survey, row)
    return survey


def _note_names(survey: _Survey, row: Row) -> None:
    first = row.text.partition("\n")[0]
    name, colon, body = first.partition(": ")
    ios = row.header.shape.style == "ios"
    told = body if ios and colon else first if not colon else name
    event = event_of(unmarked(told)) if not ios or told.startswith("\u200e") else None
    survey.group_event = survey.group_event or event in OF_GROUPS
    if ": " in body and len(survey.colons) < MAX_NAMES:
        survey.colons.add(person_name(f"{name}: {body.partition(': ')[0]}"))
    if claims := _CLAIM.match(unmarked((body if ios else first)[:LONGEST])):
        survey.claimed.add(person_name(claims[1]))
    if colon and ios and event not in (None, "call"):
        survey.noted[person_name(name)] = None
    elif colon and (ios or event is None):
        survey.typed.add(person_name(name))


def _title(bench: Bench) -> str | None:
    """The name in the name of the file, its folder, or its zip."""
    folder, _, name = bench.file.rpartition("/")
    stems = (
        name.removesuffix(".txt"),
        folder.rpartition("/")[2],
        bench.tree.title.removesuffix(".zip"),
    )
    for stem in stems:
        found = _TITLE.match(stem)
        if found:
            return found[1]
    return None


def _fallback(bench: Bench) -> str:
    folder, _, name = bench.file.rpartition("/")
    stem = name.removesuffix(".txt")
    return (
        stem
        if stem != _BARE
        else folder.rpartition("/")[2] or bench.tree.title.removesuffix(".zip")
    )


def _message(
    bench: Bench,
    conversation: Conversation,
    clock: WallClock,
    said: Said,
    row: Row,
    order: str,
) -> Message:
    header = row.header
    day = day_of(header.date, order) or EPOCH
    local = datetime.combine(day, time(header.hour, header.minute, header.second))
    instant = clock.instant_ms(local)
    if clock.in_gap:
        bench.doubt("the time does not exist in the time zone and was moved forward")
    return Message(
        conversation=conversation,
        instant_ms=instant,
        written=header.written,
        precision="second" if header.shape.seconds else "minute",
        zone=clock.mark,
        sender=bench.named(said.sender) if said.sender else None,
        body=said.body,
        attachments=said.attachments,
        links=said.links,
        system=said.event is not None,
        event=said.event,
        edited=said.edited,
        deleted=said.deleted,
        file=bench.file,
        line=bench.line,
    )
