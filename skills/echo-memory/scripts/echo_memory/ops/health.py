"""Health: whether everything is in order."""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from echo_memory import __version__, alarms, arguments, linting, routing, vault_lock
from echo_memory.envelope import Envelope, success
from echo_memory.errors import EchoError, Misconfigured, NotFound
from echo_memory.ledger import BACKUP, DECAY, SWEEP, Ledger, Page
from echo_memory.memory import Memory

MIN_FREE_BYTES = 100_000_000

_HISTORY_FIX = "Make room at ECHO_STATE_DIR, and let this user write in its folder `history`."


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; `fix` is empty where it is in order."""

    check: str
    ok: bool
    detail: str
    fix: str = ""


def doctor_op(echo: Memory) -> Envelope:
    """Check the vault, the state folder and the installation; a failed check is data.

    Returns:
        `healthy` and `checks` ({check, ok, detail, fix}); while the vault does not answer, those
        that need it are left out.
    """
    checks = _checks(echo)
    return success(
        "doctor",
        healthy=all(check.ok for check in checks),
        checks=[asdict(check) for check in checks],
    )


def health_op(echo: Memory, *, deep: bool = False) -> Envelope:
    """Doctor's checks, and lint's violations when deep.

    Returns:
        `healthy` and `checks` as doctor has them; `violations`, empty when not deep; when deep also
        lint's `counts`, and `truncated` where there are more.

    Raises:
        BadRequest: `deep` is neither true nor false.
    """
    thorough = arguments.flag(deep, "deep")
    checks = _checks(echo)
    found: dict[str, Any] = {"violations": []}
    if thorough and checks[0].ok:
        found = linting.report(echo)
    return success(
        "health",
        healthy=all(check.ok for check in checks),
        checks=[asdict(check) for check in checks],
        **found,
    )


def _checks(echo: Memory) -> list[Check]:
    """All checks, the vault's reachability first."""
    reachable = _vault(echo)
    checks = [reachable]
    if reachable.ok:
        checks += [_access(echo), _marker(echo), _index(echo), _lock(echo)]
    return [*checks, _outbox(echo), *_state(echo), _history(echo), *_upkeep(echo), _version()]


def _vault(echo: Memory) -> Check:
    try:
        echo.vault.probe()
        echo.mirror.refresh()
    except EchoError as error:
        return Check("vault", ok=False, detail=error.message, fix=_vault_fix(echo, error))
    return Check("vault", ok=True, detail=f"reachable; {echo.catalog.note_count} notes")


def _vault_fix(echo: Memory, error: EchoError) -> str:
    if isinstance(error, Misconfigured):
        return "Mend the setting that the detail names."
    if isinstance(echo.config.vault, Path):
        return "Mount the folder that ECHO_BASE or --vault names, and check who may read it."
    return "Start Obsidian with the Local REST API plugin, and the right vault open in it."


def _access(echo: Memory) -> Check:
    """Whether a folder may be written to, or the key is accepted, as the answers so far show."""
    if not isinstance(echo.config.vault, Path):
        return Check("access", ok=True, detail="the API key is accepted")
    if os.access(echo.config.vault, os.R_OK | os.W_OK | os.X_OK):
        return Check("access", ok=True, detail="the folder can be read and written")
    return Check(
        "access",
        ok=False,
        detail="the folder cannot be read and written by this user",
        fix="Give this user read and write permission, or mount the folder so.",
    )


def _marker(echo: Memory) -> Check:
    table = routing.table()
    note = echo.catalog.get(table.fixed["marker"].path)
    if note is None:
        return Check(
            "marker",
            ok=False,
            detail="this folder is not an ECHO vault yet",
            fix="Run `bootstrap`, which adds the marker and touches no note.",
        )
    version = note.scalar("schema_version")
    if version == str(table.schema_version):
        return Check("marker", ok=True, detail=f"schema version {version}")
    return Check(
        "marker",
        ok=False,
        detail=f"schema version {version[:20] or 'missing'}, expected {table.schema_version}",
        fix=f"Install the version of echo-memory that made the vault, or set `schema_version:"
        f" {table.schema_version}` in {note.path} if it was lost.",
    )


def _index(echo: Memory) -> Check:
    """What is known of the notes; the shared index is derived, so that it lags is no fault."""
    known = f"{len(echo.catalog.entities)} entities, read {echo.mirror.age_s or 0:.0f} s ago"
    try:
        shared = echo.vault.read(routing.table().files["entities"])
        json.loads(shared)
    except NotFound:
        return Check("index", ok=True, detail=f"{known}; no shared index yet")
    except (EchoError, ValueError, RecursionError):
        return Check(
            "index",
            ok=False,
            detail=f"{known}; the shared index cannot be read",
            fix="Run `reindex`, which writes it anew.",
        )
    fresh = shared == echo.catalog.entities.to_json()
    state = "up to date" if fresh else "behind; the next capture or `reindex` mends it"
    return Check("index", ok=True, detail=f"{known}; the shared index is {state}")


