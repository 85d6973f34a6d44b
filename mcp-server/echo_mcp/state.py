"""The state folder's own files: the token that was made once, and where the server listens."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import tempfile
from pathlib import Path

from echo_memory import state_file
from echo_memory.errors import Misconfigured

MIN_TOKEN = 32
_MOST_OF_TOKEN = 100_000  # of a file that is none, such as a device without an end
TOKEN_FILE = "token"  # noqa: S105 - the name of a file
ADDRESS_FILE = "server.json"

_TOKEN = re.compile(r"[!-~]+")


def open_folder(folder: Path) -> None:
    """Make the state folder, for its owner only, or see that it can be written to.

    Raises:
        Misconfigured: it cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Misconfigured(
            f"The state folder {folder} cannot be written to ({error.strerror}). Give another one"
            " with --state-dir or ECHO_STATE_DIR."
        ) from error


def token_fault(token: str) -> str:
    """What is wrong with a bearer token, as the end of a sentence; empty when nothing is."""
    if len(token) < MIN_TOKEN:
        return f"is too short: use at least {MIN_TOKEN} characters, as of `openssl rand -hex 32`."
    if not _TOKEN.fullmatch(token):
        return "has a space or a letter that no header can carry: use ASCII letters and digits."
    return ""


def kept_token(folder: Path) -> str:
    """The token of the state folder, made and kept there at the first call.

    Raises:
        Misconfigured: it cannot be made, or the file is there but cannot be read or holds no token.
    """
    path = folder / TOKEN_FILE
    if not path.exists():
        with contextlib.suppress(FileExistsError):
            _create(path, _new_token())
    return read_token(path)


def renew_token(folder: Path) -> None:
    """Put a new token into the state folder, in one step; whoever reads sees the old or the new."""
    state_file.write(folder / TOKEN_FILE, _new_token().encode())


def read_token(path: Path) -> str:
    """The token in a file.

    Raises:
        Misconfigured: there is no such file, or no token in it.
    """
    try:
        with path.open(encoding="utf-8") as file:
            token = file.read(_MOST_OF_TOKEN).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"The token file {path} cannot be read. Check the path, or set ECHO_MCP_TOKEN."
        ) from error
    if fault := token_fault(token):
        raise Misconfigured(f"The token in {path} {fault}")
    return token


def write_address(folder: Path, url: str) -> None:
    """Leave word of where the server listens, for clients on this machine."""
    state_file.write(folder / ADDRESS_FILE, json.dumps({"url": url, "pid": os.getpid()}).encode())


def read_address(folder: Path) -> str:
    """The URL of the server that started last; empty when none is known."""
    return str(_address(folder).get("url", ""))


def remove_address(folder: Path) -> None:
    """Take back the word of this process, and no other's."""
    if _address(folder).get("pid") == os.getpid():
        (folder / ADDRESS_FILE).unlink(missing_ok=True)


def _address(folder: Path) -> dict[str, object]:
    try:
        address = json.loads((folder / ADDRESS_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return address if isinstance(address, dict) else {}


def _new_token() -> str:
    return f"{secrets.token_urlsafe(MIN_TOKEN)}\n"


def _create(path: Path, text: str) -> None:
    """Write a file that nobody ever sees half written, unless there is one already."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}."
        ) as draft:
            draft.write(text)
            draft.flush()
            os.fsync(draft.fileno())
            path.hardlink_to(draft.name)
    except FileExistsError:
        raise
    except OSError as error:
        raise Misconfigured(
            f"The state folder's disk cannot hold the token safely: {error.strerror}. It must have"
            " room, and hard links; choose another one with --state-dir."
        ) from error
