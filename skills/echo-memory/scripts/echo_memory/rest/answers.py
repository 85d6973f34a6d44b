"""Answers: what the Local REST API said, and what its refusals mean for a note."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from http.client import HTTPMessage
from typing import Any
from urllib.parse import unquote

from echo_memory.errors import BadRequest, EchoError, Misconfigured, VaultIO, VaultUnreachable

NOTE_JSON = "application/vnd.olrapi.note+json"

_OK = 200
_PATH_REFUSED = 40021
_NO_FILE = 40400
# What is asked for below a note is taken for a part of it: its type, its name, its frontmatter.
_BELOW_A_NOTE = {40005, 40053, 40054, 40055, 40080, 40081, 40083}
_KEY_REFUSED = {401, 403, 407, 429}
_TOO_LARGE = 413
_REDIRECTS = range(300, 400)
_SERVER_ERRORS = range(500, 600)

_FILE_NAME = re.compile(r'attachment; filename="([^"]*)"')


@dataclass(frozen=True)
class Answer:
    """One answer; `whole` is false where the body was larger than was to be read."""

    status: int
    headers: HTTPMessage
    body: bytes = b""
    whole: bool = True

    def json(self) -> Any:
        """The body as JSON, whatever it claims to be; None where it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def code(self) -> int:
        """The plugin's own number of an error; 0 where this is no error of the plugin."""
        said = self.json() if self.status != _OK else None
        code = said.get("errorCode") if isinstance(said, dict) else None
        return code if isinstance(code, int) else 0

    @property
    def is_of_the_plugin(self) -> bool:
        """Whether the headers alone, all that a HEAD gives, look like the plugin's."""
        kind = self.headers.get("Content-Type") or ""
        return kind.startswith("application/json") or "Content-Disposition" in self.headers

    @property
    def is_missing(self) -> bool:
        """Whether the plugin says that there is no file of this path."""
        return self.code == _NO_FILE or self.is_below_a_note

    @property
    def is_below_a_note(self) -> bool:
        """Whether a note stands where the path needs a folder."""
        return self.code in _BELOW_A_NOTE

    def is_file(self, path: str) -> bool:
        """Whether this is the file that has exactly this path."""
        name = self._file_name
        return name is not None and not path.startswith(f"{name}/")

    def is_part_of_a_note(self, path: str) -> bool:
        """Whether the path was taken for that of a note with a part of it behind."""
        name = self._file_name
        return name is not None and path.startswith(f"{name}/")

    def names(self) -> list[str] | None:
        """The names in a folder, those of folders with a slash at the end; None: no listing."""
        said = self.json() if self.status == _OK else None
        names = said.get("files") if isinstance(said, dict) else None
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return names
        return None

    def is_folder(self) -> bool:
        """Whether this lists a folder; a file can look like a listing, but comes with its name."""
        return self._file_name is None and self.names() is not None

    @property
    def _file_name(self) -> str | None:
        """The file that the plugin says it answered with."""
        said = self.headers.get("Content-Disposition") if self.status == _OK else None
        named = _FILE_NAME.match(said or "")
        return unquote(named[1]) if named else None


def refused(answer: Answer, path: str = "") -> EchoError:
    """The error that an answer stands for which is nothing that was hoped for."""
    status, code = answer.status, answer.code
    if status in _KEY_REFUSED:
        return wrong_key() if code else _guarded()
    if status in _REDIRECTS:
        return _moved()
    if code == _PATH_REFUSED:
        return BadRequest(
            "The vault does not take this path. Use letters, digits, blanks and hyphens.",
            field="path",
            path=path,
        )
    details = {"path": path} if path else {}
    if status == _TOO_LARGE:
        return VaultIO(
            "The note is too large for what stands between here and the vault. Divide it, or"
            " raise the proxy's limit for a request.",
            **details,
        )
    if code:
        return VaultIO(
            f"The vault's Local REST API reports error {code}. Look at Obsidian's developer"
            " console, then try again.",
            **details,
        )
    if status in _SERVER_ERRORS:
        return VaultUnreachable(
            f"Something in front of the vault answers with status {status}. Check that Obsidian"
            " runs with the Local REST API plugin on, and the proxy between."
        )
    return not_the_plugin()


def wrong_key() -> Misconfigured:
    """The plugin does not take the key."""
    return Misconfigured(
        "The vault refuses the key. Copy it from Obsidian's settings of the Local REST API plugin"
        " into ECHO_KEY; where the header was renamed there, set ECHO_AUTH_HEADER."
    )


def not_the_plugin() -> Misconfigured:
    """Somebody else answers."""
    return Misconfigured(
        "What answers at ECHO_BASE is not Obsidian's Local REST API. Check its host and port:"
        " 27124 with https, 27123 with http, unless they were changed."
    )


def _guarded() -> Misconfigured:
    return Misconfigured(
        "Something in front of the vault refuses the request. Let the proxy pass the API key's"
        " header on, or set ECHO_BASE to the vault's own address."
    )


def _moved() -> Misconfigured:
    return Misconfigured(
        "The vault's address redirects to another one, which is not followed with a key. Set"
        " ECHO_BASE to the final address."
    )
