"""The report: an envelope in words, for a person and for a model that sees only text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from echo_memory.envelope import LOCKED
from echo_memory.faults import fault, offline, queued
from echo_memory.hits import candidates, nothing_found, recalled
from echo_memory.lines import indented, one_line
from echo_memory.outcomes import captured, results, session
from echo_memory.past import history, restored, rollup
from echo_memory.waiting import outbox

MAX_CHARS = 8_000

_Fields = Mapping[str, Any]


def text_of(envelope: _Fields) -> str:
    """The whole answer in words.

    The first line of an error holds its code, what it is about and what to do. What is cut at
    `MAX_CHARS` says so; recall, load and get keep budgets of their own.
    """
    if "error" in envelope and not envelope.get("steps"):
        return _clipped(fault(envelope["error"]))
    if envelope.get("queued"):
        return queued(envelope)
    words = _WORDS.get(str(envelope["op"]), _plain)(envelope)
    notice = [offline(envelope)] if envelope.get("offline") else []
    warnings = [f"Warning: {warning}" for warning in envelope.get("warnings", ())]
    text = "\n".join([*notice, words, *warnings])
    return text if envelope["op"] in _BUDGETED else _clipped(text)


def _clipped(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    note = "\n… cut here; ask for less at a time to see the rest."
    return text[: MAX_CHARS - len(note)] + note


def _recall(envelope: _Fields) -> str:
    if envelope["primary"] or envelope["omitted"]:
        return recalled(envelope["primary"], envelope["linked"], envelope["omitted"])
    return nothing_found(envelope["nearest"], envelope["inbox"])


def _resolve(envelope: _Fields) -> str:
    match = envelope["match"]
    if match:
        also = f", also {'; '.join(map(one_line, match['aliases']))}" if match["aliases"] else ""
        named = f"{one_line(match['title'])} ({match['kind']}{also})"
        return f"{named} · {match['slug']} · {match['path']}"
    return "\n".join(
        [
            "No single entity has that name."
            f" A new note's slug would be {envelope['suggest_slug']}.",
            *candidates(envelope["candidates"]),
        ]
    )


def _triage(envelope: _Fields) -> str:
    if "results" in envelope:
        return results(envelope)
    lines = []
    for item in envelope["items"]:
        age = "" if item["age_days"] is None else f" ({item['age_days']} days)"
        kind = f" → {item['suggested_kind']}?" if item["suggested_kind"] else ""
        first, *rest = f"{item['line']}{age}{kind}".split("\n")
        lines += [f"- [{item['id']}] {first}", *map(indented, rest)]
    if envelope.get("omitted"):
        lines.append(f"… and {envelope['omitted']} more; file these, and list the inbox again.")
    return "\n".join(lines or ["The inbox is empty."])


def _note(envelope: _Fields) -> str:
    facts = [
        f"{one_line(key)}: {_value(value)}"
        for key, value in envelope["frontmatter"].items()
        if value not in (None, "", [])
    ]
    lines = [envelope["path"], *facts, "", envelope["content"]]
    if envelope.get("truncated"):
        lines.append(
            f"[… {envelope['total_chars']} characters in all; ask for a section (--section) or a"
            " larger max_chars (--max-chars)]"
        )
        lines.append(f"Headings: {'; '.join(envelope['headings'])}")
    return "\n".join(lines)


def _value(value: object) -> str:
    """A frontmatter value on one line: text as it is, a list of texts with commas, else JSON."""
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(_value, value))
    plain = isinstance(value, str) and "\n" not in value
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


def _scope(envelope: _Fields) -> str:
    if not envelope["scope"]:
        return "No scope is set yet."
    action = f"{envelope['action']}: " if "action" in envelope else ""
    facts = [f"set {envelope['scope_updated']}"] if envelope["scope_updated"] else []
    if "sessions_since" in envelope:
        facts.append(f"{envelope['sessions_since']} sessions since")
    return f"{action}{envelope['scope']} ({'; '.join(facts)})"


def _link(envelope: _Fields) -> str:
    return "\n".join(
        f"{envelope[side]}: {'linked' if envelope[f'{side}_changed'] else 'was linked already'}"
        for side in ("a", "b")
    )


def _changed(envelope: _Fields) -> str:
    return f"{envelope['action']}: {envelope['path']}"


def _deleted(envelope: _Fields) -> str:
    count, some = envelope["links_broken"], envelope["linked_from"]
    lines = [f"moved to {envelope['trashed_to']}: {envelope['path']}"]
    if count:
        notes = "1 note links to it" if count == 1 else f"{count} notes link to it"
        more = f" and {count - len(some)} more" if count > len(some) else ""
        lines.append(f"Broken links: {notes}: {'; '.join(some)}{more}")
    return "\n".join(lines)


def _load(envelope: _Fields) -> str:
    sections = envelope["sections"]
    lines = [
        f"{label}:\n{sections[key]}" if "\n" in sections[key] else f"{label}: {sections[key]}"
        for key, label in _SECTIONS.items()
        if sections[key]
    ]
    oldest = sections["inbox_oldest_days"]
    age = f", the oldest {oldest} days old" if oldest else ""
    count = sections["inbox_count"]
    lines.append(f"Inbox: {count} item{'' if count == 1 else 's'}{age}")
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


def _sweep(envelope: _Fields) -> str:
    state = "written into the health note" if envelope["recorded"] else "in the health note already"
    total = sum(envelope["counts"].values())
    first = (
        f"{envelope['notes']} notes, {envelope['entities']} entities; {total} findings,"
        f" {envelope['new']} of them new, {state}."
    )
    return "\n".join([first, *_violations(envelope)])


def _decay(envelope: _Fields) -> str:
    lines = [
        f"- {each['path']} ({each['kind']}, {each['untouched_days']} days): {each['proposal']}"
        for each in envelope["proposals"]
    ]
    lines += [f"… and {envelope['omitted']} more."] if envelope["omitted"] else []
    return "\n".join(lines or ["Nothing has aged."])


def _migrate(envelope: _Fields) -> str:
    versions = f"schema {envelope['from_version']} to {envelope['to_version']}"
    lines = [f"{envelope['action']}: {versions}", *(f"- {it}" for it in envelope["changes"])]
    lines += ["Nothing is written yet; --apply does it."] if envelope["action"] == "preview" else []
    return "\n".join(lines)


def _bootstrap(envelope: _Fields) -> str:
    created, kept = ([f"- {path}" for path in envelope[key]] for key in ("created", "kept"))
    lines = ["Created:", *created] if created else ["The vault was complete; nothing was written."]
    return "\n".join([*lines, *(["Kept as they were:", *kept] if kept else [])])


def _lock(envelope: _Fields) -> str:
    if envelope["action"] == LOCKED:
        return _lock_held(envelope)
    if envelope["op"] == "unlock":
        return f"{envelope['action']}: the vault's lock is free."
    return (
        f"{envelope['action']}: {one_line(envelope['holder'])} has the vault's lock until"
        f" {envelope['expires']}, for {envelope['expires_in_s']} s. `unlock` gives it back."
    )


def _lock_held(envelope: _Fields) -> str:
    return (
        f"{LOCKED}: {one_line(envelope['holder'])} has the vault's lock, for"
        f" {envelope['expires_in_s']} s more. Try again then; `unlock --force` frees a lock whose"
        " holder is gone."
    )


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
    "decay": _decay,
    "delete": _deleted,
    "doctor": _health,
    "health": _health,
    "lint": _lint,
    "load": _load,
    "lock": _lock,
    "capture": captured,
    "get": _note,
    "history": history,
    "link": _link,
    "outbox": outbox,
    "migrate": _migrate,
    "patch": _changed,
    "put": _changed,
    "recall": _recall,
    "reflect": results,
    "resolve": _resolve,
    "restore": restored,
    "rollup": rollup,
    "scope": _scope,
    "session-end": session,
    "sweep": _sweep,
    "triage": _triage,
    "unlock": _lock,
}
