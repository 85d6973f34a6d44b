"""Signal's people: recipients and chats of its own plaintext export, without their secrets."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import ME, Bench
from echo_archive.records import Conversation, Person

NOTE_TO_SELF = "Note to Self"
UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class _Recipient:
    key: str
    name: str
    kind: str


@dataclass(slots=True)
class People:
    """Who the numbers in the file mean."""

    bench: Bench
    _recipients: dict[str, _Recipient] = field(default_factory=dict)
    _by_aci: dict[str, str] = field(default_factory=dict)
    _chats: dict[str, Conversation] = field(default_factory=dict)

    def take_recipient(self, said: dict[str, Any]) -> None:
        """Remember a person, a group, or the owner."""
        number = str(said["id"])
        self._recipients[number] = _recipient(number, said)
        aci = (said.get("contact") or {}).get("aci")
        if aci:
            self._by_aci[aci] = number

    def take_chat(self, said: dict[str, Any]) -> None:
        """Remember a chat."""
        number = str(said["id"])
        other = self._recipients.get(str(said.get("recipientId")))
        if other is None:
            other = _Recipient(f"chat:{number}", UNKNOWN, "other")
        name = NOTE_TO_SELF if other.kind == "self" else other.name
        self._chats[number] = Conversation(other.key, well_formed(name), number, other.kind)

    def conversation(self, number: object) -> Conversation | None:
        """A chat by its number."""
        return self._chats.get(str(number))

    def person(self, number: object) -> Person | None:
        """Somebody by number."""
        known = self._recipients.get(str(number))
        if known is None:
            return None
        return self.bench.me() if known.kind == "self" else self.bench.person(known.key, known.name)

    def name_by_aci(self, aci: str) -> str:
        """The name of a person who is mentioned."""
        known = self._recipients.get(self._by_aci.get(aci, ""))
        return known.name if known else UNKNOWN


def _recipient(number: str, said: dict[str, Any]) -> _Recipient:
    if "self" in said:
        return _Recipient(ME, "Me", "self")
    if "contact" in said:
        contact = said["contact"]
        key = (
            contact.get("aci") or contact.get("pni") or contact.get("e164") or f"recipient:{number}"
        )
        return _Recipient(str(key), _contact_name(contact), "direct")
    if "group" in said:
        group = said["group"]
        title = ((group.get("snapshot") or {}).get("title") or {}).get("title")
        return _Recipient(_group_key(group, number), title or "Group", "group")
    if "releaseNotes" in said:
        return _Recipient("release-notes", "Signal", "channel")
    return _Recipient(f"recipient:{number}", UNKNOWN, "other")


def _group_key(group: dict[str, Any], number: str) -> str:
    """A group's key: made from its secret in a way that cannot be turned round."""
    secret = group.get("masterKey")
    if not secret:
        return f"recipient:{number}"
    return "group:" + sha256(f"signal group {secret}".encode()).hexdigest()[:24]


def _contact_name(contact: dict[str, Any]) -> str:
    nickname = contact.get("nickname") or {}
    full = (
        _joined(nickname.get("given"), nickname.get("family"))
        or _joined(contact.get("systemGivenName"), contact.get("systemFamilyName"))
        or _joined(contact.get("profileGivenName"), contact.get("profileFamilyName"))
        or contact.get("username")
    )
    if full:
        return str(full)
    number = contact.get("e164")
    return "+" + str(number).lstrip("+") if number else UNKNOWN


def _joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)
