"""The archive's settings: what the environment and the command line say of it by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from echo_mcp import variables
from echo_mcp.archive.machine_zone import machine_zone
from echo_mcp.archive.place import ArchivePlace, state_folder
from echo_memory.errors import Misconfigured

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8788


@dataclass(frozen=True)
class ArchiveSettings:
    """Everything the archive's own commands need to know.

    Attributes:
        place: where the archive is.
        state_dir: where a token is kept that was made once.
        token: the bearer token, empty where none was given.
        host: the address to bind.
        port: the port to bind; 0 takes any free one.
        hosts: public host names, beside the loopback's.
        zone: IANA zone of times that an export writes without one; empty where nobody knows.
        owner: the name under which the operator appears; empty where nobody says.
        log_format: one of `variables.LOG_FORMATS`.
        log_level: one of `variables.LOG_LEVELS`.
    """

    place: ArchivePlace
    state_dir: Path
    token: str = field(default="", repr=False)
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    hosts: tuple[str, ...] = ()
    zone: str = ""
    owner: str = ""
    log_format: str = "text"
    log_level: str = "info"

    @classmethod
    def from_env(
        cls, env: Mapping[str, str], *, archive: str = "", state_dir: str = "", listen: str = ""
    ) -> ArchiveSettings:
        """Read and check everything at once.

        Args:
            env: the environment.
            archive: a database that takes the place of `ECHO_ARCHIVE`.
            state_dir: a folder that takes the place of `ECHO_STATE_DIR`.
            listen: `HOST:PORT`, `HOST` or `PORT`.

        Raises:
            Misconfigured: with every fault in `faults`.
        """
        faults: list[str] = []
        place = ArchivePlace.from_env(env, faults, archive=archive, state_dir=state_dir)
        folder = state_folder(env, state_dir, faults)
        token = variables.token(env, faults, needed=False)
        host, port = _address(listen, faults)
        hosts = variables.hosts(env, faults)
        log_format = variables.log_format(env, faults)
        log_level = variables.log_level(env, faults)
        if faults or place is None or folder is None:
            raise Misconfigured.from_faults(list(dict.fromkeys(faults)))
        return cls(
            place=place,
            state_dir=folder,
            token=token,
            host=host,
            port=port,
            hosts=hosts,
            zone=variables.text(env, "ECHO_TZ") or machine_zone(env),
            owner=variables.text(env, "ECHO_OWNER"),
            log_format=log_format,
            log_level=log_level,
        )


def _address(listen: str, faults: list[str]) -> tuple[str, int]:
    """The host and the port that `--listen` says; what it leaves out is the default."""
    host, colon, written = listen.strip().rpartition(":")
    if not colon:
        host, written = ("", written) if written.isdigit() else (written, "")
    elif written.endswith("]"):
        host, written = f"{host}:{written}", ""
    port = variables.port_number(written) if written else DEFAULT_PORT
    host = host.removeprefix("[").removesuffix("]")
    if port is None or (":" in host and "[" not in listen):
        faults.append(
            f"--listen is not an address: write it like {DEFAULT_HOST}:{DEFAULT_PORT} or"
            f" [::1]:{DEFAULT_PORT}."
        )
        return DEFAULT_HOST, DEFAULT_PORT
    return host or DEFAULT_HOST, port
