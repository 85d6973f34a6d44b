"""Telegram's people: who the names and ids in a chat mean, and which of them is the owner."""

from __future__ import annotations

from echo_archive.importers.bench import Bench, folded
from echo_archive.records import Person

DELETED_ACCOUNT = "Deleted Account"
_OLD_CHAT, _OLD_CHANNEL = 2**32, 2**33


class People:
    """The people of one file.

    A full export says who its owner is. A chat of two says it as well: whoever is not the other.
    """

    def __init__(self, bench: Bench) -> None:
        self.owner_id: str | None = None
        self._bench = bench
        self._partner: str | None = None
        self._partner_name: str | None = None
        self._known: dict[tuple[str | None, object], Person] = {}

    def enter(self, kind: str, chat_id: object, name: str | None) -> None:
        """Turn to another chat."""
        self._known.clear()
        self._partner, self._partner_name = None, name
        if kind == "saved_messages":
            self.owner_id = self.owner_id or f"user{chat_id}"
        elif kind in ("personal_chat", "bot_chat"):
            self._partner = f"user{chat_id}"

    def person(self, name: str | None, person_id: object) -> Person:
        """Somebody by name and id, either of which may be missing."""
        known = self._known.get((name, person_id))
        if known is None:
            known = self._known[name, person_id] = self._identify(name, person_id)
        return known

    def _identify(self, name: str | None, person_id: object) -> Person:
        key = _modern(person_id)
        shown = name or DELETED_ACCOUNT
        if key is None:
            return self._bench.person(folded(shown), shown, self._bench.is_owner(shown))
        is_me = key == self.owner_id or self._bench.is_owner(shown, key)
        if self._partner and not self.owner_id and key.startswith("user"):
            is_me = is_me or (key != self._partner and name != self._partner_name)
        return self._bench.person(key, shown, is_me)


def _modern(person_id: object) -> str | None:
    """An id as it is written today; before 2021 it was a bare number whose size said the kind."""
    if not isinstance(person_id, int):
        return str(person_id) if person_id else None
    if person_id >= _OLD_CHANNEL:
        return f"channel{person_id - _OLD_CHANNEL}"
    return f"chat{person_id - _OLD_CHAT}" if person_id >= _OLD_CHAT else f"user{person_id}"
