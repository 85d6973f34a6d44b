"""Fixtures: a folder as a vault, and the command line, run in this process."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import NOW, Echo, Run
from echo_memory import cli
from echo_memory.folder_vault import FolderVault


@pytest.fixture
def root(vault_folder: Path) -> Path:
    """The folder of a vault into which nothing was put."""
    return vault_folder


@pytest.fixture
def vault(root: Path) -> FolderVault:
    return FolderVault(root)


@pytest.fixture
def bare(
    vault_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Echo:
    """The command line on a folder that is not a vault yet."""
    for name in ("ECHO_BASE", "ECHO_STATE_DIR", "ECHO_OWNER", "ECHO_TZ"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*words: str, stdin: bytes = b"", vault: str = "vault", clock: Any = lambda: NOW) -> Run:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "latin-1"))
        folders = ["--vault", vault, "--state-dir", "state"] if vault else []
        status = cli.main([*folders, *words], clock=clock)
        said = capsys.readouterr()
        return Run(status, said.out, said.err)

    return run


@pytest.fixture
def echo(bare: Echo) -> Echo:
    """The command line on a vault with two notes and an inbox line."""
    bare("bootstrap")
    bare("capture", "Ada Lovelace", "--kind", "person", "--body", "Wrote the first program.")
    bare("capture", "Engine", "--kind", "project", "--body", "Rebuilt.")
    bare("capture", "Buy brass")
    return bare
