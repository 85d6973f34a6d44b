"""iMessage's rows: one message of a Messages database with its texts, files and events."""

from __future__ import annotations

import plistlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha1
from typing import Any
from xml.parsers.expat import ExpatError

from echo_archive.importers.bench import Bench
from echo_archive.importers.imessage_open import columns
from echo_archive.importers.imessage_tapbacks import person_of
from echo_archive.importers.typedstream import text_of
from echo_archive.records import Attachment, Conversation, Message, Reaction

_APPLE_EPOCH = 978_307_200
_SECONDS_BELOW = 10**11
_PLACEHOLDER = "\ufffc"
_HOME = "Library/Messages/"
_PREVIEW = ".pluginPayloadAttachment"
_EVENTS = {
    (1, 0): ("member_added", "added"),
    (1, 1): ("member_removed", "removed"),
    (2, 0): ("title_changed", "named the conversation"),
    (3, 0): ("member_left", "left the conversation"),
    (3, 1): ("photo_changed", "changed the group photo"),
    (3, 2): ("photo_changed", "removed the group photo"),
    (4, 0): ("location_sharing", "started or stopped sharing location"),
    (5, 0): ("audio_kept", "kept an audio message"),
    (6, 0): ("shareplay", "used SharePlay"),
}


def epoch_ms(row: sqlite3.Row) -> int | None:
    """When a row was sent, else delivered, else read, in milliseconds since 1970."""
    for field in ("date", "date_delivered", "date_read"):
        if row[field]:
            return _milliseconds(row[field])
    return None


def _milliseconds(apple: float) -> int:
    """Nanoseconds since 2001, or seconds in old databases and imported rows."""
    if abs(apple) < _SECONDS_BELOW:
        return round(apple * 1000) + _APPLE_EPOCH * 1000
    return int(apple) // 1_000_000 + _APPLE_EPOCH * 1000


@dataclass(frozen=True, slots=True)
class _Edits:
    versions: tuple[str, ...] = ()
    edited: bool = False
    unsent: bool = False


class Rows:
    """What the rows of one database say."""

    def __init__(
        self,
        bench: Bench,
        database: sqlite3.Connection,
        handles: dict[int, str],
        reactions: dict[str, tuple[Reaction, ...]],
    ) -> None:
        self._bench = bench
        self._database = database
        self._handles = handles
        self._reactions = reactions
        self._files = _attachment_query(database)

    def message(self, row: sqlite3.Row, conversation: Conversation, deleted: bool) -> Message:
        """One row; `deleted` says that its owner took it away."""
        event, body = self._event(row)
        text = "" if event else self._text(row)
        edits = self._edits(row)
        attachments = tuple(self._attachments(row, text))
        body = body if event else text.replace(_PLACEHOLDER, "").strip("\n ")
        unsent = bool(row["date_retracted"]) or (edits.unsent and not body)
        gone = deleted or (unsent and not event)
        instant = epoch_ms(row) or 0
        return Message(
            conversation=conversation,
            instant_ms=instant,
            written=str(row["date"]),
            precision="millisecond" if instant % 1000 else "second",
            native_id=str(row["guid"]),
            sender=person_of(self._bench, row, self._handles),
            body="" if gone else body,
            attachments=() if gone else attachments,
            reactions=() if gone else self._reactions.get(str(row["guid"]), ()),
            system=event is not None,
            event=event,
            reply_to=row["thread_originator_guid"] or None,
            edited=edits.edited and not gone,
            revisions=edits.versions if edits.edited and not gone else (),
            deleted=gone,
            file=self._bench.file,
            line=self._bench.line,
        )

    def _text(self, row: sqlite3.Row) -> str:
        plain = row["text"] or ""
        stream = row["attributedBody"]
        decoded = text_of(stream) if isinstance(stream, bytes) else None
        if decoded and (decoded.whole or not plain):
            plain = decoded.text
        if decoded and not decoded.whole:
            self._bench.doubt("a text is cut short in the database; what is there was read")
        elif stream and decoded is None:
            self._bench.doubt("a formatted text could not be decoded; the plain one was used")
        subject = row["subject"]
        return f"{subject}\n{plain}" if subject else plain

    def _event(self, row: sqlite3.Row) -> tuple[str | None, str]:
        item = row["item_type"] or 0
        if not item:
            return None, ""
        event, words = _EVENTS.get((item, row["group_action_type"] or 0)) or _EVENTS.get(
            (item, 0), ("other", "did something this reader does not know")
        )
        about = self._handles.get(row["other_handle"] or 0, "") if item == 1 else row["group_title"]
        return event, f"{words} {about}" if about else words

    def _edits(self, row: sqlite3.Row) -> _Edits:
        """Earlier texts, and whether parts were taken back, from the property list of the row."""
        summary = row["message_summary_info"]
        if not isinstance(summary, bytes) or not (row["date_edited"] or b"\x52ec" in summary):
            return _Edits()
        try:
            said = plistlib.loads(summary)
            parts = said.get("ec") or {}
            texts = [_versions(versions) for versions in parts.values()]
        except (
            plistlib.InvalidFileException,
            ExpatError,
            ValueError,
            AttributeError,
            TypeError,
            KeyError,
        ):
            self._bench.doubt("the earlier texts of an edited message could not be read")
            return _Edits(edited=bool(row["date_edited"]))
        changed = [versions for versions in texts if len(versions) > 1]
        longest = max(changed, key=len, default=())
        retracted = bool(said.get("rp"))
        edited = bool(changed) or (bool(row["date_edited"]) and not retracted)
        return _Edits(longest if len(parts) == 1 else (), edited, retracted)

    def _attachments(self, row: sqlite3.Row, text: str) -> Iterator[Attachment]:
        if self._files is None or not (row["cache_has_attachments"] or _PLACEHOLDER in text):
            return
        for one in self._database.execute(self._files, (row["ROWID"],)):
            path, name = str(one["filename"] or ""), one["transfer_name"]
            if one["hide_attachment"] or path.endswith(_PREVIEW):
                continue
            kind = "sticker" if one["is_sticker"] else None
            yield self._bench.attachment(
                self._place(path), kind=kind, name=name, media_type=one["mime_type"]
            )

    def _place(self, path: str) -> str:
        """Where a file lies beside the database: under its own path, or a phone backup's digest."""
        _, found, rest = path.partition(_HOME)
        if found:
            return rest
        digest = sha1(f"MediaDomain-{path}".encode(), usedforsecurity=False).hexdigest()
        backup = f"{digest[:2]}/{digest}"
        return backup if self._bench.tree.size(self._bench.base + backup) is not None else path


def _versions(versions: list[dict[str, Any]]) -> tuple[str, ...]:
    decoded = (text_of(one["t"]) for one in versions)
    return tuple(text.text.replace(_PLACEHOLDER, "") for text in decoded if text)


def _attachment_query(database: sqlite3.Connection) -> str | None:
    known = columns(database, "attachment")
    if not known or not columns(database, "message_attachment_join"):
        return None
    fields = ("filename", "mime_type", "transfer_name", "is_sticker", "hide_attachment")
    select = ", ".join(f"a.{name}" if name in known else f"null as {name}" for name in fields)
    return (
        f"select {select} from message_attachment_join j join attachment a"  # noqa: S608
        " on a.ROWID = j.attachment_id where j.message_id = ? order by j.rowid"
    )
