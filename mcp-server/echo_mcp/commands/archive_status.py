"""The command `archive status`: what the archive holds, from when, and how it can be searched."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from echo_archive.status import status_of
from echo_mcp.commands import archives

ABOUT = """\
Shows how many messages of which app are in the archive and from when, the last imports, and how
many messages can be found by words and by meaning.

  echo-mcp archive status
  echo-mcp archive status --json
"""

_IMPORTS = 5


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    archives.declare(parser)
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Show it; returns the exit status."""
    settings = archives.settings_of(arguments, env)
    with closing(archives.opened(settings)) as archive:
        status = {"archive": str(archive.path), **status_of(archive)}
    if arguments.json:
        print(json.dumps(status, ensure_ascii=False, indent=2))
        return 0
    model = settings.place.endpoint.model if settings.place.endpoint else ""
    print("\n".join(_told(status, model)))
    return 0


def _told(status: Mapping[str, Any], model: str) -> Iterator[str]:
    size = f"{status['bytes'] / 1e6:.1f} MB"
    yield f"{status['archive']}: {_many(status['messages'], 'message')}, {size}"
    for one in status["sources"]:
        yield (
            f"  {one['source']}: {_many(one['messages'], 'message')} in"
            f" {_many(one['conversations'], 'conversation')},"
            f" {one['first_timestamp'][:10]} to {one['last_timestamp'][:10]}"
        )
    index = status["keyword_index"]
    yield f"found by words: {index['messages']:,} of {index['of']:,}"
    for one in status["embeddings"]:
        yield f"found by meaning, with {one['model']}: {one['messages']:,} of {one['of']:,}"
    yield from _advice(status, model)
    yield f"local times are shown as of {status['zone']}"
    if status["imports"]:
        yield "last imports:"
    for one in status["imports"][:_IMPORTS]:
        skipped = f", {one['skipped']:,} not read or in doubt" if one["skipped"] else ""
        yield (
            f"  {one['at'][:16].replace('T', ' ')} UTC  {one['format']}: {one['added']:,} added,"
            f" {one['changed']:,} changed, {one['unchanged']:,} unchanged{skipped}"
        )


def _advice(status: Mapping[str, Any], model: str) -> Iterator[str]:
    """What is to do before all can be found by meaning."""
    done = {one["model"]: one["messages"] >= one["of"] for one in status["embeddings"]}
    if not model:
        yield "found by meaning: off, for ECHO_EMBED_MODEL names no model"
    elif not done.get(model):
        yield f"`echo-mcp archive embed` makes what is missing for {model}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
