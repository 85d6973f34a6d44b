"""The place of the message archive: its database, and what makes vectors of its texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from echo_archive.embedding import DEFAULT_URL, Endpoint
from echo_mcp import variables
from echo_memory.config import DEFAULT_STATE_DIR, absolute

FILE = "archive.db"
"""The database's name in the state folder, where nobody says another."""


@dataclass(frozen=True)
class ArchivePlace:
    """Where an archive is.

    Attributes:
        path: its database; whether there is one is not looked at here.
        endpoint: what makes vectors; None where no model is configured.
    """

    path: Path
    endpoint: Endpoint | None = None

    @classmethod
    def from_env(
        cls, env: Mapping[str, str], faults: list[str], *, archive: str = "", state_dir: str = ""
    ) -> ArchivePlace | None:
        """Read `ECHO_ARCHIVE`, `ECHO_STATE_DIR` and the variables of the embedding endpoint.

        Args:
            env: the environment.
            faults: where what is wrong is put, a sentence each.
            archive: a database that takes the place of `ECHO_ARCHIVE`.
            state_dir: a folder that takes the place of `ECHO_STATE_DIR`.

        Returns:
            None where the path is none.
        """
        written = archive or variables.text(env, "ECHO_ARCHIVE")
        path = _path(written, faults) if written else _default(env, state_dir, faults)
        endpoint = _endpoint(env, faults)
        return None if path is None else cls(path, endpoint)


def state_folder(env: Mapping[str, str], state_dir: str, faults: list[str]) -> Path | None:
    """The state folder; None where what is said is no path."""
    written = state_dir or variables.text(env, "ECHO_STATE_DIR") or DEFAULT_STATE_DIR
    try:
        return absolute(written)
    except ValueError:
        faults.append(
            "ECHO_STATE_DIR (--state-dir) is not a path: write it in full, such as /home/me/state."
        )
        return None


def _default(env: Mapping[str, str], state_dir: str, faults: list[str]) -> Path | None:
    folder = state_folder(env, state_dir, faults)
    return None if folder is None else folder / FILE


def _path(written: str, faults: list[str]) -> Path | None:
    try:
        path = absolute(written)
        if not path.is_dir():
            return path
    except (OSError, ValueError):
        pass
    faults.append(
        "ECHO_ARCHIVE (--archive) is not a file's path: write it in full, such as"
        " /home/me/messages.db."
    )
    return None


def _endpoint(env: Mapping[str, str], faults: list[str]) -> Endpoint | None:
    url = variables.text(env, "ECHO_EMBED_URL") or DEFAULT_URL
    model = variables.text(env, "ECHO_EMBED_MODEL")
    if not _is_address(url):
        faults.append(
            "ECHO_EMBED_URL is not the address of an endpoint: write it like"
            f" {DEFAULT_URL}, up to and without /embeddings."
        )
        return None
    weight = variables.positive(env, "ECHO_EMBED_WEIGHT", 1.0, faults, unit="keyword ranks")
    if not model:
        return None
    return Endpoint(
        model=model,
        url=url,
        key=variables.text(env, "ECHO_EMBED_KEY") or None,
        # As they are: most end with a space.
        query_prefix=env.get("ECHO_EMBED_QUERY_PREFIX", ""),
        document_prefix=env.get("ECHO_EMBED_DOCUMENT_PREFIX", ""),
        weight=weight,
    )


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
