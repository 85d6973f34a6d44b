"""The difference: what one text of a note has that another has not, as a person reads it."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from echo_memory.lines import short

_CONTEXT = 3
_COMPARED = 1_000_000  # pairs of lines; comparing more takes seconds
_MAX_LINE = 400
_MAX_SHOWN = 80

# These keys say when, and are written anew by every change.
_STAMP = re.compile(r"""(?:updated|scope_updated): ?["']?\d{4}-\d{2}-\d{2}\S*\s?""")
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


@dataclass(frozen=True)
class Shown:
    """A difference in words.

    Attributes:
        text: a unified diff, without the names of files.
        is_whole: whether nothing of it was cut.
        removed: how many lines go.
        added: how many come.
    """

    text: str
    is_whole: bool
    removed: int
    added: int


def loses(before: str, after: str) -> bool:
    """Whether a change leaves out, or alters, any line but a stamp of when it was made."""
    later = iter(after.split("\n"))
    lines = before.split("\n")
    if not lines[-1]:  # what a final newline ends, not a line
        lines.pop()
    return not all(line in later for line in lines if not _STAMP.fullmatch(line))


def summary(before: str, after: str) -> str:
    """A change on one line: how many lines went and came, and the first that went."""
    old, new = before.split("\n"), after.split("\n")
    gone, come = Counter(old) - Counter(new), Counter(new) - Counter(old)
    first = next((line for line in old if gone[line] and line.strip()), "")
    if not gone and not come:
        return "the same lines" if old == new else "the same lines in another order"
    changes = [f"{sign}{count.total()}" for sign, count in (("-", gone), ("+", come)) if count]
    without = f', without "{short(first.strip(), _MAX_SHOWN)}"' if first else ""
    return f"{' '.join(changes)} lines{without}"


def unified(before: str, after: str, *, limit: int) -> Shown:
    """The difference as a unified diff of at most `limit` characters.

    Texts that are too long to compare line by line are shown as one replaced by the other.
    """
    removed = added = room = 0
    kept: list[str] = []
    is_whole = True
    for line in _diff(before.split("\n"), after.split("\n")):
        removed += line.startswith("-")
        added += line.startswith("+")
        shown = line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}…"
        room += len(shown) + 1
        if room <= limit and is_whole:
            kept.append(shown)
        is_whole = is_whole and room <= limit and shown == line
    return Shown("\n".join(kept), is_whole, removed, added)


def _diff(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    start = _alike(old, new, min(len(old), len(new)))
    end = _alike(old[::-1], new[::-1], min(len(old), len(new)) - start)
    begin = max(start - _CONTEXT, 0)
    stop = max(end - _CONTEXT, 0)
    if (len(old) - start - end) * (len(new) - start - end) > _COMPARED:
        gone, come = old[start : len(old) - end], new[start : len(new) - end]
        yield f"@@ -{start + 1},{len(gone)} +{start + 1},{len(come)} @@"
        yield from (f"-{line}" for line in gone)
        yield from (f"+{line}" for line in come)
        return
    old, new = old[begin : len(old) - stop], new[begin : len(new) - stop]
    hunks = difflib.unified_diff(old, new, n=_CONTEXT, lineterm="")
    for at, line in enumerate(hunks):
        if at >= 2:  # below the names
            yield _HUNK.sub(lambda found: _moved(found, begin), line) if line[0] == "@" else line


def _alike(old: Sequence[str], new: Sequence[str], most: int) -> int:
    """How many lines at the beginning are the same."""
    for at in range(most):
        if old[at] != new[at]:
            return at
    return most


def _moved(found: re.Match[str], by: int) -> str:
    old, old_length, new, new_length = found.groups(default="")
    return f"@@ -{int(old) + by}{old_length} +{int(new) + by}{new_length} @@"
