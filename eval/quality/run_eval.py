"""Whether the answers of mcp_eval.xml can be reached: every call beside a question, made for real.

    python eval/quality/run_eval.py

A server is started over a copy of the notes of the quality set. An answer is reached when all of
its parts are in what the calls return together, and a note is read by a path that an earlier call
told. A question needs several calls when none that could be made by who knows the question alone
returns the whole answer. Questions whose calls need a tool that the server does not have are left
out, and said to be.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from acknowledged import Sent
from homes import FolderHome, call, caller, served

HERE = Path(__file__).parents[1]
NOTES, QUESTIONS = HERE / "fixtures/quality/vault", HERE / "mcp_eval.xml"
PARTED = "; "

_WORD = re.compile(r"[^\W\d_]{4,}|\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """A question, the parts of its answer, and the calls that lead there."""

    text: str
    answer: tuple[str, ...]
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Outcome:
    """What the calls of a question came to.

    Attributes:
        question: which.
        missing: the parts of the answer that no call returned.
        alone: the calls that return all of it and could be made by who knows the question alone.
        guessed: the calls with a path that none before them told.
        failed: the calls that were refused.
    """

    question: Question
    missing: tuple[str, ...] = ()
    alone: tuple[Call, ...] = ()
    guessed: tuple[Call, ...] = ()
    failed: tuple[Call, ...] = ()

    @property
    def is_reached(self) -> bool:
        """Whether the calls lead to the answer, and no shorter way does."""
        return not (self.missing or self.alone or self.guessed or self.failed)


def questions(path: Path = QUESTIONS) -> list[Question]:
    """The questions of a file."""
    return [
        Question(
            pair.findtext("question", ""),
            tuple(pair.findtext("answer", "").split(PARTED)),
            tuple(
                Call(call.attrib["tool"], json.loads(call.text or "{}"))
                for call in pair.iter("call")
            ),
        )
        for pair in ElementTree.parse(path).iter("qa_pair")
    ]


def outcome(question: Question, returned: Sequence[Mapping[str, Any]]) -> Outcome:
    """What came of a question whose calls returned these envelopes."""
    said = [json.dumps(envelope, ensure_ascii=False) for envelope in returned]
    made = list(zip(question.calls, said, strict=True))
    return Outcome(
        question,
        missing=tuple(part for part in question.answer if not any(part in text for text in said)),
        alone=tuple(
            call
            for at, (call, text) in enumerate(made)
            if all(part in text for part in question.answer)
            and not _learnt(call, question.text, said[:at])
        ),
        guessed=tuple(
            call
            for at, call in enumerate(question.calls)
            if not any(call.arguments.get("path", "") in text for text in (*said[:at], ""))
        ),
        failed=tuple(
            call for call, env in zip(question.calls, returned, strict=True) if not env["ok"]
        ),
    )


def _learnt(call: Call, question: str, before: Sequence[str]) -> AbstractSet[str]:
    """The words of a call's arguments that earlier calls told, and the question does not."""
    wanted = _words(json.dumps(call.arguments, ensure_ascii=False)) - _words(question)
    return wanted & _words(" ".join(before))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def run(root: Path) -> list[Outcome]:
    """Ask all questions of a server over a copy of the notes.

    Args:
        root: an empty folder for the copy and the server's state.
    """
    home = FolderHome(root)
    shutil.copytree(NOTES, home.vault, dirs_exist_ok=True)
    with served(home) as server, caller() as client:
        server.listen()
        return [
            outcome(
                question,
                [
                    call(client, server.url, Sent(one.tool, dict(one.arguments), {}))
                    for one in question.calls
                ],
            )
            for question in questions()
        ]


def line(one: Outcome) -> str:
    """An outcome in a line."""
    faults = [
        *(f"not returned: {part}" for part in one.missing),
        *(f"answers it alone: {call.tool} {dict(call.arguments)}" for call in one.alone),
        *(f"no call before told the path: {dict(call.arguments)}" for call in one.guessed),
        *(f"refused: {call.tool} {dict(call.arguments)}" for call in one.failed),
    ]
    return "; ".join(faults) or "reached"


def main() -> int:
    """Print a line for each question; 1 where one is not reached."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = run(Path(folder))
    for one in outcomes:
        print(f"{line(one):<40} {one.question.text}")
    return int(any(not one.is_reached for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
