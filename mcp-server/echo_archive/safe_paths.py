"""Safe paths: names from an export that stay inside it, however they were written."""

from __future__ import annotations

MAX_LENGTH = 2_000


def inside(name: str) -> str | None:
    """A path relative to the export's root, or None when it is absolute, leaves it or is no path.

    Args:
        name: As the export writes it, with either slash.
    """
    text = name.replace("\\", "/")
    if len(text) > MAX_LENGTH or "\x00" in text or _starts_elsewhere(text):
        return None
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    path = "/".join(parts)
    return path if path and not _starts_elsewhere(path) else None


def _starts_elsewhere(path: str) -> bool:
    """Whether a path begins at the root, a home folder or a drive."""
    return path.startswith(("/", "~")) or (path[1:2] == ":" and path[0].isalpha())
