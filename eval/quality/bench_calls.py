"""The calls of a bench: what is asked of the memory, the same through every door."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from quality.invented_vault import Language, invented, title_of

RECALLS = {"recall, 1 word": 1, "recall, 3 words": 3, "recall, 8 words": 8}
READS = (*RECALLS, "resolve", "get_note", "load")
MOST_CAPTURES = 50


@dataclass(frozen=True)
class Asked:
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any]


def recall(language: Language, words: int) -> Asked:
    """A question of so many words."""
    return Asked("echo_recall", {"query": " ".join(language.say(words))})


def capture(language: Language, number: str) -> Asked:
    """A new entity, so that the shared index is written for it too; nothing has its name yet."""
    title = " ".join([*language.say(2), number])
    body = "\n\n".join(" ".join(language.say(40)) for _ in range(4))
    return Asked("echo_capture", {"title": title, "kind": "concept", "body": body, "force": True})


def reads(vault: Path, calls: int) -> Iterator[dict[str, Asked]]:
    """So many rounds, with one call of each kind that reads, in a different order each time."""
    language, chosen = Language(asking=1), random.Random(2)
    notes = invented(vault)
    for _ in range(calls):
        named, wanted = chosen.choice(notes), chosen.choice(notes)
        asked = {label: recall(language, words) for label, words in RECALLS.items()}
        asked["resolve"] = Asked("echo_resolve", {"mention": title_of(named)})
        asked["get_note"] = Asked("echo_get_note", {"path": str(wanted.relative_to(vault))})
        asked["load"] = Asked("echo_load", {})
        yield dict(chosen.sample(list(asked.items()), len(asked)))


def captures(calls: int, door: str) -> Iterator[Asked]:
    """As many captures, at most fifty; each door has titles of its own."""
    language = Language(asking=sum(door.encode()))
    for number in range(min(calls, MOST_CAPTURES)):
        yield capture(language, f"{door} {number}")


class Disk:
    """Plain writes of a file of a note's size, to compare a capture with."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._data = b"A word or two. " * 100
        self._written = 0

    def write(self) -> None:
        """Write a new file, and see to nothing."""
        self._next().write_bytes(self._data)

    def write_safely(self) -> None:
        """Write a new file so that it is whole or not there: synced, then renamed."""
        path = self._next()
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            file.write(self._data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _next(self) -> Path:
        self._written += 1
        return self._folder / f"{os.getpid()}-{self._written}.md"


FINDABLE = "a new note, made findable"
"""The part of a write that takes the note into the indexes and the copies."""
WRITES = {"plain write of a file": Disk.write, "the same, synced": Disk.write_safely}


def writes(folder: Path) -> dict[str, partial[None]]:
    """What a capture is compared with, by label."""
    disk = Disk(folder)
    return {label: partial(write, disk) for label, write in WRITES.items()}
