"""Notes compared byte for byte, line by line: what an edit lost, and what it added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"

# By name and kind of trouble, as bytes.
NOTES = {
    f"{folder.rpartition('/')[2]}/{path.stem}": path.read_bytes()
    for folder in ("awkward", "frontmatter/readable", "frontmatter/refused")
    for path in sorted((FIXTURES / folder).glob("*.md"))
}


_MARK = b"\xef\xbb\xbf"


def lines(data: bytes) -> list[bytes]:
    """The lines with their endings, without a mark at the top; only the last may have no ending."""
    parts = data.removeprefix(_MARK).split(b"\n")
    return [*(part + b"\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]


def lost(old: bytes, new: bytes, *, free: Collection[int] = ()) -> list[bytes]:
    """The lines of the old note that the new one has not, and all after the first of them.

    Args:
        old: the note before.
        new: the note after.
        free: numbers, from 0, of the old lines that may have changed.
    """
    remaining = iter(_ended(new))
    kept = [line for at, line in enumerate(_ended(old)) if at not in free]
    return [line for line in kept if line not in remaining]


def added(old: bytes, new: bytes) -> list[bytes]:
    """The lines of the new note, blank ones aside, that the old one has not, or not as often."""
    more = Counter(_ended(new)) - Counter(_ended(old))
    return [line.strip() for line in more.elements() if line.strip()]


def shape(data: bytes) -> tuple[bool, set[bytes]]:
    """Whether a mark is at the top, and the line endings that there are."""
    return data.startswith(_MARK), {
        b"\r\n" if b.endswith(b"\r") else b"\n" for b in data.split(b"\n")[:-1]
    }


def is_alike(old: bytes, new: bytes) -> bool:
    """Whether mark and line endings are the same, and the end of a last line that is still last."""
    (mark, endings), (new_mark, new_endings) = shape(old), shape(new)
    if mark != new_mark or (endings and not new_endings <= endings):
        return False
    still_last = _ended(old)[-1:] == _ended(new)[-1:]
    return not still_last or old.endswith(b"\n") == new.endswith(b"\n")


def _ended(data: bytes) -> list[bytes]:
    """The lines, the last one as if it were ended like the first: an edit may end it."""
    found = lines(data)
    if found and not found[-1].endswith(b"\n"):
        found[-1] += b"\r\n" if found[0].endswith(b"\r\n") else b"\n"
    return found
