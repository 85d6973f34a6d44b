"""The vault: what every store of notes can do, and how a note is edited.

A vault reads and writes whole notes only, so that a folder, an HTTP door and the decorators around
them promise the same. Text is UTF-8; a byte that is none travels as a lone surrogate and comes back
as the same byte, and line endings are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from echo_memory.errors import BadRequest, Conflict, EchoError, NotFound, Unparseable

Stamp = str

MAX_NOTE_BYTES = 10_000_000
TRASH = ".trash"


class Vault(Protocol):
    """A store of notes, each under a path such as `resources/people/ada-lovelace.md`.

    Every method that takes a path refuses, with BadRequest, one that `safe_path` refuses or that
    leads out of the vault by other means. Each may raise VaultUnreachable, VaultIO where the vault
    is there but cannot read or store, and Misconfigured where it wants other credentials; messages
    name no path of the host.
    """

    def stamps(self) -> dict[str, Stamp]:
        """Every visible `.md` note that can be asked for, with the version it is in.

        A stamp says nothing but whether a note may have changed: equal stamps, equal text.
        """
        ...

    def stamp(self, path: str) -> Stamp:
        """The version that one note is in.

        Raises:
            NotFound: no such note.
        """
        ...

    def read(self, path: str) -> str:
        """A note's whole text.

        Raises:
            NotFound: no such note.
            VaultIO: also for a note of more than MAX_NOTE_BYTES.
        """
        ...

    def read_many(self, paths: Iterable[str]) -> dict[str, str]:
        """The texts of many notes; those that are missing or cannot be read are left out."""
        ...

    def write(self, path: str, text: str, *, expected: str | None) -> None:
        """Store a note's whole text, once it has been seen to be still the expected one.

        Args:
            path: where; folders on the way are made.
            text: at most MAX_NOTE_BYTES.
            expected: the text that this one replaces; None where there must be no note yet.

        Raises:
            Conflict: the vault has something else than what was expected.
            MaybeWritten: it has something else by now, and may have had this text before.
        """
        ...

    def trash(self, path: str, *, expected: str) -> str:
        """Move a note into `.trash`, under a name that is free there; returns that path.

        Raises:
            NotFound: no such note.
            Conflict: its text is not the expected one.
        """
        ...

    def probe(self) -> None:
        """Return when the vault can be used.

        Raises:
            VaultUnreachable: it is not there.
            VaultIO: it is there and refuses.
            Misconfigured: it is there and wants other credentials, or it is no vault at all.
        """
        ...

    @property
    def connections(self) -> int:
        """How many connections were made to it; a new one may lead to another vault."""
        ...

    def seems_gone(self) -> bool:
        """Whether it is plain within moments, and without a question to it, that it is away.

        That it does not seem so promises nothing.
        """
        ...

    def close(self) -> None:
        """Let go of what is kept open; the vault can still be used."""
        ...


@dataclass(frozen=True)
class Edit:
    """One edit of a note; `before` is None where the note was created by it."""

    before: str | None
    after: str

    @property
    def changed(self) -> bool:
        """Whether anything had to be written."""
        return self.before != self.after


class MaybeWritten(Conflict):
    """A write whose answer was lost, to a note that is something else again by now."""


class Stale(Exception):
    """What a change raises when the note is not the one that it was planned for."""


@dataclass(frozen=True)
class Known:
    """What a note is believed to say; None where there is believed to be none."""

    text: str | None


def edit(
    vault: Vault, path: str, change: Callable[[str | None], str], *, known: Known | None = None
) -> Edit:
    """Read a note, change its text, and write it back if it is still the one that was read.

    When somebody else was faster, the change is made once more on the new text. With `known`, the
    first reading is spared: what is known wrongly is found out by the write.

    Args:
        vault: where the note is.
        path: which note.
        change: from the text, None where there is no note, to the new text. It may be called
            more than once, and what it raises ends the edit with the note untouched.
        known: what the note is believed to say.

    Raises:
        Conflict: the note changed again during the second try.
        MaybeWritten: at the first try; nobody can tell whether the change was made.
    """
    done = _edit_known(vault, path, change, known.text) if known else None
    if done:
        return done
    try:
        return _edit_once(vault, path, change)
    except MaybeWritten:
        raise
    except Conflict:
        return _edit_once(vault, path, change)


def _edit_known(
    vault: Vault, path: str, change: Callable[[str | None], str], before: str | None
) -> Edit | None:
    """The edit of a note that is as it is believed to be; None where it must be read first.

    That nothing changes, or that the change is refused, is only believed of a text that was read.
    """
    try:
        after = change(before)
    except (EchoError, Stale):
        return None
    if after == before:
        return None
    try:
        vault.write(path, after, expected=before)
    except MaybeWritten:
        raise
    except Conflict:
        return None
    return Edit(before, after)


def _edit_once(vault: Vault, path: str, change: Callable[[str | None], str]) -> Edit:
    try:
        before = vault.read(path)
    except NotFound:
        before = None
    try:
        done = Edit(before, change(before))
    except Unparseable as error:  # whoever reads a text does not know whose it is
        raise error.of(path) from error
    if done.changed:
        vault.write(path, done.after, expected=before)
    return done


def conflict(path: str) -> Conflict:
    """The error of a write that met another text than it expected."""
    return Conflict("The note changed meanwhile. Read it again and repeat.", path=path)


def to_bytes(text: str) -> bytes:
    """A note's text as a vault stores it.

    Raises:
        BadRequest: more than MAX_NOTE_BYTES, or a surrogate that stands for no byte.
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise BadRequest(
            "The text is not valid Unicode: it has half of a surrogate pair. Send it without.",
            field="text",
        ) from error
    if len(data) > MAX_NOTE_BYTES:
        raise BadRequest(
            f"The note would be larger than {MAX_NOTE_BYTES:,} bytes. Divide it.", field="text"
        )
    return data


def to_text(data: bytes) -> str:
    """What a vault stored as text; `to_bytes` gives the same bytes again."""
    return data.decode("utf-8", "surrogateescape")
