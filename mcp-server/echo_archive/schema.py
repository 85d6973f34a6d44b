"""The schema: the tables of an archive, reached by numbered steps that are never edited.

A message's row id is its instant in milliseconds and a counter, so that rows stand in time order.
The words live in a contentless index; its second column holds terms to filter by.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from echo_archive.errors import Unreadable

COUNTER_BITS = 10

_FIRST = """
create table meta(key text primary key, value) without rowid;
create table source(id integer primary key, name text not null unique);
create table import(
  id integer primary key, source integer not null references source, format text not null,
  root text not null, zone text not null, at text not null,
  added integer not null default 0, changed integer not null default 0,
  unchanged integer not null default 0, skipped integer not null default 0);
create table file(
  path text primary key, stamp text not null, digest text not null, told text not null,
  import integer not null references import) without rowid;
create table origin(id integer primary key, path text not null unique);
create table conversation(
  id integer primary key, source integer not null references source, key text not null,
  name text not null, folded text not null, native_id text, kind text not null,
  messages integer not null default 0, first_id integer, last_id integer,
  images integer not null default 0, videos integer not null default 0,
  files integer not null default 0, links integer not null default 0,
  unique(source, key));
create table conversation_name(
  conversation integer not null references conversation, name text not null, folded text not null,
  primary key(conversation, name)) without rowid;
create table person(
  id integer primary key, source integer not null references source, key text not null,
  name text not null, is_me integer not null, unique(source, key));
create table person_name(
  person integer not null references person, name text not null, folded text not null,
  primary key(person, name)) without rowid;
create index person_name_folded on person_name(folded);
create table participant(
  conversation integer not null references conversation, person integer not null references person,
  primary key(conversation, person)) without rowid;
create table message(
  id integer primary key, hash blob not null, conversation integer not null, person integer,
  instant integer not null, written text not null, precision integer not null, zone text,
  native_id text, body text not null, system integer not null, event text, reply blob,
  reply_quote text, edited integer not null, deleted integer not null, forwarded_from text,
  content integer not null, origin integer, line integer, import integer not null);
create unique index message_hash on message(hash);
create index message_conversation on message(conversation, id);
create table revision(
  message integer not null, position integer not null, body text not null,
  primary key(message, position)) without rowid;
create table attachment(
  message integer not null, position integer not null, conversation integer not null,
  person integer, kind text not null, name text, path text, missing integer not null,
  media_type text, size integer, root integer,
  primary key(message, position)) without rowid;
create index attachment_conversation on attachment(conversation, message);
create table url(id integer primary key, url text not null unique, host text not null);
create table link(
  message integer not null, position integer not null, url integer not null,
  conversation integer not null, primary key(message, position)) without rowid;
create index link_url on link(url, message);
create index link_conversation on link(conversation, message);
create table reaction(
  message integer not null, position integer not null, emoji text not null, person integer,
  count integer not null, primary key(message, position)) without rowid;
create table common_word(word text primary key, messages integer not null) without rowid;
create table model(id integer primary key, name text not null unique);
create table embedding(
  hash blob not null, model integer not null, text blob not null, vector blob not null,
  primary key(hash, model)) without rowid;
create virtual table message_words using fts5(
  text, filter, content='', columnsize=0, prefix='1 2', tokenize="ascii tokenchars '_'");
insert into message_words(message_words, rank) values('hashsize', 33554432);
insert into message_words(message_words, rank) values('automerge', 16);
create virtual table message_vocabulary using fts5vocab(message_words, 'col');
"""
STEPS: tuple[str, ...] = (_FIRST,)
VERSION = len(STEPS)


def migrate(database: sqlite3.Connection) -> None:
    """Bring a database to this version, each step in a transaction of its own.

    Raises:
        Unreadable: It was written by a newer version or by another program.
    """
    for number in range(check_version(database) + 1, VERSION + 1):
        database.execute("begin immediate")
        try:
            if check_version(database) < number:
                _take(database, number)
            database.execute("commit")
        except BaseException:  # whatever it was, half a step must not stay
            database.execute("rollback")
            raise


def check_version(database: sqlite3.Connection) -> int:
    """The version of a database, 0 for an empty one.

    Raises:
        Unreadable: It was written by a newer version or by another program.
    """
    version: int = database.execute("pragma user_version").fetchone()[0]
    if version > VERSION:
        raise Unreadable(
            "This archive was written by a newer version of the program. "
            "Update the program, or import into a new file."
        )
    if version < 0 or (version == 0 and database.execute("select 1 from sqlite_master").fetchone()):
        raise Unreadable("This is a database of another program. Import into a new file.")
    return version


def primary_code(problem: Exception) -> int | None:
    """Which of SQLite's result codes an error has, without what extends it; None for none."""
    code: int | None = getattr(problem, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _take(database: sqlite3.Connection, number: int) -> None:
    for statement in _statements(STEPS[number - 1]):
        database.execute(statement)
    database.execute(f"pragma user_version = {number}")


def _statements(script: str) -> Iterator[str]:
    """Single statements: `executescript` would end the transaction."""
    return (part for part in script.split(";\n") if part.strip())
