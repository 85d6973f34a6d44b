"""Search: both of the plugin's searches over an index; scores are invented."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from olrapi import jsonlogic
from olrapi.index import Index
from olrapi.messages import Refusal

_CONTEXT = 100


def by_logic(index: Index, query: Any, asked: str) -> list[dict[str, Any]]:
    """The notes for which a JsonLogic query gives anything, and what it gives.

    Args:
        index: the notes.
        query: the query, parsed.
        asked: the query as text; content is only loaded where it says so.
    """
    found = []
    for path in index.notes:
        try:
            result = jsonlogic.apply(query, index.known(path, content='"content"' in asked))
        except jsonlogic.UnknownOperator as error:
            raise Refusal(40070, f"{error} (while processing {path})") from error
        if jsonlogic.is_true(result):
            found.append({"filename": path, "result": result})
    return found


def by_words(index: Index, query: str, context: int = _CONTEXT) -> list[dict[str, Any]]:
    """The notes that have every word of a query, in their name or their text."""
    words = query.lower().split()
    found = []
    for path in index.notes:
        matches = _matches(PurePosixPath(path).stem, index.text(path), words, context)
        if matches:
            score = -0.01 * len(matches)
            found.append({"filename": path, "score": score, "matches": matches})
    return sorted(found, key=lambda item: -item["score"])


def _matches(name: str, text: str, words: list[str], context: int) -> list[dict[str, Any]]:
    """The first place of each word; nothing where one of them is missing."""
    matches = []
    for word in words:
        if word in name.lower():
            start = _units(name[: name.lower().index(word)])
            span = {"start": start, "end": start + _units(word), "source": "filename"}
            matches.append({"match": span, "context": name})
        elif word in text.lower():
            start = _units(text[: text.lower().index(word)])
            end = start + _units(word)
            around = _slice(text, max(start - context, 0), end + context)
            span = {"start": start, "end": end, "source": "content"}
            matches.append({"match": span, "context": around})
        else:
            return []
    return matches


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _slice(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le", "replace")
