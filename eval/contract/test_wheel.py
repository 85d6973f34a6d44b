"""The wheel: what `pip install` brings, and that it stands alone."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = (
    (ROOT / "mcp-server", "echo_mcp"),
    (ROOT / "mcp-server", "echo_archive"),
    (ROOT / "skills/echo-memory/scripts", "echo_memory"),
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_source_file_of_the_packages_and_nothing_else(wheel: Path) -> None:
    wanted = {
        path.relative_to(root).as_posix()
        for root, package in SOURCES
        for path in (root / package).rglob("*")
        if path.suffix in (".py", ".json")
    }

    names = zipfile.ZipFile(wheel).namelist()

    assert {name for name in names if ".dist-info/" not in name} == wanted


def test_both_commands_are_declared(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (entries,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]

    declared = archive.read(entries).decode()

    assert "echo-mcp = echo_mcp.__main__:main" in declared
    assert "echo-memory = echo_memory.cli:main" in declared


def test_the_core_runs_from_the_wheel_with_nothing_but_the_standard_library(
    wheel: Path, tmp_path: Path
) -> None:
    unpacked = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(unpacked)
    words = ["--vault", str(tmp_path / "vault"), "--state-dir", str(tmp_path / "state")]
    script = f"import sys; sys.path.insert(0, {str(unpacked)!r}); from echo_memory.cli import main"

    ran = subprocess.run(
        [sys.executable, "-S", "-E", "-c", f"{script}; sys.exit(main())", *words, "bootstrap"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "vault/_agent/echo-vault.md").exists()
