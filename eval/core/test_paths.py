import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo_memory.links import links
from echo_memory.paths import Paths

VAULT = (
    "index.md",
    "people/ada.md",
    "people/index.md",
    "people/Zoë.md",
    "work/index.md",
    "work/old/index.md",
    "work/plan.md",
    "work/v1.2.md",
    "work/board.canvas.md",
    "work/Plan B.md",
)


def found(written: str, source: str = "people/ada.md") -> tuple[str, ...]:
    (link,) = links(written)
    return Paths(VAULT).find(link, source)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[[people/ada]]", "people/ada.md"),
        ("[[people/ada.md]]", "people/ada.md"),
        ("[[/people/ada]]", "people/ada.md"),
        ("[[ada]]", "people/ada.md"),
        ("[[ADA]]", "people/ada.md"),
        ("[[zoë]]", "people/Zoë.md"),
        (f"[[{unicodedata.normalize('NFD', 'Zoë')}]]", "people/Zoë.md"),
        ("[[plan]]", "work/plan.md"),
        ("[[plan b]]", "work/Plan B.md"),
        ("[[v1.2]]", "work/v1.2.md"),
        ("[[board.canvas]]", "work/board.canvas.md"),
        ("[[index]]", "index.md"),
        ("[[old/index]]", "work/old/index.md"),
        ("[[../work/plan]]", "work/plan.md"),
        ("[[#Here]]", "people/ada.md"),
        ("[x](../work/plan.md)", "work/plan.md"),
        ("[x](index.md)", "people/index.md"),
        ("[x](/index.md)", "index.md"),
        ("[x](work/plan.md)", "work/plan.md"),
        ("[x](plan.md)", "work/plan.md"),
        ("[x](../work/Plan%20B.md#Part)", "work/Plan B.md"),
    ],
)
def test_a_link_leads_to_the_exact_path_or_else_the_unique_file_name(
    written: str, expected: str
) -> None:
    assert found(written) == (expected,)


@pytest.mark.parametrize(
    "written",
    ["[[nobody]]", "[[old/plan]]", "[[/ada]]", "[[../ada]]", "[x](../../index.md)", "[[people]]"],
)
def test_a_link_that_fits_no_note_leads_nowhere(written: str) -> None:
    assert found(written) == ()


def test_a_name_of_several_notes_is_ambiguous() -> None:
    paths = Paths(path for path in VAULT if path != "index.md")
    (link,) = links("[[index]]")

    assert paths.find(link, "a.md") == ("people/index.md", "work/index.md", "work/old/index.md")
    assert paths.resolve(link, "a.md") is None


def test_of_two_paths_that_differ_by_case_the_one_as_written_is_meant() -> None:
    paths = Paths(["a/Ada.md", "a/ada.md"])
    exact, other = links("[[a/Ada]] [[a/ADA]]")

    assert paths.resolve(exact, "x.md") == "a/Ada.md"
    assert paths.find(other, "x.md") == ("a/Ada.md", "a/ada.md")


def test_a_note_named_like_a_file_is_found_by_its_whole_name() -> None:
    (link,) = links("[[a.md]]")

    assert Paths(["x/a.md.md"]).resolve(link, "b.md") == "x/a.md.md"
    assert Paths(["x/a.md.md", "y/a.md"]).resolve(link, "b.md") == "y/a.md"


@given(
    st.lists(
        st.tuples(
            st.booleans(), st.sampled_from(["a.md", "x/a.md", "x/A.md", "y/x/a.md", "b.md", "x.md"])
        ),
        max_size=12,
    )
)
@settings(max_examples=100, deadline=None)
def test_paths_that_come_and_go_leave_the_lookup_of_those_that_are_there(
    changes: list[tuple[bool, str]],
) -> None:
    paths = Paths()
    there: dict[str, None] = {}
    for add, path in changes:
        if add:
            paths.put(path)
            there[path] = None
        else:
            paths.drop(path)
            there.pop(path, None)

    fresh = Paths(there)
    for name in ("a", "x/a", "y/x/a", "b", "x"):
        assert sorted(paths.named(name)) == sorted(fresh.named(name))
