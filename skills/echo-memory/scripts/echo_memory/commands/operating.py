"""The commands for the operator."""

from __future__ import annotations

import argparse

from echo_memory.commands import inputs
from echo_memory.commands.command import REFERENCE, Command, Values, no_arguments
from echo_memory.envelope import Envelope
from echo_memory.errors import BadRequest
from echo_memory.memory import Memory
from echo_memory.ops import bootstrap, decay, lock, migrate, note, outbox, sweep


def _declare_bootstrap(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--anew", action="store_true", help="though a vault was known here that had another marker"
    )


def _declare_put(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="a path; .md is added where it is missing")
    parser.add_argument("text", help="the whole note, or - for standard input")


def _put(echo: Memory, values: Values) -> Envelope:
    return note.put_op(echo, values.path, inputs.text(values.text, "text"))


def _declare_delete(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help=REFERENCE)


def _declare_lock(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds",
        type=int,
        default=lock.DEFAULT_SECONDS,
        help=f"until others may take it over, {lock.MIN_SECONDS} to {lock.MAX_SECONDS}",
    )
    parser.add_argument("--holder", default="", help="who, for others to see")


def _declare_unlock(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="whoever has it")


def _declare_outbox(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "retry", "drop", "adopt"), default="list"
    )
    parser.add_argument(
        "id",
        nargs="?",
        help="an entry's; retry without one takes up all of them; for adopt, the address under"
        " which this vault was known when they were queued",
    )


def _outbox(echo: Memory, values: Values) -> Envelope:
    if values.action == "list":
        return outbox.outbox_list_op(echo)
    if values.action == "retry" and values.id is None:
        return outbox.outbox_retry_op(echo)
    if values.id is None:
        raise BadRequest(f"id is missing. Say `outbox {values.action} ID`.", field="id")
    if values.action == "adopt":
        return outbox.outbox_adopt_op(echo, values.id)
    if not values.id.isdecimal():
        raise BadRequest("id is not a number. See `outbox list`.", field="id")
    number = int(values.id[:20])
    if values.action == "retry":
        return outbox.outbox_retry_op(echo, number)
    one = outbox.outbox_show_op if values.action == "show" else outbox.outbox_drop_op
    return one(echo, number)


def _declare_sweep(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fast", action="store_true", help="take notes that seem unchanged as they are known"
    )


def _declare_migrate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", action="store_true", help="write it; else only the plan")


COMMANDS = (
    Command(
        "bootstrap",
        "make a folder an ECHO vault; touches no note",
        _declare_bootstrap,
        lambda echo, values: bootstrap.bootstrap_op(echo, anew=values.anew),
        ("--vault ~/notes bootstrap",),
        makes_vault=True,
    ),
    Command(
        "reindex",
        "read every note again and write the shared index",
        no_arguments,
        lambda echo, _: bootstrap.reindex_op(echo),
        ("reindex",),
    ),
    Command(
        "sweep",
        "lint, the shared index made right, the findings into the health note",
        _declare_sweep,
        lambda echo, values: sweep.sweep_op(echo, fast=values.fast),
        ("sweep", "sweep --fast"),
    ),
    Command(
        "decay",
        "propose what to archive or refresh: old working memories, idle projects",
        no_arguments,
        lambda echo, _: decay.decay_op(echo),
        ("decay",),
    ),
    Command(
        "migrate",
        "bring the vault's marker to this version's schema",
        _declare_migrate,
        lambda echo, values: migrate.migrate_op(echo, apply=values.apply),
        ("migrate", "migrate --apply"),
    ),
    Command(
        "put", "write a whole note", _declare_put, _put, ("put resources/notes.md - <notes.md",)
    ),
    Command(
        "delete",
        "move a note into the vault's .trash",
        _declare_delete,
        lambda echo, values: note.delete_op(echo, values.path),
        ("delete working/old-plan",),
    ),
    Command(
        "outbox",
        "the writes that wait for the vault, or for a decision",
        _declare_outbox,
        _outbox,
        ("outbox", "outbox show 3", "outbox retry", "outbox drop 3"),
    ),
    Command(
        "lock",
        "keep the vault's shared index to oneself for a while",
        _declare_lock,
        lambda echo, values: lock.lock_op(echo, seconds=values.seconds, holder=values.holder),
        ("lock", 'lock --seconds 3600 --holder "Ada, moving notes"'),
    ),
    Command(
        "unlock",
        "give that lock back",
        _declare_unlock,
        lambda echo, values: lock.unlock_op(echo, force=values.force),
        ("unlock", "unlock --force"),
    ),
)
