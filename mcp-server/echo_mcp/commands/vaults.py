"""The vault that `serve` and `stdio` open: which folders they take, and the memory over them."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import TextIO

from echo_mcp import serve
from echo_mcp.settings import Settings
from echo_mcp.warm.store import LiveWords
from echo_memory.errors import EchoError
from echo_memory.memory import Memory
from echo_memory.opening import open_memory

logger = logging.getLogger(__name__)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name the folders."""
    parser.add_argument("--vault", metavar="DIR", help="the folder of notes")
    parser.add_argument("--state-dir", metavar="DIR", help="where the token, locks, … are kept")


def opened(settings: Settings, *, embedded: bool, words: TextIO) -> Memory:
    """The memory; of a folder that the command line names, whatever it held before.

    Args:
        settings: where it is.
        embedded: whether the command line names the folder, which then becomes a memory.
        words: where to say what was added to it.
    """
    folder = settings.config.vault
    if embedded and isinstance(folder, Path):
        serve.check_folder(folder)
    memory = open_memory(settings.config, notify=logger.info, words=LiveWords(), on_disk=True)
    try:
        if not embedded:
            serve.check_access(memory)
            return memory
        created = serve.bootstrap(memory)
    except EchoError:
        memory.close()
        raise
    if created:
        added = "".join(f"\n  {path}" for path in created)
        print(f"Made {settings.config.vault} a memory; added{added}", file=words)
    return memory
