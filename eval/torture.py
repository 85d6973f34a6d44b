"""The torture: a server that is killed again and again under load, and a vault that goes away.

    python eval/torture.py --kills 200 [--vault folder] [--vault rest] [--seed N]

The server is a process of its own, killed by SIGKILL at random moments, its start included, and
started again on the same vault and state. What must stand at the end is told in `acknowledged`.

The stand-in of a REST vault is ended by SIGTERM, not killed: it writes notes in place as the plugin
does, and one that is killed may leave half of one, which no client could mend.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from acknowledged import COMMON, Load, Sent, faults
from homes import ECHO, HOMES, PATIENCE_S, FolderHome, call, caller, served
from server import process

WORKERS = 6


def work(url: str, load: Load) -> None:
    """Call, until no answer comes."""
    with suppress(httpx.HTTPError), caller() as client:
        while True:
            call(client, url, load.next())


def prepare(home: FolderHome) -> None:
    """Make the vault a memory, with the notes that the load writes to."""
    home.up()
    if not home.words:
        words = [sys.executable, str(ECHO), "bootstrap"]
        subprocess.run(words, env=home.env, stdout=subprocess.DEVNULL, check=True)
    with served(home) as server, caller() as client:
        server.listen()
        for title in COMMON:
            first = Sent("echo_capture", {"title": title, "kind": "project"}, {})
            call(client, server.url, first)
            assert first.is_acknowledged, first.answer


def kill_once(home: FolderHome, load: Load, rng: random.Random) -> None:
    """Start, load, kill: one time in four already while it starts."""
    with ThreadPoolExecutor(WORKERS) as pool, served(home) as server:
        if rng.random() < 0.25:
            server.wait(rng.uniform(0, 1.0))
            return
        server.listen()
        working = [pool.submit(work, server.url, load) for _ in range(WORKERS)]
        if home.comes_and_goes and rng.random() < 0.7:
            server.wait(rng.uniform(0, 0.4))
            home.turn()
        server.wait(rng.uniform(0, 0.6))
        server.running.kill()
        for each in working:
            each.result()


def settle(home: FolderHome) -> None:
    """Let a last server do what the killed ones left, write once more, and stop in good order."""
    home.up()
    with served(home) as server, caller() as client:
        server.listen()
        while left := waiting(client, server.url):
            process.until(lambda left=left: waiting(client, server.url) < left)
        last = Sent("echo_capture", {"title": COMMON[0], "kind": "project", "body": "The end."}, {})
        answer = call(client, server.url, last)
        assert answer["ok"] is True, answer
        assert "queued" not in answer, answer
        server.running.terminate()
        assert server.running.wait(PATIENCE_S) == 0


def waiting(client: httpx.Client, url: str) -> int:
    """How many calls wait to be written."""
    return int(client.get(url.replace("/mcp", "/health")).json()["outbox_depth"])


def note_parked(home: FolderHome, sent: list[Sent]) -> Iterator[str]:
    """Mark the calls that wait for a decision; what waits for no good reason is told.

    A call that broke off in the midst of its write, and whose note others changed since, may have
    been done; whoever repeats such a one might double it.
    """
    for entry in outbox(home)["entries"]:
        whole = outbox(home, "show", str(entry["id"]))
        if whole["outcome"].get("error", {}).get("code") != "conflict":
            yield f"parked: {whole}"
        said = json.dumps(whole["arguments"])
        for each in sent:
            each.is_parked |= any(text in said for text in each.texts)


def outbox(home: FolderHome, *words: str) -> dict[str, Any]:
    """What the command line says of the outbox."""
    command = [sys.executable, str(ECHO), *home.words, "outbox", *words, "--json"]
    said = subprocess.run(command, env=home.env, capture_output=True, check=True).stdout
    answer: dict[str, Any] = json.loads(said)
    return answer


def torture(
    home: FolderHome, kills: int, seed: int, tell: Callable[[str], object] = lambda _: None
) -> tuple[Load, list[str]]:
    """Kill so often.

    Args:
        home: a vault that is empty yet.
        kills: how often.
        seed: makes the calls and the moments.
        tell: takes a line on each kill.

    Returns:
        All that was sent, and what is wrong at the end; nothing is the hope.
    """
    rng, load = random.Random(seed), Load(seed)
    try:
        prepare(home)
        for number in range(1, kills + 1):
            kill_once(home, load, rng)
            done = sum(sent.is_acknowledged for sent in load.sent)
            tell(f"kill {number} of {kills}: {done} of {len(load.sent)} calls acknowledged")
        settle(home)
        parked = list(note_parked(home, load.sent))
    finally:
        home.down()
    refused = [f"refused: {sent}" for sent in load.sent if sent.is_refused]
    limit = kills * WORKERS if home.leaves_scratch else 0
    standing = faults(home.vault, home.state, load.sent, scratch_limit=limit)
    return load, [*refused, *parked, *standing]


def main() -> int:
    """Torture, and tell what is wrong; returns 1 when something is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--vault", action="append", choices=HOMES, help="one kind; default both")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    said = parser.parse_args()
    wrong = 0
    for kind in said.vault or HOMES:
        root = Path(tempfile.mkdtemp(prefix="echo-torture-"))
        print(f"{kind} vault in {root}, seed {said.seed}", flush=True)
        _, found = torture(HOMES[kind](root), said.kills, said.seed, lambda x: print(x, flush=True))
        wrong += len(found)
        print(*found or [f"{kind}: nothing lost, nothing doubled"], sep="\n", flush=True)
        if not found:
            shutil.rmtree(root)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
