"""Fixtures: an archive to import into, and what is in it seen through the operations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echo_archive.reading import Archive


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "archive.db"


@pytest.fixture
def archive(database: Path) -> Iterator[Archive]:
    opened = Archive(database)
    yield opened
    opened.close()
