"""What was sent to a memory, call by call, and what of it must stand in the vault at the end.

Every call carries texts that no other one does, so each can be counted in the notes. No call is
repeated: what was acknowledged stands exactly once, all else at most once. Only what the server has
parked for a decision of its person may stand or not: nobody can know whether it does.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from echo_memory.folder import Folder
from echo_memory.scratch import is_scratch

INBOX = "inbox/captures/inbox.md"
DAILY = "journal/daily/"
INDEX, LOCK = "_agent/index/entities.json", "_agent/locks/vault.json"
COMMON = ("Harbour", "Lighthouse", "Orchard", "Quarry", "Windmill")
"""Titles of the projects that many calls write to; they must be there before the first call."""

_TEXT = re.compile(r"\bk\d{7}\b")


@dataclass
class Sent:
    """One call of a tool.

    Attributes:
        tool: its name.
        arguments: what it was called with.
        texts: each unique text that it carries, with a part of the path of the note it belongs in.
        id: the id of the note that it makes or adds to as an entity, which the index must have;
            empty where it does not.
        logs: what a line of the day's log that it makes contains; empty where it makes none.
        answer: the envelope that came back; None where none did.
    """

    tool: str
    arguments: dict[str, Any] = field(repr=False)
    texts: dict[str, str]
    id: str = ""
    logs: str = ""
    answer: dict[str, Any] | None = None
    is_parked: bool = False

    @property
    def is_acknowledged(self) -> bool:
        """Whether the server said that it is done, or that it will be."""
        return self.answer is not None and self.answer.get("ok") is True

    @property
    def must_stand(self) -> bool:
        """Whether it is missed where it does not stand."""
        return self.is_acknowledged and not self.is_parked

    @property
    def is_refused(self) -> bool:
        """Whether the server said that it is not done."""
        return self.answer is not None and self.answer.get("ok") is not True


class Load:
    """Calls of all kinds in a random order, and a record of them; any number of threads may ask."""

    def __init__(self, seed: int) -> None:
        self.sent: list[Sent] = []
        self._random = random.Random(seed)
        self._texts = 0
        self._lock = threading.Lock()

    def next(self) -> Sent:
        """The next call, which nobody else gets."""
        with self._lock:
            make = self._random.choices(
                (self._new, self._added, self._kept, self._appended, self._patched, self._logged),
                (2, 3, 2, 3, 3, 1),
            )[0]
            self.sent.append(make())
            return self.sent[-1]

    def _text(self) -> str:
        self._texts += 1
        return f"k{self._texts:07}"

    def _new(self) -> Sent:
        text, kind = self._text(), self._random.choice(("person", "semantic"))
        title, slug = f"Somebody n{text}", f"somebody-n{text}"
        said = {"title": title, "kind": kind, "body": f"Knows {text}.", "force": True}
        entity = slug if kind == "person" else ""
        return Sent("echo_capture", said, {text: f"/{slug}.md"}, id=entity, logs=f"[[{slug}")

    def _added(self) -> Sent:
        text, title = self._text(), self._random.choice(COMMON)
        said = {"title": title, "kind": "project", "body": f"Saw {text}."}
        slug = title.lower()
        return Sent("echo_capture", said, {text: f"/{slug}.md"}, id=slug, logs=f"[[{slug}")

    def _kept(self) -> Sent:
        text = self._text()
        return Sent("echo_capture", {"title": f"Ask about {text}"}, {text: INBOX})

    def _appended(self) -> Sent:
        text, slug = self._text(), self._random.choice(COMMON).lower()
        said = {"path": f"projects/active/{slug}.md", "line": f"- Heard {text}"}
        return Sent("echo_append_note", said, {text: f"/{slug}.md"})

    def _patched(self) -> Sent:
        text, slug = self._text(), self._random.choice(COMMON).lower()
        said = {
            "path": f"projects/active/{slug}.md",
            "operation": "append",
            "target_type": "heading",
            "target": "Status",
            "content": f"- Is at {text}",
        }
        return Sent("echo_patch_note", said, {text: f"/{slug}.md"})

    def _logged(self) -> Sent:
        body, line = self._text(), self._text()
        said = {
            "slug": f"talk n{body}",
            "log_body": f"Spoke of {body}.",
            "agent_log_line": f"Talked of {line}",
            "apply": True,
        }
        return Sent("echo_log_session", said, {body: f"-talk-n{body}.md", line: DAILY}, logs=line)


def faults(vault: Path, state: Path, sent: list[Sent], *, scratch_limit: int = 0) -> list[str]:
    """What is wrong with a vault and a state folder that nobody is at any more.

    Args:
        vault: its folder.
        state: the state folder of all who wrote to it.
        sent: every call that was made.
        scratch_limit: how many scratch files may have stayed; what stays must be of those that a
            later write removes.
    """
    notes = {
        path.relative_to(vault).as_posix(): path.read_text("utf-8") for path in vault.rglob("*.md")
    }
    return [
        *_of_texts(notes, sent),
        *_of_logs(notes, sent),
        *_of_index(vault / INDEX, sent),
        *(fault for path, text in notes.items() for fault in _of_note(path, text)),
        *_of_leftovers(vault, scratch_limit),
        *_of_databases(state),
    ]


def _of_texts(notes: dict[str, str], sent: list[Sent]) -> Iterator[str]:
    """Acknowledged texts that do not stand, and texts that stand twice or elsewhere."""
    found: dict[str, list[str]] = {}
    for path, note in notes.items():
        for text in _TEXT.findall(note):
            found.setdefault(text, []).append(path)
    for call in sent:
        for text, place in call.texts.items():
            paths = found.get(text, [])
            if call.must_stand and not paths:
                yield f"lost: {text} of {call}"
            if len(paths) > 1 or not all(place in f"/{path}" for path in paths):
                yield f"stands in {paths}: {text} of {call}"


def _of_logs(notes: dict[str, str], sent: list[Sent]) -> Iterator[str]:
    """Lines of a day's log that stand twice, and acknowledged ones that do not stand."""
    logs = {path: note.splitlines() for path, note in notes.items() if path.startswith(DAILY)}
    for path, lines in logs.items():
        for line, count in Counter(line for line in lines if line.startswith("- ")).items():
            if count > 1:
                yield f"{count} times in {path}: {line}"
    every = "\n".join(line for lines in logs.values() for line in lines)
    for call in sent:
        if call.must_stand and call.logs not in every:
            yield f"not logged: {call}"


