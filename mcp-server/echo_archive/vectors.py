"""Vectors: the embeddings of one model as a file to map into memory, and the nearest in it.

The database holds the embeddings; this file beside it is made from them and may be thrown away.
Up to 100,000 candidates are compared exactly. Above that one bit of each dimension picks the best
thousand, and these are compared exactly.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from echo_archive.errors import Unreadable
from echo_archive.keys import HASH_BYTES, text_digest
from echo_archive.scope import Scope

EXACT, PICKED = 100_000, 1_000
_MAGIC, _HEADER = b"echovec1", 4_096
_CHUNK = 4_096
_ROW = np.dtype(
    [("id", "<i8"), ("conversation", "<i4"), ("person", "<i4"), ("source", "<i4"),
     ("hash", "u1", HASH_BYTES)]
)  # fmt: skip
Floats = npt.NDArray[np.float32]

# The joins are crossed so that they go from the vectors, which are few, to the messages.
_EMBEDDED = """
select message.id, message.conversation, coalesce(message.person, -1), conversation.source,
  message.hash
from embedding cross join message on message.hash = embedding.hash
cross join conversation on conversation.id = message.conversation
where embedding.model = ? and not message.deleted and length(embedding.vector) = ?
  and embedding.text = text_digest(message.body)
order by message.id
"""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The embeddings of one model, by row id.

    Attributes:
        rows: Row id, conversation, sender, source and key of each message.
        codes: The signs of each vector, 64 to a word; shape (count, words).
        vectors: The vectors, of length one; shape (count, dimensions).
    """

    rows: npt.NDArray[Any]
    codes: npt.NDArray[np.uint64]
    vectors: Floats

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return int(self.vectors.shape[1])

    def nearest(self, query: Floats, scope: Scope, most: int) -> list[tuple[bytes, float]]:
        """Keys of the messages in a scope that are nearest, with their cosine similarity.

        Args:
            query: One vector; of another dimension, it is near nothing.
            scope: Where to look.
            most: How many.
        """
        if query.shape != (self.dimensions,):
            return []
        size = float(np.linalg.norm(query))
        candidates = self._candidates(scope)
        if not size or not len(candidates):
            return []
        unit = (query / size).astype(np.float32)
        if len(candidates) > EXACT:
            candidates = self._picked(unit, candidates)
        similarity = self._similarity(unit, candidates)
        best = np.argsort(-similarity, kind="stable")[:most]
        return [
            (self.rows["hash"][candidates[at]].tobytes(), round(float(similarity[at]), 6))
            for at in best
        ]

    def _candidates(self, scope: Scope) -> npt.NDArray[np.int64]:
        ids = self.rows["id"]
        first = int(np.searchsorted(ids, scope.first, "left"))
        last = int(np.searchsorted(ids, scope.last, "right"))
        part = self.rows[first:last]
        wanted = np.ones(len(part), dtype=bool)
        if scope.conversation is not None:
            wanted &= part["conversation"] == scope.conversation
        elif scope.source is not None:
            wanted &= part["source"] == scope.source
        if scope.people is not None:
            wanted &= np.isin(part["person"], scope.people)
        return np.flatnonzero(wanted) + first

    def _picked(self, unit: Floats, candidates: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        code = _codes(unit[None, :])[0]
        everything = len(candidates) == len(self.rows)
        codes = self.codes if everything else self.codes[candidates]
        different = np.zeros(len(candidates), dtype=np.uint16)
        for word in range(codes.shape[1]):
            different += np.bitwise_count(codes[:, word] ^ code[word])
        most = min(PICKED, len(candidates))
        return np.sort(candidates[np.argpartition(different, most - 1)[:most]])

    def _similarity(self, unit: Floats, candidates: npt.NDArray[np.int64]) -> Floats:
        similarity = np.empty(len(candidates), dtype=np.float32)
        for start in range(0, len(candidates), _CHUNK):
            part = candidates[start : start + _CHUNK]
            together = int(part[-1]) - int(part[0]) + 1 == len(part)
            vectors = self.vectors[part[0] : part[-1] + 1] if together else self.vectors[part]
            similarity[start : start + len(part)] = vectors @ unit
        return similarity


def vector_of(packed: bytes) -> Floats:
    """A vector as the database holds it: float32, the lowest byte first."""
    return np.frombuffer(packed, dtype="<f4").astype(np.float32)


def matrix_path(database: Path, model: int) -> Path:
    """Where the file of a model stands."""
    return database.with_name(f"{database.name}.vectors-{model}")


def build(database: sqlite3.Connection, path: Path, model: int) -> int:
    """Make the file of a model anew from the database, and say how many vectors it has.

    The dimension that most vectors have is taken; others are left out, and those of texts that
    were edited since.

    Raises:
        Unreadable: It cannot be written.
    """
    know_digests(database)
    database.execute("savepoint one_state")  # whatever others write meanwhile
    try:
        return _build(database, matrix_path(path, model), model)
    finally:
        database.execute("release one_state")


def _build(database: sqlite3.Connection, target: Path, model: int) -> int:
    lengths = database.execute(
        "select length(vector) from embedding where model = ? and length(vector) % 4 = 0"
        " group by 1 order by count(*) desc limit 1",
        (model,),
    ).fetchone()
    if lengths is None or not lengths[0]:
        target.unlink(missing_ok=True)
        return 0
    scratch = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        count = _write(database, scratch, model, int(lengths[0]))
        scratch.replace(target)
    except OSError as problem:
        raise Unreadable(
            "The file of vectors beside the archive cannot be written. Make room and embed again."
        ) from problem
    finally:
        scratch.unlink(missing_ok=True)
    return count


def know_digests(database: sqlite3.Connection) -> None:
    """Let a query compare what was embedded with what is written now."""
    database.create_function("text_digest", 1, text_digest, deterministic=True)


def load(path: Path) -> Matrix | None:
    """Map the file of a model, or None when it is not whole.

    Raises:
        OSError: It is not there, or cannot be read now.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER)
        if not head.startswith(_MAGIC):
            return None
        said = json.loads(head[len(_MAGIC) :].rstrip(b"\0"))
        count, dimensions = int(said["count"]), int(said["dimensions"])
        rows, codes, vectors = _sections(count, dimensions)
        if not count or path.stat().st_size != vectors + count * dimensions * 4:
            return None
        return Matrix(
            np.memmap(path, _ROW, "r", rows, (count,)),
            np.memmap(path, np.uint64, "r", codes, (count, _words(dimensions))),
            np.memmap(path, np.float32, "r", vectors, (count, dimensions)),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _words(dimensions: int) -> int:
    return -(-dimensions // 64)


def _sections(count: int, dimensions: int) -> tuple[int, int, int]:
    """Where rows, codes and vectors begin, each at a multiple of 4,096."""
    rows = _HEADER
    codes = _aligned(rows + count * _ROW.itemsize)
    return rows, codes, _aligned(codes + count * _words(dimensions) * 8)


def _aligned(offset: int) -> int:
    return -(-offset // _HEADER) * _HEADER


def _write(database: sqlite3.Connection, path: Path, model: int, length: int) -> int:
    dimensions = length // 4
    count = int(
        database.execute(f"select count(*) from ({_EMBEDDED})", (model, length)).fetchone()[0]  # noqa: S608
    )
    sections = _sections(count, dimensions)
    path.touch(0o600)
    with path.open("wb") as file:
        head = _MAGIC + json.dumps({"count": count, "dimensions": dimensions}).encode()
        file.write(head.ljust(_HEADER, b"\0"))
        done = 0
        for rows, vectors in _chunks(database, model, length):
            parts: tuple[npt.NDArray[Any], ...] = (rows, _codes(vectors), vectors)
            for offset, part in zip(sections, parts, strict=True):
                file.seek(offset + done * part.nbytes // len(rows))
                file.write(part.tobytes())
            done += len(rows)
        file.truncate(sections[2] + count * length)
        file.flush()
        os.fsync(file.fileno())
    return count


def _chunks(
    database: sqlite3.Connection, model: int, length: int
) -> Iterator[tuple[npt.NDArray[Any], Floats]]:
    cursor = database.execute(_EMBEDDED, (model, length))
    while found := cursor.fetchmany(_CHUNK):
        rows = np.zeros(len(found), dtype=_ROW)
        for at, (row_id, conversation, person, source, key) in enumerate(found):
            rows[at] = row_id, conversation, person, source, np.frombuffer(key, np.uint8)
        packed = b"".join(
            database.execute(
                "select vector from embedding where hash = ? and model = ?", (row[4], model)
            ).fetchone()[0]
            for row in found
        )
        vectors = np.frombuffer(packed, dtype="<f4").reshape(len(found), -1).astype(np.float32)
        vectors[~np.isfinite(vectors)] = 0.0
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        yield rows, (vectors / np.where(sizes == 0, 1, sizes)).astype(np.float32)


def _codes(vectors: Floats) -> npt.NDArray[np.uint64]:
    """One bit of each number: whether it is above zero."""
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(vectors), _words(vectors.shape[1]) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)
