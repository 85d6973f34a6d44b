"""The tables: notes that come many at a time, change and go are found as if each came last."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.catalog import Catalog
from echo_memory.naming.names import words
from echo_memory.note import Note
from echo_memory.recallable import PLAIN
from echo_memory.tables import Listed, Tables

PLACES = ["resources/people/ada.md", "resources/concepts/ada.md", "plain.md", "templates/x.md"]
TITLES = ["Ada Byron", "Ada King", "Byron", "Ada", "Steam Engine"]
KINDS = [None, "person", "concept", "meeting"]

notes = st.builds(
    lambda path, title, kind: Note(path, f"---\ntitle: {title}\ntype: {kind or ''}\n---\n\nHi.\n"),
    st.sampled_from(PLACES),
    st.sampled_from(TITLES),
    st.sampled_from(KINDS),
)


def found(tables: Tables) -> dict[str, object]:
    """Everything that they answer of these notes."""
    asked = {title: list(words(title)) for title in TITLES}
    return {
        "groups": {kind: sorted(tables.groups.paths(kind or PLAIN)) for kind in KINDS},
        "paths": {name: sorted(tables.paths.named(name)) for name in ("ada", "plain", "x")},
        "entities": tables.entities.to_json(),
        "near": {
            title: [(one.entity.path, one.score) for one in tables.entities.candidates(title)]
            for title in [*TITLES, "Ada Birone", "Stean Engine"]
        },
        "names": {title: tables.names.find(asked[title]) for title in TITLES},
        "spans": {word: tables.names.spans(word) for word in ("ada", "byron", "steam")},
        "shared": [
            (path, word)
            for path in PLACES
            for word in ("ada", "byron", "king")
            if tables.names.is_shared(path, word)
        ],
    }


def listed(some: Iterable[Note]) -> list[Listed]:
    return [Listed.of(note) for note in some]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(notes, max_size=5) | st.sampled_from(PLACES), max_size=8))
def test_only_what_was_taken_up_last_counts(steps: list[list[Note] | str]) -> None:
    tables, left = Tables(), dict[str, Note]()

    for step in steps:
        if isinstance(step, str):
            tables.drop(step)
            left.pop(step, None)
        else:
            tables.put(listed(step))
            left |= {note.path: note for note in step}

    alone = Tables()
    for note in left.values():
        alone.put(listed([note]))
    assert found(tables) == found(alone)


def test_a_note_that_cannot_be_read_leaves_those_beside_it_to_be_taken_up_again() -> None:
    class Unreadable(Note):
        @property
        def title(self) -> str:
            raise RecursionError

    ada = Note("resources/people/ada.md", "# Ada\n")
    catalog = Catalog()

    with pytest.raises(RecursionError):
        catalog.put_all([ada, Unreadable("plain.md", "# Plain\n")])
    catalog.put(ada)

    assert catalog.entities.get("ada") is not None
    assert catalog.all_paths() == ["resources/people/ada.md"]