def _lock(echo: Memory) -> Check:
    """The advisory lock of the vault; one that is held or expired is no fault."""
    try:
        held = vault_lock.read(echo)
    except (EchoError, ValueError):
        return Check(
            "lock",
            ok=False,
            detail="the lock file cannot be read",
            fix=f"Run `unlock --force`, or delete {vault_lock.path()}.",
        )
    if held is None:
        return Check("lock", ok=True, detail="free")
    until = held.expires.isoformat(timespec="seconds")
    if held.is_over(echo.clock()):
        return Check("lock", ok=True, detail=f"free; {held.holder}'s expired at {until}")
    return Check("lock", ok=True, detail=f"held by {held.holder} until {until}")


def _outbox(echo: Memory) -> Check:
    """The writes that the vault could not take; that some wait while it is away is no fault."""
    try:
        status = echo.outbox.status()
    except EchoError as error:
        return Check("outbox", ok=False, detail=error.message, fix="See the detail.")
    others = sum(echo.outbox.elsewhere().values())
    oldest = status.oldest.isoformat(timespec="minutes") if status.oldest else ""
    waits = f"{status.waiting} wait, the oldest since {oldest}" if status.waiting else "none waits"
    if others:
        waits += f"; {others} more for another address, see `outbox list`"
    if not status.parked:
        return Check("outbox", ok=True, detail=waits)
    return Check(
        "outbox",
        ok=False,
        detail=f"{waits}; {status.parked} need a decision",
        fix="Look at them with `outbox list` and `outbox show ID`, then file them anew, `outbox"
        " retry ID` or `outbox drop ID`.",
    )


def _state(echo: Memory) -> Iterator[Check]:
    """The state folder, or the folder in which it will be made."""
    folder = echo.config.state_dir
    folders = (folder, *folder.parents)
    # unlike Path.exists, which raises where a folder on the way is closed
    there = next((each for each in folders if os.path.exists(each)), Path("/"))  # noqa: PTH110
    writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
    yield Check(
        "state",
        ok=writable,
        detail="the state folder can be written" if writable else "the state folder is closed",
        fix="" if writable else "Set ECHO_STATE_DIR to a folder that this user can write.",
    )
    free = shutil.disk_usage(there).free
    roomy = free >= MIN_FREE_BYTES
    yield Check(
        "disk",
        ok=roomy,
        detail=f"{free // 1_000_000} MB free at the state folder",
        fix="" if roomy else "Make room on the disk of the state folder.",
    )


def _history(echo: Memory) -> Check:
    """The earlier texts of the notes; that there are none yet is no fault."""
    try:
        status = echo.history.status()
    except EchoError as error:
        return Check("history", ok=False, detail=error.message, fix=_HISTORY_FIX)
    size = f"{status.size / 1e6:.1f} MB"
    detail = f"{status.versions} earlier texts of {status.notes} notes, {size}"
    if status.trouble:
        failed = f"{detail}; the last text could not be kept: {status.trouble}"
        return Check("history", ok=False, detail=failed, fix=_HISTORY_FIX)
    if status.was_damaged:
        return Check(
            "history",
            ok=False,
            detail=f"{detail}; an earlier file was damaged and was put aside",
            fix="Mend, or delete, the `.damaged` files in `history` of the state folder; until"
            " then all works with a new one.",
        )
    return Check("history", ok=True, detail=detail)


def _upkeep(echo: Memory) -> Iterator[Check]:
    """What the server does by itself, as the ledger has it; where none ran, nobody promised it."""
    page = Ledger.of(echo.config).read()
    yield _backup(echo, page)
    yield from _alarms(echo, page)
    for job, finds in ((SWEEP, "violations"), (DECAY, "proposals")):
        run = page.run(job)
        detail = f"{_ago(echo, run.done)}; {run.found.get(finds, 0)} {finds}"
        failed = f"; the last try failed: {run.error}" if run.error else ""
        yield Check(
            job,
            ok=not run.error,
            detail=f"{detail}{failed}" if run.done or run.error else "has not run yet",
            fix=f"Run `{job}`, and see what it says." if run.error else "",
        )


def _backup(echo: Memory, page: Page) -> Check:
    run = page.run(BACKUP)
    late = page.backup_is_old(echo.clock())
    failed = f"; the last try failed: {run.error}" if run.error else ""
    detail = f"the last one {_ago(echo, run.done)}" if run.done else "none yet"
    return Check(
        "backup",
        ok=not (late or run.error),
        detail=f"{detail}{failed}",
        fix="Run `echo-mcp backup now`, and see what it says." if late or run.error else "",
    )


def _alarms(echo: Memory, page: Page) -> Iterator[Check]:
    """What the server has seen to be wrong for so long that a person is told."""
    for name in alarms.Alarms.of(page.notes.get(alarms.NOTE)).stood(echo.clock()):
        what, fix = alarms.MEANINGS[name]
        yield Check(name, ok=False, detail=what, fix=fix)


def _ago(echo: Memory, instant: datetime | None) -> str:
    if instant is None:
        return "never"
    minutes = max(0, round((echo.clock() - instant).total_seconds() / 60))
    return f"{minutes} min ago" if minutes < 120 else f"{minutes // 60} h ago"


def _version() -> Check:
    return Check(
        "version",
        ok=True,
        detail=f"echo-memory {__version__}, Python {platform.python_version()}",
    )
