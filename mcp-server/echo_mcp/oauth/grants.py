"""Grants: what the operator allowed, in a small file of the state folder.

No token, code or hash of one is in it: those are sealed, and the file only says how far each grant
has come. It is read again when it changes, so that what another process ends has ended here, too.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from echo_memory import state_file
from echo_memory.errors import VaultIO
from echo_memory.locks import PathLocks

FOLDER, FILE = "oauth", "grants.json"
CODE_LASTS_S = 60
GRANT_LASTS_S = 90 * 24 * 3600
"""How long a grant lasts that is not used; each refresh begins it anew."""
MOST = 100

_FORMAT = 1
_MAX_BYTES = 1_000_000
_BUSY_S = 10.0
_SALT_BYTES = 32
_NUMBERS = {"began", "used", "generation"}


@dataclass(frozen=True)
class Grant:
    """One client's leave to use the memory.

    Attributes:
        id: 16 hexadecimal digits.
        client: the fingerprint of the client's id.
        name: what the operator was told of the client.
        host: where they were sent back to.
        resource: the URL that the tokens are for.
        redirect_uri: where the code went.
        challenge: the code challenge that it is bound to.
        began: when, in seconds since the epoch.
        used: when its tokens were last made.
        generation: how often they were; 0 while the code waits to be exchanged.
    """

    id: str
    client: str
    name: str
    host: str
    resource: str
    redirect_uri: str
    challenge: str
    began: int
    used: int
    generation: int = 0

    def is_over(self, now: float) -> bool:
        """Whether its time has passed."""
        return now >= self.used + (GRANT_LASTS_S if self.generation else CODE_LASTS_S)


Book = dict[str, Grant]
"""Grants by their ids."""


class Grants:
    """The file; threads and processes may share it."""

    def __init__(self, state_dir: Path) -> None:
        """Nothing is touched yet."""
        self._path = state_dir / FOLDER / FILE
        self._locks = PathLocks(state_dir / FOLDER, wait=_BUSY_S)
        self._salt = b""
        self._seen: tuple[tuple[int, int, int], Book] | None = None

    def salt(self) -> bytes:
        """What keys are made with, made once: with it, a token cannot be guessed from a seal.

        Raises:
            VaultIO: the file cannot be read or made.
        """
        with self._locks.hold(FILE):
            salt, book = self._read()
            if not salt:
                salt = secrets.token_bytes(_SALT_BYTES)
                self._write(salt, book)
        self._salt = salt
        return salt

    def all(self) -> Book:
        """Every grant that was not ended, past its time or not.

        Raises:
            VaultIO: the file cannot be read.
        """
        version = self._version()
        seen = self._seen
        if seen is None or version is None or seen[0] != version:
            _, book = self._read()
            if version is None:
                return book
            # Read after the version was taken: what changed in between is read again.
            seen = self._seen = (version, book)
        return dict(seen[1])

    @contextmanager
    def changing(self, now: float) -> Iterator[Book]:
        """The grants, to change; they are kept when the block ends, unless by an exception.

        Those past their time go, and the longest unused where there are too many.

        Raises:
            VaultIO: the file cannot be read or written.
        """
        with self._locks.hold(FILE):
            salt, before = self._read()
            book = {id_: grant for id_, grant in before.items() if not grant.is_over(now)}
            yield book
            for grant in sorted(book.values(), key=lambda grant: grant.used)[: len(book) - MOST]:
                del book[grant.id]
            if book != before:
                # Of a file that was taken away meanwhile, what is in use is known still.
                self._write(salt or self._salt, book)

    def _version(self) -> tuple[int, int, int] | None:
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(error.strerror) from error
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _read(self) -> tuple[bytes, Book]:
        try:
            with self._path.open("rb") as file:
                document = json.loads(file.read(_MAX_BYTES))
            if document["format"] != _FORMAT:
                raise self._unusable("it is of another version")
            salt = bytes.fromhex(document["salt"])
            return salt, {said["id"]: _grant(said) for said in document["grants"]}
        except FileNotFoundError:
            return b"", {}
        except OSError as error:
            raise self._unusable(error.strerror) from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._unusable("it is damaged") from error

    def _write(self, salt: bytes, book: Book) -> None:
        document = {
            "format": _FORMAT,
            "salt": salt.hex(),
            "grants": [asdict(grant) for grant in book.values()],
        }
        try:
            state_file.write(self._path, json.dumps(document).encode())
        except OSError as error:
            raise self._unusable(error.strerror) from error

    def _unusable(self, reason: str | None) -> VaultIO:
        return VaultIO(
            f"The grants of the sign-in, {self._path}, cannot be used: {reason}. Check"
            " ECHO_STATE_DIR; or move that file away, and have every client sign in anew."
        )


def _grant(said: dict[str, Any]) -> Grant:
    """A grant of the file.

    Raises:
        TypeError: it is none.
    """
    grant = Grant(**said)
    for name, value in asdict(grant).items():
        if not isinstance(value, int if name in _NUMBERS else str):
            raise TypeError(name)
    return grant
