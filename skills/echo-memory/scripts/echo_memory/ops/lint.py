"""Lint: what is odd in the notes."""

from __future__ import annotations

from echo_memory import linting
from echo_memory.envelope import Envelope, success
from echo_memory.memory import Memory


def lint_op(echo: Memory) -> Envelope:
    """Look through all notes for what a careful reader would mend; nothing is changed.

    Returns:
        `violations` ({check, path, detail, fix}, in the order of the checks, then of the paths),
        `counts` of all there are by check, and `truncated` when more were found than are shown.

    Raises:
        VaultUnreachable: the vault does not answer.
    """
    view = echo.look()
    return success("lint", **linting.report(echo), **view.fields, warnings=view.warnings)
