"""The machine's time zone by its IANA name, for exports that write times without one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from echo_archive.errors import BadArgument
from echo_archive.wall_clock import zone_named

LINK = Path("/etc/localtime")
_FOLDER = "zoneinfo/"


def machine_zone(env: Mapping[str, str], link: Path = LINK) -> str:
    """The zone that `TZ` or the system's link names; empty where neither is one."""
    for name in (env.get("TZ", "").strip().lstrip(":"), _linked(link)):
        if name and _is_zone(name):
            return name
    return ""


def _linked(link: Path) -> str:
    try:
        return str(link.resolve(strict=True)).rpartition(_FOLDER)[2]
    except (OSError, RuntimeError):
        return ""


def _is_zone(name: str) -> bool:
    try:
        zone_named(name)
    except BadArgument:
        return False
    return True
