"""The report: an envelope in words, for a person at a terminal and for a model that sees only text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MAX_CHARS = 8_000

_Fields = Mapping[str, Any]


def text_of(envelope: _Fields) -> str:
    """The whole answer in words.

    The first line of an error holds its code, what it is about and what to do. What is cut at
    `MAX_CHARS` says so; recall, load and get keep budgets of their own.
    """
    if "error" in envelope and not envelope.get("steps"):
        return _clipped(_error(envelope["error"]))
    words = _WORDS.get(str(envelope["op"]), _plain)(envelope)
    warnings = [f"Warning: {warning}" for warning in envelope.get("warnings", ())]
    text = "\n".join([words, *warnings])
    return text if envelope["op"] in _BUDGETED else _clipped(text)


def _clipped(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    note = "\n… cut here; ask for less at a time to see the rest."
    return text[: MAX_CHARS - len(note)] + note


def _error(error: _Fields) -> str:
    about = error.get("field") or error.get("path")
    first = f"{error['code']}{f' ({about})' if about else ''}: {error['message']}"
    lists = [
        f"{label}: {'; '.join(map(_name, error[key]))}"
        for key, label in _ERROR_LISTS.items()
        if error.get(key)
    ]
    return "\n".join([first, *lists])


_ERROR_LISTS = {
    "did_you_mean": "Did you mean",
    "headings": "Headings there are",
    "blocks": "Blocks there are",
    "keys": "Keys there are",
    "paths": "Paths",
    "candidates": "Candidates",
    "choices": "Accepted",
    "faults": "Faults",
}


def _name(value: object) -> str:
    """One entry of a list in an error; an entity by its id and path."""
    return f"{value['slug']} ({value['path']})" if isinstance(value, Mapping) else str(value)


def hit(entry: _Fields) -> str:
    """One note that recall found: a line with its coordinates, then the passage."""
    facts = [entry[key] for key in ("type", "status") if entry.get(key)]
    if entry.get("updated"):
        facts.append(f"updated {entry['updated']}")
    head = f"- {entry['title']} · {entry['path']}"
    if facts:
        head += f" ({', '.join(facts)})"
    if not entry["excerpt"]:
        return head
    return f"{head}\n{_indented(entry['excerpt'])}{' […]' if entry['truncated'] else ''}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.split("\n"))


def recalled(primary: Sequence[_Fields], linked: Sequence[_Fields], omitted: int) -> str:
    """The notes that recall found, as they stand in its answer."""
    lines = [hit(entry) for entry in primary]
    if linked:
        lines += ["Linked:", *(hit(entry) for entry in linked)]
    if omitted:
        lines.append(f"({omitted} more did not fit the budget)")
    return "\n".join(lines)


def nothing_found(nearest: Sequence[_Fields]) -> str:
    """What recall says when nothing matches."""
    names = "; ".join(f"{entry['title']} ({entry['path']})" for entry in nearest)
    return f"Nothing found.{f' Nearest names: {names}' if names else ''}"


def _recall(envelope: _Fields) -> str:
    if not envelope["primary"]:
        return nothing_found(envelope["nearest"])
    return recalled(envelope["primary"], envelope["linked"], envelope["omitted"])


def _resolve(envelope: _Fields) -> str:
    match = envelope["match"]
    if match:
        also = f", also {', '.join(match['aliases'])}" if match["aliases"] else ""
        return f"{match['title']} ({match['kind']}{also}) · {match['slug']} · {match['path']}"
    return "\n".join(
        [
            "No single entity has that name."
            f" A new note's slug would be {envelope['suggest_slug']}.",
            *_candidates(envelope["candidates"]),
        ]
    )


def _candidates(candidates: Sequence[_Fields]) -> list[str]:
    return [
        f"- {entry['slug']}: {entry['title']} ({entry['kind']}, {entry['why']},"
        f" {entry['score']:.2f}) · {entry['path']}"
        for entry in candidates
    ]


def _captured(fields: _Fields) -> str:
    """What became of one proposal."""
    if "error" in fields:
        return _error(fields["error"])
    if fields["action"] == "duplicate-gate":
        return "\n".join(
            [
                "duplicate-gate: nothing was written, for this may be a note that exists.",
                *_candidates(fields["candidates"]),
                "Answer with merge_into=<slug> to add to one of them, or with force=true to make a"
                " new note once the operator has confirmed. Do not retry unchanged.",
            ]
        )
    lines = [f"{'would be ' if fields.get('dry_run') else ''}{fields['action']}: {fields['path']}"]
    if fields.get("links_added"):
        linked = "; ".join(f"{link['text']} → {link['slug']}" for link in fields["links_added"])
        lines.append(f"Linked: {linked}")
    if fields.get("near_duplicates"):
        lines += ["Similar names:", *_candidates(fields["near_duplicates"])]
    if fields.get("would_write"):
        lines += ["It would write:", _indented(fields["would_write"])]
    return "\n".join(lines)


def _results(envelope: _Fields) -> str:
    """Several proposals, one after the other."""
    head = "Applied." if envelope["action"] == "applied" else "Preview; nothing was written."
    lines = [head]
    for result in envelope["results"]:
        lines += [f"- {result['title']}", _indented(_captured(result)), *_warned(result)]
    if "remaining" in envelope:
        lines.append(f"Left in the inbox: {envelope['remaining']}.")
    return "\n".join(lines)


def _warned(result: _Fields) -> list[str]:
    return [f"  Warning: {warning}" for warning in result.get("warnings", ())]


def _triage(envelope: _Fields) -> str:
    if "results" in envelope:
        return _results(envelope)
    if not envelope["items"]:
        return "The inbox is empty."
    return "\n".join(
        f"- [{item['id']}] {item['line']}"
        + (f" ({item['age_days']} days)" if item["age_days"] is not None else "")
        + (f" → {item['suggested_kind']}?" if item["suggested_kind"] else "")
        for item in envelope["items"]
    )


def _session(envelope: _Fields) -> str:
    head = "Applied" if envelope["action"] == "applied" else "Preview, nothing was written"
    lines = [f"{head}: {envelope['path']}"]
    if "error" in envelope:
        lines.insert(0, _error(envelope["error"]))
    for step in envelope["steps"]:
        state = step.get("action") or ("done" if step["ok"] else "failed")
        lines.append(f"- {step['step']}: {state}")
        for result in step.get("results", ()):
            lines += [f"  - {result['title']}", _indented(_indented(_captured(result)))]
    return "\n".join(lines)


def _note(envelope: _Fields) -> str:
    facts = [
        f"{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in envelope["frontmatter"].items()
        if value not in (None, "", [])
    ]
    lines = [envelope["path"], *facts, "", envelope["content"]]
    if envelope.get("truncated"):
        lines.append(
            f"[… {envelope['total_chars']} characters in all; ask for a section or a larger"
            " max_chars]"
        )
        lines.append(f"Headings: {'; '.join(envelope['headings'])}")
    return "\n".join(lines)


def _scope(envelope: _Fields) -> str:
    if "sessions_since" not in envelope:
        return f"{envelope['action']}: {envelope['scope']}"
    if not envelope["scope"]:
        return "No scope is set."
    since = envelope["sessions_since"]
    return f"{envelope['scope']} (set {envelope['scope_updated']}; {since} sessions since)"


def _link(envelope: _Fields) -> str:
    return "\n".join(
        f"{envelope[side]}: {'linked' if envelope[f'{side}_changed'] else 'was linked already'}"
        for side in ("a", "b")
    )


def _changed(envelope: _Fields) -> str:
    return f"{envelope['action']}: {envelope['path']}"


def _load(envelope: _Fields) -> str:
    sections = envelope["sections"]
    lines = [
        f"{label}:\n{sections[key]}" if "\n" in sections[key] else f"{label}: {sections[key]}"
        for key, label in _SECTIONS.items()
        if sections[key]
    ]
    oldest = sections["inbox_oldest_days"]
    age = f", the oldest {oldest} days old" if oldest else ""
    lines.append(f"Inbox: {sections['inbox_count']} items{age}")
    return "\n".join([*lines, sections["inbox"]]).rstrip()


_SECTIONS = {
    "marker": "Vault",
    "scope": "Scope",
    "preferences": "Preferences",
    "last_session": "Last session",
    "today": "Today",
}


def _health(envelope: _Fields) -> str:
    state = "Everything is in order." if envelope["healthy"] else "Something needs attention."
    lines = [state]
    for check in envelope["checks"]:
        mark = "ok" if check["ok"] else "FAULT"
        lines.append(f"- {check['check']}: {mark}, {check['detail']}")
        lines += [f"  Fix: {check['fix']}"] if check["fix"] else []
    return "\n".join(lines if envelope["op"] == "doctor" else [*lines, *_violations(envelope)])


def _lint(envelope: _Fields) -> str:
    return "\n".join(_violations(envelope) or ["Nothing is odd in the notes."])


def _violations(envelope: _Fields) -> list[str]:
    """What lint found, the fix said once for each check."""
    lines: list[str] = []
    said = ""
    for found in envelope["violations"]:
        if found["check"] != said:
            said = found["check"]
            lines.append(f"{said} ({envelope['counts'][said]}). {found['fix']}")
        lines.append(f"- {found['path']}: {found['detail']}")
    if envelope.get("truncated"):
        lines.append("… more were found; mend these and look again.")
    return lines


def _bootstrap(envelope: _Fields) -> str:
    if not envelope["created"]:
        return "The vault was complete; nothing was written."
    return "\n".join(["Created:", *(f"- {path}" for path in envelope["created"])])


def _plain(envelope: _Fields) -> str:
    """Any other answer: its fields, one a line."""
    return "\n".join(
        f"{key}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in envelope.items()
        if key not in ("ok", "op", "warnings")
    )


_BUDGETED = {"recall", "load", "get"}
_WORDS: dict[str, Callable[[_Fields], str]] = {
    "append": _changed,
    "bootstrap": _bootstrap,
    "doctor": _health,
    "health": _health,
    "lint": _lint,
    "load": _load,
    "capture": _captured,
    "get": _note,
    "link": _link,
    "patch": _changed,
    "put": _changed,
    "recall": _recall,
    "reflect": _results,
    "resolve": _resolve,
    "scope": _scope,
    "session-end": _session,
    "triage": _triage,
}
