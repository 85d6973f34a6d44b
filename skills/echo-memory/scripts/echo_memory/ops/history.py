"""History: the earlier texts of a note, and bringing one of them back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from echo_memory import arguments, difference, shared_index
from echo_memory.difference import Shown
from echo_memory.envelope import Envelope, success
from echo_memory.errors import BadRequest, NotFound, VaultIO, VaultUnreachable
from echo_memory.history import Version, id_of
from echo_memory.memory import Memory
from echo_memory.queueing import queued
from echo_memory.vault_paths import is_safe

MAX_ID = 100
MAX_DIFF = 6_000

_OFFERED = 3
_COMPARED = 500_000  # bytes of a version that is compared with the next


def history_op(echo: Memory, path: str) -> Envelope:
    """List the earlier texts of a note, also of one that is no more.

    A text is kept when something is about to replace it; where lines are only added, by the
    operations that file text into a note, a few are.

    Returns:
        `path`, `exists`, and `versions`, newest first: `id`, `ts` (when it was replaced), `bytes`,
        `operation` (by which), and `summary_line`, what the text after it has otherwise.

    Raises:
        NotFound: no such note, and no version of one.
        BadRequest: several notes are meant.
    """
    wanted = arguments.reference(path, "path")
    view = echo.look()
    place = _place(echo, wanted)
    note = echo.catalog.get(place)
    versions = echo.history.versions(place)
    summaries = _summaries(echo, place, versions, note.text if note else None)
    return success(
        "history",
        path=place,
        exists=note is not None,
        versions=[
            {
                "id": version.id,
                "ts": version.at,
                "bytes": version.size,
                "operation": version.op,
                "summary_line": summary,
            }
            for version, summary in zip(versions, summaries, strict=True)
        ],
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
    """
    wanted = arguments.reference(path, "path")
    named = arguments.line(version_id, "version_id", limit=MAX_ID, required=True).lower()
    if arguments.flag(confirm, "confirm"):
        return _restored(echo, wanted, named)
    view = echo.look()
    place = _place(echo, wanted)
    note, text = echo.catalog.get(place), _text(echo, place, named)
    before = note.text if note else ""
    shown = difference.unified(before, text, limit=MAX_DIFF)
    return success(
        "restore",
        action="unchanged" if note and before == text else "preview",
        path=place,
        version_id=named,
        creates=note is None,
        **_shown(shown),
        **view.fields,
        warnings=[*view.warnings, *_namesakes(echo, place)],
    )


def _restored(echo: Memory, wanted: str, named: str) -> Envelope:
    # All before the vault is asked: what has to wait must say which text it is to replace.
    known = echo.catalog if echo.mirror.is_known else None
    place = _place(echo, wanted)
    text = _text(echo, place, named)
    note = known.get(place) if known else None
    if echo.attempt:
        echo.attempt.expect(place, note.text if note else None, text)
    echo.prepare()
    edit = echo.edit(place, lambda _: text, once=True)
    before = edit.before if edit.changed else None
    return success(
        "restore",
        action="restored" if edit.changed else "unchanged",
        path=place,
        version_id=named,
        creates=edit.before is None,
        undo=id_of(before) if before is not None else None,
        warnings=[*_namesakes(echo, place), *shared_index.publish(echo)],
    )


def _place(echo: Memory, wanted: str) -> str:
    """The path of the note that is meant, of one that is no more only where no other one is.

    Raises:
        NotFound: there is none, and none had versions.
        BadRequest: several are meant.
    """
    for path in (wanted, f"{wanted}.md"):
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


def _text(echo: Memory, place: str, named: str) -> str:
    text = echo.history.text(place, named)
    if text is None:
        raise NotFound(
            "The note has no such version. Choose one that its history lists.",
            path=place,
            did_you_mean=[version.id for version in echo.history.versions(place)[:_OFFERED]],
        )
    return text


def _summaries(
    echo: Memory, place: str, versions: list[Version], current: str | None
) -> Iterator[str]:
    """What became of each version: how the text that came after it differs."""
    after = current
    for at, version in enumerate(versions):
        text = None
        if version.size <= _COMPARED:
            with suppress(VaultIO):  # one that is damaged must not hide the others
                text = echo.history.text(place, version.id)
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
    """A warning where the note has gone and another one has its name: it may have been moved."""
    if echo.catalog.get(place) is not None:
        return []
    name = place.rpartition("/")[2].removesuffix(".md")
    others = [path for path in echo.catalog.paths.named(name) if path != place]
    return [f"A note of this name is elsewhere: {others[0]}. It may have been moved there."][
        : len(others)
    ]
