"""Settings: what the environment and the command line say about the server; read here only."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from pathlib import Path

from echo_mcp.state import token_fault
from echo_memory.config import DEFAULT_STATE_DIR, Config, absolute
from echo_memory.errors import Misconfigured

PROFILES = ("full", "core")
LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")
DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8765
MCP_PATH = "/mcp"
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, never bound
"""Addresses that stand for all of a machine's, and where a client on it reaches them."""

_ALERT_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S")
_LONGEST = 1_000_000.0
_REFERENCE = "SECRET:"
_HOST = re.compile(r"(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


@dataclass(frozen=True)
class Flags:
    """What the command line says; empty means that the environment decides."""

    vault: str = ""
    state_dir: str = ""
    host: str = ""
    port: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str | None]) -> Flags:
        """The flags among the values of a command line; one that was not given is None."""
        return cls(**{flag.name: given.get(flag.name) or "" for flag in fields(cls)})


@dataclass(frozen=True)
class Settings:
    """Everything the server needs to know before it starts.

    Attributes:
        config: the vault's part.
        token: the bearer token, empty where none was given.
        profile: which tools there are; one of `PROFILES`.
        host: the address to bind.
        port: the port to bind; 0 takes any free one.
        hosts: public host names, beside the loopback's.
        proxies: addresses and networks whose `X-Forwarded-For` and `-Proto` are believed.
        oauth: whether clients may sign in for tokens of their own.
        index_ttl: seconds after which other people's edits are looked for.
        alert_url: where a person is told of what is wrong, as Apprise takes it; empty: nowhere.
        outbox_limit: how long a write may wait before that is wrong.
        log_format: one of `LOG_FORMATS`.
        log_level: one of `LOG_LEVELS`.
    """

    config: Config
    token: str = field(default="", repr=False)
    profile: str = "full"
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    oauth: bool = False
    index_ttl: float = 60.0
    alert_url: str = field(default="", repr=False)
    outbox_limit: timedelta = timedelta(hours=6)
    log_format: str = "text"
    log_level: str = "info"

    @classmethod
    def from_env(
        cls, env: Mapping[str, str], flags: Flags | None = None, *, needs_token: bool = True
    ) -> Settings:
        """Read and check everything at once.

        Args:
            env: the environment.
            flags: the command line's words, which come first.
            needs_token: whether a missing `ECHO_MCP_TOKEN` is a fault.

        Raises:
            Misconfigured: with every fault in `faults`.
        """
        said = flags or Flags()
        faults: list[str] = []
        config = _config(env, said, faults)
        token = _token(env, faults, needed=needs_token)
        port = _port(said.port or _text(env, "ECHO_MCP_PORT"), faults)
        hosts = _hosts(env, faults)
        proxies = _proxies(env, faults)
        index_ttl = _positive(env, "ECHO_MCP_INDEX_TTL", 60.0, faults)
        alert_url = _alert_url(env, faults)
        hours = _positive(env, "ECHO_OUTBOX_ALERT_H", 6.0, faults, unit="hours")
        profile = _choice(env, "ECHO_MCP_TOOLS", PROFILES, faults)
        log_format = _choice(env, "ECHO_LOG", LOG_FORMATS, faults)
        log_level = _choice(env, "ECHO_LOG_LEVEL", LOG_LEVELS, faults, default="info")
        oauth = _switch(env, "ECHO_MCP_OAUTH", faults)
        if faults or config is None:
            raise Misconfigured(
                "The configuration cannot be used. " + " ".join(faults), faults=faults
            )
        return cls(
            config=config,
            token=token,
            profile=profile,
            host=said.host or _text(env, "ECHO_MCP_HOST") or DEFAULT_HOST,
            port=port,
            hosts=hosts,
            proxies=proxies,
            oauth=oauth,
            index_ttl=index_ttl,
            alert_url=alert_url,
            outbox_limit=timedelta(hours=hours),
            log_format=log_format,
            log_level=log_level,
        )


