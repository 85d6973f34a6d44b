"""The command `backup`: make a backup now, list, verify and restore them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from echo_mcp import state
from echo_mcp.backups import applying, archive, restoring
from echo_mcp.backups.making import TURN, back_up
from echo_mcp.backups.shelf import LATEST, Shelf
from echo_mcp.commands import vaults
from echo_mcp.settings import Flags, Settings
from echo_memory.errors import Conflict
from echo_memory.locks import Busy
from echo_memory.memory import Memory
from echo_memory.opening import open_memory

ABOUT = """\
A backup is a zip of the whole vault, with a hash of every file, in the folder `backups` of the
state folder. The server makes one each night and keeps 30. NAME is one of `backup list`, `latest`,
or the path of a zip.

  echo-mcp backup now                        make one
  echo-mcp backup list                       those that there are
  echo-mcp backup verify [NAME]              read it back, every byte
  echo-mcp backup restore [NAME] --to DIR    all of it, into an empty folder
  echo-mcp backup restore [NAME]             what of the vault's notes would change
  echo-mcp backup restore [NAME] --apply     change them; what is not in the backup stays
"""

_SHOWN = 40

_Action = Callable[[Memory, argparse.Namespace], None]


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    vaults.declare(parser)
    parser.add_argument("action", choices=tuple(_ACTIONS), help="what to do")
    parser.add_argument("name", nargs="?", default=LATEST, metavar="NAME", help="which backup")
    parser.add_argument("--to", metavar="DIR", help="restore into this empty folder")
    parser.add_argument("--apply", action="store_true", help="restore into the vault itself")


def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Do it; returns the exit status."""
    settings = Settings.from_env(env, Flags.of(vars(arguments)), needs_token=False)
    state.open_folder(settings.config.state_dir)
    with closing(open_memory(settings.config)) as memory:
        _ACTIONS[arguments.action](memory, arguments)
    return 0


def _now(memory: Memory, _: argparse.Namespace) -> None:
    try:
        with memory.turns.hold(TURN):
            made = back_up(memory)
    except Busy as error:
        raise Conflict("A backup is being made just now. Try again when it is done.") from error
    print(f"{made.kept.path.name}: {_size(made.kept.size)}, {len(made.manifest.files)} files")
    print(f"read back and verified; {made.rotated} older ones removed")
    for why, count in made.manifest.left_out.items():
        print(f"left out: {count} ({why})")


def _list(memory: Memory, _: argparse.Namespace) -> None:
    shelf = Shelf.of(memory.config)
    kept = shelf.kept()
    print(f"{len(kept)} in {shelf.folder}")
    for one in kept:
        made = one.made.astimezone(memory.config.zone)
        print(f"{one.path.name}  {made:%Y-%m-%d %H:%M}  {_size(one.size)}")


def _verify(memory: Memory, arguments: argparse.Namespace) -> None:
    path = Shelf.of(memory.config).find(arguments.name)
    manifest = archive.verify(path)
    print(f"{path.name}: good, {len(manifest.files)} files, {_size(manifest.size)}")


def _restore(memory: Memory, arguments: argparse.Namespace) -> None:
    path = Shelf.of(memory.config).find(arguments.name)
    if arguments.to:
        manifest = restoring.into_folder(path, Path(arguments.to))
        print(f"{path.name}: {len(manifest.files)} files restored")
        return
    counts: Counter[str] = Counter()
    for outcome in applying.into_vault(memory, path, apply=arguments.apply):
        counts[outcome.became] += 1
        shown = counts[applying.CREATED] + counts[applying.CHANGED] + counts[applying.LEFT]
        if outcome.became != applying.SAME and shown <= _SHOWN:
            print(f"{outcome.became}: {outcome.path.encode('utf-8', 'replace').decode()}")
    print(", ".join(f"{counts[word]} {word}" for word in _WORDS))
    if not arguments.apply:
        print("Nothing is written yet; --apply does it, --to DIR restores all of it elsewhere.")


_WORDS = (applying.CREATED, applying.CHANGED, applying.SAME, applying.LEFT)


def _size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


_ACTIONS: dict[str, _Action] = {
    "now": _now,
    "list": _list,
    "verify": _verify,
    "restore": _restore,
}
