"""Characters: texts without halves of them, which exports hold and no database takes."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with a question mark for each half of a character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
