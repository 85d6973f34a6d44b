"""The commands that write."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from echo_memory import routing
from echo_memory.commands import inputs
from echo_memory.commands.command import REFERENCE, Command, Values
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.ops import capture, history, link, note, reflect, session, triage
from echo_memory.proposal import PROPOSAL_SCHEMA

_JSON = "JSON, a file of it, or - for standard input"
_PROPOSALS = f"a list of proposals: {_JSON}; keys: {', '.join(PROPOSAL_SCHEMA)}"
_BUNDLE_KEYS = ("slug", "log_body", "agent_log_line", "scope", "reflect")


def _declare_capture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("title", nargs="+", help="what the memory is about")
    parser.add_argument(
        "--kind", default="", help=f"one of {', '.join(routing.table().kinds)}; none: the inbox"
    )
    parser.add_argument("--body", default="", help="Markdown, or - for standard input")
    for name in ("tag", "alias", "source"):
        parser.add_argument(f"--{name}", action="append", default=[], help="may be repeated")
    parser.add_argument("--status", default="", help="one or two words, such as active")
    parser.add_argument("--date", default="", help="YYYY-MM-DD, for dated kinds")
    parser.add_argument(
        "--domain",
        default="",
        help=f"for areas: {', '.join(routing.table().kinds['area'].domains)}",
    )
    parser.add_argument("--merge-into", default="", metavar="ID", help="add to this note")
    parser.add_argument("--force", action="store_true", help="make a note beside a near-duplicate")
    parser.add_argument("--dry-run", action="store_true", help="plan, and write nothing")


def _capture(echo: Memory, values: Values) -> Envelope:
    return capture.capture_op(
        echo,
        " ".join(values.title),
        kind=values.kind,
        body=inputs.text(values.body, "body"),
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
    parser.add_argument("path", help=REFERENCE)
    parser.add_argument("line", help="one line, or - for standard input")


def _append(echo: Memory, values: Values) -> Envelope:
    return note.append_op(echo, values.path, inputs.text(values.line, "line"))


def _declare_patch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help=REFERENCE)
    parser.add_argument("operation", choices=note.OPERATIONS)
    parser.add_argument("target_type", choices=note.TARGET_TYPES)
    parser.add_argument("target", help="Title::Section, a frontmatter key, or ^block")
    parser.add_argument("content", help="Markdown, JSON for a key, or - for standard input")


def _patch(echo: Memory, values: Values) -> Envelope:
    return note.patch_op(
        echo,
        values.path,
        operation=values.operation,
        target_type=values.target_type,
        target=values.target,
        content=inputs.text(values.content, "content"),
    )


def _declare_restore(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help=f"{REFERENCE}; also of a note that was deleted")
    parser.add_argument("version_id", metavar="version", help="as history lists it")
    parser.add_argument("--confirm", action="store_true", help="write it; else only the difference")


def _restore(echo: Memory, values: Values) -> Envelope:
    return history.restore_op(echo, values.path, values.version_id, confirm=values.confirm)


def _declare_triage(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--proposals", metavar="FILE", help=f"{_PROPOSALS}, line")
    parser.add_argument("--apply", action="store_true", help="file them; else only a preview")


def _triage(echo: Memory, values: Values) -> Envelope:
    given = values.proposals is not None
    proposals = inputs.document(values.proposals, "proposals") if given else ()
    return triage.triage_op(echo, proposals=proposals, apply=values.apply)


def _declare_reflect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--proposals", metavar="FILE", required=True, help=_PROPOSALS)
    parser.add_argument("--apply", action="store_true", help="file them; else only a preview")


def _reflect(echo: Memory, values: Values) -> Envelope:
    return reflect.apply_op(
        echo, inputs.document(values.proposals, "proposals"), apply=values.apply
    )


def _declare_session(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        help=f"an object with {', '.join(_BUNDLE_KEYS)}: {_JSON}",
    )
    parser.add_argument("--slug", help="a name for the session")
    parser.add_argument("--log-body", help="Markdown, or - for standard input")
    parser.add_argument("--agent-log-line", help="one line for the day's note")
    parser.add_argument("--scope", help="the scope from now on")
    parser.add_argument("--reflect", metavar="FILE", help=_PROPOSALS)
    parser.add_argument("--apply", action="store_true", help="write it; else only the plan")


def _session(echo: Memory, values: Values) -> Envelope:
    bundle = inputs.document(values.bundle, "bundle") if values.bundle else {}
    if not isinstance(bundle, Mapping):
        raise BadRequest("bundle is not a JSON object. Give slug, log_body, …", field="bundle")
    for key in bundle:
        if key not in _BUNDLE_KEYS:
            name = str(key)[:80]
            raise BadRequest(
                f"{name} is not a key of a bundle. The keys are: {', '.join(_BUNDLE_KEYS)}.",
                field=f"bundle.{name}",
            )
    given = {key: getattr(values, key) for key in _BUNDLE_KEYS}
    if values.log_body is not None:
        given["log_body"] = inputs.text(values.log_body, "log_body")
    if values.reflect is not None:
        given["reflect"] = inputs.document(values.reflect, "reflect")
    merged = {**bundle, **{key: value for key, value in given.items() if value is not None}}
    required = {key: merged.pop(key, "") for key in ("slug", "log_body", "agent_log_line")}
    optional = {key: value for key, value in merged.items() if value is not None}
    return session.session_end_op(echo, **required, **optional, apply=values.apply)


COMMANDS = (
    Command(
        "capture",
        "remember something",
        _declare_capture,
        _capture,
        (
            'capture "Ada Lovelace" --kind person --alias Ada --body "Wrote the first program."',
            'capture "Buy brass"',
            'capture "Countess Ada" --kind person --merge-into ada-lovelace',
            "cat minutes.md | echo-memory capture Kickoff --kind meeting --body -",
        ),
    ),
    Command(
        "link",
        "tie two notes to one another",
        _declare_link,
        lambda echo, values: link.link_op(echo, values.a, values.b),
        ('link "Ada Lovelace" projects/active/engine.md',),
    ),
    Command(
        "append",
        "add a line to a note, once",
        _declare_append,
        _append,
        ('append engine "- [ ] call the foundry"',),
    ),
    Command(
        "patch",
        "change a section, a key or a block of a note",
        _declare_patch,
        _patch,
        (
            'patch engine append heading "Engine::Status" "Gears arrived."',
            "patch engine replace frontmatter status done",
            "patch engine append frontmatter tags '[\"brass\"]'",
        ),
    ),
    Command(
        "restore",
        "bring an earlier text of a note back",
        _declare_restore,
        _restore,
        ("restore engine 3f2a9c1b04de", "restore engine 3f2a9c1b04de --confirm"),
    ),
    Command(
        "triage",
        "list the inbox, or file its items",
        _declare_triage,
        _triage,
        (
            "triage",
            """triage --proposals '[{"line": "ID", "title": "Brass", "kind": "concept"}]'""",
            "triage --proposals filed.json --apply",
        ),
    ),
    Command(
        "reflect",
        "file what a conversation taught",
        _declare_reflect,
        _reflect,
        ("reflect --proposals learned.json", "reflect --proposals learned.json --apply"),
    ),
    Command(
        "session-end",
        "log the session",
        _declare_session,
        _session,
        (
            "session-end --bundle session.json",
            "session-end --slug kickoff --log-body - --agent-log-line 'Kickoff done' --apply",
        ),
    ),
)
