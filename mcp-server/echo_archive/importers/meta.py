"""Meta: one thread of a Messenger or Instagram download, from all its `message_<n>.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

from echo_archive.characters import well_formed
from echo_archive.importers.bench import Bench, folded
from echo_archive.importers.meta_content import Thread, message, said_in
from echo_archive.records import Message, Skipped

MAX_FILE = 512 * 2**20
PAIR, REGULAR_GROUP = 2, "RegularGroup"
_NUMBER = re.compile(r"message_(\d+)\.json$")
_ROOT = re.compile(r"(.*?)(?:your_\w+_activity/)?messages/")
_FOLDER_KEY = re.compile(r"(?:^|/)messages/(.+)$")


def read(bench: Bench) -> Iterator[Message | Skipped]:
    """The messages of a thread, oldest first; the file is the thread's folder or its only file."""
    folder, seen = bench.file, set[bytes]()
    root = _ROOT.match(folder)
    bench.base = root[1] if root else ""
    for name in _files(bench, folder):
        bench.file, bench.line = name, 0
        thread, rows = _opened(bench)
        for row in reversed(rows):
            bench.line += 1
            exact = blake2b(json.dumps(row, sort_keys=True).encode(), digest_size=12).digest()
            if exact in seen:
                continue
            seen.add(exact)
            read_row = _row(bench, thread, row)
            if read_row is not None:
                yield read_row
            yield from bench.doubts()
        yield from bench.doubts()
    bench.file = folder
    yield from bench.closing()


def _files(bench: Bench, folder: str) -> list[str]:
    """The thread's files, the oldest messages first: that is the highest number."""
    if folder.endswith(".json"):
        return [folder]
    numbered = []
    for name in bench.tree.names(folder):
        found = _NUMBER.search(name)
        if found and name.rpartition("/")[0] == folder:
            numbered.append((int(found[1]), name))
    return [name for _, name in sorted(numbered, reverse=True)]


def _opened(bench: Bench) -> tuple[Thread, list[Any]]:
    """What a file says of its thread, and its rows; none, and a doubt, when it cannot be read."""
    nothing = Thread("", "", "other", {})
    if (bench.tree.size(bench.file) or 0) > MAX_FILE:
        bench.doubt("the file is larger than any that Meta writes and was not read")
        return nothing, []
    with bench.tree.open(bench.file) as file:
        data = file.read()
    try:
        said = said_in(data.decode("utf-8-sig"))
        return _thread(bench, said), list(said["messages"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        bench.doubt("the file is not a thread of messages, or was cut short, and was not read")
        return nothing, []


def _thread(bench: Bench, said: dict[str, Any]) -> Thread:
    secure = "threadName" in said
    names = [one if isinstance(one, str) else one.get("name", "") for one in said["participants"]]
    if len(names) == PAIR and said.get("title") in names and names[0] != names[1]:
        bench.found_owner(next(name for name in names if name != said["title"]))
    others = [name for name in names if not bench.is_owner(name)]
    found = _FOLDER_KEY.search(bench.file.rpartition("/")[0])
    key = said.get("thread_path") or (found[1] if found else said.get("threadName", ""))
    title = said.get("threadName" if secure else "title") or ", ".join(others)
    group = "joinable_mode" in said or len(names) > PAIR or said.get("thread_type") == REGULAR_GROUP
    kind = "group" if group else "self" if names and not others else "direct"
    people = {name: bench.person(folded(name), name, bench.is_owner(name)) for name in names}
    return Thread(well_formed(str(key)), well_formed(title), kind, people, secure)


def _row(bench: Bench, thread: Thread, row: Any) -> Message | None:
    try:
        return message(bench, thread, row)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        bench.doubt("a message was not read: its fields are not what Meta writes")
        return None
