"""The index file: a snapshot on the disk, so that the next process need not gather it again.

It is made from what is kept elsewhere: if anything is wrong with it, it is as if it were missing.

A file is a head of sizes; the keys and the words as JSON; lengths, starts of rows, slots and counts
as numbers in the byte order of the machine; and a digest of all that.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from echo_mcp.warm.postings import Postings
from echo_mcp.warm.snapshot import Snapshot, settled
from echo_memory import state_file

_MAGIC = b"echoinvd"
_FORMAT = 1
_HEAD = struct.Struct("=8sQ5Q")
_DIGEST_BYTES = 32
_AT_ONCE = 4096


def save(path: Path, snapshot: Snapshot) -> str:
    """Write a snapshot; until it is wholly written, the file is what it was.

    Args:
        path: where.
        snapshot: one whose words are all in the base, and whose documents are all there.

    Returns:
        Its digest, by which it is known.

    Raises:
        OSError: it cannot be written.
    """
    base = snapshot.base
    keys, words = _json(snapshot.keys), _json(list(base.rows))
    sizes = len(keys), len(words), len(snapshot.keys), len(base.rows), len(base.slots)
    head = _HEAD.pack(_MAGIC, _FORMAT, *sizes)
    numbers = (snapshot.lengths.data, base.starts.data, base.slots.data, base.counts.data)
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    with state_file.replacing(path, lasting=False) as draft, draft.open("wb") as file:
        for part in (head, keys, words, *numbers):
            file.write(part)
            digest.update(part)
        file.write(digest.digest())
    return digest.hexdigest()


def load(path: Path) -> tuple[Snapshot, str] | None:
    """The snapshot that was saved, and its digest.

    None where there is none, or not all of it, or one of another kind.

    Args:
        path: where.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD.size)
            sizes = _sizes(head, os.fstat(file.fileno()).st_size)
            return _read(file, head, sizes) if sizes else None
    except (OSError, ValueError):
        return None


def _json(texts: Sequence[str]) -> bytes:
    """A list as JSON, made bit by bit: while one bit is made, no other thread runs."""
    bits = (json.dumps(texts[at : at + _AT_ONCE])[1:-1] for at in range(0, len(texts), _AT_ONCE))
    return f"[{','.join(bits)}]".encode()


def _sizes(head: bytes, file_size: int) -> tuple[int, ...] | None:
    """The sizes that a head tells, where a file of this size can have them."""
    if len(head) < _HEAD.size:
        return None
    magic, version, *sizes = _HEAD.unpack(head)
    keys, words, documents, rows, entries = sizes
    expected = _HEAD.size + keys + words + 8 * documents + 8 * (rows + 1) + 6 * entries
    is_whole = expected + _DIGEST_BYTES == file_size
    return tuple(sizes) if (magic, version) == (_MAGIC, _FORMAT) and is_whole else None


def _read(file: BinaryIO, head: bytes, sizes: tuple[int, ...]) -> tuple[Snapshot, str] | None:
    digest = hashlib.blake2b(head, digest_size=_DIGEST_BYTES)
    in_keys, in_words, documents, rows, entries = sizes
    keys, words = file.read(in_keys), file.read(in_words)
    lengths = np.fromfile(file, np.float64, documents)
    starts = np.fromfile(file, np.int64, rows + 1)
    slots = np.fromfile(file, np.uint32, entries)
    counts = np.fromfile(file, np.uint16, entries)
    for part in (keys, words, lengths.data, starts.data, slots.data, counts.data):
        digest.update(part)
    if file.read() != digest.digest():
        return None
    named = {word: row for row, word in enumerate(json.loads(words))}
    postings = Postings(named, starts, slots, counts)
    return settled(postings, json.loads(keys), lengths), digest.hexdigest()
