"""The command `archive embed`: vectors for the messages that have none."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from echo_archive.filling import fill
from echo_mcp.commands import archives
from echo_mcp.commands.progress import Progress
from echo_memory.errors import Misconfigured

ABOUT = """\
Sends the text of every message that has no vector yet to an embedding model, so that messages are
found by what they mean. The model is behind an endpoint that speaks as OpenAI's does, on this
machine unless ECHO_EMBED_URL says otherwise; Ollama, llama.cpp and others have one:

  ollama pull nomic-embed-text
  export ECHO_EMBED_MODEL=nomic-embed-text      # and ECHO_EMBED_URL, ECHO_EMBED_KEY for another
  echo-mcp archive embed

It can be stopped at any time and goes on where it was. Run it again after an import. The server
needs the same variables, to embed what is searched for.
"""

_NO_MODEL = (
    "No embedding model is configured. Set ECHO_EMBED_MODEL to the name that the endpoint has for"
    " it, such as nomic-embed-text of Ollama, and ECHO_EMBED_URL where the endpoint is elsewhere."
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    archives.declare(parser)
    parser.add_argument(
        "--prune",
        action="store_true",
        help="throw away vectors of messages that are gone or were taken back",
    )


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Embed what is missing; returns the exit status."""
    settings = archives.settings_of(arguments, env)
    place = settings.place
    if place.endpoint is None:
        raise Misconfigured(_NO_MODEL)
    archives.opened(settings).close()
    progress = Progress(sys.stderr)
    try:
        filled = fill(
            place.path,
            place.endpoint,
            lambda count: progress.say(f"{count:,} messages embedded"),
            prune=arguments.prune,
        )
    finally:
        progress.done()
    pruned = f", {filled.pruned:,} thrown away" if arguments.prune else ""
    noun = "message" if filled.embedded == 1 else "messages"
    print(f"{filled.embedded:,} {noun} embedded now{pruned}; {filled.vectors:,} in all")
    return 0
