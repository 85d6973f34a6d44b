"""Lines: words laid out for a terminal, line by line."""

from __future__ import annotations


def one_line(value: object) -> str:
    """Words without the line breaks in them."""
    return " ".join(part.strip() for part in str(value).splitlines())


def short(words: str, limit: int) -> str:
    """Words on one line that is not longer than a limit."""
    line = one_line(words)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def indented(text: str) -> str:
    """Lines moved to the right, below the line that they belong to."""
    return "\n".join(f"  {line}" if line else "" for line in text.split("\n"))
