"""WhatsApp's content: who said what in a row, and what its markers stand for."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from echo_archive.importers.bench import Bench, folded
from echo_archive.importers.whatsapp_events import event_of
from echo_archive.importers.whatsapp_markers import (
    attached,
    file_attached,
    is_deleted,
    kind_by_name,
    left_out,
    person_name,
    place,
    poll,
    titled,
    typed,
    unmarked,
    without_edit_mark,
)
from echo_archive.importers.whatsapp_rows import Row
from echo_archive.records import Attachment

_MARK = "\u200e"
_CALL_WORDS = re.compile(
    r"^(?:(?:missed|silenced|declined|cancell?ed|unanswered)\b.{0,20}\bcall"
    r"|(?:voice|video|group)\b.{0,12}\bcall\b"
    r"|verpasster .*anruf|sprachanruf|videoanruf|(?:video)?llamada|appel|(?:video)?chiamata"
    r"|chamada)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What a row says; `event` is set for what nobody typed."""

    sender: str | None
    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    links: tuple[str, ...] = ()
    event: str | None = None
    edited: bool = False
    deleted: bool = False


class Content:
    """Reads the rows of one file; `long_names` are names that hold a colon."""

    def __init__(self, bench: Bench, conversation: str, long_names: Collection[str]) -> None:
        self._bench = bench
        self._conversation = folded(conversation)
        self._long_names = sorted(long_names, key=len, reverse=True)

    def said(self, row: Row) -> Said:
        """What a row says."""
        ios = row.header.shape.style == "ios"
        name, body = self._split(row.text)
        if name is None:
            return self._event(None, row.text)
        if not ios and (happened := self._android_event(row.text)):
            return happened
        marked = body.startswith(_MARK)
        special = self._special(name, body, ios, marked)
        if special is not None:
            return special
        if ios and (marked or self._is_chat(name)):
            plain = unmarked(body).strip()
            if marked or (self._is_chat(name) and event_of(plain) == "encryption_notice"):
                return self._event(None, body)
        text, edited = without_edit_mark(body, ios)
        return Said(name, typed(text).strip(), edited=edited)

    def _split(self, text: str) -> tuple[str | None, str]:
        """Sender and body; no sender where the line has none."""
        for known in self._long_names:
            start = text.find(known)
            if 0 <= start <= 4 and text[start + len(known) :].startswith(": "):
                return known, text[start + len(known) + 2 :]
        first, _, following = text.partition("\n")
        name, colon, body = first.partition(": ")
        if not colon and first.endswith(":"):
            name, colon, body = first[:-1], ":", ""
        if not colon:
            return None, text
        return person_name(name), f"{body}\n{following}" if following else body

    def _android_event(self, text: str) -> Said | None:
        """An event with a colon in it: its verb stands before the colon, or after such a name."""
        plain = unmarked(text)
        head = plain.partition(": ")[0]
        known = next((name for name in self._long_names if plain.startswith(name + " ")), None)
        if known:
            head = plain[len(known) :]
        return self._event(None, text) if event_of(head) not in (None, "call") else None

    def _is_chat(self, name: str) -> bool:
        return folded(name) == self._conversation

    def _event(self, sender: str | None, text: str) -> Said:
        plain = unmarked(text).strip()
        return Said(sender, plain, event=event_of(plain.partition("\n")[0]) or "other")

    def _special(self, name: str, body: str, ios: bool, marked: bool) -> Said | None:
        """Bodies that WhatsApp wrote; on an iPhone a mark tells them from the same words typed."""
        may_be = marked or not ios
        if may_be and is_deleted(body):
            return Said(name, deleted=True)
        media = self._media(name, body, ios)
        if media is not None:
            return media
        if may_be and (found := poll(body, marked)) is not None:
            return Said(name, found)
        if may_be and (spot := place(body)) is not None:
            called, link = spot
            return Said(name, "", (Attachment("location", called),), (link,))
        if marked and _CALL_WORDS.match(unmarked(body).strip()):
            return Said(name, unmarked(body).strip(), event="call")
        return None

    def _media(self, name: str, body: str, ios: bool) -> Said | None:
        if ios:
            return self._ios_media(name, body)
        found = file_attached(body)
        if found:
            file, caption = found
            text, edited = without_edit_mark(caption, marked=False)
            return Said(name, typed(text).strip(), (self._file(file),), edited=edited)
        first, _, caption = body.partition("\n")
        plain = unmarked(first).strip()
        if plain.startswith("<") and left_out(first):
            return Said(name, typed(caption).strip(), (Attachment("file", missing=True),))
        return None

    def _ios_media(self, name: str, body: str) -> Said | None:
        found = attached(body)
        if found:
            file, title, caption = found
            text, edited = without_edit_mark(caption, marked=True)
            return Said(name, typed(text).strip(), (self._file(file, title),), edited=edited)
        before, mark, rest = body.rpartition(_MARK)
        kind = left_out(rest) if mark else None
        if kind is None:
            return None
        title = titled(before)
        caption = "" if title else typed(before).strip()
        return Said(name, unmarked(caption).strip(), (Attachment(kind, title, missing=True),))

    def _file(self, file: str, title: str | None = None) -> Attachment:
        return self._bench.attachment(file, kind=kind_by_name(file), name=title)
