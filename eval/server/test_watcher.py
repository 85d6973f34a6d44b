"""The watcher: a change in a folder is told soon, and where it cannot be told, nothing breaks."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from echo_mcp.upkeep.watcher import Watcher
from folders import put

LONGEST_S = 60


class Told(threading.Event):
    """Set once a change was told."""

    def __init__(self) -> None:
        super().__init__()
        self.paths: set[str] = set()

    def changed(self, paths: Collection[str]) -> None:
        self.paths.update(paths)
        self.set()


@contextmanager
def watched(folder: Path) -> Iterator[Told]:
    told = Told()
    watcher = Watcher(folder, told.changed)
    watcher.start()
    try:
        yield told
    finally:
        watcher.stop()


def settled(folder: Path, told: threading.Event) -> None:
    """Wait until changes are seen at all."""
    for number in range(LONGEST_S * 5):
        put(folder / "begin.md", str(number))
        if told.wait(0.2):
            break
    told.clear()


@pytest.mark.parametrize("path", ["a.md", "new folder/b.md", "deep/er/c.MD"])
def test_a_note_that_is_made_anywhere_below_is_told(tmp_path: Path, path: str) -> None:
    with watched(tmp_path) as told:
        settled(tmp_path, told)

        put(tmp_path / path, "# New\n")

        while path not in told.paths and not set(map(str, Path(path).parents)) & told.paths:
            told.clear()
            assert told.wait(LONGEST_S)


def test_a_note_that_is_changed_is_told_by_its_path_in_the_vault(tmp_path: Path) -> None:
    put(tmp_path / "a/b.md", "# Old\n")
    with watched(tmp_path) as told:
        settled(tmp_path, told)

        while "a/b.md" not in told.paths:
            put(tmp_path / "a/b.md", "# New\n")
            assert told.wait(LONGEST_S)
            told.clear()


def test_a_note_that_goes_or_moves_is_told(tmp_path: Path) -> None:
    put(tmp_path / "a.md"), put(tmp_path / "b.md")
    with watched(tmp_path) as told:
        settled(tmp_path, told)

        (tmp_path / "a.md").unlink()
        gone = told.wait(LONGEST_S)
        settled(tmp_path, told)
        (tmp_path / "b.md").rename(tmp_path / "c.md")

        assert (gone, told.wait(LONGEST_S)) == (True, True)


def test_a_folder_that_is_not_there_is_told_to_the_log_and_stops(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watcher = Watcher(tmp_path / "none", lambda _: None)

    watcher.start()
    watcher._thread.join(LONGEST_S)

    watcher.stop()
    assert "not watched, only compared" in caplog.text
    assert str(tmp_path) not in caplog.text
