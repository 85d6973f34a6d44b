"""Vault paths: which names a note may have, in any vault and on any machine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import PurePosixPath
from urllib.parse import unquote_to_bytes

from echo_memory.errors import BadRequest

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


def numbered(name: str) -> Iterator[str]:
    """A name, then the same with a number before its suffix, always short enough for a file."""
    yield name
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    for number in count(1):
        while len(f"{stem} {number}{suffix}".encode()) > MAX_NAME_BYTES:
            stem = stem[:-1]
        yield f"{stem} {number}{suffix}"
