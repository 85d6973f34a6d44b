"""iMessage: the Messages database of a Mac, `chat.db`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench
from echo_archive.importers.imessage_open import columns, is_messages, opened
from echo_archive.importers.imessage_rows import Rows, epoch_ms
from echo_archive.importers.imessage_tapbacks import TAPBACKS, TAPBACKS_ABSENT, tapbacks
from echo_archive.passing import may_pass
from echo_archive.records import Conversation, Message, Skipped

_FIELDS = [
    "ROWID",
    "guid",
    "text",
    "attributedBody",
    "subject",
    "handle_id",
    "other_handle",
    "date",
    "date_edited",
    "date_retracted",
    "date_delivered",
    "date_read",
    "is_from_me",
    "item_type",
    "group_title",
    "group_action_type",
    "associated_message_guid",
    "associated_message_type",
    "associated_message_emoji",
    "thread_originator_guid",
    "balloon_bundle_id",
    "message_summary_info",
    "cache_has_attachments",
]
_GROUP, _DIRECT = 43, 45
ORPHANS = Conversation("orphaned", "Messages without a conversation", None, "other")


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """Every message, conversation by conversation, those that belong to none at the end."""
    folder = bench.file.rpartition("/")[0]
    bench.base = folder + "/" if folder else ""
    try:
        with opened(bench) as database:
            if is_messages(database):
                yield from _everything(bench, database)
            else:
                bench.doubt("the database is not one of Messages that can be read, and nothing was")
    except (sqlite3.Error, UnicodeDecodeError) as problem:
        if may_pass(problem):
            raise
        bench.doubt("the database is damaged or none; what could be read of it was")
    yield from bench.closing()


def _everything(bench: Bench, database: sqlite3.Connection) -> Iterator[Message | Skipped]:
    known = columns(database, "message")
    fields = ", ".join(
        f"m.{name}" if name in known or name == "ROWID" else f"null as {name}" for name in _FIELDS
    )
    handles = {
        number: str(name) for number, name in database.execute("select ROWID, id from handle")
    }
    reactions = tapbacks(bench, database, fields, handles)
    rows = Rows(bench, database, handles, reactions)
    tapback = "0" if TAPBACKS_ABSENT in fields else TAPBACKS
    recoverable = bool(columns(database, "chat_recoverable_message_join"))
    for chat, conversation in _chats(database, handles):
        for source, deleted in _SOURCES if recoverable else _SOURCES[:1]:
            query = _IN_CHAT.format(fields=fields, source=source, tapbacks=tapback)
            yield from _of_query(
                bench, rows, conversation, database.execute(query, (chat,)), deleted
            )
    query = _IN_NONE.format(fields=fields, tapbacks=tapback)
    if recoverable:
        query += " and m.ROWID not in (select message_id from chat_recoverable_message_join)"
    yield from _of_query(bench, rows, ORPHANS, database.execute(query), deleted=False)


_SOURCES = (("chat_message_join", False), ("chat_recoverable_message_join", True))
_IN_CHAT = (
    "select {fields} from {source} j join message m on m.ROWID = j.message_id"
    " where j.chat_id = ? and not {tapbacks} order by m.date, m.ROWID"
)
_IN_NONE = (
    "select {fields} from message m where not {tapbacks}"
    " and m.ROWID not in (select message_id from chat_message_join)"
)


def _of_query(
    bench: Bench, rows: Rows, conversation: Conversation, found: sqlite3.Cursor, deleted: bool
) -> Iterator[Message | Skipped]:
    for row in found:
        bench.line = row["ROWID"]
        message = _message(bench, rows, row, conversation, deleted)
        if message is not None:
            yield message
        yield from bench.doubts()


def _message(
    bench: Bench, rows: Rows, row: sqlite3.Row, conversation: Conversation, deleted: bool
) -> Message | None:
    """A row as a message; any column of SQLite may hold anything."""
    try:
        if epoch_ms(row) is not None:
            return rows.message(row, conversation, deleted)
        bench.doubt("a message has no date and was not read")
    except (TypeError, ValueError, AttributeError, OverflowError):
        bench.doubt("a message was not read: its columns are not what Messages writes")
    return None


def _chats(
    database: sqlite3.Connection, handles: dict[int, str]
) -> Iterator[tuple[int, Conversation]]:
    known = columns(database, "chat")
    fields = ("guid", "style", "chat_identifier", "display_name")
    select = ", ".join(name if name in known else f"null as {name}" for name in fields)
    query = f"select ROWID, {select} from chat order by ROWID"  # noqa: S608 - our own names
    for row in database.execute(query).fetchall():
        people = _participants(database, row["ROWID"], handles)
        group = row["style"] == _GROUP or (row["style"] != _DIRECT and len(people) > 1)
        identifier = str(row["chat_identifier"] or row["guid"])
        name = str(row["display_name"] or ", ".join(people) or identifier)
        kind = "group" if group else "direct"
        guid = str(row["guid"])
        yield row["ROWID"], Conversation(guid, well_formed(name), guid, kind)


def _participants(database: sqlite3.Connection, chat: int, handles: dict[int, str]) -> list[str]:
    if not columns(database, "chat_handle_join"):
        return []
    found = database.execute(
        "select handle_id from chat_handle_join where chat_id = ? order by rowid", (chat,)
    )
    return [handles[number] for (number,) in found if number in handles]
