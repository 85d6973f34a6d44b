"""The machine's time zone by its IANA name, for exports that write times without one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

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
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return False
    return True
