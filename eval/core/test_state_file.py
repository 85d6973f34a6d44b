"""A file of the state folder is the old one or the new one, and nothing is left beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from echo_memory import scratch, state_file
from folders import put


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_whole_and_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "state" / "token"

    state_file.write(file, b"one")
    state_file.write(file, b"two")

    assert file.read_bytes() == b"two"
    assert file.stat().st_mode & 0o777 == 0o600
    assert listed(file.parent) == ["token"]


def test_a_file_that_could_not_be_made_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "index"
    state_file.write(file, b"old")

    with pytest.raises(OSError, match="disk full"), state_file.replacing(file) as draft:
        draft.write_bytes(b"half")
        raise OSError("disk full")

    assert file.read_bytes() == b"old"
    assert listed(tmp_path) == ["index"]


def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "ours").symlink_to("theirs")

    state_file.write(tmp_path / "ours", b"ours")

    assert (tmp_path / "theirs").read_bytes() == b"theirs"
    assert not (tmp_path / "ours").is_symlink()


def test_what_a_killed_process_left_is_removed_when_it_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, left = tmp_path / "index", put(tmp_path / f".echo-{'0' * 16}.tmp")

    state_file.write(file, b"one")
    assert left.exists()

    monkeypatch.setattr(scratch, "_ABANDONED_AFTER_S", -1)
    state_file.write(file, b"two")
    assert listed(tmp_path) == ["index"]
