"""Config: what the environment says about the vault and its operator; it is read here only."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from echo_memory.errors import Misconfigured
from echo_memory.rest.access import DEFAULT_HEADER, Access

DEFAULT_STATE_DIR = "~/.local/state/echo-mcp"


@dataclass(frozen=True)
class Config:
    """Everything the core needs to know before it opens a vault.

    Attributes:
        vault: the folder of notes, absolute, or where the Local REST API is.
        state_dir: where locks and everything derived is kept.
        owner: the operator's name, or empty.
        zone: time zone of dates; None is the machine's.
        timeout: seconds to wait for an answer of the Local REST API.
        workers: how many notes to read from it at the same time.
    """

    vault: Path | Access
    state_dir: Path
    owner: str = ""
    zone: tzinfo | None = None
    timeout: float = 10.0
    workers: int = 8

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, vault: str = "", state_dir: str = "") -> Config:
        """Read and check the vault's address, `ECHO_STATE_DIR`, `ECHO_OWNER` and `ECHO_TZ`.

        Args:
            env: the environment.
            vault: a folder that takes the place of `ECHO_BASE`.
            state_dir: a folder that takes the place of `ECHO_STATE_DIR`.

        Raises:
            Misconfigured: with every fault in `faults`, not only the first.
        """
        faults: list[str] = []
        address = _path(vault, "--vault", faults) if vault else _base(env, faults)
        state = state_dir or env.get("ECHO_STATE_DIR", "").strip() or DEFAULT_STATE_DIR
        state_folder = _path(state, "--state-dir" if state_dir else "ECHO_STATE_DIR", faults)
        zone = _zone(env.get("ECHO_TZ", "").strip(), faults)
        timeout = _number(env, "ECHO_TIMEOUT", 10, faults, most=3_600)
        workers = _number(env, "ECHO_WORKERS", 8, faults, most=64)
        if address is None or state_folder is None or faults:
            raise Misconfigured.from_faults(faults)
        return cls(
            vault=address,
            state_dir=state_folder,
            owner=env.get("ECHO_OWNER", "").strip(),
            zone=zone,
            timeout=timeout,
            workers=int(workers),
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


def _base(env: Mapping[str, str], faults: list[str]) -> Path | Access | None:
    """What `ECHO_BASE` names."""
    base = env.get("ECHO_BASE", "").strip()
    if not base:
        faults.append(
            "ECHO_BASE is missing: set it to file:///path/of/the/vault or to the address of the"
            " Local REST API, or give --vault DIR."
        )
        return None
    if not base.lower().startswith(("http:", "https:")):
        return _folder(base, faults)
    try:
        return Access.of(
            base,
            env.get("ECHO_KEY", "").strip(),
            auth_header=env.get("ECHO_AUTH_HEADER", "").strip() or DEFAULT_HEADER,
            ca=env.get("ECHO_CA", "").strip(),
        )
    except Misconfigured as error:
        faults += error.details["faults"]
        return None


def _folder(base: str, faults: list[str]) -> Path | None:
    try:
        url = urlsplit(base)
    except ValueError:
        url = urlsplit("")
    here = url.scheme == "file" and url.netloc in ("", "localhost")
    if not here or not url.path.startswith("/"):
        faults.append(
            "ECHO_BASE is not a vault's address: write it as file:///path/of/the/vault or"
            " https://127.0.0.1:27124."
        )
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


def _number(
    env: Mapping[str, str], name: str, default: int, faults: list[str], *, most: int
) -> float:
    written = env.get(name, "").strip()
    try:
        number = float(written or default)
    except ValueError:
        number = math.nan
    if not 1 <= number <= most:
        faults.append(f"{name} is not a number from 1 to {most}: use one, such as {default}.")
        return default
    return number
