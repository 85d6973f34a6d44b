"""The official MCP clients and suites against a real server, in every version of the protocol.

    python eval/clients/run.py [--only NAME …] [--url URL --token-file FILE]

Installs them (`npm ci`: npm, any Node.js to begin with, and 350 MB), starts a server over a folder
of its own, runs them all and prints a table; ends with 1 when something fails that
`expected_failures.yml` does not explain. With --url it tries a server that runs already, which
then has a few notes more.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from echo_mcp import state
from server import process

CLIENTS = Path(__file__).parent
PROGRAMS = CLIENTS / "node_modules"
LONGEST_S = 300
OLDER, NEWER = "2025-11-25", "2026-07-28"
SPEC_VERSIONS = ("2025-06-18", OLDER, NEWER)
ERAS = {"legacy": OLDER, "auto": NEWER, "modern": NEWER}
_TOOL_ERROR = 5
_MARKS = {"✗": "fails", "✓": "passes, though it is listed"}
_TOTAL = re.compile(r"^Total: (\d+) passed, (\d+) failed", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """What a client did: `fault` is empty where all went well."""

    client: str
    protocol: str
    seen: str
    fault: str = ""


@dataclass(frozen=True)
class Tried:
    """The server that is tried, and a home for what the clients keep."""

    url: str
    token: str
    home: Path

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run one of the clients' programs."""
        env = {
            "PATH": f"{PROGRAMS / '.bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.home),
            "ECHO_MCP_TOKEN": self.token,
            "NO_COLOR": "1",
        }
        return subprocess.run(
            [str(word) for word in words],
            cwd=CLIENTS,
            env=env,
            capture_output=True,
            encoding="utf-8",
            timeout=LONGEST_S,
            check=False,
        )


def inspector(tried: Tried) -> Iterator[Row]:
    """MCP Inspector's command line: listing, a call, a mistake, a short load."""
    call = ("--method", "tools/call", "--tool-name")
    # What is tried: the words, the exit status, and what the answer must say.
    trials = {
        "tools/list --strict": (("--method", "tools/list", "--strict"), 0, "echo_recall"),
        "a call": ((*call, "echo_recall", "--tool-arg", "query=gears"), 0, '"isError": false'),
        "a mistake": ((*call, "echo_get_note", "--tool-arg", "path=no"), _TOOL_ERROR, "not-found"),
        "100 calls, 10 at a time": (
            (*call, "echo_load", "--load", "--load-requests", "100"),
            0,
            '"ok": 100,',
        ),
    }
    entry = (
        "mcp-inspector",
        "--cli",
        tried.url,
        "--header",
        f"Authorization: Bearer {tried.token}",
    )
    for era, protocol in ERAS.items():
        for seen, (words, status, says) in trials.items():
            done = tried.run(*entry, "--protocol-era", era, *words)
            right = done.returncode == status and says in done.stdout
            fault = "" if right else f"ends with {done.returncode}: {last(done.stderr)}"
            yield Row(f"Inspector, {era}", protocol, seen, fault)


def conformance(tried: Tried) -> Iterator[Row]:
    """The official conformance suite, all of it, for each version of the protocol."""
    preload = ("node", "--import", CLIENTS / "with_token.mjs")
    for version in SPEC_VERSIONS:
        with tempfile.TemporaryDirectory() as results:
            done = tried.run(
                *(*preload, PROGRAMS / ".bin/conformance", "server", "--url", tried.url),
                *("--suite", "all", "--spec-version", version, "--output-dir", results),
                *("--expected-failures", CLIENTS / "expected_failures.yml"),
            )
        total = _TOTAL.search(done.stdout)
        seen = f"{total[1]} checks pass, {total[2]} do not" if total else "nothing"
        right = done.returncode == 0 and total
        why = "; ".join(unexplained(done.stdout)) or last(done.stderr) or "it says nothing"
        yield Row("conformance suite", version, seen, "" if right else why)


def unexplained(printed: str) -> Iterator[str]:
    """What fails and is not expected to, and what is and does not, in the suite's last words."""
    verdict = printed.partition("\nTotal: ")[2]
    for line in verdict.splitlines():
        mark, _, name = line.strip().partition(" ")
        if mark in _MARKS:
            yield f"{name} {_MARKS[mark]}"


def typescript(script: str) -> Callable[[Tried], Iterator[Row]]:
    """The official TypeScript clients, as one of the scripts beside this one uses them."""

    def rows(tried: Tried) -> Iterator[Row]:
        done = tried.run("node", CLIENTS / script, tried.url)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        for line in lines:
            seen = "list, capture, recall, mistakes"
            yield Row(f"TypeScript {line['client']}", line["era"], seen, line["fault"])
        if not lines:
            yield Row(f"TypeScript, {script}", "", "nothing", last(done.stderr) or "says nothing")

    return rows


def last(text: str) -> str:
    """The last line of what a program said."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


SUITES: dict[str, Callable[[Tried], Iterator[Row]]] = {
    "inspector": inspector,
    "conformance": conformance,
    "token": typescript("token.mjs"),
    "sign-in": typescript("sign_in.mjs"),
}
_SAID = {"sign-in": {"ECHO_MCP_OAUTH": "1"}}


def install() -> None:
    """Install the clients as the lock file has them, unless they are there."""
    installed = PROGRAMS / ".package-lock.json"
    lock = CLIENTS / "package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=CLIENTS, check=True)


def served(stack: ExitStack, home: Path, said: dict[str, str]) -> Tried:
    """A server of our own, over a folder that is made for it."""
    (home / "vault").mkdir(parents=True)
    server = stack.enter_context(process.serving(home, "--vault", str(home / "vault"), **said))
    if server.process.poll() is not None:
        raise SystemExit("The server does not start:\n" + "".join(server.lines))
    token = state.read_token(home / ".local/state/echo-mcp" / state.TOKEN_FILE)
    return Tried(server.url, token, home)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suites that are asked for; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=tuple(SUITES), default=tuple(SUITES))
    parser.add_argument("--url", help="a server that runs; without it, one is started")
    parser.add_argument("--token-file", type=Path, help="where that server's token is")
    values = parser.parse_args(argv)
    if values.url and not values.token_file:
        parser.error("--url needs --token-file")
    install()
    failed = 0
    print("| client | protocol | what is tried | |\n| --- | --- | --- | --- |")
    for name in values.only:
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            home = Path(folder)
            if values.url:
                tried = Tried(values.url, state.read_token(values.token_file), home)
            else:
                tried = served(stack, home, _SAID.get(name, {}))
            for row in SUITES[name](tried):
                failed += bool(row.fault)
                verdict = f"FAILS: {row.fault}" if row.fault else "passes"
                print(f"| {row.client} | {row.protocol} | {row.seen} | {verdict} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
