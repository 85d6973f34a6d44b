"""Stamps: the versions of notes behind the Local REST API, from one search or from a walk."""

from __future__ import annotations

import secrets
import time
from email.utils import parsedate_to_datetime
from typing import Any

from echo_memory.errors import NotFound, VaultIO
from echo_memory.rest.access import target
from echo_memory.rest.answers import NOTE_JSON, Answer, refused
from echo_memory.rest.client import Client
from echo_memory.rest.faults import Unanswered
from echo_memory.vault import Stamp
from echo_memory.vault_paths import is_safe

SEARCH_TIMEOUT_S = 60.0
MAX_LISTING_BYTES = 100_000_000

_OK, _CANNOT_READ = 200, 500
_NO_FILE = {200, 400, 404}  # a folder, something below a note, nothing

_SEARCH = {"Content-Type": "application/vnd.olrapi.jsonlogic+json"}
_STATS = b'{"var": "stat"}'
_SEARCH_AGAIN_AFTER_S = 300.0

# A file that is written twice within one tick of its file system's clock has the same times after
# both; FAT's tick is the longest, two seconds.
_TICK_S = 3.0


class Stamps:
    """Asks for versions; where the search fails, it is left alone for some minutes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._search_from = time.monotonic()

    def all(self) -> dict[str, Stamp]:
        """The version of every visible note."""
        if time.monotonic() >= self._search_from:
            found = self._searched()
            if found is not None:
                return found
            self._search_from = time.monotonic() + _SEARCH_AGAIN_AFTER_S
        return self._walked()

    def one(self, path: str) -> Stamp:
        """The version of one file, written as in `all`.

        Raises:
            NotFound: no such file.
        """
        searches = time.monotonic() >= self._search_from
        stamp = self._known(path) if searches else self._tag(path)
        if stamp is None:
            raise NotFound("There is no such note. Check the path.", path=path)
        return stamp

    def _known(self, path: str) -> Stamp | None:
        """The version of a file by what Obsidian knows of it; None where there is none."""
        began = time.monotonic()
        answer = self._client.ask(
            "GET", target(path), headers={"Accept": NOTE_JSON}, limit=MAX_LISTING_BYTES
        )
        if answer.is_file(path):
            said = answer.json() if answer.whole else None
            stat = said.get("stat") if isinstance(said, dict) else None
            return _stamp(stat, _settled(answer, began)) or self._tag(path)
        if answer.is_missing or answer.is_folder() or answer.is_part_of_a_note(path):
            return None
        raise refused(answer, path)

    def _searched(self) -> dict[str, Stamp] | None:
        """All versions from one request; None where the plugin cannot do it."""
        began = time.monotonic()
        try:
            answer = self._client.ask(
                "POST",
                "/search/",
                headers=_SEARCH,
                body=_STATS,
                limit=MAX_LISTING_BYTES,
                timeout=SEARCH_TIMEOUT_S,
            )
        except Unanswered as unanswered:
            if not unanswered.late:
                raise
            return None  # a vault that Obsidian is still reading takes minutes to search
        if answer.status == _OK:
            rows = answer.json() if answer.whole else None
            return _stamps(rows, _settled(answer, began)) if isinstance(rows, list) else None
        error = refused(answer)
        if not isinstance(error, VaultIO):
            raise error
        return None

    def _walked(self) -> dict[str, Stamp]:
        """All versions from one listing a folder and one look at each note."""
        notes: list[str] = []
        folders = [""]
        while folders:
            inside = [path for found in self._client.each(self._listed, folders) for path in found]
            notes += [path for path in inside if path[-3:].lower() == ".md"]
            folders = [path for path in inside if path.endswith("/")]
        tags = zip(notes, self._client.each(self._tag, notes), strict=True)
        return {path: tag for path, tag in tags if tag is not None}

    def _listed(self, folder: str) -> list[str]:
        """The paths in a folder, those of folders with a slash at the end."""
        answer = self._client.ask("GET", target(folder), limit=MAX_LISTING_BYTES)
        names = answer.names()
        if names is None and not answer.is_missing:
            raise refused(answer)
        paths = [folder + name for name in names or []]
        return [path for path in paths if is_safe(path.removesuffix("/"))]

    def _tag(self, path: str) -> Stamp | None:
        """The version of a file by what is in it; None where it is gone."""
        answer = self._client.ask("HEAD", target(path), limit=0)
        if answer.is_file(path):
            tag = answer.headers.get("ETag") or secrets.token_hex(8)
            return f"{answer.headers.get('Content-Length')}-{tag}"
        if answer.status in _NO_FILE and answer.is_of_the_plugin:
            return None
        if answer.status == _CANNOT_READ:
            return secrets.token_hex(8)
        raise refused(answer, path)


def _stamps(rows: list[Any], settled: float) -> dict[str, Stamp] | None:
    found: dict[str, Stamp] = {}
    for row in rows:
        path = row.get("filename") if isinstance(row, dict) else None
        stamp = _stamp(row.get("result"), settled) if isinstance(path, str) else None
        if path is None or stamp is None:
            return None
        if is_safe(path):
            found[path] = stamp
    return found


def _stamp(stat: Any, settled: float) -> Stamp | None:
    """A stamp that no other note gets while the clock still stands where it was written."""
    known = stat if isinstance(stat, dict) else {}
    values = [known.get(name) for name in ("size", "mtime", "ctime")]
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) < len(values):
        return None
    fresh = [secrets.token_hex(8)] if numbers[1] > settled else []
    return "-".join([*map(str, numbers), *fresh])


def _settled(answer: Answer, began: float) -> float:
    """Files that were written before this time, in milliseconds, have times of their own.

    The clock is the vault's own, as it was when the question was asked.
    """
    try:
        now = parsedate_to_datetime(answer.headers.get("Date", "")).timestamp()
    except (ValueError, OverflowError):
        now = time.time()
    return (now - (time.monotonic() - began) - _TICK_S) * 1000
