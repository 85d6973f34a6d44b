"""The REST source: every file that the Local REST API lists and gives, attachments included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import islice

from echo_mcp.backups.sources import BROKEN, IN_MEMORY, Found
from echo_memory.errors import VaultIO
from echo_memory.rest.access import Access, target
from echo_memory.rest.answers import Answer, refused
from echo_memory.rest.client import Client
from echo_memory.rest.stamps import MAX_LISTING_BYTES
from echo_memory.vault_paths import is_safe

TOO_LARGE, NAME = "too-large", "name"
MAX_FILE_BYTES = 100_000_000
"""A file comes in one answer, which is held in memory."""

_AT_ONCE = 32


class RestSource:
    """See Source. Hidden files and empty folders are not listed; times are not told."""

    def __init__(
        self, access: Access, *, timeout: float, workers: int, without: Collection[str]
    ) -> None:
        """Nothing is asked yet.

        Args:
            access: where the plugin is.
            timeout: seconds to wait for an answer.
            workers: how many notes to read at the same time.
            without: paths that are no part of the vault.
        """
        self._client = Client(access, timeout=timeout, workers=workers)
        self._without = without
        self.folders: list[str] = []
        self.left_out: Counter[str] = Counter()

    @contextmanager
    def files(self) -> Iterator[Iterator[Found]]:
        """See Source."""
        try:
            yield self._walk()
        finally:
            self._client.close()

    def _walk(self) -> Iterator[Found]:
        folders = [""]
        while folders:
            listed = [path for found in self._client.each(self._listed, folders) for path in found]
            inside = [path for path in listed if is_safe(path.removesuffix("/"))]
            if len(inside) < len(listed):
                self.left_out[NAME] += len(listed) - len(inside)
            folders = [path for path in inside if path.endswith("/")]
            files = [path for path in inside if path not in self._without and path[-1] != "/"]
            notes = iter([path for path in files if path[-3:].lower() == ".md"])
            while some := list(islice(notes, _AT_ONCE)):
                answers = self._client.each(self._note, some)
                yield from self._found(some, answers)
            for path in files:  # these may be large, so one after the other
                if path[-3:].lower() != ".md":
                    yield from self._found([path], [self._read(path, MAX_FILE_BYTES)])

    def _listed(self, folder: str) -> list[str]:
        """The paths in a folder, those of folders with a slash at the end."""
        answer = self._client.ask("GET", target(folder), limit=MAX_LISTING_BYTES)
        names = answer.names()
        if names is None and not answer.is_missing:
            raise refused(answer)
        return [folder + name for name in names or []]

    def _note(self, path: str) -> Answer | None:
        return self._read(path, IN_MEMORY)

    def _read(self, path: str, limit: int) -> Answer | None:
        """A file's answer; None where it is gone or cannot be read."""
        try:
            answer = self._client.ask("GET", target(path), limit=limit)
            if answer.is_file(path):
                return answer
            if answer.is_missing or answer.is_folder() or answer.is_part_of_a_note(path):
                return None
            raise refused(answer, path)
        except VaultIO:
            self.left_out[BROKEN] += 1
            return None

    def _found(self, paths: list[str], answers: list[Answer | None]) -> Iterator[Found]:
        for path, answer in zip(paths, answers, strict=True):
            if answer is not None and answer.whole:
                yield Found(path, BytesIO(answer.body), len(answer.body))
            elif answer is not None:
                self.left_out[TOO_LARGE] += 1
