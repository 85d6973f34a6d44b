"""History: the earlier texts of a note, and bringing one of them back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from echo_memory import arguments, difference, shared_index
from echo_memory.difference import Shown
from echo_memory.envelope import Envelope, success
from echo_memory.errors import BadRequest, Conflict, NotFound, VaultIO, VaultUnreachable
from echo_memory.history import RING, RING_OF_ADDED, Version, id_of
from echo_memory.memory import Memory
from echo_memory.queueing import queued
from echo_memory.vault_paths import is_safe

MAX_ID = 100
MAX_DIFF = 6_000
MAX_VERSIONS = RING + RING_OF_ADDED

_OFFERED = 3
_COMPARED = 500_000  # bytes of a version that is compared with the next


def history_op(echo: Memory, path: str) -> Envelope:
    """List the earlier texts of a note, also of one that is no more.

    A text is kept when something is about to replace it; where lines are only added, by the
    operations that file text into a note, a few are. A note that was moved keeps those that it had
    where it stood before.

    Returns:
        `path`, `exists`, and `versions`, newest first: `id`, `ts` (when it was replaced), `bytes`,
        `operation` (by which), `summary_line`, what the text after it has otherwise, and `path`
        where it was that of a note of the same file name elsewhere, which is no more. `omitted`
        is how many older ones there are.

    Raises:
        NotFound: no such note, and no version of one.
        BadRequest: several notes are meant.
    """
    wanted = arguments.reference(path, "path")
    view = echo.look()
    place = _place(echo, wanted)
    current = _current(echo, place)
    every = echo.history.versions(place, *_former(echo, place))
    versions = every[:MAX_VERSIONS]
    summaries = _summaries(echo, versions, current)
    omitted = len(every) - len(versions)
    return success(
        "history",
        path=place,
        exists=current is not None,
        versions=[
            {
                "id": version.id,
                "ts": version.at,
                "bytes": version.size,
                "operation": version.op,
                "summary_line": summary,
                **({"path": version.path} if version.path != place else {}),
            }
            for version, summary in zip(versions, summaries, strict=True)
        ],
        **({"omitted": omitted} if omitted else {}),
        **view.fields,
        warnings=view.warnings,
    )


@queued("restore", writes=lambda given: bool(given.get("confirm")))
def restore_op(echo: Memory, path: str, version_id: str, *, confirm: bool = False) -> Envelope:
    """Bring an earlier text of a note back; the text that it replaces becomes a version itself.

    One that waited for the vault is parked when the note is no longer the one that it was for.

    Args:
        echo: the memory.
        path: with or without `.md`, or an id; also of a note that is no more.
        version_id: as `history_op` lists it.
        confirm: without it nothing is written.

    Returns:
        `action` (`preview`, `restored` or `unchanged`), `path`, `version_id`, and `creates`,
        whether the note is no more. A preview has the `diff` from the note to the version, the
        numbers of lines `removed` and `added`, and `truncated` where the diff was cut; a restored
        note `undo`, the version that brings the replaced text back, null where there was none.

    Raises:
        NotFound: no such note, or no such version: `did_you_mean` has the newest ones' ids.
        Conflict: the note is no longer the one over which the version was last previewed.
    """
    wanted = arguments.reference(path, "path")
    named = arguments.line(version_id, "version_id", limit=MAX_ID, required=True).lower()
    if arguments.flag(confirm, "confirm"):
        return _restored(echo, wanted, named)
    view = echo.look()
    place = _place(echo, wanted)
    if not echo.compares and not view.offline:
        view = echo.look(place)  # whoever confirms has seen the note as it is now
    text, before = _text(echo, place, named), _current(echo, place)
    warnings = [*view.warnings, *(_namesakes(echo, place) if before is None else [])]
    with suppress(VaultIO):  # then it can only not be told whether the note changed meanwhile
        echo.history.preview(place, text, over=before)
    shown = difference.unified(before or "", text, limit=MAX_DIFF)
    return success(
        "restore",
        action="unchanged" if before == text else "preview",
        path=place,
        version_id=named,
        creates=before is None,
        **_shown(shown),
        **view.fields,
        warnings=warnings,
    )


def _restored(echo: Memory, wanted: str, named: str) -> Envelope:
    # All before the vault is asked: what has to wait must say which text it is to replace.
    place = _place(echo, wanted)
    text = _text(echo, place, named)
    note = echo.catalog.get(place) if echo.mirror.is_known else None
    if note:
        _over(echo, place, note.text, text)
    if echo.attempt:
        echo.attempt.expect(place, note.text if note else None, text)
    echo.prepare()
    edit = echo.edit(place, lambda there: _over(echo, place, there, text), once=True)
    before = edit.before if edit.changed else None
    warnings = _namesakes(echo, place) if edit.before is None else []
    return success(
        "restore",
        action="restored" if edit.changed else "unchanged",
        path=place,
        version_id=named,
        creates=edit.before is None,
        undo=id_of(before) if before is not None else None,
        warnings=[*warnings, *shared_index.publish(echo)],
    )


def _over(echo: Memory, place: str, there: str | None, text: str) -> str:
    """The text of a version, in the place of what is there.

    Raises:
        Conflict: that is not what the version was shown to replace.
    """
    # A replay knows by itself what it is to replace.
    if echo.is_replay or there == text or echo.history.was_shown_over(place, text, there):
        return text
    raise Conflict(
        "The note changed since the restore was previewed. Preview it again, and confirm that.",
        path=place,
    )


def _place(echo: Memory, wanted: str) -> str:
    """The path of the note that is meant, of one that is no more only where no other one is.

    Raises:
        NotFound: there is none, and none had versions.
        BadRequest: several are meant.
    """
    for path in (wanted, *([f"{wanted}.md"] if "/" in wanted else [])):
        if is_safe(path) and echo.history.versions(path):
            return path
    try:
        return echo.locate(wanted).path
    except (NotFound, VaultUnreachable) as error:
        gone = [] if "/" in wanted else echo.history.paths_of(wanted)
        if not gone and isinstance(error, NotFound):
            raise
        if not gone:
            raise NotFound(
                "No version of such a note is kept. Give the whole path, or ask again once the"
                " vault is back.",
                path=wanted,
            ) from error
    if len(gone) > 1:
        raise BadRequest(
            "Several notes that are no more had this name. Give the whole path of one of them.",
            field="path",
            paths=gone[:_OFFERED],
        )
    return gone[0]


def _former(echo: Memory, place: str) -> list[str]:
    """Where a note that there is may have stood before: what had its file name and is no more."""
    if echo.catalog.get(place) is None:
        return []
    same = echo.history.paths_of(place.rpartition("/")[2])
    return [path for path in same if path != place and echo.catalog.get(path) is None][:_OFFERED]


def _current(echo: Memory, place: str) -> str | None:
    """The text that is there now; None where there is none."""
    note = echo.catalog.get(place)
    if note is not None:
        return note.text
    if place.lower().endswith(".md"):
        return None
    with suppress(NotFound, VaultUnreachable):  # a file that is no note is not in the catalogue
        return echo.vault.read(place)
    return None


def _text(echo: Memory, place: str, named: str) -> str:
    paths = place, *_former(echo, place)
    text = echo.history.text(named, *paths)
    if text is None:
        raise NotFound(
            "The note has no such version. Choose one that its history lists.",
            path=place,
            did_you_mean=[version.id for version in echo.history.versions(*paths)[:_OFFERED]],
        )
    return text


def _summaries(echo: Memory, versions: list[Version], current: str | None) -> Iterator[str]:
    """What became of each version: how the text that came after it differs."""
    after = current
    for at, version in enumerate(versions):
        text = None
        if version.size <= _COMPARED:
            with suppress(VaultIO):  # one that is damaged must not hide the others
                text = echo.history.text(version.id, version.path)
        if current is None and at == 0:
            yield "the note was removed"
        elif text is None or after is None:
            yield "not compared"
        else:
            yield difference.summary(text, after)
        after = text


def _shown(shown: Shown) -> dict[str, object]:
    cut = {} if shown.is_whole else {"truncated": True}
    return {"diff": shown.text, "removed": shown.removed, "added": shown.added, **cut}


def _namesakes(echo: Memory, place: str) -> list[str]:
    """A warning where another note has the name of one that has gone: it may have been moved."""
    name = place.rpartition("/")[2].removesuffix(".md")
    names = echo.catalog.paths.named(name)
    there = next((path for path in names if path != place), None)
    said = f"A note of this name is elsewhere: {there}. It may have been moved there."
    return [said] if there else []
