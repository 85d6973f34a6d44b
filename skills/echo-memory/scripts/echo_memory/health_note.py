"""The health note: what a person finds in the vault of the last sweep and the last decay pass."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from echo_memory import draft, frontmatter, routing, sections
from echo_memory.memory import Memory

SWEEP, DECAY = "Sweep", "Decay"
PARTS = (SWEEP, DECAY)

_NOT_YET = "Not run yet."
_TICKS = re.compile("`+")


def record(echo: Memory, part: str, findings: Sequence[str], *, more: int = 0) -> bool:
    """Put findings in the place of those that the part had; frontmatter stays as it is.

    Args:
        echo: the memory.
        part: one of `PARTS`.
        findings: lines of Markdown.
        more: how many there are that are not among these.

    Returns:
        Whether the note had to be written; it is not when the findings are the same.
    """
    kind = routing.table().fixed["health"]
    skeleton = draft.fixed(kind, values={"title": kind.title})
    today = echo.today()

    def change(text: str | None) -> str:
        return _with(skeleton if text is None else text, part, findings, more, today)

    return echo.edit(kind.path, change).changed


def code(words: str) -> str:
    """Words that mean nothing in Markdown, so that no link of theirs counts as one."""
    plain = " ".join(words.split())
    fence = "`" * (1 + max(map(len, _TICKS.findall(plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def _with(text: str, part: str, findings: Sequence[str], more: int, today: date) -> str:
    known = _parts(text)
    rest = [f"- and {more} more"] if more else []
    lines = "\n".join([*findings, *rest])
    _, _, before = known.get(part, "").partition("\n\n")
    if part in known and before == lines:
        return text
    count = len(findings) + more
    first = f"As of {today.isoformat()}: {count or 'no'} finding{'' if count == 1 else 's'}."
    parts = {**dict.fromkeys(PARTS, _NOT_YET), **known}
    parts[part] = f"{first}\n\n{lines}".rstrip("\n")
    head = text[: len(text) - len(frontmatter.split(text)[1])]
    return head + _body(parts, gap="\n" if head else "")


def _body(parts: Mapping[str, str], *, gap: str) -> str:
    title = routing.table().fixed["health"].title
    blocks = [f"# {title}", *(f"## {name}\n\n{parts[name]}" for name in PARTS)]
    return gap + "\n\n".join(blocks) + "\n"


def _parts(text: str) -> dict[str, str]:
    """What stands under each of our headings."""
    return {
        heading.title: text[heading.body : heading.end].strip("\r\n")
        for heading in reversed(sections.headings(text))
        if heading.level == 2 and heading.title in PARTS
    }
