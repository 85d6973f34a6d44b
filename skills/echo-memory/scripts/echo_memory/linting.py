"""Linting: the table of what is odd in a vault, and how much of it one answer shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from typing import Any

from echo_memory import routing
from echo_memory.checks import notes as note_checks
from echo_memory.checks import vault as vault_checks
from echo_memory.checks.links import LinkChecks
from echo_memory.checks.survey import Card, Finding, Seen, Survey
from echo_memory.errors import NotFound, VaultIO
from echo_memory.memory import Memory

MAX_DETAIL = 200
MAX_CHARS = 6_000


@dataclass(frozen=True)
class Violation:
    """Something odd: the check that found it, where it is, what it is, and what to do."""

    check: str
    path: str
    detail: str
    fix: str


@dataclass(frozen=True)
class Check:
    """One kind of oddity.

    Attributes:
        name: what violations call it.
        find: yields what is odd about a note, in any order; repeats are one.
        fix: what to do about it.
    """

    name: str
    find: Callable[[Seen], Iterable[str]]
    fix: str


@dataclass(frozen=True)
class VaultCheck:
    """One kind of oddity that only shows when all notes have been looked at.

    Attributes:
        name: what violations call it.
        find: yields each, in any order; repeats are one.
        fix: what to do about it.
    """

    name: str
    find: Callable[[Survey], Iterable[Finding]]
    fix: str


def checks() -> tuple[Check | VaultCheck, ...]:
    """All checks, in the order in which their violations are shown; good for one survey."""
    links = LinkChecks()
    return (
        VaultCheck(
            "unreadable-note",
            vault_checks.unreadable,
            "Let this user read the file; divide it if it is too large.",
        ),
        Check(
            "unparseable-frontmatter",
            note_checks.unparseable_frontmatter,
            "Correct the YAML by hand; until then nothing changes this note's frontmatter.",
        ),
        VaultCheck(
            "conflict-copy",
            vault_checks.conflict_copies,
            "Move what only the copy has into the original, then delete the copy.",
        ),
        Check(
            "broken-link",
            links.broken,
            "Correct the name, create the note, or take the brackets away.",
        ),
        Check(
            "ambiguous-link",
            links.ambiguous,
            "Write the whole path in the link, or rename all but one of the notes.",
        ),
        Check(
            "missing-anchor",
            links.without_anchor,
            "Point the link at a heading or block that the note has.",
        ),
        Check(
            "missing-key",
            note_checks.missing_keys,
            "Add the key to the frontmatter.",
        ),
        Check(
            "missing-section",
            note_checks.missing_sections,
            "Add the heading, with what belongs under it.",
        ),
        Check(
            "kind-and-folder",
            note_checks.kind_out_of_place,
            "Correct `type` in the frontmatter, or move the note where its kind belongs.",
        ),
        VaultCheck(
            "duplicate-name",
            vault_checks.duplicate_names,
            "Merge the notes, or give one of them another title or alias.",
        ),
        VaultCheck(
            "same-file-name",
            vault_checks.same_file_names,
            "Rename all but one: a link by name cannot tell them apart.",
        ),
        VaultCheck(
            "stale-index",
            vault_checks.stale_index_entries,
            "Run `reindex`; the next capture does it as well.",
        ),
        VaultCheck(
            "orphan-entity",
            vault_checks.orphans,
            "Link it from a note that has to do with it, or archive it.",
        ),
        VaultCheck(
            "aging-inbox",
            vault_checks.aging_inbox,
            "Triage the inbox: file what matters, delete the rest.",
        ),
        Check(
            "large-note",
            note_checks.large_note,
            "Divide it, so that recall and reading stay sharp.",
        ),
        Check(
            "future-date",
            note_checks.future_dates,
            "Correct the date.",
        ),
        Check(
            "unaddressable-heading",
            note_checks.unaddressable_headings,
            "Give the heading a text of its own, so that a patch can name it.",
        ),
    )


def lint(echo: Memory) -> list[Violation]:
    """All violations of a vault whose catalogue is fresh.

    The checks are in the order of their table, each by path and detail. Notes are read one by one,
    and no two are held at a time.
    """
    survey, table = _survey(echo), checks()
    found: dict[str, set[Finding]] = {check.name: set() for check in table}
    for path in survey.cards:
        echo.breathe()
        note = survey.read(path)
        if note is None:
            continue
        seen = Seen(note, survey)
        survey.linked.update(to for tie in seen.ties for to in tie.paths if to != path)
        for check in table:
            if isinstance(check, Check):
                found[check.name].update((path, _bounded(each)) for each in check.find(seen))
    for check in table:
        if isinstance(check, VaultCheck):
            found[check.name].update((path, _bounded(each)) for path, each in check.find(survey))
    return [
        Violation(check.name, path, detail, check.fix)
        for check in table
        for path, detail in sorted(found.pop(check.name))
    ]


def _survey(echo: Memory) -> Survey:
    """The vault as its catalogue knows it, and what of it could not be read."""
    cards, unreadable = {}, {}
    for note in echo.catalog.notes():
        echo.breathe()
        cards[note.path] = Card.of(note)
    for path in echo.vault.stamps().keys() - cards.keys():
        try:
            echo.vault.read(path)
        except VaultIO as error:
            unreadable[path] = error.message
        except NotFound:
            continue
    try:
        index = echo.vault.read(routing.table().files["entities"])
    except NotFound:
        index = None
    return Survey(
        cards=dict(sorted(cards.items())),
        read=echo.catalog.get,
        today=echo.today(),
        unreadable=unreadable,
        index=index,
        linked=set(),
    )


def report(echo: Memory) -> dict[str, Any]:
    """Lint a vault whose catalogue is fresh; returns a summary."""
    return summary(lint(echo))


def summary(found: Sequence[Violation]) -> dict[str, Any]:
    """What an answer shows of violations.

    Returns:
        `violations`, `counts` of all there are by check, and `truncated: true` when there are more
        than shown.
    """
    counts: dict[str, int] = defaultdict(int)
    for violation in found:
        counts[violation.check] += 1
    shown = _shown(found)
    fields: dict[str, Any] = {
        "violations": [asdict(each) for each in shown],
        "counts": dict(counts),
    }
    return fields if len(shown) == len(found) else {**fields, "truncated": True}


def _shown(found: Sequence[Violation]) -> list[Violation]:
    """As many as the budget holds, some of each check before many of one."""
    by_check: dict[str, list[Violation]] = defaultdict(list)
    for violation in found:
        by_check[violation.check].append(violation)
    kept, budget = set(), MAX_CHARS
    for violation in filter(None, chain.from_iterable(zip_longest(*by_check.values()))):
        budget -= sum(map(len, asdict(violation).values()))
        if budget < 0:
            break
        kept.add(violation)
    return [violation for violation in found if violation in kept]


def _bounded(detail: str) -> str:
    words = " ".join(detail.split())
    return words if len(words) <= MAX_DETAIL else f"{words[: MAX_DETAIL - 1]}…"
