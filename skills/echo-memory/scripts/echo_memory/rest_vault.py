"""The REST vault: notes behind Obsidian's Local REST API.

Only whole notes are read and written, which every version of the plugin does alike. It has no lock
and most versions no conditions, so a write looks at the note right before it, and again whenever
its answer was lost.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import PurePosixPath

from echo_memory.errors import BadRequest, Conflict, Misconfigured, NotFound, VaultIO
from echo_memory.rest.access import Access
from echo_memory.rest.answers import Answer, not_the_plugin, refused, wrong_key
from echo_memory.rest.client import Client
from echo_memory.rest.files import Files, holds
from echo_memory.rest.stamps import Stamps
from echo_memory.vault import (
    MAX_NOTE_BYTES,
    TRASH,
    Stamp,
    conflict,
    to_bytes,
    to_text,
)
from echo_memory.vault_paths import numbered, safe_path

SERVICE = "Obsidian Local REST API"
OLDEST_VERSION = (2, 0)

_MAX_PROBE_BYTES = 1_000_000
_MAX_NAMESAKES = 1000
_STRIPES = 64

# Below a folder of such a name, the plugin takes the rest of a path for a part of a note.
_MARKERS = {"heading", "block", "frontmatter"}


class RestVault:
    """A vault behind the plugin; any number of threads may use it."""

    def __init__(self, access: Access, *, timeout: float = 10.0, workers: int = 8) -> None:
        """Nothing is asked yet.

        Args:
            access: where the plugin is.
            timeout: seconds to wait for an answer; connecting and searching have their own.
            workers: how many notes to read at the same time.
        """
        self._client = Client(access, timeout=timeout, workers=workers)
        self._files = Files(self._client)
        self._stamps = Stamps(self._client)
        self._writers = [threading.Lock() for _ in range(_STRIPES)]

    def close(self) -> None:
        """See Vault."""
        self._client.close()

    def stamps(self) -> dict[str, Stamp]:
        """See Vault."""
        return self._stamps.all()

    def stamp(self, path: str) -> Stamp:
        """See Vault."""
        return self._stamps.one(safe_path(path))

    def read(self, path: str) -> str:
        """See Vault."""
        found = self._files.look(safe_path(path))
        if found is None or found.is_folder():
            raise _missing(path)
        if not found.whole:
            raise VaultIO(
                f"The note is larger than {MAX_NOTE_BYTES:,} bytes and is not read. Divide it.",
                path=path,
            )
        return to_text(found.body)

    def read_many(self, paths: Iterable[str]) -> dict[str, str]:
        """See Vault."""
        wanted = [safe_path(path) for path in dict.fromkeys(paths)]
        texts = zip(wanted, self._client.each(self._read_if_possible, wanted), strict=True)
        return {path: text for path, text in texts if text is not None}

    def write(self, path: str, text: str, *, expected: str | None) -> None:
        """See Vault.

        Raises:
            BadRequest: also for a new note in a folder of a name that the plugin cannot take.
        """
        safe_path(path)
        new = to_bytes(text)
        old = None if expected is None else to_bytes(expected)
        if old is None and not _MARKERS.isdisjoint(path.split("/")):
            raise _reserved(path)
        with self._writers[hash(path) % _STRIPES]:
            seen = self._files.look(path)
            if old is None and seen is not None and seen.is_folder():
                raise _taken(path)
            if not holds(seen, old):
                raise conflict(path)
            self._files.put(path, new, seen=seen)

    def trash(self, path: str, *, expected: str) -> str:
        """See Vault. The plugin itself moves what is deleted to a place that its user chose."""
        safe_path(path)
        old = to_bytes(expected)
        with self._writers[hash(path) % _STRIPES]:
            self._expect(path, old)
            copy = self._into_trash(PurePosixPath(path).name, old)
            self._files.remove(path, seen=self._expect(path, old))
        return copy

    def probe(self) -> None:
        """See Vault.

        Raises:
            Misconfigured: the key is wrong, the plugin too old, or it is not the plugin.
        """
        answer = self._client.ask("GET", "/", limit=_MAX_PROBE_BYTES)
        said = answer.json()
        if not isinstance(said, dict) or said.get("service") != SERVICE:
            error = refused(answer)
            raise not_the_plugin() if isinstance(error, VaultIO) else error
        versions = said.get("versions")
        _require_version(versions.get("self") if isinstance(versions, dict) else None)
        if said.get("authenticated") is not True:
            raise wrong_key()

    @property
    def connections(self) -> int:
        """See Vault."""
        return self._client.connections

    def seems_gone(self) -> bool:
        """See Vault."""
        return self._client.is_silent() or self._client.is_refused()

    def _read_if_possible(self, path: str) -> str | None:
        try:
            return self.read(path)
        except (NotFound, BadRequest, VaultIO):  # one bad note must not hide the others
            return None

    def _expect(self, path: str, content: bytes) -> Answer:
        """The file, which has this content.

        Raises:
            NotFound: there is none.
            Conflict: it has another.
        """
        found = self._files.look(path)
        if found is None or found.is_folder():
            raise _missing(path)
        if not holds(found, content):
            raise conflict(path)
        return found

    def _into_trash(self, name: str, content: bytes) -> str:
        """Keep a copy in the trash, under a name that is free; returns its path."""
        for candidate in islice(numbered(name), _MAX_NAMESAKES):
            place = f"{TRASH}/{candidate}"
            if self._files.look(place) is not None:
                continue
            with suppress(Conflict):  # somebody else just took the name
                self._files.put(place, content, seen=None)
                if holds(self._files.look(place), content):
                    return place
                break
        raise VaultIO(
            f"The vault did not keep a copy in {TRASH}, so the note stays. Look into that folder,"
            " make room there, and try again."
        )


def _require_version(said: object) -> None:
    """Refuse a version that is too old; one that cannot be told is given a try."""
    version = re.match(r"(\d{1,6})\.(\d{1,6})", said) if isinstance(said, str) else None
    if version and (int(version[1]), int(version[2])) < OLDEST_VERSION:
        raise Misconfigured(
            f"The Local REST API plugin is of version {version[0]}, and 2.0 or newer is needed."
            " Update it in Obsidian's settings."
        )


def _missing(path: str) -> NotFound:
    return NotFound("There is no such note. Check the path.", path=path)


def _taken(path: str) -> VaultIO:
    return VaultIO("Something that is not a note has this name. Choose another one.", path=path)


def _reserved(path: str) -> BadRequest:
    return BadRequest(
        "Obsidian's Local REST API cannot make a note in a folder named heading, block or"
        " frontmatter. Choose another folder, or make the note in Obsidian.",
        field="path",
        path=path,
    )
