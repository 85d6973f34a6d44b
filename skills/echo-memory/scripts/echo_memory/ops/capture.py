"""Capture: the default way to write a memory."""

from __future__ import annotations

from collections.abc import Sequence

from echo_memory import arguments, writing
from echo_memory.envelope import Envelope, warned
from echo_memory.memory import Memory
from echo_memory.proposal import parse
from echo_memory.queueing import queued


@queued("capture", writes=lambda given: not given.get("dry_run"))
def capture_op(
    echo: Memory,
    title: str,
    *,
    kind: str = "",
    body: str = "",
    tags: Sequence[str] = (),
    aliases: Sequence[str] = (),
    sources: Sequence[str] = (),
    status: str = "",
    date: str = "",
    domain: str = "",
    merge_into: str = "",
    force: bool = False,
    dry_run: bool = False,
) -> Envelope:
    """Write one memory: a new note, an addition to the note of that name, or an inbox line.

    Returns:
        `action` (`created`, `updated`, `unchanged`, `inbox`, `duplicate-gate`), `path`, `slug`,
        `links_added`, `near_duplicates`, `alias_added` where the title became one; at the gate
        `candidates` and `resolutions`; with `dry_run` also `would_write`, the lines that would be
        added.

    Raises:
        BadRequest: an argument is not what it should be.
        NotFound: `merge_into` names no note.
        Unparseable: the note's frontmatter would have to change and does not parse.
    """
    proposal = parse(
        {
            "title": title,
            "kind": kind,
            "body": body,
            "tags": tags,
            "aliases": aliases,
            "sources": sources,
            "status": status,
            "date": date,
            "domain": domain,
            "merge_into": merge_into,
            "force": force,
        }
    )
    apply = not arguments.flag(dry_run, "dry_run")
    if apply:
        echo.prepare()
        return {"op": "capture", **writing.capture(echo, proposal)}
    view = echo.look()
    plan = writing.capture(echo, proposal, apply=False)
    return warned({"op": "capture", **plan, **view.fields}, view.warnings)
