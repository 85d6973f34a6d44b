"""The command line: parse, one operation, one JSON envelope or a few lines for a person."""

from __future__ import annotations

import argparse
import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from echo_memory import __version__, envelope, report
from echo_memory.commands import COMMANDS, Command
from echo_memory.config import Config
from echo_memory.errors import BadRequest, EchoError, VaultIO
from echo_memory.memory import open_memory

_EPILOG = """\
The vault is a folder of Markdown notes: give --vault DIR, or set ECHO_BASE=file:///path/of/it.
A first day:
  echo-memory --vault ~/notes bootstrap
  echo-memory --vault ~/notes capture "Ada Lovelace" --kind person --body "Wrote the first program."
  echo-memory --vault ~/notes recall "who wrote the first program"

Exit status: 0 done · 64 bad argument · 65 no such section, or broken frontmatter · 66 no such note
69 vault unreachable · 70 internal · 74 disk full or permission · 75 changed by others, or locked
76 near-duplicate: answer with --merge-into ID or --force · 78 not configured or not bootstrapped
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like all others."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        command = self.prog.rpartition(" ")[2]
        raise BadRequest(
            f"{message[:500]}. See `{self.prog} --help`.",
            field=message.split(":")[0][:80] or command,
        )


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--json", action="store_true", help="print one JSON envelope on stdout")
    common.add_argument("--vault", metavar="DIR", help="the folder of notes (else ECHO_BASE)")
    common.add_argument("--state-dir", metavar="DIR", help="locks and caches (else ECHO_STATE_DIR)")
    top = _Parser(
        prog="echo-memory",
        description="A durable memory of plain Markdown notes: recall, capture, triage, reflect.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
    )
    top.add_argument("--version", action="version", version=f"echo-memory {__version__}")
    subcommands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = subcommands.add_parser(
            command.name, help=command.help, description=command.help, parents=[common]
        )
        command.declare(sub)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit status that the memory model gives the outcome.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in words
    name = next((word for word in words if word in _BY_NAME), "")
    error: EchoError | None = None
    try:
        answer = _run(words)
    except EchoError as raised:
        error = raised
    except KeyboardInterrupt:
        return 130
    except Exception:  # whatever it is, a caller that reads JSON must get an envelope
        traceback.print_exc()
        error = EchoError("Something unforeseen went wrong; stderr has the details. Try again.")
    if error is not None:
        answer = envelope.failure(_op_name(name), error)
    _print(answer, as_json=as_json)
    return envelope.exit_status(answer, error)


def _run(words: Sequence[str]) -> envelope.Envelope:
    values = parser().parse_args(words)
    command = _BY_NAME[values.command]
    config = Config.from_env(
        os.environ,
        vault=getattr(values, "vault", ""),
        state_dir=getattr(values, "state_dir", ""),
    )
    if command.makes_vault:
        _make_folder(config.vault)
    return command.run(open_memory(config), values)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VaultIO(
            f"The vault's folder cannot be made: {error.strerror}. Check --vault."
        ) from error


def _print(answer: envelope.Envelope, *, as_json: bool) -> None:
    """Answers go to stdout; in words, an error goes to stderr."""
    failed = envelope.is_failure(answer)
    words = json.dumps(answer, ensure_ascii=False) if as_json else report.text_of(answer)
    stream = sys.stderr if failed and not as_json else sys.stdout
    try:
        # bytes of a note that are not UTF-8 are lone surrogates here
        stream.buffer.write(f"{words}\n".encode("utf-8", "replace"))
        stream.flush()
    except BrokenPipeError:
        # the reader has seen enough; what is left in the buffer must not raise at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _op_name(command: str) -> str:
    return command or "echo-memory"


_BY_NAME: dict[str, Command] = {command.name: command for command in COMMANDS}
