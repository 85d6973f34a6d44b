"""Our own nonce: by which the operator's lock is known to be theirs in a later command."""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from pathlib import Path

from echo_memory import state_file
from echo_memory.acquaintance import key_of
from echo_memory.config import Config
from echo_memory.errors import VaultIO

_NONCE = re.compile(r"[0-9a-f]{32}")


def _place(config: Config) -> Path:
    return config.state_dir / "nonces" / key_of(str(config.vault))


def kept(config: Config) -> str:
    """The nonce of the operator's lock; empty where there is none, or half of one.

    Raises:
        VaultIO: the state folder cannot be used.
    """
    try:
        text = _place(config).read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return ""
    except OSError as error:
        raise _unusable(error) from error
    return text if _NONCE.fullmatch(text) else ""


def keep(config: Config) -> str:
    """Make a nonce and keep it, before the lock is taken: a crash leaves no lock of nobody's.

    Raises:
        VaultIO: the state folder cannot be used.
    """
    nonce = secrets.token_hex(16)
    try:
        state_file.write(_place(config), f"{nonce}\n".encode("ascii"))
    except OSError as error:
        raise _unusable(error) from error
    return nonce


def forget(config: Config) -> None:
    """Let the next lock have another nonce."""
    with suppress(OSError):  # a nonce that stays is used again
        _place(config).unlink()


def _unusable(error: OSError) -> VaultIO:
    return VaultIO(
        f"The state folder cannot be used: {error.strerror}. Check ECHO_STATE_DIR and who may"
        " write there."
    )
