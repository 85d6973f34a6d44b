"""The vault: what every store of notes can do, which paths it takes, and how a note is edited.

A vault reads and writes whole notes only, so that a folder, an HTTP door and the decorators around
them promise the same. Text is UTF-8; a byte that is none travels as a lone surrogate and comes back
as the same byte, and line endings are left alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote_to_bytes

from echo_memory.errors import BadRequest, Conflict, NotFound, Unparseable

Stamp = str

MAX_NOTE_BYTES = 10_000_000
MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255

_ORDINARY = re.compile(r"[\w-]+(?:[ .]+[\w-]+)*(?:/[\w-]+(?:[ .]+[\w-]+)*)*", re.ASCII)

_FAULTS = [
    (re.compile(pattern), fault)
    for pattern, fault in (
        (r"\A\Z", "is empty"),
        (r"\A/", "is absolute"),
        (r"\A[A-Za-z]:", "begins with a drive letter"),
        (r"\\", "has a backslash or a character that looks like a slash"),
        (r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", "has a control character"),
        (r"//|/\Z", "has an empty name in it"),
        (r"(?:\A|/)[.\u2026\ufe19]+(?:/|\Z)", "has a name made of dots"),
        (r"(?:\A|/)\.", "has a hidden name in it"),
        (r"[.\s](?:/|\Z)", "has a name that ends in a dot or a space"),
    )
]

_SLASH_LIKE = frozenset(
    "\u1735\u2044\u2215\u2571\u27cb\u29f6\u29f8\u2afb\u2afd\u2e4a"  # leaning right
    "\u2216\u2572\u27cd\u29f5\u29f9"  # leaning left
)

# ASCII in more bytes than it needs: no UTF-8, but lenient decoders take it.
_OVERLONG = re.compile(rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f][\x80-\xbf]|\xf0[\x80-\x8f]")


class Vault(Protocol):
    """A store of notes, each under a path such as `resources/people/ada-lovelace.md`.

    Every method that takes a path refuses, with BadRequest, one that `safe_path` refuses or that
    leads out of the vault by other means. Each may raise VaultUnreachable, and VaultIO where the
    vault is there but cannot read or store; messages name no path of the host.
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
        """
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


def edit(vault: Vault, path: str, change: Callable[[str | None], str]) -> Edit:
    """Read a note, change its text, and write it back if it is still the one that was read.

    When somebody else was faster, the change is made once more on the new text.

    Args:
        vault: where the note is.
        path: which note.
        change: from the text, None where there is no note, to the new text. It may be called
            twice, and what it raises ends the edit with the note untouched.

    Raises:
        Conflict: the note changed again during the second try.
    """
    try:
        return _edit_once(vault, path, change)
    except Conflict:
        return _edit_once(vault, path, change)


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


def safe_path(path: str, *, field: str = "path") -> str:
    """The path itself, untouched, when no reader on any machine could take it out of the vault.

    Refused is what is absolute or hidden, climbs, or is no proper name, both as it is written and
    as anything on the way might read it: percent-decoded however often, or with look-alikes taken
    for what they look like. A `%` that decodes to nothing bad is an ordinary character, and names
    that only Windows reserves are ordinary names.

    Args:
        path: relative to the vault, `/` between names.
        field: the argument that the error names.

    Raises:
        BadRequest: the path is refused.
    """
    fault = _fault(path)
    if fault:
        raise BadRequest(
            f"The path {fault}. Give one inside the vault, such as resources/people/ada.md.",
            field=field,
        )
    return path


def is_safe(path: str) -> bool:
    """Whether `safe_path` takes a path."""
    return not _fault(path)


def _fault(path: str) -> str:
    """What is wrong with a path; empty when nothing is."""
    too_long = _fault_of_size(path)
    if too_long or _ORDINARY.fullmatch(path):
        return too_long
    for reading in _readings(path):
        for pattern, fault in _FAULTS:
            if pattern.search(reading):
                return fault
    return ""


def _fault_of_size(path: str) -> str:
    try:
        data = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if len(data) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if len(data) > MAX_NAME_BYTES and max(map(len, data.split(b"/"))) > MAX_NAME_BYTES:
        return f"has a name longer than {MAX_NAME_BYTES} bytes"
    return ""


def _readings(path: str) -> Iterator[str]:
    """Everything that a decoder or a normaliser on the way could take the path for.

    Making a reading plain only ever adds to what is dangerous in it, and decoding shortens it, so
    one chain of both covers every order in which they might be applied, and ends.
    """
    while True:
        plain = path if path.isascii() else "".join(map(_plain, path))
        yield plain
        path = _OVERLONG.sub(rb"\\", unquote_to_bytes(plain)).decode("utf-8", "replace")
        if path == plain:
            return


def _plain(character: str) -> str:
    """The ASCII that a character may be taken for, a backslash for whatever resembles a slash."""
    if character < "\x80":
        return character
    if character in _SLASH_LIKE:
        return "\\"
    if unicodedata.category(character) == "Cf":
        return ""  # invisible; some file systems overlook it too
    folded = unicodedata.normalize("NFKC", character)
    if "/" in folded or "\\" in folded:
        return "\\"
    # The wide colon is what people write where a colon is not allowed: never a drive's.
    known = folded == ".." or (len(folded) == 1 and folded.isascii() and folded != ":")
    return folded if known else character
