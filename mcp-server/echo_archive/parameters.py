"""Parameters: values for an `in (…)` of SQL, never more at a time than any SQLite takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

_AT_A_TIME = 500


def rows_in(
    database: sqlite3.Connection, query: str, values: Sequence[int] | Sequence[bytes]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a query for all values, in as many statements as that takes.

    Args:
        database: The archive.
        query: Holds `in ({marks})`, and no other braces.
        values: Its only parameters.
    """
    for start in range(0, len(values), _AT_A_TIME):
        part = values[start : start + _AT_A_TIME]
        yield from database.execute(query.format(marks=marks(len(part))), part)


def marks(count: int) -> str:
    """So many places for parameters."""
    return ",".join("?" * count)
