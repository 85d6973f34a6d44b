"""Config: what the environment says about the vault and its operator; the core reads it here only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from echo_memory.errors import Misconfigured

DEFAULT_STATE_DIR = "~/.local/state/echo-mcp"


@dataclass(frozen=True)
class Config:
    """Everything the core needs to know before it opens a vault.

    Attributes:
        vault: the folder of notes, absolute.
        state_dir: where locks and everything derived is kept.
        owner: the operator's name, or empty.
        zone: time zone of dates; None is the machine's.
    """

    vault: Path
    state_dir: Path
    owner: str = ""
    zone: tzinfo | None = None

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, vault: str = "", state_dir: str = "") -> Config:
        """Read and check `ECHO_BASE`, `ECHO_STATE_DIR`, `ECHO_OWNER` and `ECHO_TZ`.

        Args:
            env: the environment.
            vault: a folder that takes the place of `ECHO_BASE`.
            state_dir: a folder that takes the place of `ECHO_STATE_DIR`.

        Raises:
            Misconfigured: with every fault in `faults`, not only the first.
        """
        faults: list[str] = []
        folder = _folder(vault, env.get("ECHO_BASE", ""), faults)
        zone = _zone(env.get("ECHO_TZ", ""), faults)
        if faults or folder is None:
            raise Misconfigured(
                "The configuration cannot be used. " + " ".join(faults), faults=faults
            )
        return cls(
            vault=folder,
            state_dir=absolute(state_dir or env.get("ECHO_STATE_DIR", "") or DEFAULT_STATE_DIR),
            owner=env.get("ECHO_OWNER", "").strip(),
            zone=zone,
        )


def absolute(path: str) -> Path:
    """A path as a person types it, made absolute."""
    return Path(path).expanduser().absolute()


def _folder(vault: str, base: str, faults: list[str]) -> Path | None:
    if vault:
        return absolute(vault)
    if not base:
        faults.append(
            "ECHO_BASE is missing: set it to file:///path/of/the/vault, or give --vault DIR."
        )
        return None
    url = urlsplit(base)
    if url.scheme in ("http", "https"):
        faults.append(
            "ECHO_BASE names a Local REST API, which this version does not speak yet:"
            " use file:///path/of/the/vault."
        )
        return None
    if url.scheme != "file" or url.netloc not in ("", "localhost") or not url.path.startswith("/"):
        faults.append("ECHO_BASE is not a vault's address: write it as file:///path/of/the/vault.")
        return None
    return absolute(unquote(url.path))


def _zone(name: str, faults: list[str]) -> tzinfo | None:
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        faults.append("ECHO_TZ is not a time zone: write it like Europe/Paris, or leave it out.")
        return None
