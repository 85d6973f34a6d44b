"""Sweep: lint, the shared index made right, and the findings in the health note."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from echo_memory import arguments, health_note, linting, shared_index
from echo_memory.envelope import Envelope, success
from echo_memory.freshness import Marks, mark
from echo_memory.ledger import SWEEP, Ledger, Run
from echo_memory.linting import Violation
from echo_memory.memory import Memory

_BATCH = 500


def sweep_op(echo: Memory, *, fast: bool = False) -> Envelope:
    """Look through all notes, write the shared index anew, and leave the findings in its note.

    Args:
        echo: the memory.
        fast: whether notes that seem unchanged are taken as they are known, not read again.

    Returns:
        `notes`, `entities`, and what lint answers; `new` is how many findings came since the last
        sweep that found none new, and `recorded` whether the health note changed.

    Raises:
        VaultUnreachable: the vault does not answer.
        NotBootstrapped: it is not an ECHO vault yet.
    """
    quick = arguments.flag(fast, "fast")
    echo.prepare(ordered=False)
    began, ledger = echo.clock(), Ledger.of(echo.config)
    if not quick:
        _read_again(echo)
    warnings = shared_index.publish_now(echo)
    found = linting.lint(echo)
    fields = linting.summary(found)
    shown = fields["violations"]
    recorded = health_note.record(
        echo, health_note.SWEEP, _lines(shown), more=len(found) - len(shown)
    )
    marks = Marks.of(ledger.read().notes.get(SWEEP)).after({_mark(each) for each in found})
    ledger.note(SWEEP, marks.as_note())
    seen = {"violations": len(found), "new": len(marks.new)}
    ledger.ran(SWEEP, Run(done=began, tried=began, found=seen))
    return success(
        "sweep",
        fast=quick,
        notes=echo.catalog.note_count,
        entities=len(echo.catalog.entities),
        new=len(marks.new),
        recorded=recorded,
        **fields,
        warnings=warnings,
    )


def _read_again(echo: Memory) -> None:
    paths = iter(sorted(note.path for note in echo.catalog.notes()))
    while batch := list(islice(paths, _BATCH)):
        echo.mirror.reread(batch)
        echo.breathe()


def _mark(violation: Violation) -> str:
    """The same finding from day to day, though its detail counts days."""
    return mark((violation.check, violation.path))


def _lines(violations: Sequence[dict[str, str]]) -> list[str]:
    code = health_note.code
    return [
        f"- {each['check']}: {code(each['path'])}: {code(each['detail'])} {each['fix']}"
        for each in violations
    ]
