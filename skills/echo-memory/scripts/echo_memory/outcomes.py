"""The outcomes: what became of proposals and of a session, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from echo_memory.envelope import GATED
from echo_memory.faults import fault
from echo_memory.hits import candidates
from echo_memory.lines import indented, one_line

_Fields = Mapping[str, Any]

# By whether it was applied: the stamps of a preview are those from before.
_STEP_FACTS = {
    True: ("line", "scope", "scope_updated", "completed_at"),
    False: ("line", "scope"),
}


def captured(fields: _Fields) -> str:
    """What became of one proposal."""
    if "error" in fields:
        return fault(fields["error"])
    if fields["action"] == GATED:
        return "\n".join(_gate(fields))
    lines = [f"{'would be ' if fields.get('dry_run') else ''}{fields['action']}: {fields['path']}"]
    lines += _linked(fields)
    if fields.get("alias_added"):
        alias = one_line(fields["alias_added"])
        lines.append(f'Alias added: "{alias}"; the note is found and linked by it from now on.')
    if fields.get("near_duplicates"):
        lines += ["Similar names:", *candidates(fields["near_duplicates"])]
    if fields.get("would_write"):
        lines += ["It would write:", indented(fields["would_write"])]
    return "\n".join(lines)


def _gate(fields: _Fields) -> list[str]:
    ways = "Answer with merge_into (--merge-into) and a slug to add to one of them"
    if "force" in fields["resolutions"]:
        ways += ", or with force (--force) to make a new note once the operator has confirmed"
    else:
        ways += ", or give the new note a title that tells them apart"
    return [
        f"{GATED}: nothing was written, for this may be a note that exists.",
        *candidates(fields["candidates"]),
        f"{ways}. Do not retry unchanged.",
    ]


def _linked(fields: _Fields) -> list[str]:
    links = [f"{one_line(link['text'])} → {link['slug']}" for link in fields.get("links_added", ())]
    return [f"Linked: {'; '.join(links)}"] if links else []


def results(envelope: _Fields) -> str:
    """Several proposals, one after the other."""
    applied = envelope["action"] == "applied"
    head = "" if applied else "Preview; nothing was written. "
    lines = [f"{head}{_filed(envelope, applied=applied)}", *_each(envelope["results"])]
    if "remaining" in envelope:
        lines.append(f"Left in the inbox: {envelope['remaining']}.")
    return "\n".join(lines)


def _filed(fields: _Fields, *, applied: bool) -> str:
    return f"{fields['filed']} of {len(fields['results'])} {'' if applied else 'would be '}filed."


def _each(results: Sequence[_Fields]) -> list[str]:
    """What became of each proposal, its warnings with it."""
    lines = []
    for result in results:
        warnings = [f"Warning: {warning}" for warning in result.get("warnings", ())]
        lines += [f"- {result['title']}", indented("\n".join([captured(result), *warnings]))]
    return lines


def session(envelope: _Fields) -> str:
    """A session's steps, each with what it wrote or would write."""
    applied = envelope["action"] == "applied"
    lines = [f"{'Applied' if applied else 'Preview, nothing was written'}: {envelope['path']}"]
    if "error" in envelope:
        lines.insert(0, fault(envelope["error"]))
    for step in envelope["steps"]:
        state = step.get("action") or ("done" if step["ok"] else "failed")
        if "filed" in step:
            state = _filed(step, applied=applied).rstrip(".")
        facts = [state, *(step[key] for key in _STEP_FACTS[applied] if step.get(key))]
        lines.append(f"- {step['step']}: {', '.join(facts)}")
        below = [*_linked(step), *_each(step.get("results", ())), step.get("would_write", "")]
        lines += map(indented, filter(None, below))
    return "\n".join(lines)
