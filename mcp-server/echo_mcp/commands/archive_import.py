"""The command `archive import`: exports of chat apps into the archive, and a report of each."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from echo_archive.importing import import_paths
from echo_archive.records import Export, Options
from echo_archive.reports import ExportReport, ImportReport
from echo_archive.status import without_owner
from echo_archive.wall_clock import zone_named
from echo_mcp import state
from echo_mcp.archive.opening import open_archive
from echo_mcp.archive.settings import ArchiveSettings
from echo_mcp.commands import archives
from echo_mcp.commands.progress import Progress

ABOUT = """\
PATH is what an app exported, as it is: a folder, a file or a zip. What it is gets recognised:

  WhatsApp    "Export chat" of the phone (.zip, .txt), or result.json of WhatsApp-Chat-Exporter
  Telegram    result.json of Telegram Desktop, "Export chat history" or "Export Telegram data"
  Messenger, Instagram   the download of your information, in JSON
  iMessage    ~/Library/Messages/chat.db, or imessage-exporter's txt
  Signal      Signal Desktop's plaintext export, or signal-export
  Discord     DiscordChatExporter's JSON

Exports are only read. Import as often as you like: what is known already is left, what is new or
edited is added, and a later, shorter export deletes nothing.

  echo-mcp archive import ~/Downloads/*.zip
  echo-mcp archive import chat.txt --timezone Europe/Berlin --owner "Nell Quill"

Ends with 0 when everything was imported, with 65 when something was not: the report says what.
"""

SOURCES = ("signal", "imessage", "whatsapp", "telegram", "messenger", "instagram", "discord")
DATE_ORDERS = ("dmy", "mdy", "ymd")

_PARTLY = 65
_SHOWN = 20


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    archives.declare(parser)
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a folder, a file or a zip")
    parser.add_argument("--source", choices=SOURCES, help="only exports of this app")
    parser.add_argument(
        "--timezone",
        metavar="ZONE",
        help="where the exporting device was, for exports that write times without a zone, as"
        " WhatsApp's .txt does; such as Europe/Paris; default ECHO_TZ, else this machine's",
    )
    parser.add_argument(
        "--owner",
        metavar="NAME",
        action="append",
        default=[],
        help="your own name as the export has it, where it does not say who you are; repeat it for"
        " several; default ECHO_OWNER",
    )
    parser.add_argument(
        "--date-order",
        choices=DATE_ORDERS,
        help="how days are written in text exports, where both would do; default: found out",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Import, and report; returns the exit status."""
    settings = archives.settings_of(arguments, env)
    path = settings.place.path
    if path.parent == settings.state_dir:
        state.open_folder(path.parent)
    options = _options(arguments, settings)
    progress = Progress(sys.stderr)

    def show(export: Export, rows: int) -> None:
        progress.say(f"{_shown(export.name)}: {rows:,} messages read")

    try:
        report = import_paths(
            path, [Path(one) for one in arguments.paths], options, show, arguments.source
        )
    finally:
        progress.done()
    if arguments.json:
        print(json.dumps({"archive": str(path), **report.as_dict()}, indent=2))
    else:
        print("\n".join([*_told(report, options), *_hints(report, settings)]))
    return _PARTLY if report.failed else 0


def _options(arguments: argparse.Namespace, settings: ArchiveSettings) -> Options:
    zone = arguments.timezone or settings.zone or "UTC"
    zone_named(zone)
    owner = arguments.owner or [settings.owner]
    return Options(zone, tuple(filter(None, owner)), arguments.date_order)


def _told(report: ImportReport, options: Options) -> Iterator[str]:
    """The report in lines."""
    for export in report.exports:
        yield from _export(export)
    for why in report.unrecognised:
        yield f"NOT IMPORTED: {_shown(why)}"
    if len(report.exports) > 1:
        yield f"All together: {_counts(report.total)}"
    if any(export.outcome == "imported" for export in report.exports):
        yield (
            f"Times that say no zone were read as of {options.timezone}, where there were any"
            " (--timezone names another)."
        )


def _hints(report: ImportReport, settings: ArchiveSettings) -> Iterator[str]:
    """Where it is now, and what would make more of it."""
    if not report.exports:
        yield "Nothing was imported. `echo-mcp archive import --help` says what each app exports."
        return
    with closing(open_archive(settings.place)) as archive:
        unknown = without_owner(archive)
    if unknown:
        yield (
            f"Nobody is known to be you in {', '.join(unknown)}: import again with --owner and your"
            " name as it stands there."
        )
    if settings.place.endpoint:
        yield "`echo-mcp archive embed` makes what is new searchable by meaning."
    yield f"The archive is {settings.place.path}"


def _export(export: ExportReport) -> Iterator[str]:
    name = f"{_shown(export.name)} ({export.format})"
    if export.outcome == "failed":
        yield f"NOT IMPORTED: {name}: {_shown(export.why or '')}"
    elif export.outcome == "unchanged":
        yield f"{name}: unchanged since it was imported last"
    else:
        yield f"{name}: {_counts(lambda figure: getattr(export, figure))}"
    for row in export.not_read[:_SHOWN]:
        yield f"  not read or in doubt: {_shown(row.file)}:{row.line}: {_shown(row.why)}"
    if export.skipped > _SHOWN:
        yield f"  … and {export.skipped - _SHOWN} more; --json has the first thousand"


def _counts(figure: Callable[[str], int]) -> str:
    """Messages, then conversations: added, changed, unchanged, each where there are any."""
    words = []
    for noun, prefix in (("messages", ""), ("conversations", "conversations_")):
        parts = [
            f"{figure(prefix + kind):,} {kind}"
            for kind in ("added", "changed", "unchanged")
            if figure(prefix + kind)
        ]
        words.append(f"{noun} {', '.join(parts) or 'none'}")
    if figure("skipped"):
        words.append(f"rows not read or in doubt {figure('skipped'):,}")
    return "; ".join(words)


def _shown(words: str) -> str:
    """A name or a reason on one line, which no export can use to move the cursor."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in words)
