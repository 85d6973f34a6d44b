"""Triage: look through the inbox, and file its items as the operator decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from echo_memory import (
    arguments,
    draft,
    inbox,
    processing_log,
    routing,
    sections,
    shared_index,
    writing,
)
from echo_memory.envelope import Envelope, success, warned
from echo_memory.errors import BadRequest, EchoError, NotFound, VaultUnreachable
from echo_memory.fixed_notes import inbox_items
from echo_memory.inbox import Item
from echo_memory.memory import Memory
from echo_memory.proposal import Proposal, parse_list
from echo_memory.queueing import queued

_MAX_LINE, _MAX_LISTED = 1_000, 7_000
_MAX_FACTS = 60  # what an item's id, age and kind take

_ONLY_PLANNED = ("dry_run", "would_write")

Fields = dict[str, Any]


def triage_op(
    echo: Memory, *, proposals: Sequence[Mapping[str, Any]] = (), apply: bool = False
) -> Envelope:
    """List the inbox, or route its items where proposals are given."""
    return route_op(echo, proposals, apply=apply) if proposals else list_op(echo)


def list_op(echo: Memory) -> Envelope:
    """List what waits in the inbox.

    Returns:
        `items` in the note's order: `id`, `line`, `date`, `age_days`, `suggested_kind`; what is not
        known is null. A line of more than 1,000 characters is cut, and what is past some 7,000 in
        all is only counted, in `omitted`.
    """
    view = echo.look()
    waiting = inbox_items(echo)
    items = [
        {
            "id": item.id,
            "line": item.line if len(item.line) <= _MAX_LINE else f"{item.line[:_MAX_LINE]}…",
            "date": item.date or None,
            "age_days": item.age_days,
            "suggested_kind": suggested_kind(item.line),
        }
        for item in _fitting(waiting)
    ]
    left_out = len(waiting) - len(items)
    omitted = {"omitted": left_out} if left_out else {}
    return success("triage", items=items, **omitted, **view.fields, warnings=view.warnings)


def _fitting(waiting: Sequence[Item]) -> list[Item]:
    """The first items, as many as one answer carries."""
    room = _MAX_LISTED
    for at, item in enumerate(waiting):
        room -= min(len(item.line), _MAX_LINE) + _MAX_FACTS
        if room < 0:
            return list(waiting[:at])
    return list(waiting)


@queued("triage", writes=lambda given: bool(given.get("apply")))
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
        `action` (`preview` or `applied`), `results` in order, `filed`, how many of them succeeded
        or would, and `remaining`, the items left.

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
    if not applying:
        view = echo.look()
        return warned(_routed(echo, lines, parsed, apply=False) | view.fields, view.warnings)
    with echo.turns.hold("triage"):  # two callers must not file one item twice
        echo.prepare()
        return shared_index.published_once(
            echo, lambda batch: _routed(batch, lines, parsed, apply=True)
        )


def _routed(
    echo: Memory,
    lines: Sequence[str],
    proposals: Sequence[Proposal],
    *,
    apply: bool,
) -> Envelope:
    waiting = inbox_items(echo)
    found = [_waiting_for(echo, waiting, line) for line in lines]
    results: list[Fields] = []
    staying: set[str] = set()
    batch = writing.Batch(echo, apply=apply)
    for at, (item, proposal) in enumerate(zip(found, proposals, strict=True)):
        if item is None:
            results.append(_without_item(echo, lines[at], proposal))
            continue
        last = item.id not in staying and item not in found[at + 1 :]
        results.append(_route(echo, item, batch.attempt(proposal), last=last, apply=apply))
        if not results[-1]["ok"]:
            staying.add(item.id)
    return success(
        "triage",
        action="applied" if apply else "preview",
        results=results,
        filed=sum(1 for result in results if result["ok"]),
        remaining=len(inbox_items(echo)),
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


def _waiting_for(echo: Memory, waiting: Sequence[Item], line: str) -> Item | None:
    """The item that a proposal is for; None when it has been filed, or there is none.

    Of items with the same words the first is as good as the third: once some are filed, those that
    are left have other ids than they had when they were listed.
    """
    item = inbox.find(waiting, line)
    if item is None and _filed(echo, line) is None:
        same = [each for each in waiting if _hash(each.id) == _hash(line)]
        return replace(same[0], id=line) if same else None
    if item is not None and _alike(waiting, item) < (_filed(echo, item.id) or 0):
        return None
    return item


def _hash(item_id: str) -> str:
    return item_id.partition("-")[0]


def _alike(waiting: Sequence[Item], item: Item) -> int:
    return sum(1 for each in waiting if each.line == item.line)


def _route(echo: Memory, item: Item, result: Fields, *, last: bool, apply: bool) -> Fields:
    """After a capture: write its audit, and take out the item when it was the item's last."""
    if not (apply and result["ok"]):
        return result
    try:
        _audit(echo, item, str(result["path"]))
        if last:
            _remove(echo, item)
    except VaultUnreachable:
        raise
    except EchoError as error:
        return {**result, "ok": False, "error": error.as_dict()}
    return result


def _without_item(echo: Memory, line: str, proposal: Proposal) -> Fields:
    """What becomes of a proposal whose item is not waiting: nothing, if it has been filed."""
    message = "No such item is in the inbox. List it again."
    if _filed(echo, line) is not None:
        planned = writing.attempt(echo, proposal, apply=False)
        if planned.get("action") == "unchanged":
            return {key: value for key, value in planned.items() if key not in _ONLY_PLANNED}
        message = "The item was filed before, into another note. Capture this one by itself."
    missing = NotFound(message, path=line[:80])
    return {"title": proposal.title, "ok": False, "error": missing.as_dict()}


def _filed(echo: Memory, reference: str) -> int | None:
    note = echo.catalog.get(_log_path(echo))
    return processing_log.filed(note.text, reference) if note else None


def _log_path(echo: Memory) -> str:
    return routing.table().fixed["processing-log"].path_for("", date=echo.today().isoformat())


def _audit(echo: Memory, item: Item, path: str) -> None:
    """Keep the item's own words, where it went, and its id, in the day's processing log."""
    day = echo.today().isoformat()
    note = echo.catalog.get(path)
    target = echo.catalog.link_to(note.entity()) if note else path
    entry = processing_log.entry(item, target, alike=_alike(inbox_items(echo), item))

    def change(text: str | None) -> str:
        kind = routing.table().fixed["processing-log"]
        before = draft.fixed(kind, title=f"Triage of {day}") if text is None else text
        return before if entry in before else sections.append_lines(before, entry)

    echo.edit(_log_path(echo), change)


def _remove(echo: Memory, item: Item) -> None:
    path = routing.table().fixed["inbox"].path
    echo.edit(path, lambda text: inbox.remove(text or "", item.id))
