"""Signal's items: what one chat item says, whichever of their many kinds it is."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from echo_archive.importers.bench import Bench
from echo_archive.importers.signal_people import People
from echo_archive.media import kind_of
from echo_archive.records import Attachment

MAX_LONG_TEXT = 2**20
_ENDINGS = {
    "image/jpeg": ("jpg", "jpeg"),
    "audio/aac": ("aac",),
    "audio/mp4": ("m4a", "mp4"),
    "image/webp": ("webp",),
    "text/x-signal-plain": ("txt",),
}
_EVENTS = {
    "groupCreationUpdate": "group_created",
    "groupNameUpdate": "title_changed",
    "groupMemberAddedUpdate": "member_added",
    "groupMemberJoinedUpdate": "member_added",
    "groupMemberRemovedUpdate": "member_removed",
    "groupMemberLeftUpdate": "member_left",
    "individualCall": "call",
    "groupCall": "call",
    "profileChange": "profile_changed",
    "expirationTimerChange": "settings_changed",
    "pinMessage": "pinned",
}
_MENTION = "\ufffc"


@dataclass(frozen=True, slots=True)
class Said:
    """The content of an item.

    Attributes:
        event: What happened, for items that nobody typed.
        quote: The quote as Signal writes it.
        reactions: The reactions as Signal writes them.
    """

    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    links: tuple[str, ...] = ()
    event: str | None = None
    deleted: bool = False
    quote: dict[str, Any] | None = None
    reactions: tuple[dict[str, Any], ...] = ()


def said_in(bench: Bench, people: People, item: dict[str, Any]) -> Said | None:
    """What an item says, or None when it holds nothing that is known."""
    if "standardMessage" in item:
        return _standard(bench, people, item["standardMessage"])
    if "remoteDeletedMessage" in item or "adminDeletedMessage" in item:
        return Said(deleted=True)
    if "updateMessage" in item:
        return _update(item["updateMessage"])
    if "stickerMessage" in item:
        one = item["stickerMessage"]
        emoji = (one.get("sticker") or {}).get("emoji")
        return _with_reactions(one, attachments=(Attachment("sticker", emoji, missing=True),))
    if "contactMessage" in item:
        one = item["contactMessage"]
        return _with_reactions(one, attachments=(Attachment("contact", _card_name(one)),))
    return _rarer(bench, people, item)


def _rarer(bench: Bench, people: People, item: dict[str, Any]) -> Said | None:
    if "viewOnceMessage" in item:
        one = item["viewOnceMessage"]
        return _with_reactions(one, attachments=(Attachment("file", missing=True),))
    if "directStoryReplyMessage" in item:
        one = item["directStoryReplyMessage"]
        body = _text(people, (one.get("textReply") or {}).get("text")) or str(one.get("emoji", ""))
        return _with_reactions(one, body=body)
    if "poll" in item:
        one = item["poll"]
        options = (
            f"- {option.get('option', '')} ({len(option.get('votes') or ())})"
            for option in one.get("options") or ()
        )
        return _with_reactions(one, body="\n".join((str(one.get("question", "")), *options)))
    for name, event in (("paymentNotification", "payment"), ("giftBadge", "gift")):
        if name in item:
            return Said(body=event, event=event)
    return None


def _with_reactions(
    said: dict[str, Any], *, body: str = "", attachments: tuple[Attachment, ...] = ()
) -> Said:
    return Said(body=body, attachments=attachments, reactions=tuple(said.get("reactions") or ()))


def _standard(bench: Bench, people: People, said: dict[str, Any]) -> Said:
    body = _text(people, said.get("text"))
    long_text = said.get("longText")
    if long_text:
        body = _long_text(bench, long_text) or body
    return Said(
        body=body,
        attachments=tuple(_attachments(bench, said.get("attachments") or ())),
        links=tuple(one["url"] for one in said.get("linkPreview") or () if one.get("url")),
        quote=said.get("quote"),
        reactions=tuple(said.get("reactions") or ()),
    )


def _text(people: People, said: dict[str, Any] | None) -> str:
    """A text with mentions as names; their places are counted in UTF-16 units."""
    body = str((said or {}).get("body") or "")
    ranges = [one for one in (said or {}).get("bodyRanges") or () if "mentionAci" in one]
    if not ranges or _MENTION not in body:
        return body
    units = body.encode("utf-16-le", "surrogatepass")
    for one in sorted(ranges, key=lambda found: -int(found.get("start", 0))):
        start = 2 * int(one.get("start", 0))
        end = start + 2 * int(one.get("length", 0))
        name = "@" + people.name_by_aci(one["mentionAci"])
        units = units[:start] + name.encode("utf-16-le") + units[end:]
    return units.decode("utf-16-le", "replace")


def _attachments(bench: Bench, said: Any) -> Iterator[Attachment]:
    for one in said:
        pointer = one.get("pointer") or {}
        name, mime = pointer.get("fileName"), pointer.get("contentType")
        kind = kind_of(name, mime)
        path = _path(bench, pointer)
        if path:
            yield bench.attachment(path, kind=kind, name=name, media_type=mime)
        else:
            yield Attachment(kind, name, missing=True, media_type=mime)


def _path(bench: Bench, pointer: dict[str, Any]) -> str | None:
    """Where an attachment's file lies: its name is made from two values in the export."""
    locator = pointer.get("locatorInfo") or {}
    if not (locator.get("plaintextHash") and locator.get("localKey")):
        return None
    parts = (base64.b64decode(locator[part]) for part in ("plaintextHash", "localKey"))
    digest = sha256(b"".join(parts)).hexdigest()
    stem = f"files/{digest[:2]}/{digest}"
    name = str(pointer.get("fileName") or "")
    mime = str(pointer.get("contentType") or "")
    guesses = [name.rpartition(".")[2] if "." in name else "", *_ENDINGS.get(mime, ())]
    guesses += [ending[1:] for ending in mimetypes.guess_all_extensions(mime)]
    for ending in [*guesses, "bin", ""]:
        path = f"{stem}.{ending}" if ending else stem
        if bench.tree.size(bench.base + path) is not None:
            return path
    return None


