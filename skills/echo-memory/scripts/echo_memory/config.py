"""Config: what the environment says about the vault and its operator; it is read here only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit
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
        folder = _folder(vault, env.get("ECHO_BASE", "").strip(), faults)
        state = state_dir or env.get("ECHO_STATE_DIR", "") or DEFAULT_STATE_DIR
        state_folder = _path(state, "--state-dir" if state_dir else "ECHO_STATE_DIR", faults)
        zone = _zone(env.get("ECHO_TZ", "").strip(), faults)
        if folder is None or state_folder is None or faults:
            raise Misconfigured(
                "The configuration cannot be used. " + " ".join(faults), faults=faults
            )
        return cls(
            vault=folder,
            state_dir=state_folder,
            owner=env.get("ECHO_OWNER", "").strip(),
            zone=zone,
        )


def absolute(path: str) -> Path:
    """A path as a person types it, made absolute.

    Raises:
        ValueError: no path, or one in the home of somebody who has none.
    """
    if "\0" in path:
        raise ValueError("a path has no NUL")
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def _path(written: str, name: str, faults: list[str]) -> Path | None:
    try:
        return absolute(written)
    except ValueError:
        faults.append(f"{name} is not a path: write it in full, such as /home/me/notes.")
        return None


def _folder(vault: str, base: str, faults: list[str]) -> Path | None:
    if vault:
        return _path(vault, "--vault", faults)
    if not base:
        faults.append(
            "ECHO_BASE is missing: set it to file:///path/of/the/vault, or give --vault DIR."
        )
        return None
    try:
        url = urlsplit(base)
    except ValueError:
        url = urlsplit("")
    if url.scheme in ("http", "https"):
        faults.append(
            "ECHO_BASE names a Local REST API, which this version does not speak yet:"
            " use file:///path/of/the/vault."
        )
        return None
    here = url.scheme == "file" and url.netloc in ("", "localhost")
    if not here or not url.path.startswith("/"):
        faults.append("ECHO_BASE is not a vault's address: write it as file:///path/of/the/vault.")
        return None
    if "?" in base or "#" in base:  # what follows would be no part of the path
        faults.append("ECHO_BASE has a ? or # in its path: write them as %3F and %23.")
        return None
    return _path(os.fsdecode(unquote_to_bytes(os.fsencode(url.path))), "ECHO_BASE", faults)


def _zone(name: str, faults: list[str]) -> tzinfo | None:
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        faults.append("ECHO_TZ is not a time zone: write it like Europe/Paris, or leave it out.")
        return None
