"""A command: one subcommand of the command line."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from echo_memory.envelope import Envelope
from echo_memory.memory import Memory

Values = argparse.Namespace

REFERENCE = "a path, with or without .md, or an id"


@dataclass(frozen=True)
class Command:
    """What is typed, and what it does.

    Attributes:
        name: what is typed.
        help: one line.
        declare: adds the arguments to the command's own parser.
        run: calls the operation.
        examples: whole lines, without the name of the program.
        makes_vault: whether a folder that does not exist is made first.
    """

    name: str
    help: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[Memory, Values], Envelope]
    examples: tuple[str, ...]
    makes_vault: bool = False


def no_arguments(_: argparse.ArgumentParser) -> None:
    """Declare a command that takes none."""
