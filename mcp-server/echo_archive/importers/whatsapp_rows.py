"""WhatsApp's rows: a text file cut into rows by headers of one shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from echo_archive.importers.text_lines import text_lines
from echo_archive.importers.whatsapp_dates import day_of
from echo_archive.importers.whatsapp_header import Header, Shape, header_of

MAX_BODY = 4_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A header, and all that stands behind it up to the next one."""

    header: Header
    text: str
    line: int


@dataclass(slots=True)
class Before:
    """Lines that stand before the first header."""

    lines: int = 0


def rows(file: BinaryIO, order: str | None = None, before: Before | None = None) -> Iterator[Row]:
    """The rows of a file.

    The first header says what a header looks like in this file; a line of any other shape, or
    with a date that is none, is text that somebody wrote.

    Args:
        file: UTF-8, from its beginning.
        order: Order of day and month, once it is known.
        before: Takes how many lines stand before the first row.
    """
    shape: Shape | None = None
    header, start, size = None, 0, 0
    lines: list[str] = []
    for number, line in text_lines(file):
        found = header_of(line, shape.style if shape else None)
        if found and (shape is None or found.shape == shape) and _is_time(found, order):
            if header:
                yield Row(header, "\n".join(lines), start)
            shape, header, start, size = found.shape, found, number, 0
            lines = [line[found.end :]]
        elif header is None:
            if before is not None and line.strip():
                before.lines += 1
        elif size < MAX_BODY:
            lines.append(line)
            size += len(line)
    if header:
        yield Row(header, "\n".join(lines), start)


def _is_time(header: Header, order: str | None) -> bool:
    if header.hour > 23 or header.minute > 59 or header.second > 59:
        return False
    return order is None or day_of(header.date, order) is not None
