"""Variables: single settings of the environment, read and checked; each fault is a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from echo_mcp.state import token_fault

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")
DEFAULT_PORT = 8765

_LONGEST = 1_000_000.0
_REFERENCE = "SECRET:"
_HOST = re.compile(r"(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


def text(env: Mapping[str, str], name: str) -> str:
    """A variable without the white space around it; empty when it is not set."""
    return env.get(name, "").strip()


def token(env: Mapping[str, str], faults: list[str], *, needed: bool) -> str:
    """The bearer token, empty where there is none."""
    token = text(env, "ECHO_MCP_TOKEN")
    if not token and needed:
        faults.append(
            "ECHO_MCP_TOKEN is missing: set it to a secret, as of `openssl rand -hex 32`."
        )
    if token.startswith(_REFERENCE):  # long enough, and everybody can read it
        faults.append(
            "ECHO_MCP_TOKEN is a reference to a secret: have the secret itself put in its place."
        )
    elif token and (fault := token_fault(token)):
        faults.append(f"ECHO_MCP_TOKEN {fault}")
    return token


def port(written: str, faults: list[str]) -> int:
    """The port to bind."""
    if not written:
        return DEFAULT_PORT
    number = port_number(written)
    if number is None:
        faults.append("ECHO_MCP_PORT (--port) is not a port: use a number from 0 to 65535.")
        return DEFAULT_PORT
    return number


def port_number(written: str) -> int | None:
    """The number of a port, None where it is none."""
    if written.isascii() and written.isdigit() and int(written[:6]) <= 65_535:
        return int(written[:6])
    return None


def hosts(env: Mapping[str, str], faults: list[str]) -> tuple[str, ...]:
    """Public host names, beside the loopback's."""
    names = [name.strip() for name in env.get("ECHO_MCP_HOSTS", "").split(",")]
    hosts = tuple(dict.fromkeys(name.lower() for name in names if name))
    if not all(_HOST.fullmatch(host) for host in hosts):
        faults.append(
            "ECHO_MCP_HOSTS is not a list of host names: write them like notes.example.org,"
            " without https://, separated by commas."
        )
    return hosts


def positive(
    env: Mapping[str, str], name: str, default: float, faults: list[str], *, unit: str = "seconds"
) -> float:
    """A number above zero."""
    written = text(env, name)
    try:
        number = float(written or default)
    except ValueError:
        number = math.nan
    if not 0 < number <= _LONGEST:
        faults.append(f"{name} is not a number of {unit}: use one above 0, such as {default:g}.")
        return default
    return number


def choice(
    env: Mapping[str, str],
    name: str,
    choices: tuple[str, ...],
    faults: list[str],
    *,
    default: str = "",
) -> str:
    """One of a few words; the default is the first of them unless it is named."""
    written = text(env, name).lower() or default or choices[0]
    if written not in choices:
        faults.append(f"{name} is none of its values: use {' or '.join(choices)}.")
    return written


def log_format(env: Mapping[str, str], faults: list[str]) -> str:
    """How the log is written; one of `LOG_FORMATS`."""
    return choice(env, "ECHO_LOG", LOG_FORMATS, faults)


def log_level(env: Mapping[str, str], faults: list[str]) -> str:
    """What the log leaves out; one of `LOG_LEVELS`."""
    return choice(env, "ECHO_LOG_LEVEL", LOG_LEVELS, faults, default="info")
