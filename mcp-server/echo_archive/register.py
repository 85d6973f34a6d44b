"""The register: which conversation, person, address or file has which number in the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from echo_archive.characters import well_formed
from echo_archive.records import Conversation, Person
from echo_archive.words import fold

_KEPT = 50_000


class Register:
    """The numbers, looked up once; names that changed are kept as other names of the same."""

    def __init__(self, database: sqlite3.Connection, source: str) -> None:
        self._database = database
        self.source = source
        self.source_id = self._number("source", "name", source)
        self._conversations: dict[str, tuple[Conversation, int]] = {}
        self._people: dict[str, tuple[Person, int]] = {}
        self._participants: set[tuple[int, int]] = set()
        self._origins: dict[str, int] = {}
        self._urls: dict[str, int] = {}

    @property
    def conversation_count(self) -> int:
        """How many conversations were asked for."""
        return len(self._conversations)

    def conversation(self, said: Conversation) -> int:
        """The number of a conversation, its name and kind brought up to date."""
        known = self._conversations.get(said.key)
        if known is None or (known[0] is not said and known[0] != said):
            known = self._conversations[said.key] = said, self._store_conversation(said)
        return known[1]

    def person(self, said: Person | None) -> int | None:
        """The number of a person, the name brought up to date; None for nobody."""
        if said is None:
            return None
        known = self._people.get(said.key)
        if known is None or (known[0] is not said and known[0] != said):
            known = self._people[said.key] = said, self._store_person(said)
        return known[1]

    def take_part(self, conversation: int, person: int | None) -> None:
        """Note that somebody wrote in a conversation."""
        if person is None or (conversation, person) in self._participants:
            return
        self._participants.add((conversation, person))
        self._database.execute(
            "insert or ignore into participant values(?, ?)", (conversation, person)
        )

    def origin(self, path: str) -> int:
        """The number of a file that rows were read from."""
        return self._remembered(self._origins, "origin", "path", path)

    def urls(self, links: Iterable[tuple[str, str]]) -> list[int]:
        """The numbers of addresses, given each with its host."""
        found = []
        for url, host in links:
            if url not in self._urls:
                self._database.execute(
                    "insert or ignore into url(url, host) values(?, ?)", (url, host)
                )
            found.append(self._remembered(self._urls, "url", "url", url))
        return found

    def _remembered(self, kept: dict[str, int], table: str, column: str, value: str) -> int:
        if value not in kept:
            if len(kept) >= _KEPT:
                kept.clear()
            kept[value] = self._number(table, column, value)
        return kept[value]

    def _number(self, table: str, column: str, value: str) -> int:
        select = f"select id from {table} where {column} = ?"  # noqa: S608
        named = (well_formed(value),)
        row = self._database.execute(select, named).fetchone()
        if row is None:
            insert = f"insert into {table}({column}) values(?) returning id"
            row = self._database.execute(insert, named).fetchone()
        return int(row[0])

    def _store_conversation(self, said: Conversation) -> int:
        key, name = well_formed(said.key), well_formed(said.name)
        native_id = said.native_id and well_formed(said.native_id)
        row = self._database.execute(
            "insert into conversation(source, key, name, folded, native_id, kind)"
            " values(?, ?, ?, ?, ?, ?) on conflict(source, key) do update set name = excluded.name,"
            " folded = excluded.folded, native_id = coalesce(excluded.native_id, native_id),"
            " kind = case excluded.kind when 'other' then kind else excluded.kind end returning id",
            (self.source_id, key, name, fold(name), native_id, said.kind),
        ).fetchone()
        self._database.execute(
            "insert or ignore into conversation_name values(?, ?, ?)",
            (row[0], name, fold(name)),
        )
        return int(row[0])

    def _store_person(self, said: Person) -> int:
        key, name = well_formed(said.key), well_formed(said.name)
        shown = "Me" if said.is_me else name
        row = self._database.execute(
            "insert into person(source, key, name, is_me) values(?, ?, ?, ?)"
            " on conflict(source, key) do update set"
            " name = case when is_me then name else excluded.name end,"
            " is_me = max(is_me, excluded.is_me) returning id",
            (self.source_id, key, shown, said.is_me),
        ).fetchone()
        if said.is_me:
            self._database.execute("update person set name = 'Me' where id = ?", row)
        self._database.execute(
            "insert or ignore into person_name values(?, ?, ?)",
            (row[0], name, fold(name)),
        )
        return int(row[0])
