"""Decay: memories that nobody has touched for long, proposed to be archived or refreshed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, timedelta

from echo_memory import health_note, routing
from echo_memory.envelope import Envelope, success
from echo_memory.ledger import DECAY, Ledger, Run
from echo_memory.lines import short
from echo_memory.memory import Memory
from echo_memory.note import Note
from echo_memory.retrieval.signals import STATUS

WORKING_DAYS, PROJECT_DAYS = 30, 90
MAX_SHOWN = 40

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_AGES = {"working": WORKING_DAYS, "project": PROJECT_DAYS}
_WAYS_OUT = {
    "working": "Capture what still holds as a lasting memory, then delete it; or refresh it.",
    "project": "Archive it under projects/archive; or say under Status how it stands.",
}


@dataclass(frozen=True)
class Proposal:
    """A note that has aged, and the two ways out."""

    path: str
    title: str
    kind: str
    untouched_days: int
    proposal: str


def decay_op(echo: Memory) -> Envelope:
    """List working memories older than 30 days and active projects untouched for 90.

    A note's last date counts, of its frontmatter or its log. Nothing is changed but the health
    note, where the proposals are left.

    Returns:
        `proposals` ({path, title, kind, untouched_days, proposal}), the oldest first, and how many
        were left out in `omitted`.

    Raises:
        VaultUnreachable: the vault does not answer.
        NotBootstrapped: it is not an ECHO vault yet.
    """
    echo.prepare(ordered=False)
    began, ledger = echo.clock(), Ledger.of(echo.config)
    found = sorted(_aged(echo), key=lambda each: (-each.untouched_days, each.path))
    shown, omitted = found[:MAX_SHOWN], max(0, len(found) - MAX_SHOWN)
    recorded = health_note.record(echo, health_note.DECAY, list(map(_line, shown)), more=omitted)
    ledger.ran(DECAY, Run(done=began, tried=began, found={"proposals": len(found)}))
    return success(
        "decay",
        proposals=[asdict(each) for each in shown],
        omitted=omitted,
        recorded=recorded,
    )


def _aged(echo: Memory) -> Iterator[Proposal]:
    today = echo.today()
    for kind, days in _AGES.items():
        folder = f"{routing.table().kinds[kind].folder}/"
        limit = (today - timedelta(days=days)).isoformat()
        for note in echo.catalog.of_kind(kind):
            touched = _touched(note)
            over = note.scalar("status").casefold() in STATUS
            if note.path.startswith(folder) and touched and touched < limit and not over:
                age = (today - date.fromisoformat(touched)).days
                yield Proposal(note.path, short(note.title, 120), kind, age, _WAYS_OUT[kind])


def _touched(note: Note) -> str:
    """The last day that a note names as one of its own; empty where it names none."""
    named = [
        *(note.scalar(key)[:10] for key in ("updated", "created")),
        *(heading.title for heading in note.headings if heading.level == 3),
    ]
    return max(filter(_is_day, named), default="")


def _is_day(words: str) -> bool:
    if not _DAY.fullmatch(words):
        return False
    try:
        date.fromisoformat(words)
    except ValueError:
        return False
    return True


def _line(each: Proposal) -> str:
    # Without the number of days, which would make another note of it every week.
    return f"- {each.kind}: {health_note.code(each.path)}: {each.proposal}"
