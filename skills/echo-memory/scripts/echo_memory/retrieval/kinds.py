"""A kind word: "decisions" or "meetings" in a question, by which notes of a kind are asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from echo_memory import routing
from echo_memory.retrieval.documents import OPEN_TASKS

_TASKS = (
    "task tasks todo todos to-do to-dos aufgabe aufgaben tâche tâches tarea tareas задачи задач"
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class KindWord:
    """A word that asks for notes of a kind, and where it stands in the question."""

    kind: str
    start: int
    end: int


def kind_words(question: str) -> list[KindWord]:
    """The words of a question that ask for notes of a kind, in order."""
    kinds = _by_word()
    return [
        KindWord(kinds[match[0].lower()], match.start(), match.end())
        for match in _pattern().finditer(question)
    ]


@cache
def _by_word() -> Mapping[str, str]:
    table = routing.table()
    return dict.fromkeys(_TASKS.split(), OPEN_TASKS) | {
        word: kind.name
        for kinds in (table.kinds, table.fixed)
        for kind in kinds.values()
        for word in kind.asked
    }


@cache
def _pattern() -> re.Pattern[str]:
    """Whole words, but in scripts that put no space between them."""
    ways = sorted(_by_word(), key=lambda word: (-len(word), word))
    spaced = "|".join(re.escape(word) for word in ways if not _UNSPACED.search(word))
    unspaced = [word for word in ways if _UNSPACED.search(word)]
    return re.compile("|".join([rf"(?<!\w)(?:{spaced})(?!\w)", *unspaced]), re.IGNORECASE)
