"""Triage: look through the inbox, and file its items as the operator decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echo_memory import arguments, draft, inbox, routing, sections, writing
from echo_memory.envelope import Envelope, success
from echo_memory.errors import BadRequest, EchoError, NotFound
from echo_memory.inbox import Item
from echo_memory.memory import Memory
from echo_memory.proposal import Proposal, parse_list

Fields = dict[str, Any]


def triage_op(
    echo: Memory, *, proposals: Sequence[Mapping[str, Any]] = (), apply: bool = False
) -> Envelope:
    """List the inbox, or route its items where proposals are given."""
    return route_op(echo, proposals, apply=apply) if proposals else list_op(echo)


def list_op(echo: Memory) -> Envelope:
    """List what waits in the inbox.

    Returns:
        `items`, oldest line first: `id`, `line`, `date`, `age_days`, `suggested_kind`; what is not
        known is null.
    """
    warnings = echo.refresh()
    items = [
        {
            "id": item.id,
            "line": item.line,
            "date": item.date or None,
            "age_days": item.age_days,
            "suggested_kind": suggested_kind(item.line),
        }
        for item in _items(echo)
    ]
    return success("triage", items=items, warnings=warnings)


def route_op(
    echo: Memory, proposals: Sequence[Mapping[str, Any]], *, apply: bool = False
) -> Envelope:
    """File inbox items: each proposal is captured, its audit written, its line removed, in order.

    An item that is gated or fails stays in the inbox; its result says why.

    Args:
        echo: the memory.
        proposals: as `PROPOSAL_SCHEMA`, with `line`, the item's id or its text.
        apply: without it nothing is written.

    Returns:
        `action` (`preview` or `applied`), `results` in order, and `remaining`, the items left.

    Raises:
        BadRequest: any proposal is malformed; then none is applied.
    """
    parsed = parse_list(proposals, "proposals", also=("line",))
    applying = arguments.flag(apply, "apply")
    lines = [_line(values, at) for at, values in enumerate(proposals)]
    for at, proposal in enumerate(parsed):
        if not proposal.kind and not proposal.merge_into:
            name = f"proposals[{at}].kind"
            raise BadRequest(f"{name} is missing. Say what the item is.", field=name)
    warnings = echo.refresh(writing=applying)
    results = [
        _route(echo, line, proposal, last=line not in lines[at + 1 :], apply=applying)
        for at, (line, proposal) in enumerate(zip(lines, parsed, strict=True))
    ]
    return success(
        "triage",
        action="applied" if applying else "preview",
        results=results,
        remaining=len(_items(echo)),
        warnings=warnings,
    )


def suggested_kind(line: str) -> str | None:
    """The first kind of which a cue stands in the line; None when none does."""
    folded = line.casefold()
    for kind in routing.table().kinds.values():
        if any(cue in folded for cue in kind.cues):
            return kind.name
    return None


def _line(values: Mapping[str, Any], at: int) -> str:
    name = f"proposals[{at}].line"
    return arguments.text(values.get("line") or "", name, required=True).strip()


def _items(echo: Memory) -> list[Item]:
    note = echo.catalog.get(routing.table().fixed["inbox"].path)
    return inbox.items(note.text, echo.today()) if note else []


def _route(echo: Memory, line: str, proposal: Proposal, *, last: bool, apply: bool) -> Fields:
    """One proposal; `last` tells that no later one of the same call is for the same item."""
    item = inbox.find(_items(echo), line)
    if item is None and not _was_filed(echo, line):
        missing = NotFound("No such item is in the inbox. List it again.", path=line[:80])
        return {"line": line[:80], "ok": False, "error": missing.as_dict()}
    result = {"line": line, **writing.attempt(echo, proposal, apply=apply)}
    if not (apply and result["ok"] and item is not None):
        return result
    try:
        _audit(echo, item, str(result["path"]))
        if last:
            _remove(echo, item)
    except EchoError as error:
        return {**result, "ok": False, "error": error.as_dict()}
    return result


def _was_filed(echo: Memory, line: str) -> bool:
    """Whether today's processing log has the item already: a call that is made again."""
    note = echo.catalog.get(_log_path(echo))
    return note is not None and f"({line})" in note.text


def _log_path(echo: Memory) -> str:
    return routing.table().fixed["processing-log"].path_for("", date=echo.today().isoformat())


def _audit(echo: Memory, item: Item, path: str) -> None:
    """Keep the item's own words, where it went, and its id, in the day's processing log."""
    day = echo.today().isoformat()
    note = echo.catalog.get(path)
    target = writing.link_to(echo, note.entity()) if note else path
    first, *rest = item.line.splitlines()
    entry = "\n".join([f"- ({item.id}) {target}: {first}", *(f"  {line}" for line in rest)])

    def change(text: str | None) -> str:
        kind = routing.table().fixed["processing-log"]
        before = draft.fixed(kind, title=f"Triage of {day}") if text is None else text
        return before if entry in before else sections.append_lines(before, entry)

    echo.edit(_log_path(echo), change)


def _remove(echo: Memory, item: Item) -> None:
    path = routing.table().fixed["inbox"].path
    echo.edit(path, lambda text: inbox.remove(text or "", item.id))
