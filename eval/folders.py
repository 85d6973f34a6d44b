"""Folders for tests: fill them, take their picture, ask a vault in them, work on them elsewhere."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import echo_memory

SCRIPTS = Path(echo_memory.__file__).parents[1]
EVAL = Path(__file__).parent

# What a vault can do with one path; the note there is expected to say `secret`.
VERBS = {
    "read": lambda vault, path: vault.read(path),
    "read_many": lambda vault, path: vault.read_many([path]),
    "stamp": lambda vault, path: vault.stamp(path),
    "create": lambda vault, path: vault.write(path, "mine", expected=None),
    "replace": lambda vault, path: vault.write(path, "mine", expected="secret"),
    "trash": lambda vault, path: vault.trash(path, expected="secret"),
}


def put(path, content="secret"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def snapshot(folder):
    """Everything below a folder: links by where they point, files by mode and content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = path.read_bytes() if stat.S_ISREG(mode) else None
        found[str(path)] = (mode, str(path.readlink()) if stat.S_ISLNK(mode) else content)
    return found


def run(script, *args):
    """A process of its own, with `vault` on the folder that is its first argument."""
    prelude = "import os, signal, sys\nfrom echo_memory.folder_vault import FolderVault\n"
    return subprocess.Popen(
        [sys.executable, "-c", f"{prelude}vault = FolderVault(sys.argv[1])\n{script}", *args],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(SCRIPTS), str(EVAL)))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
