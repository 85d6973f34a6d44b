"""The digest: a note cut down to what its reader needs, and a budget shared among several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echo_memory import links
from echo_memory.note import Note

MAX_LINES, MAX_NAMES = 8, 12

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+(?=\n)")
_CAPTURED = re.compile(r"- Captured (.+)")
_FEW = 3  # captures that may keep a line each


def prose(note: Note) -> str:
    """What a note says: no frontmatter, no title, no headings with nothing below them."""
    start = len(note.text) - len(note.body)
    parts: list[str] = []
    end = kept = len(note.text)  # `kept` is where the next heading that stays begins
    for heading in reversed(note.headings):
        is_title = heading.level == 1 and heading.title == note.title
        has_text = kept < heading.end or note.text[heading.body : heading.own_end].strip()
        if is_title or not has_text:
            parts.append(note.text[heading.body : end])
            end = heading.start
        else:
            kept = heading.start
    text = "".join([note.text[start:end], *reversed(parts)]).replace("\r\n", "\n")
    return _BLANK_LINES.sub("\n", text).strip()


def day_log(text: str) -> str:
    """The last lines of a day's log; many captures are folded into one line of their names."""
    lines = [line for line in text.splitlines() if line.strip()]
    captured = [found[1].strip() for line in lines if (found := _CAPTURED.fullmatch(line))]
    if len(captured) <= _FEW:
        return "\n".join(_last(lines))
    others = [line for line in lines if not _CAPTURED.fullmatch(line)]
    names = list(dict.fromkeys(captured))
    more = f" and {len(names) - MAX_NAMES} before" if len(names) > MAX_NAMES else ""
    folded = f"- Captured {', '.join(links.strip(name) for name in names[-MAX_NAMES:])}{more}"
    return "\n".join([*_last(others), folded])


def _last(lines: Sequence[str]) -> list[str]:
    """The last of some lines, with a count of those before them."""
    before = len(lines) - MAX_LINES
    return [*([f"(… {before} before these)"] if before > 0 else []), *lines[-MAX_LINES:]]


def shares(wanted: Sequence[int], weights: Sequence[int], budget: int) -> list[int]:
    """What each gets of a budget: all that it wants, or its weighted part of what others leave.

    Args:
        wanted: lengths, not negative.
        weights: positive, one for each length.
        budget: what the shares add up to at most.
    """
    given = [0] * len(wanted)
    hungry = sorted(range(len(wanted)), key=lambda at: wanted[at] / weights[at])
    while hungry:
        part = budget * weights[hungry[0]] // sum(weights[at] for at in hungry)
        first = hungry.pop(0)
        given[first] = min(wanted[first], part)
        budget -= given[first]
    return given


def head(text: str, limit: int, *, more: str) -> str:
    """The text, or its beginning, up to the end of a line or word, and where the rest is."""
    if len(text) <= limit:
        return text
    mark = f"\n[… cut: {more} has the rest]"
    kept = _back_to_gap(text[: max(limit - len(mark), 0) + 1])
    return f"{kept}{mark}"[:limit].strip()


def tail(text: str, limit: int, *, more: str) -> str:
    """The text, or its last whole lines, and where those before them are."""
    if len(text) <= limit:
        return text
    mark = f"[… cut: {more} has the rest]\n"
    last = text[len(text) - max(limit - len(mark), 0) :]
    whole = last.partition("\n")[2] or last
    return f"{mark}{whole}"[:limit].strip()


def _back_to_gap(text: str) -> str:
    """A beginning of a text without the part of a line, or at least of a word, at its end."""
    for gap in ("\n", " "):
        at = text.rfind(gap)
        if at > len(text) // 2:
            return text[:at].rstrip()
    return text[:-1]
