"""Applying: what a backup has otherwise, put back into the vault as edits of ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echo_mcp.backups.archive import Archive, verify
from echo_mcp.backups.manifest import File
from echo_memory import routing, shared_index
from echo_memory.deed import doing
from echo_memory.errors import BadRequest, NotFound, VaultIO
from echo_memory.memory import Memory, marker_path
from echo_memory.vault import MAX_NOTE_BYTES, to_text
from echo_memory.vault_paths import is_safe

SAME, CREATED, CHANGED, LEFT = "same", "created", "changed", "left"


@dataclass(frozen=True)
class Outcome:
    """What became, or would become, of one file: one of the words above."""

    path: str
    became: str


def into_vault(memory: Memory, backup: Path, *, apply: bool) -> Iterator[Outcome]:
    """Bring the vault's files back to what a backup says; what is not in it stays.

    Each goes through the compared write, as any edit of ours: what somebody writes meanwhile is
    not lost, and the text before stays in the history. Hidden files, those too large for a note,
    what is derived, and the marker, by which the vault is known, are left.

    Args:
        memory: over the vault.
        backup: the zip.
        apply: whether to write; else only what would become of each.

    Raises:
        VaultIO: the backup is damaged; nothing was written then.
        VaultUnreachable: the vault is away.
    """
    verify(backup)
    memory.mirror.refresh()
    kept = {*routing.table().files.values(), marker_path()}
    with Archive.opened(backup) as archive:
        for file in archive.manifest.files:
            if file.path in kept or not _may_write(file):
                yield Outcome(file.path, LEFT)
                continue
            text = to_text(b"".join(archive.chunks(file)))
            before = _known(memory, file.path)
            became = SAME if before == text else CREATED if before is None else CHANGED
            if became != SAME and apply and not _written(memory, file.path, text):
                became = LEFT
            yield Outcome(file.path, became)
    if apply:
        shared_index.publish_now(memory)


def _may_write(file: File) -> bool:
    return is_safe(file.path) and file.size <= MAX_NOTE_BYTES


def _known(memory: Memory, path: str) -> str | None:
    """The file as the vault has it, "" where it cannot be read; None where there is none."""
    note = memory.catalog.get(path)
    if note is not None:
        return note.text
    try:
        return memory.vault.read(path)
    except NotFound:
        return None
    except (VaultIO, BadRequest):
        return ""


def _written(memory: Memory, path: str, text: str) -> bool:
    """Write one file; false where the vault does not take this one."""
    try:
        with doing("backup restore") as deed:
            memory.edit(path, lambda _: text)
    except (VaultIO, BadRequest) as error:
        memory.notify(f"a file was left as it is: {error.code}")
        return False
    for warning in deed.warnings:
        memory.notify(warning)
    return True
