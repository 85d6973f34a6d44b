"""Recognition: what a folder, a file or a zip is an export of."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from echo_archive.errors import BadArgument, Unreadable
from echo_archive.importers.table import open_tree
from echo_archive.importers.whatsapp_header import header_of
from echo_archive.passing import may_pass
from echo_archive.records import Export
from echo_archive.tree import MAX_NAMES, Tree
from echo_archive.zips import ZipTree

ACCEPTED = (
    "a WhatsApp chat export (.txt or .zip), WhatsApp-Chat-Exporter's or Telegram's result.json,"
    " a Messenger or Instagram download in JSON, the Messages database chat.db,"
    " a folder of imessage-exporter in txt, a folder of signal-export, Signal's own main.jsonl,"
    " or DiscordChatExporter's JSON"
)
UNREADABLE = "unreadable"
_HEAD = 64 * 1024
_THREAD = re.compile(
    r"(?:^|/)messages/(?:inbox|archived_threads|filtered_threads|message_requests|e2ee_cutover)"
    r"/[^/]+/message_\d+\.json$"
)
_IMESSAGE = re.compile(
    r"^\ufeff?[A-Z][a-z]{2} \d{2}, \d{4} {1,2}\d{1,2}:\d\d:\d\d[ \u00a0\u202f][AP]M"
)
_SIGNAL_CHAT = re.compile(r"^\ufeff?\[\d{4}-\d\d-\d\d,? \d\d:\d\d(?::\d\d)?\] [^:\n]*:")
_KEYS = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:')
_BACKUP = "3d0d7e5fb2ce288813306e4d4636395e047a3d28"
_ATTACHED = frozenset(("attachments", "media", "files"))
_TELEGRAM_ROW = frozenset(("date_unixtime", "from_id", "actor_id", "text_entities"))
_SQLITE = b"SQLite format 3\x00"


@dataclass(slots=True)
class _Look:
    """A look at the files of one folder or zip.

    Attributes:
        names: All files that are looked at.
        damaged: Whether one could not be looked into.
    """

    tree: Tree
    names: set[str]
    damaged: bool = False

    def head(self, name: str) -> bytes:
        """The beginning of a file, nothing where it cannot be read."""
        try:
            with self.tree.open(name) as file:
                return file.read(_HEAD)
        except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as problem:
            self.damaged = True
            if may_pass(problem):
                self.tree.closed.append(name)
            return b""


def recognise(path: Path, source: str | None = None) -> list[Export]:
    """The exports that a path holds, each with the file that one import reads.

    Args:
        path: A folder, a file or a zip.
        source: Where given, only exports of that source are looked for.

    Raises:
        BadArgument: There is nothing there, or nothing that any importer reads.
        Unreadable: It is a zip that is damaged.
    """
    if not path.exists():
        raise BadArgument(
            f"There is no file or folder {str(path)!r}. Give the path of an export.", field="path"
        )
    found, damaged = _in_root(path)
    for root in sorted(path.glob("*.zip")) if path.is_dir() else ():
        exports, unreadable = _in_zip_beside(root)
        found, damaged = [*found, *exports], damaged or unreadable
    found = [export for export in found if source in (None, export.source)]
    if any(export.format != UNREADABLE for export in found):
        return found
    if damaged:
        raise Unreadable(
            f"Nothing in {path.name!r} could be read: it is damaged, or what it holds has a"
            " password or a packing that is not read. Export or download it again."
        )
    wanted = f" of {source[:40]}" if source else ""
    raise BadArgument(
        f"{path.name!r} is no export{wanted} that can be read. Accepted are {ACCEPTED}.",
        field="path",
    )


def _in_root(path: Path) -> tuple[list[Export], bool]:
    """The exports in a folder, a zip or a file, and whether something could not be looked into."""
    if path.is_dir() or path.suffix.lower() == ".zip":
        tree, root = open_tree(path), path
        names = list(islice(tree.names(), MAX_NAMES))
    else:
        tree, root = open_tree(path.parent), path.parent
        names = [path.name]
    look = _Look(tree, set(names))
    found = list(_exports(look, root, names))
    found += [Export("unknown", UNREADABLE, root, name) for name in dict.fromkeys(tree.closed)]
    return found, look.damaged or (isinstance(tree, ZipTree) and tree.refused > 0)


def _in_zip_beside(path: Path) -> tuple[list[Export], bool]:
    """The exports in a zip among others; a damaged one is an export that fails when it is read."""
    try:
        return _in_root(path)
    except Unreadable:
        return [Export("unknown", UNREADABLE, path)], True


def _exports(look: _Look, root: Path, names: list[str]) -> Iterator[Export]:
    threads: dict[str, str] = {}
    for name in names:
        found = _format_of(look, name)
        if found is None:
            continue
        source, kind = found
        if _THREAD.search(name) and len(names) > 1:
            threads[name.rpartition("/")[0]] = source
        else:
            yield Export(source, kind, root, name)
    for folder, source in threads.items():
        yield Export(source, f"{source}-json", root, folder)


def _format_of(look: _Look, name: str) -> tuple[str, str] | None:
    """Source and format of one file, or None."""
    own = name.rpartition("/")[2].lower()
    for ending, recogniser in _BY_ENDING:
        if own.endswith(ending):
            return recogniser(look, name)
    return None


def _database(look: _Look, name: str) -> tuple[str, str] | None:
    """By name in a folder, where other databases may lie; a file given by itself counts."""
    own = name.rpartition("/")[2]
    likely = own.startswith(("chat", "sms", _BACKUP[:8])) or len(look.names) == 1
    return (
        ("imessage", "imessage-chatdb") if likely and look.head(name).startswith(_SQLITE) else None
    )


def _lines(look: _Look, name: str) -> tuple[str, str] | None:
    head = look.head(name)
    known = b'"mediaRootBackupKey"' in head or b'"backupTimeMs"' in head or b'{"account"' in head
    return ("signal", "signal-desktop-jsonl") if known else None


def _markdown(look: _Look, name: str) -> tuple[str, str] | None:
    folder, _, own = name.rpartition("/")
    beside = f"{folder}/data.json" if folder else "data.json"
    if own not in ("chat.md", "index.md") or beside in look.names:
        return None
    text = look.head(name).decode("utf-8", "replace")
    return ("signal", "signal-export-md") if _SIGNAL_CHAT.match(text) else None


def _text(look: _Look, name: str) -> tuple[str, str] | None:
    if not _ATTACHED.isdisjoint(name.split("/")[:-1]):
        return None
    text = look.head(name).decode("utf-8-sig", "replace")
    if _IMESSAGE.match(text):
        return "imessage", "imessage-exporter-txt"
    if any(header_of(line) for line in text.split("\n", 5)[:5]):
        return "whatsapp", "whatsapp-text"
    return None


def _json(look: _Look, name: str) -> tuple[str, str] | None:
    head = look.head(name).decode("utf-8-sig", "replace").lstrip()
    own = name.rpartition("/")[2]
    if own == "data.json" and head.startswith('{"date"'):
        return "signal", "signal-export-json"
    if not head.startswith("{"):
        return None
    keys = set(_KEYS.findall(head))
    if "sender_name" in keys or {"senderName", "threadName"} <= keys or _is_thread(name, keys):
        place = f"{look.tree.title}/{name}".lower()
        source = "instagram" if "instagram" in place else "messenger"
        return source, f"{source}-json"
    if {"from_me", "key_id"} <= keys or {"my_avatar", "messages"} <= keys:
        return "whatsapp", "whatsapp-exporter-json"
    if {"guild", "channel"} <= keys:
        return "discord", "discord-json"
    return ("telegram", "telegram-json") if _is_telegram(keys) else None


def _is_telegram(keys: set[str]) -> bool:
    if "personal_information" in keys or {"chats", "list"} <= keys:
        return True
    return {"type", "id", "messages"} <= keys and not keys.isdisjoint(_TELEGRAM_ROW)


def _is_thread(name: str, keys: set[str]) -> bool:
    return bool(_THREAD.search(name)) and "participants" in keys


_BY_ENDING: tuple[tuple[str, Callable[[_Look, str], tuple[str, str] | None]], ...] = (
    (".db", _database),
    (_BACKUP, _database),
    (".jsonl", _lines),
    (".md", _markdown),
    (".txt", _text),
    (".json", _json),
)
