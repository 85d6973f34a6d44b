"""Records: what an importer says an export holds, before anything is stored."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

ABSOLUTE = "absolute"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody as an export knows them.

    Attributes:
        key: What stays the same when the name changes (an id, a number), else the name folded.
        name: The display name as the source writes it; "Me" for the owner.
        is_me: Whether this is the owner of the archive.
    """

    key: str
    name: str
    is_me: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation.

    Attributes:
        key: Stable within the source: the source's own id, else made from the name.
        name: What a person calls it.
        native_id: The source's own id, or None.
        kind: `direct`, `group`, `self`, `channel` or `other`.
    """

    key: str
    name: str
    native_id: str | None = None
    kind: str = "other"


class Attachment(NamedTuple):
    """One file or thing sent with a message.

    Attributes:
        kind: `image`, `video`, `audio`, `file`, `sticker`, `contact` or `location`.
        name: The file's name as the source gives it, a contact's, `lat,lon`, a sticker's emoji.
        path: Relative to the export's folder, percent-decoded; None where the file is not there.
        missing: Whether the export names it without holding it.
        media_type: MIME type where the source says it.
        size: Bytes, where known.
    """

    kind: str
    name: str | None = None
    path: str | None = None
    missing: bool = False
    media_type: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """One reaction; `actor` None with a count where the source counts more than it names."""

    emoji: str
    actor: Person | None = None
    count: int = 1


class Message(NamedTuple):
    """One row of a conversation, as read; a tuple, since millions of them are made.

    Attributes:
        instant_ms: Milliseconds since 1970 in UTC, of the first version.
        written: The wall-clock text as the export has it (the key of rows without a native id).
        precision: `minute`, `second` or `millisecond`.
        zone: `absolute`, or `assumed:<IANA name>` where the export gives only wall-clock time.
        sender: None when nobody or unknown.
        links: Structural links only (entities, shares, previews); the body's are found later.
        event: For system rows, what happened, where the source says it.
        reply_to: Native id of the message answered, where the source gives one.
        revisions: All texts oldest first, where the export has them.
        file: What the row was read from, relative to the export; `line` its line or number.
    """

    conversation: Conversation
    instant_ms: int
    written: str
    precision: str = "millisecond"
    zone: str = ABSOLUTE
    native_id: str | None = None
    sender: Person | None = None
    body: str = ""
    attachments: tuple[Attachment, ...] = ()
    links: tuple[str, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    system: bool = False
    event: str | None = None
    reply_to: str | None = None
    reply_quote: str | None = None
    edited: bool = False
    revisions: tuple[str, ...] = ()
    deleted: bool = False
    forwarded_from: str | None = None
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read, or read with doubt: file, line and why, for the report."""

    file: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Interrupted(Skipped):
    """The rest of a file, not read for a reason that may pass: it is worth reading again."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may tell an importer.

    Attributes:
        timezone: IANA zone of wall-clock sources.
        owner: Names under which the owner appears.
        date_order: `dmy`, `mdy` or `ymd`; None to find out.
    """

    timezone: str = "UTC"
    owner: tuple[str, ...] = ()
    date_order: str | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """One recognised export: where it is and which importer reads it."""

    source: str
    format: str
    path: Path
    inside: str = field(default="")

    @property
    def name(self) -> str:
        """Folder or zip, and what in it, without the path to it."""
        return "/".join(filter(None, (self.path.resolve().name, self.inside)))
