"""One ranking: the command line and the server find the same, each from an index of its own.

Both are processes over one folder, the notes of the quality set, and nothing is shared between
their state folders. What is compared is all that an answer shows of its hits.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acknowledged import Sent
from folders import put
from homes import ECHO, FolderHome, call, caller, served
from server.process import PATIENCE_S, until

NOTES = Path(__file__).parents[1] / "fixtures/quality/vault"
QUESTIONS = [
    "how much is the rent of the workshop",
    "does he take milk with his coffee",
    "which varnish did Hanna want and what was decided",
    "what happened on 2026-11-18",
    "meeting in November 2025",
    "list all my meetings",
    "people at Brightleaf",
    "tell me about Hanna",
    "what does Grace Adeyemy do",
    "Thomas Oberg",
    "was war am 24. November",
    "занятия с Машей",
    "pasport in the safe",
    "what was the old rent",
    "佐藤さんは何が好きですか",
    "which open tasks has the greenhouse",
    "zyzzyva",
]

Found = dict[str, Any]
Recall = Callable[[str], Found]


def hits(envelope: Found) -> Found:
    """What an answer shows: path, title, score, excerpt, … of each note, in their order."""
    assert envelope["ok"]
    return {key: envelope[key] for key in ("primary", "linked", "omitted")}


@pytest.fixture
def home(tmp_path: Path) -> FolderHome:
    """The notes of the quality set, as a memory."""
    made = FolderHome(tmp_path)
    shutil.copytree(NOTES, made.vault, dirs_exist_ok=True)
    run_echo(made, "bootstrap")
    return made


def run_echo(home: FolderHome, *words: str) -> Found:
    """Run the command line, with a state folder of its own."""
    folders = ["--vault", str(home.vault), "--state-dir", str(home.vault.with_name("typed"))]
    done = subprocess.run(
        [sys.executable, str(ECHO), *folders, "--json", *words],
        env=home.env,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=True,
    )
    envelope: Found = json.loads(done.stdout)
    return envelope


def typed(home: FolderHome) -> Recall:
    return lambda question: hits(run_echo(home, "recall", question))


@contextmanager
def asked(home: FolderHome) -> Iterator[Recall]:
    """Recall through a server that has just started."""
    with served(home) as server, caller() as client:
        server.listen()

        def recall(question: str) -> Found:
            return hits(call(client, server.url, Sent("echo_recall", {"query": question}, {})))

        yield recall


def test_both_find_the_same_with_the_same_scores_and_passages(home: FolderHome) -> None:
    first = typed(home)(QUESTIONS[0])
    with asked(home) as recall:
        from_server = {question: recall(question) for question in QUESTIONS}
    from_command_line = {question: typed(home)(question) for question in QUESTIONS}

    assert from_command_line == from_server
    assert first == from_server[QUESTIONS[0]]
    assert sum(bool(found["primary"]) for found in from_server.values()) == len(QUESTIONS) - 1
    assert any(found["linked"] for found in from_server.values())


def test_both_agree_on_what_was_captured_rewritten_and_removed_since(home: FolderHome) -> None:
    wanted = [
        "how much is the rent of the workshop",
        "what does Oskar Lund want",
        "does he take milk with his coffee",
        "tell me about Hanna",
    ]
    typed(home)(wanted[0])
    with asked(home) as recall:
        before = [recall(question) for question in wanted]

        run_echo(home, "capture", "Rent of the shed", "--kind", "semantic", "--body", "It is low.")
        put(home.vault / "resources/people/oskar-lund.md", "# Oskar Lund\n\nWants a boat.\n")
        (home.vault / "_agent/memory/semantic/coffee.md").unlink()
        until(lambda: "_agent/memory/semantic/rent-of-the-shed.md" in paths(recall(wanted[0])))
        until(lambda: "boat" in str(recall(wanted[1])))
        until(lambda: "_agent/memory/semantic/coffee.md" not in paths(recall(wanted[2])))
        after = [recall(question) for question in wanted]

    with asked(home) as recall:
        restarted = [recall(question) for question in wanted]
    assert [typed(home)(question) for question in wanted] == after == restarted
    assert all(new != old for new, old in zip(after[:3], before[:3], strict=True))


def paths(found: Found) -> list[str]:
    return [hit["path"] for hit in found["primary"]]