def _long_text(bench: Bench, pointer: dict[str, Any]) -> str | None:
    path = _path(bench, {"contentType": "text/x-signal-plain", **pointer})
    if path is None:
        bench.doubt("a long text is not in the export; only its beginning was read")
        return None
    with bench.tree.open(bench.base + path) as file:
        return file.read(MAX_LONG_TEXT).decode("utf-8", "replace")


def _card_name(said: dict[str, Any]) -> str:
    contact = said.get("contact") or {}
    if isinstance(contact, list):
        contact = contact[0] if contact else {}
    name = contact.get("name") or {}
    parts = (name.get("givenName"), name.get("familyName"))
    numbers: list[dict[str, Any]] = contact.get("number") or [{}]
    number = numbers[0].get("value", "")
    return " ".join(part for part in parts if part) or str(contact.get("organization") or number)


def _update(said: dict[str, Any]) -> Said:
    kind = next(iter(said), "other")
    detail = said.get(kind)
    words = [_in_words(kind)]
    event = _EVENTS.get(kind, "other")
    if kind == "groupChange" and isinstance(detail, dict):
        names = [next(iter(one), "") for one in detail.get("updates") or ()]
        words = [_in_words(name) for name in names if name] or words
        event = next((_EVENTS[name] for name in names if name in _EVENTS), "other")
        words += [
            one["groupNameUpdate"].get("newGroupName", "")
            for one in detail.get("updates") or ()
            if "groupNameUpdate" in one
        ]
    elif isinstance(detail, dict):
        words += [
            str(detail[part]).replace("_", " ").lower()
            for part in ("type", "direction", "state")
            if part in detail
        ]
    elif isinstance(detail, str):
        words.append(detail.replace("_", " ").lower())
    return Said(body=", ".join(word for word in words if word), event=event)


def _in_words(name: str) -> str:
    """`groupNameUpdate` as "group name update"."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
