"""Characters: texts without halves of them, which JSON and file names can hold and no database."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """A text that a database takes: half a character, as a cut emoji leaves it, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
