"""The command `archive export`: every message as JSON, to move it or to check it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TextIO

from echo_archive.export import exported
from echo_archive.reading import Archive
from echo_archive.status import status_of
from echo_mcp.commands import archives

ABOUT = """\
Writes one JSON document to stdout: `messages`, conversation by conversation and each in the order
of time, with everything that the archive knows of them; `warnings`, a line for each import that
could not read all. It is written as it is read, whatever its size. Files that came with messages
stay where they are: `path` says where, from the folder or zip `root`, or from --relative-to.

  echo-mcp archive export --json > messages.json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    archives.declare(parser)
    parser.add_argument(
        "--json", action="store_true", default=True, help="as JSON, the only form there is"
    )
    parser.add_argument(
        "--relative-to", metavar="DIR", help="give the paths of files as seen from this folder"
    )


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Write it; returns the exit status."""
    with closing(archives.opened(archives.settings_of(arguments, env))) as archive:
        _write(archive, sys.stdout, arguments.relative_to)
    return 0


def _write(archive: Archive, stream: TextIO, folder: str | None) -> None:
    stream.write('{"messages": [')
    separator = "\n"
    seen_from = Path(folder).resolve() if folder else None
    for message in exported(archive):
        if seen_from:
            _see_from(seen_from, message["attachments"])
        stream.write(separator + json.dumps(message, ensure_ascii=False))
        separator = ",\n"
    stream.write(f'\n], "warnings": {json.dumps(_warnings(archive), ensure_ascii=False)}}}\n')
    stream.flush()


def _see_from(folder: Path, attachments: list[dict[str, Any]]) -> None:
    for one in attachments:
        if one["path"] and one["root"]:
            one["path"] = os.path.relpath(Path(one["root"], one["path"]), folder)


def _warnings(archive: Archive) -> list[str]:
    return [
        f"{one['format']}, imported {one['at']}: {one['skipped']} not read or in doubt"
        for one in status_of(archive)["imports"]
        if one["skipped"]
    ]
