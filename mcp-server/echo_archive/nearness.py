"""Nearness: the messages nearest in meaning to a question."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from echo_archive.errors import Unavailable
from echo_archive.scope import Scope
from echo_archive.vectors import Floats, Matrix, load, matrix_path, vector_of


class QueryModel(Protocol):
    """What makes a vector of a question."""

    @property
    def model(self) -> str:
        """The name its vectors are stored under."""

    @property
    def weight(self) -> float:
        """What a semantic rank counts beside a keyword rank."""

    def query(self, text: str) -> bytes:
        """The vector: float32, the lowest byte first.

        Raises:
            Unavailable: It cannot be made now.
        """


@dataclass(slots=True)
class Nearness:
    """The vectors of one archive by one model; the file of vectors is mapped when first needed."""

    path: Path
    questions: QueryModel
    _mapped: Matrix | None = None
    _seen: tuple[int, int, int] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def weight(self) -> float:
        """What a semantic rank counts beside a keyword rank."""
        return self.questions.weight

    def check(self, database: sqlite3.Connection) -> None:
        """See to it that there are vectors to compare with.

        Raises:
            Unavailable: Nothing is embedded yet.
        """
        self._needed(database)

    def question(self, text: str) -> Floats:
        """The vector of a question; it may take seconds, so no transaction should be open.

        Raises:
            Unavailable: It cannot be made now, or is none to compare with what was embedded.
        """
        vector, matrix = vector_of(self.questions.query(text)), self._mapped
        if matrix is not None and len(vector) != matrix.dimensions:
            raise Unavailable(
                f"Semantic search is unavailable: the model answers {len(vector)} numbers, and"
                f" {matrix.dimensions} are stored of each message, so it is another model by now. "
                "Give it a name of its own in ECHO_EMBED_MODEL and run `echo-mcp archive embed`."
            )
        return vector

    def nearest(
        self, database: sqlite3.Connection, question: Floats, scope: Scope, most: int
    ) -> list[tuple[int, float]]:
        """Row ids of the nearest messages in a scope, with their similarity.

        Raises:
            Unavailable: Nothing is embedded yet.
        """
        near = self._needed(database).nearest(question, scope, most)
        found = []
        for key, similarity in near:
            row = database.execute(
                "select id from message where hash = ? and not deleted", (key,)
            ).fetchone()
            if row:
                found.append((int(row[0]), similarity))
        return found

    def _needed(self, database: sqlite3.Connection) -> Matrix:
        matrix = self._matrix(database)
        if matrix is None:
            raise Unavailable(
                "Semantic search is unavailable: no message is embedded with this model yet. "
                "Run `echo-mcp archive embed`."
            )
        return matrix

    def _matrix(self, database: sqlite3.Connection) -> Matrix | None:
        row = database.execute(
            "select id from model where name = ?", (self.questions.model,)
        ).fetchone()
        if row is None:
            return None
        path = matrix_path(self.path, row[0])
        try:
            seen = path.stat()
            with self._lock:
                if self._seen != (seen.st_ino, seen.st_size, seen.st_mtime_ns):
                    self._mapped = load(path)
                    self._seen = seen.st_ino, seen.st_size, seen.st_mtime_ns
                return self._mapped
        except FileNotFoundError:
            return None
        except OSError as problem:  # nothing is remembered of it, for it may pass
            raise Unavailable(
                "Semantic search is unavailable: the file of vectors beside the archive cannot be"
                f" read ({problem.strerror}). Try again."
            ) from problem
