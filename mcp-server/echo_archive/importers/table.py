"""The table: which importer reads which format, and how each is called."""

from __future__ import annotations

import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from echo_archive.importers import (
    discord,
    imessage_db,
    imessage_text,
    meta,
    signal_export,
    signal_plaintext,
    telegram,
    whatsapp_exporter,
    whatsapp_text,
)
from echo_archive.importers.bench import Bench
from echo_archive.importers.soundness import is_sound
from echo_archive.importers.text_lines import EndlessLine
from echo_archive.json_stream import BrokenJson
from echo_archive.passing import may_pass
from echo_archive.records import Export, Interrupted, Message, Options, Skipped
from echo_archive.tree import FolderTree, Tree
from echo_archive.zips import ZipTree, zip_tree

IMPORTERS: dict[str, Callable[[Bench], Iterator[Message | Skipped]]] = {
    "whatsapp-text": whatsapp_text.read,
    "whatsapp-exporter-json": whatsapp_exporter.read,
    "telegram-json": telegram.read,
    "messenger-json": meta.read,
    "instagram-json": meta.read,
    "discord-json": discord.read,
    "imessage-chatdb": imessage_db.read,
    "imessage-exporter-txt": imessage_text.read,
    "signal-export-json": signal_export.read,
    "signal-export-md": signal_export.read,
    "signal-desktop-jsonl": signal_plaintext.read,
}
# RuntimeError is what `zipfile` raises where it wants a password.
_UNREADABLE = (
    OSError,
    sqlite3.Error,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    BrokenJson,
    EndlessLine,
)


def read(export: Export, options: Options) -> Iterator[Message | Skipped]:
    """Everything an export holds, in its own order, as it is read.

    A file that cannot be read or is cut short ends with a `Skipped` that says so; what stood
    before it has been handed out.

    Raises:
        BadArgument: The time zone is none.
        Unreadable: A zip is damaged.
    """
    tree = open_tree(export.path)
    bench = Bench(tree, options, export.inside)
    if isinstance(tree, ZipTree) and tree.refused:
        why = (
            "entries have a password, a path that leaves the zip, an absurd size or a packing that"
            " is not read, or are beyond the first half million; none was read"
        )
        yield Skipped(tree.title, 0, f"{tree.refused} {why}")
    try:
        for row in IMPORTERS[export.format](bench):
            if type(row) is Message and not is_sound(row):
                yield Skipped(row.file, row.line, "a message was not read: a field is of no use")
            else:
                yield row
    except _UNREADABLE as problem:
        yield from bench.closing()
        yield _rest(bench, problem)
    if tree.closed:
        first, more = tree.closed[0], len(tree.closed)
        yield Interrupted(first, 0, f"it could not be looked at, as {more} in all; import again")


def _rest(bench: Bench, problem: Exception) -> Skipped:
    """What is said of the rest of a file."""
    kind = Interrupted if may_pass(problem) else Skipped
    is_there = may_pass(problem) or isinstance(problem, FileNotFoundError)
    why = "it cannot be read" if is_there else "it is damaged or cut short"
    return kind(bench.file, bench.line, f"the rest of the file was not read: {why}")


def open_tree(path: Path) -> Tree:
    """The files of an export: of a folder, or of a zip.

    Raises:
        Unreadable: The zip is damaged.
    """
    return FolderTree(path) if path.is_dir() else zip_tree(path)
