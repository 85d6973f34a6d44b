"""Meta's rows: one message of Messenger or Instagram, its letters put right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from echo_archive.importers.bench import Bench, folded
from echo_archive.records import Attachment, Conversation, Message, Person, Reaction

_MEDIA = {
    "photos": "image",
    "videos": "video",
    "audio_files": "audio",
    "gifs": "image",
    "files": None,
}
_SENT = re.compile(r"^(?:You|.{1,80}) sent (?:an attachment|a photo|a video|a link)\.$")
_SOMEBODY = r"^.{1,80} "
_GROUP = r"(?:group|chat|conversation)"
_CALLS = (
    r"^(?:.{1,80} (?:called you|missed (?:your|a) (?:video )?call.{0,80}|started a (?:video )?call)"
    r"|You called .{1,80}|You missed a (?:video )?call.{0,80}|Missed (?:video )?call)\.?$"
)
_EVENTS = [
    (event, re.compile(words))
    for event, words in (
        ("reaction", r"^(?:Liked|Loved) (?:a|your) message ?$|^Reacted .{1,20} to your message ?$"),
        ("title_changed", _SOMEBODY + rf"(?:named|changed) the {_GROUP}(?: name to)? .*$"),
        ("member_added", _SOMEBODY + rf"(?:added .{{1,200}} to|joined) the {_GROUP}\.?$"),
        ("member_removed", _SOMEBODY + rf"removed .{{1,200}} from the {_GROUP}\.?$"),
        ("member_left", _SOMEBODY + rf"left the {_GROUP}\.?$"),
        ("group_created", _SOMEBODY + r"created (?:the|this) group\.?$"),
        ("photo_changed", _SOMEBODY + r"changed the group photo\.$"),
        ("call", _CALLS),
    )
]
_OLD_TYPES = {"Call": "call", "Subscribe": "member_added", "Unsubscribe": "member_left"}


@dataclass(frozen=True, slots=True)
class Thread:
    """What a file says of its thread.

    Attributes:
        people: Participants by name.
        secure: Whether it is the other shape, of end-to-end encrypted chats.
    """

    path: str
    title: str
    kind: str
    people: dict[str, Person]
    secure: bool = False

    @property
    def conversation(self) -> Conversation:
        """The thread as a conversation; archiving it changes its folder, not its own name."""
        return Conversation(self.path.rpartition("/")[2], self.title, self.path, self.kind)


def put_right(text: str) -> str:
    """A text that was UTF-8 and was read as Latin-1; one that never was stays as it is."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _right_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {put_right(key): _right(value) for key, value in pairs}


def _right(value: Any) -> Any:
    if isinstance(value, str):
        return put_right(value)
    if isinstance(value, list):
        return [_right(one) if isinstance(one, str) else one for one in value]
    return value


def said_in(text: str) -> dict[str, Any]:
    """A file's contents with every string put right, unless it says it never went wrong.

    Raises:
        ValueError: It is not JSON.
    """
    said: dict[str, Any] = json.loads(text, strict=False, object_pairs_hook=_right_object)
    if "threadName" in said:
        said = json.loads(text, strict=False)
    return said


def message(bench: Bench, thread: Thread, row: dict[str, Any]) -> Message:
    """One row.

    Raises:
        KeyError: A field is missing that every row has.
    """
    if thread.secure:
        row = _as_usual(row)
    instant = int(row["timestamp_ms"])
    content = row.get("content") or ""
    attachments = tuple(_attachments(bench, row))
    link = (row.get("share") or {}).get("link")
    event = _event(row, content)
    deleted = bool(row.get("is_unsent"))
    if (attachments or link) and _SENT.match(content):
        content = ""
    return Message(
        conversation=thread.conversation,
        instant_ms=instant,
        written=str(instant),
        native_id=None,
        sender=_person(bench, thread, row["sender_name"]),
        body="" if deleted else content,
        attachments=() if deleted else attachments,
        links=(link,) if link and not deleted else (),
        reactions=tuple(
            Reaction(one["reaction"], _person(bench, thread, one["actor"]))
            for one in row.get("reactions") or ()
        ),
        system=event is not None and not deleted,
        event=None if deleted else event,
        deleted=deleted,
        file=bench.file,
        line=bench.line,
    )


def _as_usual(row: dict[str, Any]) -> dict[str, Any]:
    """A row of an encrypted chat under the names that the others use."""
    return {
        "sender_name": row["senderName"],
        "timestamp_ms": row["timestamp"],
        "content": row.get("text"),
        "files": row.get("media"),
        "reactions": row.get("reactions"),
        "is_unsent": row.get("isUnsent"),
    }


def _person(bench: Bench, thread: Thread, name: str) -> Person:
    known = thread.people.get(name)
    return known or bench.person(folded(name), name, bench.is_owner(name))


def _event(row: dict[str, Any], content: str) -> str | None:
    if row.get("type") in _OLD_TYPES:
        return _OLD_TYPES[row["type"]]
    if "call_duration" in row:
        return "call"
    if "users" in row:
        return "member_left" if row.get("type") == "Unsubscribe" else "member_added"
    return next((event for event, words in _EVENTS if words.match(content)), None)


def _attachments(bench: Bench, row: dict[str, Any]) -> Iterator[Attachment]:
    for field, kind in _MEDIA.items():
        for one in row.get(field) or ():
            yield _file(bench, one["uri"], kind)
    sticker = row.get("sticker")
    if sticker and sticker.get("uri"):
        yield _file(bench, sticker["uri"], "sticker")


def _file(bench: Bench, uri: str, kind: str | None) -> Attachment:
    if uri.startswith(("http://", "https://")):
        return Attachment(kind or "file", missing=True)
    return bench.attachment(uri, kind=kind)
