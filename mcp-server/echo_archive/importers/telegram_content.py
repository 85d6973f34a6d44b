"""Telegram's rows: the text, media, reactions and events of one message."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench
from echo_archive.importers.telegram_people import People
from echo_archive.media import kind_of
from echo_archive.records import ABSOLUTE, Attachment, Conversation, Message, Reaction
from echo_archive.wall_clock import WallClock

_EVENTS = {
    "create_group": "group_created",
    "create_channel": "group_created",
    "invite_members": "member_added",
    "join_group_by_link": "member_added",
    "join_group_by_request": "member_added",
    "remove_members": "member_removed",
    "edit_group_title": "title_changed",
    "pin_message": "pinned",
    "phone_call": "call",
    "group_call": "call",
}
_SERVICE_WORDS = ("title", "new_title", "emoticon", "discard_reason")
_MEDIA = {
    "sticker": "sticker",
    "video_message": "video",
    "video_file": "video",
    "animation": "video",
    "voice_message": "audio",
    "audio_file": "audio",
}
_WITH_FILES = frozenset(
    ("photo", "file", "contact_information", "location_information", "media_type")
)
_NOT_INCLUDED = "(File"
_NEVER_EDITED = "1970-01-01"


class Content:
    """What the rows of a file say."""

    def __init__(self, bench: Bench, people: People) -> None:
        self._bench = bench
        self._people = people

    def message(self, row: dict[str, Any], conversation: Conversation, clock: WallClock) -> Message:
        """One row.

        Raises:
            KeyError: A field is missing that every row has.
            ValueError: A field holds something else than Telegram writes.
        """
        instant, zone = self._when(row, clock)
        service = row["type"] == "service"
        text = row.get("text", row.get("text_entities", ""))
        poll, edited = row.get("poll"), row.get("edited")
        reactions, reply = row.get("reactions"), row.get("reply_to_message_id")
        who, who_id = ("actor", "actor_id") if service else ("from", "from_id")
        # Field by field in their order: naming each would take three times as long.
        return Message(
            conversation,
            instant,
            row["date"],
            "second",
            zone,
            str(row["id"]),
            self._people.person(row.get(who), row.get(who_id)),
            _service_text(row) if service else _poll(poll) if poll else _plain(text),
            () if _WITH_FILES.isdisjoint(row) else tuple(self._attachments(row)),
            () if type(text) is str else tuple(_links(text)),
            tuple(self._reactions(reactions)) if reactions else (),
            service,
            _EVENTS.get(row["action"], row["action"]) if service else None,
            str(reply) if reply and "reply_to_peer_id" not in row else None,
            None,
            bool(edited) and not str(edited).startswith(_NEVER_EDITED),
            forwarded_from=row.get("forwarded_from") or None,
            file=self._bench.file,
            line=self._bench.line,
        )

    def _when(self, row: dict[str, Any], clock: WallClock) -> tuple[int, str]:
        unix = row.get("date_unixtime")
        if unix:
            return int(unix) * 1000, ABSOLUTE
        instant = clock.instant_ms(datetime.fromisoformat(row["date"]))
        if clock.in_gap:
            self._bench.doubt("the time does not exist in the time zone and was moved forward")
        return instant, clock.mark

    def _attachments(self, row: dict[str, Any]) -> Iterator[Attachment]:
        if photo := row.get("photo"):
            yield self._file(photo, "image", None, None)
        if file := row.get("file"):
            kind = _MEDIA.get(row.get("media_type", ""))
            yield self._file(file, kind, row.get("file_name"), row.get("mime_type"))
        if contact := row.get("contact_information"):
            parts = (contact.get("first_name"), contact.get("last_name"))
            name = well_formed(" ".join(part for part in parts if part))
            card = row.get("contact_vcard", _NOT_INCLUDED)
            there = not card.startswith(_NOT_INCLUDED)
            yield self._file(card, "contact", name, None) if there else Attachment("contact", name)
        if place := row.get("location_information"):
            yield Attachment("location", f"{place['latitude']},{place['longitude']}")

    def _file(
        self, path: str, kind: str | None, name: str | None, media_type: str | None
    ) -> Attachment:
        if not path.startswith(_NOT_INCLUDED):
            return self._bench.attachment(path, kind=kind, name=name, media_type=media_type)
        kind = kind or kind_of(name, media_type)
        return Attachment(kind, name and well_formed(name), missing=True, media_type=media_type)

    def _reactions(self, reactions: list[dict[str, Any]]) -> Iterator[Reaction]:
        for one in reactions:
            emoji = _emoji(one)
            recent = one.get("recent") or []
            for by in recent:
                yield Reaction(emoji, self._people.person(by.get("from"), by.get("from_id")))
            unnamed = one.get("count", len(recent)) - len(recent)
            if unnamed > 0:
                yield Reaction(emoji, None, unnamed)


def _emoji(reaction: dict[str, Any]) -> str:
    if reaction["type"] == "custom_emoji":
        return f"custom:{reaction.get('document_id', '')}"
    return "paid" if reaction["type"] == "paid" else str(reaction.get("emoji", ""))


def _plain(text: Any) -> str:
    """The text without its formatting; it is a string, or pieces some of which are objects."""
    if type(text) is str:
        return text
    return "".join(piece if type(piece) is str else piece["text"] for piece in text)


def _links(text: list[Any]) -> Iterator[str]:
    """The links in the order of the text, those behind other words too."""
    for piece in text:
        if type(piece) is dict:
            kind = piece["type"]
            if kind == "text_link":
                yield piece["href"]
            elif kind == "link":
                yield piece["text"]


def _poll(poll: dict[str, Any]) -> str:
    options = (f"- {_plain(one['text'])} ({one.get('voters', 0)})" for one in poll["answers"])
    return "\n".join((_plain(poll["question"]), *options))


def _service_text(row: dict[str, Any]) -> str:
    """What happened, in Telegram's own words for it."""
    words = [str(row[word]) for word in _SERVICE_WORDS if row.get(word)]
    words += (name for name in row.get("members") or () if name)
    if seconds := row.get("duration_seconds"):
        words.append(f"{seconds} seconds")
    words.append(_plain(row.get("text") or ""))
    happened = str(row["action"]).replace("_", " ")
    said = ", ".join(word for word in words if word)
    return f"{happened}: {said}" if said else happened
