"""Importing: exports that lie on the disk into an archive, each whole or not at all."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from echo_archive.characters import well_formed
from echo_archive.errors import ArchiveError
from echo_archive.importers.table import read
from echo_archive.merge import Merge
from echo_archive.recognise import recognise
from echo_archive.records import Export, Interrupted, Message, Options, Skipped
from echo_archive.register import Register
from echo_archive.reindexing import bring_up_to_date
from echo_archive.reports import ExportReport, ImportReport
from echo_archive.stamps import Stamp, stamp_of
from echo_archive.store import let_readers_read, opened_store, transaction
from echo_archive.vectors import build
from echo_archive.word_index import count_common_words, put_in_order

EVERY = 5_000
_COLLECTED = 1_000_000
_UNFINISHED = "unfinished"
Reader = Callable[[Export, Options], Iterator[Message | Skipped]]
Progress = Callable[[Export, int], None]


@dataclass(frozen=True, slots=True)
class Run:
    """One run over several exports: where to, how they are read, and whom to tell."""

    database: sqlite3.Connection
    read: Reader
    options: Options
    progress: Progress


def import_paths(
    path: Path,
    paths: Sequence[Path],
    options: Options,
    progress: Progress,
    source: str | None = None,
) -> ImportReport:
    """Recognise what each path is and import it.

    Args:
        path: The archive; made when it is not there.
        paths: Folders, files and zips.
        options: What the person said about them.
        progress: Told now and then how many rows of an export were read.
        source: Where given, only exports of that source are imported.

    Raises:
        Unreadable: The archive itself cannot be opened or written.
    """
    exports: list[Export] = []
    unrecognised = []
    for one in paths:
        try:
            exports += recognise(one, source)
        except ArchiveError as problem:
            unrecognised.append(problem.message)
        except OSError as problem:
            unrecognised.append(f"{str(one)!r} cannot be read: {problem.strerror}.")
    report = ImportReport(())
    if exports:
        report = import_exports(path, exports, read, options, progress)
    return replace(report, unrecognised=tuple(unrecognised))


def import_exports(
    path: Path, exports: Sequence[Export], reader: Reader, options: Options, progress: Progress
) -> ImportReport:
    """Import exports one after the other; one that fails leaves nothing and stops no other.

    Args:
        path: The archive; made when it is not there.
        exports: What was recognised.
        reader: What gives the rows of an export.
        options: What the person said about them.
        progress: Told now and then how many rows of an export were read.

    Raises:
        Unreadable: The archive itself cannot be opened or written.
    """
    with opened_store(path) as database, _few_collections():
        with transaction(database):
            bring_up_to_date(database)
        run = Run(database, reader, options, progress)
        reports = tuple(_import(run, export) for export in exports)
        if any(report.outcome != "failed" for report in reports):
            _finish(path, database, options)
    return ImportReport(reports)


@contextmanager
def _few_collections() -> Iterator[None]:
    """Millions of rows are made and none refers to another: looking for circles is rarely due."""
    usual = gc.get_threshold()
    gc.set_threshold(_COLLECTED)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _import(run: Run, export: Export) -> ExportReport:
    report = ExportReport(export.source, export.format, export.name)
    try:
        stamp = stamp_of(export, run.options)
        known = _known(run.database, stamp)
        if known and known[0] == stamp.look:
            report.outcome = "unchanged"
            return report
        digest = stamp.digest()
        let_readers_read(run.database)
        with transaction(run.database):
            if known and known[1] == digest:
                report.outcome = "unchanged"
                whole = True
            else:
                whole = _take(run, export, report)
                _begin_to_finish(run.database, report)
            if whole and _is_still(export, run.options, stamp):
                _remember(run.database, stamp, digest)
    except ArchiveError as problem:
        if isinstance(problem.__cause__, sqlite3.Error):
            raise  # it is the archive that fails, and it would for every other export too
        return _failed(report, problem.message)
    except Exception as problem:  # other people's files: one that fails must not end the others
        return _failed(report, f"It could not be read: {type(problem).__name__}.")
    return report


def _is_still(export: Export, options: Options, stamp: Stamp) -> bool:
    """Whether the files look as before they were read; else they must be read again."""
    try:
        return stamp_of(export, options).look == stamp.look
    except OSError:
        return False


def _failed(report: ExportReport, why: str) -> ExportReport:
    return ExportReport(report.source, report.format, report.name, outcome="failed", why=why)


def _known(database: sqlite3.Connection, stamp: Stamp) -> tuple[str, str] | None:
    row = database.execute(
        "select stamp, digest from file where path = ? and told = ?", (stamp.name, stamp.told)
    ).fetchone()
    return (row[0], row[1]) if row else None


def _remember(database: sqlite3.Connection, stamp: Stamp, digest: str) -> None:
    last = database.execute("select coalesce(max(id), 0) from import").fetchone()[0]
    database.execute(
        "insert into file values(?, ?, ?, ?, ?) on conflict(path) do update set"
        " stamp = excluded.stamp, digest = excluded.digest, told = excluded.told,"
        " import = excluded.import",
        (stamp.name, stamp.look, digest, stamp.told, last),
    )


def _take(run: Run, export: Export, report: ExportReport) -> bool:
    """Take what is read, and say whether nothing was kept back that may be read another time."""
    database = run.database
    register = Register(database, export.source)
    newest = database.execute("select coalesce(max(id), 0) from conversation").fetchone()[0]
    number = database.execute(
        "insert into import(source, format, root, zone, at) values(?, ?, ?, ?, ?) returning id",
        (
            register.source_id, export.format, well_formed(str(export.path.resolve())),
            run.options.timezone,
            datetime.now(UTC).isoformat(timespec="seconds"),
        ),
    ).fetchone()[0]  # fmt: skip
    merge = Merge(database, number, register)
    whole = _take_rows(run, export, merge, report)
    counts = merge.finish()
    report.added, report.changed, report.unchanged = counts.added, counts.changed, counts.unchanged
    touched = merge.conversations
    report.conversations_added = sum(one > newest for one in touched)
    report.conversations_changed = len(touched) - report.conversations_added
    report.conversations_unchanged = register.conversation_count - len(touched)
    database.execute(
        "update import set added = ?, changed = ?, unchanged = ?, skipped = ? where id = ?",
        (report.added, report.changed, report.unchanged, report.skipped, number),
    )
    return whole


def _take_rows(run: Run, export: Export, merge: Merge, report: ExportReport) -> bool:
    count, whole = 0, True
    for row in run.read(export, run.options):
        if isinstance(row, Skipped):
            report.skip(row)
            whole = whole and not isinstance(row, Interrupted)
            continue
        merge.take(row)
        count += 1
        if count % EVERY == 0:
            run.progress(export, count)
    run.progress(export, count)
    return whole


def _begin_to_finish(database: sqlite3.Connection, report: ExportReport) -> None:
    """Note, with what was taken, that it is to be finished: whatever comes between, a run does."""
    if report.added or report.changed:
        database.execute(
            f"insert into meta values('{_UNFINISHED}', ?)"
            " on conflict(key) do update set value = value + excluded.value",
            (report.added,),
        )


def _finish(path: Path, database: sqlite3.Connection, options: Options) -> None:
    """Count and put in order what this run, or one that was broken off, has taken."""
    with transaction(database):
        database.execute(
            "insert into meta values('zone', ?) on conflict(key) do update"
            " set value = excluded.value where value != excluded.value",
            (options.timezone,),
        )
        row = database.execute("select value from meta where key = ?", (_UNFINISHED,)).fetchone()
        if row is None:
            return
        count_common_words(database)
    added = int(row[0])
    total = database.execute("select sum(messages) from conversation").fetchone()[0]
    if 2 * added >= total:  # so that no message is put in order more often than a few times
        with transaction(database):
            put_in_order(database)
    models = database.execute("select distinct model from embedding").fetchall()
    for (model,) in models:
        build(database, path, model)
    with transaction(database):
        database.execute("delete from meta where key = ?", (_UNFINISHED,))
