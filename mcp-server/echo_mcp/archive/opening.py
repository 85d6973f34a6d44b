"""Opening the message archive that the settings name, to read from."""

from __future__ import annotations

import logging

from echo_archive.errors import ArchiveError
from echo_archive.nearness import Nearness
from echo_archive.reading import Archive
from echo_mcp.archive.place import ArchivePlace

logger = logging.getLogger(__name__)


def open_archive(place: ArchivePlace) -> Archive:
    """The archive, whether its database is there already or not; close it when done."""
    if not place.path.exists():
        logger.warning("no message archive yet: import an export with `echo-mcp archive import`")
    nearness = Nearness(place.path, place.endpoint) if place.endpoint else None
    return Archive(place.path, nearness)


def message_count(archive: Archive) -> int | None:
    """How many messages it holds; None when it cannot be read."""
    try:
        with archive.reading() as database:
            row = database.execute("select coalesce(sum(messages), 0) from conversation").fetchone()
    except ArchiveError:
        return None
    return int(row[0])