def _of_index(index: Path, sent: list[Sent]) -> Iterator[str]:
    known = json.loads(index.read_text("utf-8"))
    for call in sent:
        if call.must_stand and call.id and call.id not in known:
            yield f"not in the index: {call}"


def _of_note(path: str, text: str) -> Iterator[str]:
    """A note that is cut short, or whose frontmatter is."""
    head, closed, _ = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not closed or not text.endswith("\n"):
        yield f"not whole: {path}"
        return
    try:
        parsed = yaml.safe_load(head)
    except yaml.YAMLError:
        parsed = None
    if not isinstance(parsed, dict):
        yield f"frontmatter that is none: {path}"


def _of_leftovers(vault: Path, limit: int) -> Iterator[str]:
    """Files that are no notes, index or lock, but for scratch files that are yet too young.

    They are removed an hour after they were left, by the next write: as if it were that late, their
    folders are cleaned here.
    """
    left = [path for path in _others(vault) if is_scratch(path.name)]
    if len(left) > limit:
        yield f"{len(left)} scratch files stayed, but only {limit} writes were cut off"
    for parent in {path.parent for path in left}:
        with Folder.at(parent) as folder:
            folder.clean(time.time() + 7200)
    for path in _others(vault):
        yield f"left over: {path.relative_to(vault)}"


def _others(vault: Path) -> list[Path]:
    every = [path for path in vault.rglob("*") if path.is_file()]
    ours = (vault / INDEX, vault / LOCK)
    return [path for path in every if path.suffix != ".md" and path not in ours]


def _of_databases(state: Path) -> Iterator[str]:
    for path in state.rglob("*.sqlite"):
        with closing(sqlite3.connect(path)) as database:
            try:
                (said,) = database.execute("PRAGMA integrity_check").fetchone()
            except sqlite3.DatabaseError as error:
                said = str(error)
            if said != "ok":
                yield f"damaged: {path.name}, {said}"
