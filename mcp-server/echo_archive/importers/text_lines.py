"""Text lines: a file of UTF-8 line by line, cut only where a line really ends."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO


def text_lines(file: BinaryIO) -> Iterator[tuple[int, str]]:
    """Number and text of each line, without its end; the file stays the caller's to close.

    What is no UTF-8 becomes U+FFFD; separators that only look like line ends stay in their line.
    """
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="\n")
    try:
        for number, line in enumerate(text, 1):
            yield number, line.removesuffix("\n").removesuffix("\r")
    finally:
        if not file.closed:
            text.detach()
