"""The commands that look things up."""

from __future__ import annotations

import argparse

from echo_memory.commands.command import REFERENCE, Command, Values, no_arguments
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.ops import health, history, lint, load, note, recall, resolve, rollup, scope


def _declare_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="the notes whole, not a digest")
    parser.add_argument("--budget-chars", type=int, help="characters that the answer may have")


def _load(echo: Memory, values: Values) -> Envelope:
    budget = {} if values.budget_chars is None else {"budget_chars": values.budget_chars}
    return load.load_op(echo, brief=not values.full, **budget)


def _declare_recall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", help="a question, or words")
    parser.add_argument(
        "--limit", type=int, default=recall.DEFAULT_LIMIT, help=f"notes, 1 to {recall.MAX_LIMIT}"
    )
    parser.add_argument("--no-linked", action="store_true", help="leave out the linked notes")
    parser.add_argument(
        "--budget-chars",
        type=int,
        default=recall.DEFAULT_BUDGET,
        help=f"characters of the answer, {recall.MIN_BUDGET} to {recall.MAX_BUDGET}",
    )


def _recall(echo: Memory, values: Values) -> Envelope:
    return recall.recall_op(
        echo,
        " ".join(values.query),
        limit=values.limit,
        include_linked=not values.no_linked,
        budget_chars=values.budget_chars,
    )


def _declare_resolve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mention", nargs="+", help="a name")


def _declare_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help=REFERENCE)
    parser.add_argument("--section", default="", help="only this heading's section")
    parser.add_argument(
        "--max-chars",
        type=int,
        default=note.DEFAULT_CHARS,
        help=f"characters of the content, {note.MIN_CHARS} to {note.MAX_CHARS}",
    )


def _get(echo: Memory, values: Values) -> Envelope:
    return note.get_note_op(echo, values.path, section=values.section, max_chars=values.max_chars)


def _declare_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("show", "set"), default="show")
    parser.add_argument("scope", nargs="*", help="for set: one line")


def _scope(echo: Memory, values: Values) -> Envelope:
    if values.action == "set":
        return scope.scope_set_op(echo, " ".join(values.scope))
    if values.scope:
        raise BadRequest('scope is only for set. Say `scope set "…"`.', field="scope")
    return scope.scope_show_op(echo)


def _declare_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help=f"{REFERENCE}; also of a note that was deleted")


def _declare_rollup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("period", choices=rollup.PERIODS)
    parser.add_argument("--date", default="", help="any day of it, YYYY-MM-DD; today by default")


COMMANDS = (
    Command("load", "where things stand: start here", _declare_load, _load, ("load",)),
    Command(
        "recall",
        "find what is remembered about something",
        _declare_recall,
        _recall,
        ('recall "who wrote the first program"', "recall 'budget last week' --limit 3"),
    ),
    Command(
        "resolve",
        "which note a name means",
        _declare_resolve,
        lambda echo, values: resolve.resolve_op(echo, " ".join(values.mention)),
        ("resolve Ada",),
    ),
    Command(
        "get",
        "read a note, or a section of it",
        _declare_get,
        _get,
        ("get ada-lovelace", "get projects/active/engine.md --section Status"),
    ),
    Command(
        "scope",
        "show or set what is being worked on",
        _declare_scope,
        _scope,
        ("scope", 'scope set "Rebuild the engine"'),
    ),
    Command(
        "history",
        "the earlier texts of a note",
        _declare_history,
        lambda echo, values: history.history_op(echo, values.path),
        ("history engine", "history resources/people/ada-lovelace.md"),
    ),
    Command(
        "rollup",
        "what a week or a month held",
        _declare_rollup,
        lambda echo, values: rollup.rollup_op(echo, values.period, date=values.date),
        ("rollup week", "rollup month --date 2026-02-01"),
    ),
    Command(
        "doctor",
        "is everything in order?",
        no_arguments,
        lambda echo, _: health.doctor_op(echo),
        ("doctor",),
    ),
    Command(
        "lint",
        "what is odd in the notes?",
        no_arguments,
        lambda echo, _: lint.lint_op(echo),
        ("lint",),
    ),
)
