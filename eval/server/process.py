"""The command `echo-mcp` as a process of its own, with an environment that is only the test's."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import echo_mcp
import echo_memory

_ROOTS = {str(Path(str(package.__file__)).parents[1]) for package in (echo_mcp, echo_memory)}
PATIENCE_S = 30.0


def environment(home: Path, **said: str) -> dict[str, str]:
    """An environment in which nobody configured anything but what is said."""
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join(sorted(_ROOTS)),
        **said,
    }


def command(*words: str) -> list[str]:
    """The command line that runs `echo-mcp` with these words."""
    return [sys.executable, "-m", "echo_mcp", *words]


def run(home: Path, *words: str, stdin: str = "", **said: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        command(*words),
        input=stdin,
        env=environment(home, **said),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )


@dataclass
class Server:
    """A running server, and what it printed so far."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address that it printed."""
        return next(line.split()[1] for line in self.lines if line.startswith("  url"))

    def read(self) -> None:
        """Take everything that it prints, as it comes."""
        assert self.process.stdout is not None
        self.lines.extend(self.process.stdout)

    def stop(self) -> int:
        """Ask it to end; its exit status."""
        self.process.terminate()
        return self.process.wait(PATIENCE_S)


@contextmanager
def serving(home: Path, *words: str, **said: str) -> Iterator[Server]:
    """A memory server that listens, and is stopped at the end."""
    with listening(home, "serve", "--port", "0", *words, **said) as server:
        yield server


@contextmanager
def listening(home: Path, *words: str, **said: str) -> Iterator[Server]:
    """Any server that says how it is reached, and is stopped at the end."""
    process = subprocess.Popen(
        command(*words),
        env=environment(home, **said),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    server = Server(process)
    reader = Thread(target=server.read)
    reader.start()
    try:
        until(lambda: process.poll() is not None or any("--transport" in x for x in server.lines))
        yield server
    finally:
        server.stop()
        reader.join()
        assert process.stdout is not None
        process.stdout.close()


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    give_up = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < give_up, "it never came true"
        time.sleep(0.01)
