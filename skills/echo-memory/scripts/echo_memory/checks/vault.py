"""Vault checks: what is odd only when notes are seen together."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta

from echo_memory import inbox, routing
from echo_memory.checks.survey import Finding, Survey
from echo_memory.text import file_key, fold

ORPHAN_DAYS = 30
INBOX_DAYS = 7

_SHOWN = 3
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

# What only a sync tool writes into a name: Dropbox, Nextcloud, Syncthing, ownCloud, pCloud,
# Obsidian Sync; and what people write, too, unless the original is beside it (iCloud, Drive).
_COPY = re.compile(
    r"conflicted copy|\.sync-conflict-\d{8}|_conflict-\d{8}|[\[(]conflicted[\])]"
    r"|\((?:case|selective sync|unicode encoding) conflict|\([^()]*\bconflict [^()]*\d{4}-?\d\d",
    re.IGNORECASE,
)
_COPY_OF = re.compile(
    r"(.+?)(?: \d{1,2}| \(\d{1,2}\)| \([^()]*\bconflict\b[^()]*\))", re.IGNORECASE
)


def unreadable(survey: Survey) -> Iterator[Finding]:
    """Notes that are there and cannot be read."""
    yield from survey.unreadable.items()


def conflict_copies(survey: Survey) -> Iterator[Finding]:
    """Second versions of a note that a sync tool put beside it."""
    known = {file_key(path) for path in survey.cards}
    for path, card in survey.cards.items():
        beside = _COPY_OF.fullmatch(card.id)
        folder = path.rpartition("/")[0]
        original = f"{folder}/{beside[1]}.md".lstrip("/") if beside else ""
        if beside and file_key(original) in known:
            yield path, f"It looks like a sync tool's copy of {original}."
        elif _COPY.search(card.id):
            yield path, "It looks like a sync tool's copy of another note."


def duplicate_names(survey: Survey) -> Iterator[Finding]:
    """Entities that share an id, a title or an alias, folded."""
    bearers: dict[str, dict[str, str]] = defaultdict(dict)
    for path, card in survey.entities:
        title, *aliases = card.names
        for name in (card.id, *aliases, title):
            bearers[fold(name)][path] = name
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for paths in bearers.values():
        if len(paths) > 1:
            shared[tuple(paths)].append(next(iter(paths.values())))
    for (first, *others), names in shared.items():
        yield first, f"{_some(sorted(names))} is also a name of {_some(others)}."


def same_file_names(survey: Survey) -> Iterator[Finding]:
    """Notes of one file name in several folders."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for path, card in survey.cards.items():
        if not card.is_background:
            by_name[file_key(card.id)].append(path)
    for first, *others in by_name.values():
        if others:
            yield first, f"{_some(others)} has the same file name."


def stale_index_entries(survey: Survey) -> Iterator[Finding]:
    """Entries of the shared index whose note moved, is gone, or is no entity any more."""
    path = routing.table().files["entities"]
    if survey.index is None:
        return
    try:
        index = json.loads(survey.index)
    except (ValueError, RecursionError):
        index = None
    if not isinstance(index, dict):
        yield path, "It is not a JSON object."
        return
    entities = {path for path, _ in survey.entities}
    for slug, entry in index.items():
        target = entry.get("path") if isinstance(entry, dict) else None
        if not isinstance(target, str) or target not in entities:
            yield path, f"{slug}: {target} is no entity's note."


def orphans(survey: Survey) -> Iterator[Finding]:
    """Entities that are older than 30 days and that no note links to."""
    limit = (survey.today - timedelta(days=ORPHAN_DAYS)).isoformat()
    for path, card in survey.entities:
        created = card.created
        if path not in survey.linked and created < limit and _DAY.fullmatch(created):
            yield path, f"No note links to it since it was created on {created}."


def aging_inbox(survey: Survey) -> Iterator[Finding]:
    """An inbox in which something waits for more than 7 days."""
    note = survey.read(routing.table().fixed["inbox"].path)
    waiting = inbox.items(note.text, survey.today) if note else []
    ages = [item.age_days for item in waiting if item.age_days and item.age_days > INBOX_DAYS]
    if note and ages:
        items = "1 item waits" if len(ages) == 1 else f"{len(ages)} items wait"
        yield note.path, f"{items} for more than {INBOX_DAYS} days, the oldest for {max(ages)}."


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = len(every) - _SHOWN
    return ", ".join(every[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
