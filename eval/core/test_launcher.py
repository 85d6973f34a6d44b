"""The launcher, as real processes with the standard library alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import echo_memory

ECHO = Path(echo_memory.__file__).parents[1] / "echo.py"


def spawn(
    tmp_path: Path, *words: str | bytes, env: dict[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """The launcher as a process of its own that sees nothing but the standard library."""
    command: Sequence[str | bytes] = [sys.executable, "-S", "-E", str(ECHO), *words]
    return subprocess.Popen(
        command,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **(env or {})},
        **{"stdin": subprocess.DEVNULL, "stdout": -1, "stderr": -1, **options},
    )


def outcome(process: subprocess.Popen[bytes], stdin: bytes | None = None) -> tuple[int, str, str]:
    out, err = process.communicate(stdin)
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
def settings(tmp_path: Path, vault_folder: Path) -> dict[str, str]:
    return {"ECHO_BASE": f"file://{vault_folder}", "ECHO_STATE_DIR": str(tmp_path / "state")}


def test_the_launcher_runs_a_memory_day_with_the_standard_library_alone(
    tmp_path: Path, vault_folder: Path, settings: dict[str, str]
) -> None:
    made = outcome(spawn(tmp_path, "bootstrap", env=settings))
    process = spawn(
        tmp_path,
        *["capture", "Zoë", "--kind", "person", "--body", "-"],
        env={**settings, "LC_ALL": "C", "ECHO_TZ": "Pacific/Kiritimati"},
        stdin=subprocess.PIPE,
    )
    captured = outcome(process, "Plays the 琴.\n".encode())
    recalled = outcome(spawn(tmp_path, "recall", "who plays", env=settings))

    assert (made[0], made[2]) == (0, "")
    assert captured == (0, "created: resources/people/zoe.md\n", "")
    assert (recalled[0], recalled[2]) == (0, "")
    assert recalled[1].startswith("- Zoë · resources/people/zoe.md (person, active, updated ")
    assert recalled[1].endswith(")\n  Plays the 琴.\n")


def test_words_that_are_not_utf_8_are_refused_in_valid_json(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    status, out, err = outcome(spawn(tmp_path, "recall", b"caf\xe9", "--json", env=settings))

    assert (status, err) == (64, "")
    assert json.loads(out)["error"]["field"] == "query"


def test_a_reader_that_went_away_is_no_failure(tmp_path: Path, settings: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = spawn(tmp_path, "bootstrap", env=settings, stdout=writing)
    os.close(writing)
    _, err = process.communicate()

    assert (process.returncode, err) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_an_answer_that_cannot_be_written_ends_with_74(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        process = spawn(tmp_path, "bootstrap", env=settings, stdout=full)
        _, err = process.communicate()

    assert process.returncode == 74
    assert err.startswith(b"The answer could not be written: ")


def test_a_command_whose_output_was_closed_does_its_work(
    tmp_path: Path, vault_folder: Path, settings: dict[str, str]
) -> None:
    script = f'exec "{sys.executable}" -S -E "{ECHO}" bootstrap >&- 2>&- <&-'
    done = subprocess.run(["/bin/sh", "-c", script], env=settings, cwd=tmp_path, check=False)

    assert done.returncode == 0
    assert (vault_folder / "_agent/echo-vault.md").exists()
