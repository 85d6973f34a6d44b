"""Text lines: a file of UTF-8 line by line, cut only where a line really ends."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

MAX_LINE = 16 * 2**20


class EndlessLine(Exception):
    """A line is longer than anything that somebody wrote; the file cannot be read any further."""


def text_lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Number and text of each line, without its end; the file stays the caller's to close.

    What is no UTF-8 becomes U+FFFD; separators that only look like line ends stay in their line.

    Raises:
        EndlessLine: A line has more than 16 million characters.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="\n")
    try:
        for number, line in enumerate(iter(lambda: text.readline(MAX_LINE), ""), 1):
            if len(line) == MAX_LINE:
                raise EndlessLine
            yield number, line.removesuffix("\n").removesuffix("\r")
    finally:
        if not file.closed:
            text.detach()
