"""The archive that the commands `archive …` work on: which arguments name it, and whether it is."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from echo_archive.reading import Archive
from echo_mcp.archive.opening import open_archive
from echo_mcp.archive.settings import ArchiveSettings
from echo_memory.errors import Misconfigured


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name the archive."""
    parser.add_argument(
        "--archive",
        metavar="FILE",
        help="the archive; default ECHO_ARCHIVE, else archive.db in the state folder",
    )
    parser.add_argument(
        "--state-dir", metavar="DIR", help="the state folder; default ~/.local/state/echo-mcp"
    )


def settings_of(arguments: argparse.Namespace, env: Mapping[str, str]) -> ArchiveSettings:
    """What the environment and the command line say.

    Raises:
        Misconfigured: with every fault in `faults`.
    """
    return ArchiveSettings.from_env(
        env,
        archive=arguments.archive or "",
        state_dir=arguments.state_dir or "",
        listen=getattr(arguments, "listen", None) or "",
    )


def opened(settings: ArchiveSettings) -> Archive:
    """The archive, to read from; close it when done.

    Raises:
        Misconfigured: there is none.
    """
    if not settings.place.path.is_file():
        raise Misconfigured(
            f"There is no archive at {settings.place.path} yet. Make it with `echo-mcp archive"
            " import PATH`, or name another with --archive FILE."
        )
    return open_archive(settings.place)
