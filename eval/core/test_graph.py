"""The graph: which notes may link to which, as notes come, change and go."""

from __future__ import annotations

import unicodedata

import pytest

from echo_memory.graph import Graph
from echo_memory.note import Note


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[[ada]]", "people/ada.md"),
        ("[[Ada]]", "people/ada.md"),
        ("[[people/ada|her]]", "people/ada.md"),
        ("[[ada.md#Log]] and ![[ada^block]]", "people/ada.md"),
        ("[[ ada ]]", "people/ada.md"),
        ("[her](../people/ada.md)", "people/ada.md"),
        ("[her](<people/ada lovelace.md>)", "people/ada lovelace.md"),
        ("[her](ada%20lovelace.md#Log)", "people/ada lovelace.md"),
        ("[odd](C%23%20notes.md#Part)", "C# notes.md"),
        (f"[[{unicodedata.normalize('NFD', 'zoë')}]]", "zoë.md"),
        ("[[zoë]]", f"{unicodedata.normalize('NFD', 'zoë')}.md"),
        ("[[upper]]", "UPPER.MD"),
    ],
)
def test_a_note_that_names_another_may_link_to_it(text: str, path: str) -> None:
    graph = Graph()

    graph.put(Note("a.md", text))

    assert graph.sources(path) == ["a.md"]
    assert graph.sources("other.md") == []


def test_only_what_a_note_says_now_counts() -> None:
    graph = Graph()
    graph.put(Note("a.md", "[[x]] [[y]]"))
    graph.put(Note("b.md", "[[x]]"))

    graph.put(Note("a.md", "[[y]] [[z]]"))
    assert [graph.sources(f"{name}.md") for name in "xyz"] == [["b.md"], ["a.md"], ["a.md"]]

    graph.drop("b.md")
    graph.drop("unknown.md")
    assert graph.sources("x.md") == []