@dataclass(frozen=True)
class Caller:
    """What a client on this machine is told; empty where nothing was said.

    Attributes:
        state_dir: where a server may have left word of itself.
        token: the bearer token.
    """

    state_dir: Path
    token: str = field(default="", repr=False)

    @classmethod
    def from_env(cls, env: Mapping[str, str], flags: Flags | None = None) -> Caller:
        """Read `ECHO_STATE_DIR` and `ECHO_MCP_TOKEN`."""
        said = (flags or Flags()).state_dir or _text(env, "ECHO_STATE_DIR") or DEFAULT_STATE_DIR
        return cls(absolute(said), _text(env, "ECHO_MCP_TOKEN"))


def local_url(host: str, port: int) -> str:
    """The endpoint as a client on this machine reaches a server that is bound so."""
    local = ANY_ADDRESS.get(host, host)
    return f"http://{f'[{local}]' if ':' in local else local}:{port}{MCP_PATH}"


def _text(env: Mapping[str, str], name: str) -> str:
    return env.get(name, "").strip()


def _config(env: Mapping[str, str], said: Flags, faults: list[str]) -> Config | None:
    try:
        return Config.from_env(env, vault=said.vault, state_dir=said.state_dir)
    except Misconfigured as error:
        faults[:0] = error.details["faults"]
        return None


def _token(env: Mapping[str, str], faults: list[str], *, needed: bool) -> str:
    token = _text(env, "ECHO_MCP_TOKEN")
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


def _port(written: str, faults: list[str]) -> int:
    if not written:
        return DEFAULT_PORT
    if written.isascii() and written.isdigit() and int(written[:6]) <= 65_535:
        return int(written[:6])
    faults.append("ECHO_MCP_PORT (--port) is not a port: use a number from 0 to 65535.")
    return DEFAULT_PORT


def _hosts(env: Mapping[str, str], faults: list[str]) -> tuple[str, ...]:
    names = [name.strip() for name in env.get("ECHO_MCP_HOSTS", "").split(",")]
    hosts = tuple(dict.fromkeys(name.lower() for name in names if name))
    if not all(_HOST.fullmatch(host) for host in hosts):
        faults.append(
            "ECHO_MCP_HOSTS is not a list of host names: write them like notes.example.org,"
            " without https://, separated by commas."
        )
    return hosts


def _proxies(env: Mapping[str, str], faults: list[str]) -> tuple[str, ...]:
    """Addresses and networks as they are usually spelled; one of everybody is refused."""
    written = [text.strip() for text in env.get("ECHO_MCP_PROXIES", "").split(",")]
    try:
        networks = [ipaddress.ip_network(text) for text in written if text]
    except ValueError:
        networks = None
    if networks is None or any(not network.prefixlen for network in networks):
        faults.append(
            "ECHO_MCP_PROXIES is not a list of addresses: write them like 172.18.0.2 or"
            " 172.18.0.0/16, separated by commas."
        )
        return ()
    return tuple(
        str(network.network_address if network.num_addresses == 1 else network)
        for network in networks
    )


def _positive(
    env: Mapping[str, str], name: str, default: float, faults: list[str], *, unit: str = "seconds"
) -> float:
    written = _text(env, name)
    try:
        number = float(written or default)
    except ValueError:
        number = math.nan
    if not 0 < number <= _LONGEST:
        faults.append(f"{name} is not a number of {unit}: use one above 0, such as {default:g}.")
        return default
    return number


def _alert_url(env: Mapping[str, str], faults: list[str]) -> str:
    """An address for alerts, which may hold a secret; whether it is a good one shows in use."""
    url = _text(env, "ECHO_ALERT_URL")
    if url and not _ALERT_URL.match(url):
        faults.append(
            "ECHO_ALERT_URL is not an address of Apprise: write it like ntfy://topic or"
            " mailto://user:password@example.org."
        )
    return url


def _choice(
    env: Mapping[str, str],
    name: str,
    choices: tuple[str, ...],
    faults: list[str],
    *,
    default: str = "",
) -> str:
    """One of a few words; the default is the first of them unless it is named."""
    written = _text(env, name).lower() or default or choices[0]
    if written not in choices:
        faults.append(f"{name} is none of its values: use {' or '.join(choices)}.")
    return written


def _switch(env: Mapping[str, str], name: str, faults: list[str]) -> bool:
    written = _text(env, name) or "0"
    if written not in ("0", "1"):
        faults.append(f"{name} is neither off nor on: use 0 or 1.")
    return written == "1"
