"""The page: where in the answer to a search one begins, and where the next one does.

Hits are counted off in an order that depends on everything that the archive holds and on how it was
looked for. So a page goes on only from an answer that would still be the same.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from echo_archive.cursors import cursor_of, wrong_cursor
from echo_archive.errors import BadArgument
from echo_archive.search import Edges, Ranked


@dataclass(frozen=True, slots=True)
class Page:
    """A place in an answer.

    Attributes:
        shown: How many hits of this reach were shown.
        before: Where the reach begins.
        by_meaning: Whether the hits are in an order by words and meaning.
        state: The newest import that it stands on; None for a first page.
    """

    shown: int = 0
    before: Edges = field(default_factory=dict)
    by_meaning: bool = False
    state: int | None = None

    def check(self, state: int, *, by_meaning: bool) -> None:
        """See to it that the answer is still the same.

        Args:
            state: The newest import there is.
            by_meaning: Whether the meaning of the question is known now.

        Raises:
            BadArgument: It is another one by now.
        """
        if self.state not in (None, state):
            raise _changed("Messages were imported since that answer")
        if self.by_meaning and self.shown and not by_meaning:
            raise _changed("That answer was also by meaning, and the model does not answer now")


def page_at(place: Any, terms: int) -> Page:
    """The page that a cursor leads to.

    Args:
        place: What the cursor holds.
        terms: How many terms the question has.

    Raises:
        BadArgument: It leads nowhere.
    """
    match place:
        case None:
            return Page()
        case [int(shown), list(edges), bool(by_meaning), int(state)] if shown >= 0:
            try:
                before = {tuple(map(int, group)): int(edge) for group, edge in edges}
            except (TypeError, ValueError, OverflowError) as problem:
                raise wrong_cursor() from problem
            if all(_is_group(group, terms) for group in before):
                return Page(shown, before, by_meaning, state)
    raise wrong_cursor()


def following(
    question: Mapping[str, object], page: Page, ranked: Ranked, *, found: int, shown: int
) -> str | None:
    """The cursor to further hits of this reach, else to what is older; None where there is neither.

    Args:
        question: What was asked.
        page: The page that was just made, with the state it stands on.
        ranked: What was found by words.
        found: How many hits this reach has.
        shown: How many of them this page shows.
    """
    if page.shown + shown < found:
        place, before = page.shown + shown, page.before
    elif not ranked.complete:
        place, before = 0, ranked.edges
    else:
        return None
    edges = [[list(group), edge] for group, edge in before.items()]
    return cursor_of(question, [place, edges, page.by_meaning, page.state])


def state_of(database: sqlite3.Connection) -> int:
    """The newest import there is."""
    return int(database.execute("select coalesce(max(id), 0) from import").fetchone()[0])


def _is_group(group: tuple[int, ...], terms: int) -> bool:
    return 0 < len(group) == len(set(group)) and set(group) <= set(range(terms))


def _changed(why: str) -> BadArgument:
    return BadArgument(f"{why}. Leave `cursor` out and search anew.", field="cursor")
