"""Settings: what the environment and the command line say about the server."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from pathlib import Path

from echo_mcp import variables
from echo_mcp.archive.place import ArchivePlace, state_folder
from echo_memory.config import Config
from echo_memory.errors import Misconfigured

PROFILES = ("full", "core")
DEFAULT_HOST = "127.0.0.1"
MCP_PATH = "/mcp"
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared with, never bound
"""Addresses that stand for all of a machine's, and where a client on it reaches them."""

_ALERT_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S")


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
        log_format: one of `variables.LOG_FORMATS`.
        log_level: one of `variables.LOG_LEVELS`.
        archive: the message archive whose tools are offered too; None for none.
    """

    config: Config
    token: str = field(default="", repr=False)
    profile: str = "full"
    host: str = DEFAULT_HOST
    port: int = variables.DEFAULT_PORT
    hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    oauth: bool = False
    index_ttl: float = 60.0
    alert_url: str = field(default="", repr=False)
    outbox_limit: timedelta = timedelta(hours=6)
    log_format: str = "text"
    log_level: str = "info"
    archive: ArchivePlace | None = None

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
        token = variables.token(env, faults, needed=needs_token)
        port = variables.port(said.port or variables.text(env, "ECHO_MCP_PORT"), faults)
        hosts = variables.hosts(env, faults)
        index_ttl = variables.positive(env, "ECHO_MCP_INDEX_TTL", 60.0, faults)
        alert_url = _alert_url(env, faults)
        hours = variables.positive(env, "ECHO_OUTBOX_ALERT_H", 6.0, faults, unit="hours")
        profile = variables.choice(env, "ECHO_MCP_TOOLS", PROFILES, faults)
        log_format = variables.log_format(env, faults)
        log_level = variables.log_level(env, faults)
        archive = (
            ArchivePlace.from_env(env, faults) if variables.text(env, "ECHO_ARCHIVE") else None
        )
        proxies = _proxies(env, faults)
        oauth = _switch(env, "ECHO_MCP_OAUTH", faults)
        if faults or config is None:
            raise Misconfigured.from_faults(faults)
        return cls(
            config=config,
            token=token,
            profile=profile,
            host=said.host or variables.text(env, "ECHO_MCP_HOST") or DEFAULT_HOST,
            port=port,
            hosts=hosts,
            proxies=proxies,
            oauth=oauth,
            index_ttl=index_ttl,
            alert_url=alert_url,
            outbox_limit=timedelta(hours=hours),
            log_format=log_format,
            log_level=log_level,
            archive=archive,
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
        """Read `ECHO_STATE_DIR` and `ECHO_MCP_TOKEN`.

        Raises:
            Misconfigured: the state folder is no path.
        """
        faults: list[str] = []
        folder = state_folder(env, (flags or Flags()).state_dir, faults)
        if folder is None:
            raise Misconfigured.from_faults(faults)
        return cls(folder, variables.text(env, "ECHO_MCP_TOKEN"))


def local_url(host: str, port: int) -> str:
    """The endpoint as a client on this machine reaches a server that is bound so."""
    local = ANY_ADDRESS.get(host, host)
    return f"http://{f'[{local}]' if ':' in local else local}:{port}{MCP_PATH}"


def _config(env: Mapping[str, str], said: Flags, faults: list[str]) -> Config | None:
    try:
        return Config.from_env(env, vault=said.vault, state_dir=said.state_dir)
    except Misconfigured as error:
        faults[:0] = error.details["faults"]
        return None


def _alert_url(env: Mapping[str, str], faults: list[str]) -> str:
    """An address for alerts, which may hold a secret; whether it is a good one shows in use."""
    url = variables.text(env, "ECHO_ALERT_URL")
    if url and not _ALERT_URL.match(url):
        faults.append(
            "ECHO_ALERT_URL is not an address of Apprise: write it like ntfy://topic or"
            " mailto://user:password@example.org."
        )
    return url


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


def _switch(env: Mapping[str, str], name: str, faults: list[str]) -> bool:
    written = variables.text(env, name) or "0"
    if written not in ("0", "1"):
        faults.append(f"{name} is neither off nor on: use 0 or 1.")
    return written == "1"
