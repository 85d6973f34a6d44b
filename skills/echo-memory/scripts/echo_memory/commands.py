"""The commands: each operation's name, its arguments on the command line, and how it is called."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo_memory import arguments, routing
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.ops import (
    bootstrap,
    capture,
    health,
    link,
    lint,
    load,
    note,
    recall,
    reflect,
    resolve,
    scope,
    session,
    triage,
)
from echo_memory.proposal import PROPOSAL_SCHEMA

Values = argparse.Namespace

_PROPOSALS = "a JSON list of proposals, in a file or - for standard input; keys: " + ", ".join(
    PROPOSAL_SCHEMA
)
_BUNDLE_KEYS = ("slug", "log_body", "agent_log_line", "scope", "reflect")


@dataclass(frozen=True)
class Command:
    """One subcommand.

    Attributes:
        name: what is typed.
        help: one line.
        declare: adds the arguments to the command's own parser.
        run: calls the operation.
        makes_vault: whether a folder that does not exist is made first.
    """

    name: str
    help: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Memory, Values], Envelope]
    makes_vault: bool = False


def text(value: str) -> str:
    """An argument that may be `-`, for standard input."""
    return sys.stdin.read() if value == "-" else value


def _json(source: str, field: str) -> Any:
    """A JSON document in a file, or on standard input for `-`."""
    try:
        return json.loads(text("-") if source == "-" else Path(source).read_text("utf-8"))
    except OSError as error:
        raise BadRequest(
            f"{field} cannot be read: {error.strerror}. Give a file's path, or - for standard input.",
            field=field,
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"{field} is not valid JSON. Check the file.", field=field) from error


def _nothing(parser: argparse.ArgumentParser) -> None:
    """A command without arguments."""


def _declare_load(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="the notes whole, not a digest")
    parser.add_argument("--budget-chars", type=int, help="how long the answer may be")


def _load(echo: Memory, values: Values) -> Envelope:
    budget = {} if values.budget_chars is None else {"budget_chars": values.budget_chars}
    return load.load_op(echo, brief=not values.full, **budget)


def _declare_recall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help="a question, or words")
    parser.add_argument("--limit", type=int, default=recall.DEFAULT_LIMIT)
    parser.add_argument("--no-linked", action="store_true", help="leave out the linked notes")
    parser.add_argument("--budget-chars", type=int, default=recall.DEFAULT_BUDGET)


def _recall(echo: Memory, values: Values) -> Envelope:
    return recall.recall_op(
        echo,
        values.query,
        limit=values.limit,
        include_linked=not values.no_linked,
        budget_chars=values.budget_chars,
    )


def _declare_get(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="a path, with or without .md, or an id")
    parser.add_argument("--section", default="", help="only this heading's section")
    parser.add_argument("--max-chars", type=int, default=note.DEFAULT_CHARS)


def _get(echo: Memory, values: Values) -> Envelope:
    return note.get_note_op(echo, values.path, section=values.section, max_chars=values.max_chars)


def _declare_scope(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("show", "set"), default="show")
    parser.add_argument("scope", nargs="?", help="for set: one line")


def _scope(echo: Memory, values: Values) -> Envelope:
    if values.action == "set":
        return scope.scope_set_op(echo, values.scope or "")
    return scope.scope_show_op(echo)


def _declare_capture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", help="what the memory is about")
    parser.add_argument(
        "--kind", default="", help=f"one of {', '.join(routing.table().kinds)}; none: the inbox"
    )
    parser.add_argument("--body", type=text, default="", help="Markdown, or - for standard input")
    for name in ("tag", "alias", "source"):
        parser.add_argument(f"--{name}", action="append", default=[], help="may be repeated")
    parser.add_argument("--status", default="")
    parser.add_argument("--date", default="", help="YYYY-MM-DD, for dated kinds")
    parser.add_argument("--domain", default="", help="for areas")
    parser.add_argument("--merge-into", default="", metavar="ID", help="add to this note")
    parser.add_argument("--force", action="store_true", help="make a note beside a near-duplicate")
    parser.add_argument("--dry-run", action="store_true", help="plan, and write nothing")


def _capture(echo: Memory, values: Values) -> Envelope:
    return capture.capture_op(
        echo,
        values.title,
        kind=values.kind,
        body=values.body,
        tags=values.tag,
        aliases=values.alias,
        sources=values.source,
        status=values.status,
        date=values.date,
        domain=values.domain,
        merge_into=values.merge_into,
        force=values.force,
        dry_run=values.dry_run,
    )


def _declare_link(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", help="a path, an id or a name")
    parser.add_argument("b", help="likewise")


def _declare_append(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path")
    parser.add_argument("line", type=text, help="one line, or - for standard input")


def _declare_patch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path")
    parser.add_argument("operation", choices=note.OPERATIONS)
    parser.add_argument("target_type", choices=note.TARGET_TYPES)
    parser.add_argument("target", help="Title::Section, a frontmatter key, or ^block")
    parser.add_argument("content", type=text, help="Markdown, JSON for a key, or - for stdin")


def _patch(echo: Memory, values: Values) -> Envelope:
    return note.patch_op(
        echo,
        values.path,
        operation=values.operation,
        target_type=values.target_type,
        target=values.target,
        content=values.content,
    )


def _declare_triage(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--proposals", metavar="FILE", help=f"{_PROPOSALS}, line")
    parser.add_argument("--apply", action="store_true", help="file them; else only a preview")


def _triage(echo: Memory, values: Values) -> Envelope:
    proposals = _json(values.proposals, "proposals") if values.proposals else ()
    return triage.triage_op(echo, proposals=proposals, apply=values.apply)


def _declare_reflect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--proposals", metavar="FILE", required=True, help=_PROPOSALS)
    parser.add_argument("--apply", action="store_true", help="file them; else only a preview")


def _reflect(echo: Memory, values: Values) -> Envelope:
    return reflect.apply_op(echo, _json(values.proposals, "proposals"), apply=values.apply)


def _declare_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help=f"a JSON object with {', '.join(_BUNDLE_KEYS)}, in a file or - for standard input",
    )
    parser.add_argument("--slug", help="a name for the session")
    parser.add_argument("--log-body", type=text, help="Markdown, or - for standard input")
    parser.add_argument("--agent-log-line", help="one line for the day's note")
    parser.add_argument("--scope", help="the scope from now on")
    parser.add_argument("--reflect", metavar="FILE", help=_PROPOSALS)
    parser.add_argument("--apply", action="store_true", help="write it; else only the plan")


def _session(echo: Memory, values: Values) -> Envelope:
    bundle = _json(values.bundle, "bundle") if values.bundle else {}
    if not isinstance(bundle, Mapping):
        raise BadRequest("bundle is not a JSON object. Give slug, log_body, …", field="bundle")
    for key in bundle:
        arguments.choice(key, f"bundle.{str(key)[:80]}", _BUNDLE_KEYS)
    given = {key: getattr(values, key) for key in _BUNDLE_KEYS}
    if values.reflect:
        given["reflect"] = _json(values.reflect, "reflect")
    merged = {**bundle, **{key: value for key, value in given.items() if value is not None}}
    required = {key: merged.pop(key, "") for key in ("slug", "log_body", "agent_log_line")}
    optional = {key: value for key, value in merged.items() if value is not None}
    return session.session_end_op(echo, **required, **optional, apply=values.apply)


def _declare_put(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path")
    parser.add_argument("text", type=text, help="the whole note, or - for standard input")


def _declare_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path")


def _declare_resolve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mention", help="a name")


COMMANDS = (
    Command("load", "where things stand: start here", _declare_load, _load),
    Command("recall", "find what is remembered about something", _declare_recall, _recall),
    Command(
        "resolve",
        "which note a name means",
        _declare_resolve,
        lambda echo, values: resolve.resolve_op(echo, values.mention),
    ),
    Command("get", "read a note, or a section of it", _declare_get, _get),
    Command("scope", "show or set what is being worked on", _declare_scope, _scope),
    Command("capture", "remember something", _declare_capture, _capture),
    Command(
        "link",
        "tie two notes to one another",
        _declare_link,
        lambda echo, values: link.link_op(echo, values.a, values.b),
    ),
    Command(
        "append",
        "add a line to a note, once",
        _declare_append,
        lambda echo, values: note.append_op(echo, values.path, values.line),
    ),
    Command("patch", "change a section, a key or a block of a note", _declare_patch, _patch),
    Command("triage", "list the inbox, or file its items", _declare_triage, _triage),
    Command("reflect", "file what a conversation taught", _declare_reflect, _reflect),
    Command("session-end", "log the session", _declare_session, _session),
    Command("doctor", "is everything in order?", _nothing, lambda echo, _: health.doctor_op(echo)),
    Command("lint", "what is odd in the notes?", _nothing, lambda echo, _: lint.lint_op(echo)),
    Command(
        "bootstrap",
        "make a folder an ECHO vault; touches no note",
        _nothing,
        lambda echo, _: bootstrap.bootstrap_op(echo),
        makes_vault=True,
    ),
    Command(
        "reindex",
        "read every note again and write the shared index",
        _nothing,
        lambda echo, _: bootstrap.reindex_op(echo),
    ),
    Command(
        "put",
        "write a whole note",
        _declare_put,
        lambda echo, values: note.put_op(echo, values.path, values.text),
    ),
    Command(
        "delete",
        "move a note into the vault's .trash",
        _declare_path,
        lambda echo, values: note.delete_op(echo, values.path),
    ),
)
