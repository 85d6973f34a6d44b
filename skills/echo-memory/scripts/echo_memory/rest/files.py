"""Files: looked at, put and removed whole through the Local REST API, and never by mistake."""

from __future__ import annotations

from collections.abc import Callable

from echo_memory.errors import VaultIO, VaultUnreachable
from echo_memory.rest.access import target
from echo_memory.rest.answers import Answer, refused
from echo_memory.rest.client import Client
from echo_memory.rest.faults import Unanswered
from echo_memory.vault import MAX_NOTE_BYTES, MaybeWritten, conflict

_DONE, _CONDITION_FAILED = 204, 412

_BYTES = {"Content-Type": "application/octet-stream"}  # any other type may be rewritten


class Files:
    """Files by their paths; whoever changes one says what was there.

    The plugin has no lock, and versions up to 5.1 look at no conditions. Newer ones do, so they are
    always sent along.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    def look(self, path: str) -> Answer | None:
        """The file or the folder that has this path; None where nothing has."""
        answer = self._client.ask("GET", target(path), limit=MAX_NOTE_BYTES)
        if answer.is_file(path) or answer.is_folder():
            return answer
        if answer.is_missing or answer.is_part_of_a_note(path):
            return None
        raise refused(answer, path)

    def put(self, path: str, new: bytes, *, seen: Answer | None) -> None:
        """Store a file in the place of one that was just looked at.

        Args:
            path: where; folders on the way are made.
            new: its content.
            seen: what the look showed, None for nothing.

        Raises:
            Conflict: something else is there by now.
            VaultIO: the plugin cannot store it.
        """
        headers = {**_BYTES, **_condition(seen), "Content-Length": str(len(new))}
        answer = self._changed(
            path,
            lambda: self._client.ask("PUT", target(path), headers=headers, body=new, limit=0),
            old=None if seen is None else seen.body,
            new=new,
        )
        if answer is not None and answer.is_below_a_note:
            raise VaultIO(
                "A file stands where the path needs a folder. Choose another folder.", path=path
            )
        _require_done(answer, path)

    def remove(self, path: str, *, seen: Answer) -> None:
        """Remove what was just looked at and is a file: of a folder, all would go.

        Raises:
            Conflict: something else is there by now.
            VaultIO: the plugin cannot remove it.
        """
        headers = _condition(seen)
        answer = self._changed(
            path,
            lambda: self._client.ask("DELETE", target(path), headers=headers, limit=0),
            old=seen.body,
            new=None,
        )
        if answer is None or not answer.is_missing:
            _require_done(answer, path)

    def _changed(
        self, path: str, ask: Callable[[], Answer], *, old: bytes | None, new: bytes | None
    ) -> Answer | None:
        """The answer to a change; None when it was lost and the change is found to be made.

        Args:
            path: what is changed.
            ask: sends the change.
            old: what was there before, None for nothing.
            new: what is to be there after it.

        Raises:
            MaybeWritten: the answer was lost, and something else is there now.
            VaultUnreachable: it is not known what became of the change.
        """
        for again in (True, False):
            try:
                return ask()
            except Unanswered as unanswered:
                try:
                    found = self.look(path)
                except VaultUnreachable:
                    raise unanswered from None
                if holds(found, new):
                    return None
                if not holds(found, old):
                    raise _maybe_written(path) from unanswered
                # A request that is only late may still be handled, after whatever comes next.
                if unanswered.late or not again:
                    raise
        return None


def holds(found: Answer | None, content: bytes | None) -> bool:
    """Whether what was found is a file with exactly this content; None is no file."""
    if found is None or content is None:
        return found is None and content is None
    return found.whole and found.body == content and not found.is_folder()


def _maybe_written(path: str) -> MaybeWritten:
    return MaybeWritten(
        "The vault's answer was lost, and the note has changed since. Look whether the change is in"
        " it, and make it again if it is not.",
        path=path,
    )


def _condition(seen: Answer | None) -> dict[str, str]:
    """Headers by which the plugin itself can refuse to write over anything but this."""
    if seen is None:
        return {"If-None-Match": "*"}
    tag = seen.headers.get("ETag") or ""
    return {"If-Match": tag} if tag.startswith('"') else {}


def _require_done(answer: Answer | None, path: str) -> None:
    if answer is None or answer.status == _DONE:
        return
    raise conflict(path) if answer.status == _CONDITION_FAILED else refused(answer, path)
