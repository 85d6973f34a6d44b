"""Safe paths: names from an export that stay inside it, however they were written."""

from __future__ import annotations

MAX_LENGTH = 2_000


def inside(name: str) -> str | None:
    """A path relative to the export's root, or None when it is absolute, leaves it or is no path.

    Args:
        name: As the export writes it, with either slash.
    """
    text = name.replace("\\", "/")
    if not text or len(text) > MAX_LENGTH or text[0] in "/~" or "\x00" in text:
        return None
    if text[1:2] == ":" and text[0].isalpha():
        return None
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None
