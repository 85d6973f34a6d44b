"""The command line: parse, one operation, one JSON envelope or a few lines for a person."""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NoReturn, TextIO

from echo_memory import __version__, envelope, report
from echo_memory.commands.command import Command, Values
from echo_memory.commands.table import BY_NAME, COMMANDS
from echo_memory.config import Config
from echo_memory.errors import BadRequest, EchoError, VaultIO, VaultUnreachable
from echo_memory.memory import Clock, Memory
from echo_memory.opening import open_memory
from echo_memory.words_file import WordsFile

PROG = "echo-memory"
# Nearly all that one command makes stays until it ends: looking through it again and again for what
# could go takes a fifth of the time.
_COLLECT_AFTER = 100_000
_IN_PLACE = "echo.py"

_EPILOG = """\
The vault is a folder of Markdown notes: give --vault DIR, or set ECHO_BASE=file:///path/of/it.
Or it is Obsidian, with its Local REST API plugin: set ECHO_BASE=https://127.0.0.1:27124, ECHO_KEY
to the plugin's key, and ECHO_CA to the file of its certificate. While that is away, reads answer
from the last copy and writes wait in the outbox (see `outbox`).
A first day:
  {prog} --vault ~/notes bootstrap
  {prog} --vault ~/notes capture "Ada Lovelace" --kind person --body "Wrote the first program."
  {prog} --vault ~/notes recall "who wrote the first program"
`{prog} COMMAND --help` has the arguments of a command, and examples.

Exit status: 0 done, 64 bad argument, 65 no such section or broken frontmatter, 66 no such note,
69 vault unreachable, 70 internal, 74 disk full or permission, 75 changed by others or locked,
76 near-duplicate: answer with --merge-into ID or --force, 78 not configured or not bootstrapped.
"""
_COMPLAINT = re.compile(
    r"argument (?:\S*/)?-*(?P<argument>[\w-]+): |unrecognized arguments: (?P<unknown>\S+)"
    r"|the following arguments are required: (?P<missing>[\w-]+)"
)
_TAKE_FOLDER = ("--vault", "--state-dir")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like all others."""

    has_dashes = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and remember for a complaint whether a word may have been taken for an option."""
        self.has_dashes = any(map(_is_no_option, args or ()))
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        found = _COMPLAINT.match(message)
        field = next(filter(None, found.groups()), "") if found else ""
        what = f"{message[:1].upper()}{message[1:500]}."
        if "expected one argument" in message:
            what += " Write --option=VALUE where a value begins with a dash."
        elif self.has_dashes and found and (found["missing"] or found["unknown"]):
            what += " Where a word that is no option begins with a dash, put -- before the words."
        raise BadRequest(
            f"{what} See `{self.prog} --help`.",
            field=field.replace("-", "_").strip("_").lower()[:80] or self.prog,
        )


def _is_no_option(word: str) -> bool:
    """Whether a word begins with a dash and can hardly have been meant as an option."""
    return word.startswith("-") and word != "--" and not re.match(r"--[a-z]", word)


def program() -> str:
    """What is typed to start this program, for usage and hints."""
    name = Path(sys.argv[0]).name if sys.argv else ""
    return f"python3 {name}" if name == _IN_PLACE else PROG


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    prog = program()
    common = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--json", action="store_true", help="print one JSON envelope on stdout")
    common.add_argument("--vault", metavar="DIR", help="the folder of notes (else ECHO_BASE)")
    common.add_argument("--state-dir", metavar="DIR", help="locks and caches (else ECHO_STATE_DIR)")
    top = _Parser(
        prog=prog,
        description="A durable memory of plain Markdown notes: recall, capture, triage, reflect.",
        epilog=_EPILOG.format(prog=prog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    subcommands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = subcommands.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}",
            epilog="\n".join(["For example:", *(_example(prog, it) for it in command.examples)]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            parents=[common],
            allow_abbrev=False,
        )
        command.declare(sub)
    return top


def _example(prog: str, line: str) -> str:
    return f"  {line.replace(PROG, prog)}" if PROG in line else f"  {prog} {line}"


def main(argv: Sequence[str] | None = None, *, clock: Clock | None = None) -> int:
    """Run one command.

    Args:
        argv: the words of the command line, by default those of this process.
        clock: takes the place of the machine's.

    Returns:
        The exit status that the memory model gives the outcome.
    """
    gc.set_threshold(_COLLECT_AFTER)
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        answer = _run(words, clock)
    except EchoError as error:
        answer = envelope.failure(_command_in(words), error)
    except KeyboardInterrupt:
        return 130
    except Exception:  # whatever it is, a caller that reads JSON must get an envelope
        traceback.print_exc()
        unforeseen = EchoError("Something unforeseen went wrong. See stderr for the details.")
        answer = envelope.failure(_command_in(words), unforeseen)
    as_json = "--json" in takewhile(lambda word: word != "--", words)
    return envelope.exit_status(answer) if _print(answer, as_json=as_json) else VaultIO.exit_status


def _run(words: Sequence[str], clock: Clock | None) -> envelope.Envelope:
    values = parser().parse_args(words)
    command = BY_NAME[values.command]
    config = Config.from_env(
        os.environ,
        vault=getattr(values, "vault", ""),
        state_dir=getattr(values, "state_dir", ""),
    )
    if not isinstance(config.vault, Path):
        with closing(open_memory(config, clock=clock, words=WordsFile())) as echo:
            return _answered(command, echo, values)
    echo = open_memory(config, clock=clock, words=WordsFile())
    try:
        with closing(echo):
            # An unmounted share, or a folder that was moved for a while, must find its place free.
            if command.makes_vault and (values.anew or not echo.acquaintance.is_made()):
                _make_folder(config.vault)
            return _answered(command, echo, values)
    except VaultUnreachable as error:
        if echo.acquaintance.is_made():
            raise
        vault = shlex.quote(str(config.vault))
        raise VaultUnreachable(
            f"{error.message} `{program()} --vault {vault} bootstrap` makes a new one there.",
            **error.details,
        ) from error


def _answered(command: Command, echo: Memory, values: Values) -> envelope.Envelope:
    """What a command answers; what it found out about all notes is kept for the next one."""
    answer = command.run(echo, values)
    try:
        echo.catalog.save_recall()
    except Exception as error:  # the answer stands, whatever becomes of what is derived
        echo.notify(f"the index was not kept: {type(error).__name__}")
    return answer


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VaultIO(
            f"The vault's folder cannot be made: {error.strerror}. Check --vault."
        ) from error


def _command_in(words: Sequence[str]) -> str:
    """The command that a line seems to be for, which may be too broken to be parsed."""
    return next(
        (
            word
            for before, word in pairwise(["", *words])
            if word in BY_NAME and before not in _TAKE_FOLDER
        ),
        PROG,
    )


def _print(answer: envelope.Envelope, *, as_json: bool) -> bool:
    """Answers go to stdout; in words, an error goes to stderr.

    Returns:
        Whether the answer could be delivered; a reader that has seen enough counts as served.
    """
    words = json.dumps(answer, ensure_ascii=False) if as_json else report.text_of(answer)
    failed = envelope.is_failure(answer)
    stream: TextIO | None = sys.stderr if failed and not as_json else sys.stdout
    if stream is None:  # the caller closed it
        return True
    try:
        # bytes of a note that are not UTF-8 are lone surrogates here
        stream.buffer.write(f"{words}\n".encode("utf-8", "replace"))
        stream.flush()
    except OSError as error:
        # what is left in the buffer must not raise once more at exit
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"The answer could not be written: {error.strerror}.", file=sys.stderr)
            return False
    return True
